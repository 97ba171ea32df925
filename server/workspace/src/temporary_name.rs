//! Names of files that exist only until they are complete.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

/// A unique name; processes with the same id in different namespaces may share a folder.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let unique = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!(".tandem-{}-{unique:016x}.tmp", std::process::id())
}
