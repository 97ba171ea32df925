//! Threads that extract facts.

use rayon::ThreadPoolBuilder;

/// Stack size of a thread that extracts facts: syntax trees are walked recursively, hundreds of levels deep.
pub(super) const STACK_BYTES: usize = 16 << 20;

/// Runs `work`, such as [`Snapshot::build_index`](crate::Snapshot::build_index), in a pool of its own. Its threads have
/// room for deep syntax trees, which those of rayon's global pool lack. They are confined as the calling thread is, and
/// end with `work`.
pub fn with_indexing_threads<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    match ThreadPoolBuilder::new()
        .thread_name(|n| format!("index-{n}"))
        .stack_size(STACK_BYTES)
        .build()
    {
        Ok(pool) => pool.install(work),
        Err(_) => work(),
    }
}
