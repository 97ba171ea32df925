//! Threads that compute, apart from the runtime's.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tokio::sync::oneshot;
use workspace::{Root, Wall, lower_thread_priority};

use crate::crew::Crew;

/// Sets its flag when dropped: whoever awaits a computation gives it up by being dropped.
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

/// The threads that work for the client, behind the wall around its folders. Other folders mean
/// other threads: nobody leaves a wall.
pub(crate) struct Pool(RwLock<Arc<Threads>>);

/// Pools apart, so that reading a workspace never keeps a question waiting, nor a tool that waits
/// for the editor anything else.
struct Threads {
    questions: ThreadPool,
    /// For questions that wait for nothing.
    glances: ThreadPool,
    /// For what is told unasked of documents that are being typed in: a long one takes seconds.
    diagnoses: ThreadPool,
    background: ThreadPool,
    calls: Crew,
    enter: Arc<dyn Fn() + Send + Sync>,
    is_walled: bool,
}

/// The computation panicked; the panic has been logged.
#[derive(Debug)]
pub(crate) struct Panicked;

impl Threads {
    fn new(roots: &[Arc<Root>]) -> Result<Self, ThreadPoolBuildError> {
        let wall = Wall::around(roots.iter().map(Arc::as_ref))
            .inspect_err(|why| tracing::warn!("no wall around the threads of tools: {why}"))
            .ok();
        let is_walled = wall.is_some();
        let enter: Arc<dyn Fn() + Send + Sync> = Arc::new(move || {
            if let Some(Err(error)) = wall.as_ref().map(Wall::enter) {
                tracing::error!("a thread works without its wall: {error}");
            }
        });
        let build = |name: &'static str, threads: usize, is_urgent: bool| {
            let enter = enter.clone();
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |n| format!("{name}-{n}"))
                // Deep trees are walked by recursion in places.
                .stack_size(16 << 20)
                .start_handler(move |_| {
                    enter();
                    if !is_urgent {
                        lower_thread_priority();
                    }
                })
                .panic_handler(|_| tracing::error!("a background task panicked"))
                .build()
        };
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            questions: build("question", cores.max(2), true)?,
            glances: build("glance", 2, true)?,
            diagnoses: build("diagnose", 1, false)?,
            background: build("background", cores, false)?,
            calls: Crew::new(enter.clone()),
            enter,
            is_walled,
        })
    }
}

impl Pool {
    /// Threads behind the wall around `roots`.
    pub(crate) fn new(roots: &[Arc<Root>]) -> Result<Self, ThreadPoolBuildError> {
        Ok(Self(RwLock::new(Arc::new(Threads::new(roots)?))))
    }

    /// Puts what comes from now on behind the wall around other roots; what is under way ends
    /// where it is.
    pub(crate) fn move_to(&self, roots: &[Arc<Root>]) {
        if !self.0.read().is_walled {
            return;
        }
        match Threads::new(roots) {
            Ok(threads) => *self.0.write() = Arc::new(threads),
            Err(error) => tracing::error!("no threads for the new folders: {error}"),
        }
    }

    fn threads(&self) -> Arc<Threads> {
        self.0.read().clone()
    }

    /// Computes on the pool of questions. Dropping the future gives the computation up: `work`
    /// sees its flag set.
    pub(crate) async fn ask<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        Self::compute(&self.threads().questions, work).await
    }

    /// The same where no question that waits for something is in the way.
    pub(crate) async fn glance<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        Self::compute(&self.threads().glances, work).await
    }

    /// The same where no question waits for it.
    pub(crate) async fn diagnose<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        Self::compute(&self.threads().diagnoses, work).await
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
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        });
        match answer.await {
            Ok(Ok(result)) => Ok(result),
            _ => Err(Panicked),
        }
    }

    /// Does work that nobody waits for. rayon's parallel iterators inside it use the background
    /// threads.
    pub(crate) fn background(&self, work: impl FnOnce() + Send + 'static) {
        self.threads().background.spawn(work);
    }

    /// Does work on a thread of its own that lasts as long as the work does.
    ///
    /// # Errors
    /// When no thread can be had.
    pub(crate) fn thread(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> io::Result<()> {
        let enter = self.threads().enter.clone();
        let thread = std::thread::Builder::new().name(name.to_owned());
        thread.spawn(move || {
            enter();
            work();
        })?;
        Ok(())
    }

    /// Does a tool's work, which may wait for the client. It goes on when the future is dropped.
    pub(crate) async fn call<R: Send + 'static>(
        &self,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        let (sender, done) = oneshot::channel();
        let spawned = self.threads().calls.spawn(move || {
            let result = catch_unwind(AssertUnwindSafe(work));
            // Nobody may be waiting any more.
            let _ = sender.send(result);
        });
        if let Err(error) = spawned {
            tracing::error!("no thread for a tool: {error}");
            return Err(Panicked);
        }
        match done.await {
            Ok(Ok(result)) => Ok(result),
            _ => Err(Panicked),
        }
    }
}
