//! Threads that compute, apart from the runtime's.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::oneshot;

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

/// Two pools, so that reading a workspace never keeps a question waiting.
pub(crate) struct Pool {
    questions: ThreadPool,
    background: ThreadPool,
}

/// The computation panicked; the panic has been logged.
#[derive(Debug)]
pub(crate) struct Panicked;

impl Pool {
    pub(crate) fn new() -> Result<Self, rayon::ThreadPoolBuildError> {
        let build = |name: &'static str, threads: usize| {
            ThreadPoolBuilder::new()
                .num_threads(threads)
                .thread_name(move |n| format!("{name}-{n}"))
                // Deep trees are walked by recursion in places.
                .stack_size(16 << 20)
                .panic_handler(|_| tracing::error!("a background task panicked"))
                .build()
        };
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            questions: build("question", cores.max(2))?,
            background: build("background", cores)?,
        })
    }

    /// Computes on the pool of questions. Dropping the future gives the computation up: `work`
    /// sees its flag set.
    pub(crate) async fn ask<R: Send + 'static>(
        &self,
        work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
    ) -> Result<R, Panicked> {
        let interrupt = Interrupt::new();
        let flag = interrupt.flag();
        let (sender, answer) = oneshot::channel();
        self.questions.spawn(move || {
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
        self.background.spawn(work);
    }
}
