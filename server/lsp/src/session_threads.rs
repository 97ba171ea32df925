//! Thread pools for computation, apart from the async runtime's threads.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::oneshot;
use tools::{CallThreads, ConfineThread, Panicked, confine_to};
use workspace::{Root, lower_thread_priority};

/// Sets its flag when dropped, so dropping the awaiting future cancels the computation.
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// The session's threads, confined to the workspace folders by Landlock. Landlock rules cannot be
/// lifted from a thread, so other folders need new threads.
pub(crate) struct SessionThreads(RwLock<Arc<ThreadPools>>);

/// Separate pools, so that indexing never delays a query, and a tool that waits for the editor never
/// delays other work.
struct ThreadPools {
    interactive: ThreadPool,
    /// For queries that never block.
    latency_critical: ThreadPool,
    /// For diagnostics pushed while the user types. A large document takes seconds.
    diagnostics: ThreadPool,
    background: ThreadPool,
    calls: Arc<CallThreads>,
    confine: ConfineThread,
    is_confined: bool,
}

impl ThreadPools {
    fn new(roots: &[Arc<Root>]) -> Result<Self, ThreadPoolBuildError> {
        let (confine, is_confined) = confine_to(roots.iter().map(Arc::as_ref));
        let build = |name: &'static str, threads: usize, is_urgent: bool| {
            let confine = confine.clone();
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |n| format!("{name}-{n}"))
                // Some tree walks recurse deeply.
                .stack_size(16 << 20)
                .start_handler(move |_| {
                    confine();
                    if !is_urgent {
                        lower_thread_priority();
                    }
                })
                .panic_handler(|_| tracing::error!("a background task panicked"))
                .build()
        };
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            interactive: build("interactive", cores.max(2), true)?,
            latency_critical: build("latency", 2, true)?,
            diagnostics: build("diagnostics", 1, false)?,
            background: build("background", cores, false)?,
            calls: Arc::new(CallThreads::new(confine.clone())),
            confine,
            is_confined,
        })
    }
}

impl SessionThreads {
    /// Starts threads confined to `roots`.
    pub(crate) fn new(roots: &[Arc<Root>]) -> Result<Self, ThreadPoolBuildError> {
        Ok(Self(RwLock::new(Arc::new(ThreadPools::new(roots)?))))
    }

    /// Replaces the threads with ones confined to other roots. Running work finishes on the old threads.
    pub(crate) fn replace_roots(&self, roots: &[Arc<Root>]) {
        if !self.0.read().is_confined {
            return;
        }
        match ThreadPools::new(roots) {
            Ok(threads) => *self.0.write() = Arc::new(threads),
            Err(error) => tracing::error!("no threads for the new folders: {error}"),
        }
    }

    fn current(&self) -> Arc<ThreadPools> {
        self.0.read().clone()
    }

    /// Computes on the interactive pool. Dropping the future cancels: `work` sees its flag set.
    pub(crate) async fn run_interactive<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        Self::compute(&self.current().interactive, work).await
    }

    /// Like [`SessionThreads::run_interactive`], on the threads that never block.
    pub(crate) async fn run_latency_critical<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        Self::compute(&self.current().latency_critical, work).await
    }

    /// Like [`SessionThreads::run_interactive`], on the diagnostics thread.
    pub(crate) async fn run_diagnostics<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        Self::compute(&self.current().diagnostics, work).await
    }

    async fn compute<R: Send + 'static>(
        threads: &ThreadPool,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        let interrupt = Interrupt::new();
        let flag = interrupt.flag();
        let (sender, answer) = oneshot::channel();
        threads.spawn(move || {
            if flag.load(Ordering::Relaxed) {
                return;
            }
            let result = catch_unwind(AssertUnwindSafe(|| work(&flag)));
            // The receiver is gone if the future was dropped.
            let _ = sender.send(result);
        });
        match answer.await {
            Ok(Ok(result)) => Ok(result),
            _ => Err(Panicked),
        }
    }

    /// Runs work that nobody awaits. Parallel iterators inside it use the background threads.
    pub(crate) fn spawn_background(&self, work: impl FnOnce() + Send + 'static) {
        self.current().background.spawn(work);
    }

    /// Runs work on a dedicated thread.
    ///
    /// # Errors
    /// If no thread can be started.
    pub(crate) fn spawn_thread(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let confine = self.current().confine.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            confine();
            work();
        })?;
        Ok(())
    }

    /// The threads for work that may block.
    pub(crate) fn calls(&self) -> Arc<CallThreads> {
        self.current().calls.clone()
    }

    /// Runs work that may block on the client. It continues when the future is dropped.
    pub(crate) async fn run_blocking<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        self.calls().run(work).await
    }
}
