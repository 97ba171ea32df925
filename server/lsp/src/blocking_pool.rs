//! A thread pool for work that may block on the client or on the write lock. It grows with the work.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

/// The pool. When dropped, its threads finish the queued jobs and end.
pub(crate) struct BlockingPool {
    shared: Arc<Shared>,
    /// Runs first on each new thread.
    on_start: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<PoolState>,
    changed: Condvar,
}

#[derive(Default)]
struct PoolState {
    jobs: VecDeque<Job>,
    idle: usize,
    is_closed: bool,
}

/// How long an idle thread is kept.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// Some tree walks recurse deeply.
const STACK_SIZE: usize = 16 << 20;

impl BlockingPool {
    pub(crate) fn new(on_start: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { shared: Arc::default(), on_start }
    }

    /// Runs `job` at once, on an idle or a new thread. Callers bound the number of concurrent jobs.
    ///
    /// # Errors
    /// If no thread can be started. The job is then dropped.
    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut state = self.shared.state.lock();
        if state.idle <= state.jobs.len() {
            let (shared, on_start) = (self.shared.clone(), self.on_start.clone());
            std::thread::Builder::new().name("call".to_owned()).stack_size(STACK_SIZE).spawn(
                move || {
                    on_start();
                    shared.run_jobs();
                },
            )?;
        }
        state.jobs.push_back(Box::new(job));
        drop(state);
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl Drop for BlockingPool {
    fn drop(&mut self) {
        self.shared.state.lock().is_closed = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run_jobs(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state.lock();
                continue;
            }
            if state.is_closed {
                return;
            }
            state.idle += 1;
            let waited = self.changed.wait_for(&mut state, IDLE_TIMEOUT);
            state.idle -= 1;
            if waited.timed_out() && state.jobs.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Barrier, mpsc};

    use super::*;

    fn counting() -> (BlockingPool, Arc<AtomicUsize>) {
        let started_threads = Arc::new(AtomicUsize::new(0));
        let count = started_threads.clone();
        let on_start = move || {
            count.fetch_add(1, Ordering::SeqCst);
        };
        (BlockingPool::new(Arc::new(on_start)), started_threads)
    }

    #[test]
    fn jobs_that_wait_for_each_other_all_finish() {
        let (pool, started_threads) = counting();
        let barrier = Arc::new(Barrier::new(20));
        let (sender, done) = mpsc::channel();
        for n in 0..20 {
            let (barrier, sender) = (barrier.clone(), sender.clone());
            pool.spawn(move || {
                barrier.wait();
                sender.send(n).unwrap();
            })
            .unwrap();
        }
        let mut all: Vec<_> = done.iter().take(20).collect();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>());
        assert!(started_threads.load(Ordering::SeqCst) >= 20);
    }

    #[test]
    fn sequential_jobs_reuse_threads() {
        let (pool, started_threads) = counting();
        for _ in 0..100 {
            let (sender, done) = mpsc::channel();
            pool.spawn(move || sender.send(()).unwrap()).unwrap();
            done.recv().unwrap();
            // Gives the thread time to become idle.
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(started_threads.load(Ordering::SeqCst) < 20);
    }

    #[test]
    fn running_jobs_finish_after_the_pool_is_dropped() {
        let (pool, _) = counting();
        let (start, started) = mpsc::channel::<()>();
        let (sender, done) = mpsc::channel();
        pool.spawn(move || {
            started.recv().unwrap();
            sender.send(()).unwrap();
        })
        .unwrap();
        drop(pool);
        start.send(()).unwrap();
        done.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}
