//! Threads for work that may wait, for the client or for a turn: as many as there is work.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

type Job = Box<dyn FnOnce() + Send>;

/// The threads. Dropped, it lets them finish what they have.
pub(crate) struct Crew {
    shared: Arc<Shared>,
    /// What each thread does first.
    enter: Arc<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    is_over: bool,
}

/// How long a thread without work is kept.
const KEPT: Duration = Duration::from_secs(10);
/// Deep trees are walked by recursion in places.
const STACK: usize = 16 << 20;

impl Crew {
    pub(crate) fn new(enter: Arc<dyn Fn() + Send + Sync>) -> Self {
        Self { shared: Arc::default(), enter }
    }

    /// Has `job` done at once, on a thread that nothing else waits for. Panics in it are its own
    /// business. Callers bound how many there are at a time.
    ///
    /// # Errors
    /// When no thread can be had; the job is not done.
    pub(crate) fn spawn(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut state = self.shared.state.lock();
        if state.idle <= state.jobs.len() {
            let (shared, enter) = (self.shared.clone(), self.enter.clone());
            std::thread::Builder::new().name("call".to_owned()).stack_size(STACK).spawn(
                move || {
                    enter();
                    shared.work();
                },
            )?;
        }
        state.jobs.push_back(Box::new(job));
        drop(state);
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl Drop for Crew {
    fn drop(&mut self) {
        self.shared.state.lock().is_over = true;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn work(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(job) = state.jobs.pop_front() {
                drop(state);
                job();
                state = self.state.lock();
                continue;
            }
            if state.is_over {
                return;
            }
            state.idle += 1;
            let waited = self.changed.wait_for(&mut state, KEPT);
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

    fn counting() -> (Crew, Arc<AtomicUsize>) {
        let entered = Arc::new(AtomicUsize::new(0));
        let count = entered.clone();
        let enter = move || {
            count.fetch_add(1, Ordering::SeqCst);
        };
        (Crew::new(Arc::new(enter)), entered)
    }

    #[test]
    fn jobs_that_wait_for_each_other_are_all_done() {
        let (crew, entered) = counting();
        let barrier = Arc::new(Barrier::new(20));
        let (sender, done) = mpsc::channel();
        for n in 0..20 {
            let (barrier, sender) = (barrier.clone(), sender.clone());
            crew.spawn(move || {
                barrier.wait();
                sender.send(n).unwrap();
            })
            .unwrap();
        }
        let mut all: Vec<_> = done.iter().take(20).collect();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<_>>());
        assert!(entered.load(Ordering::SeqCst) >= 20);
    }

    #[test]
    fn one_job_after_the_other_takes_few_threads() {
        let (crew, entered) = counting();
        for _ in 0..100 {
            let (sender, done) = mpsc::channel();
            crew.spawn(move || sender.send(()).unwrap()).unwrap();
            done.recv().unwrap();
            // Until the thread has said that it is free.
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(entered.load(Ordering::SeqCst) < 20);
    }

    #[test]
    fn what_is_under_way_is_done_after_the_end() {
        let (crew, _) = counting();
        let (start, started) = mpsc::channel::<()>();
        let (sender, done) = mpsc::channel();
        crew.spawn(move || {
            started.recv().unwrap();
            sender.send(()).unwrap();
        })
        .unwrap();
        drop(crew);
        start.send(()).unwrap();
        done.recv_timeout(Duration::from_secs(10)).unwrap();
    }
}
