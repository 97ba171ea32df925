//! Threads for work that may block on the client or on the write lock. Their number grows with the work.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use tokio::sync::oneshot;
use workspace::{FilesystemSandbox, Root};

type Job = Box<dyn FnOnce() + Send>;

/// What each new thread runs first: it confines itself to the workspace folders by Landlock.
pub type ConfineThread = Arc<dyn Fn() + Send + Sync>;

/// The work panicked, or no thread could be started for it. This has been logged.
#[derive(Debug)]
pub struct Panicked;

/// A pool of confined threads. When dropped, its threads finish the queued jobs and end.
pub struct CallThreads {
    shared: Arc<Shared>,
    confine: ConfineThread,
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

/// Confines the threads that run it to `roots`, and to the folders that every program needs. On a kernel
/// without Landlock it does nothing; the second value says so.
pub fn confine_to<'r>(roots: impl IntoIterator<Item = &'r Root>) -> (ConfineThread, bool) {
    let ruleset = FilesystemSandbox::for_roots(roots)
        .inspect_err(|why| tracing::warn!("cannot confine the tool threads by Landlock: {why}"))
        .ok();
    let is_confined = ruleset.is_some();
    let confine = move || {
        if let Some(Err(error)) = ruleset.as_ref().map(FilesystemSandbox::restrict_thread) {
            tracing::error!("a thread runs without Landlock confinement: {error}");
        }
    };
    (Arc::new(confine), is_confined)
}

impl CallThreads {
    /// Creates a pool whose threads run `confine` first.
    #[must_use]
    pub fn new(confine: ConfineThread) -> Self {
        Self { shared: Arc::default(), confine }
    }

    /// Runs `work` on a confined thread. It continues when the future is dropped.
    ///
    /// # Errors
    /// If it panicked, or if no thread could be started.
    pub async fn run<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        run_on(|job| self.spawn(job), work).await
    }

    /// Runs `job` at once, on an idle or a new thread. Callers bound the number of concurrent jobs.
    ///
    /// # Errors
    /// If no thread can be started. The job is then dropped.
    fn spawn(&self, job: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let mut state = self.shared.state.lock();
        if state.idle <= state.jobs.len() {
            let (shared, confine) = (self.shared.clone(), self.confine.clone());
            new_thread(move || {
                confine();
                shared.run_jobs();
            })?;
        }
        state.jobs.push_back(Box::new(job));
        drop(state);
        self.shared.changed.notify_one();
        Ok(())
    }
}

/// Runs `work` on a new thread that is not confined: it sets up a sandbox itself, which a confined thread
/// cannot. It continues when the future is dropped.
///
/// # Errors
/// If it panicked, or if no thread could be started.
pub(crate) async fn run_unconfined<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, Panicked> {
    run_on(new_thread, work).await
}

fn new_thread(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    std::thread::Builder::new().name("call".to_owned()).stack_size(STACK_SIZE).spawn(work)?;
    Ok(())
}

/// Runs `work` where `spawn` puts it, and waits for its result.
async fn run_on<R: Send + 'static>(
    spawn: impl FnOnce(Job) -> io::Result<()>,
    work: impl FnOnce() -> R + Send + 'static,
) -> Result<R, Panicked> {
    let (sender, done) = oneshot::channel();
    let spawned = spawn(Box::new(move || {
        let result = catch_unwind(AssertUnwindSafe(work));
        // The receiver is gone if the future was dropped.
        let _ = sender.send(result);
    }));
    if let Err(error) = spawned {
        tracing::error!("no thread for a tool: {error}");
        return Err(Panicked);
    }
    match done.await {
        Ok(Ok(result)) => Ok(result),
        _ => Err(Panicked),
    }
}

impl Drop for CallThreads {
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

    fn counting() -> (CallThreads, Arc<AtomicUsize>) {
        let started_threads = Arc::new(AtomicUsize::new(0));
        let count = started_threads.clone();
        let confine = move || {
            count.fetch_add(1, Ordering::SeqCst);
        };
        (CallThreads::new(Arc::new(confine)), started_threads)
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
