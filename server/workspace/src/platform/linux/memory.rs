//! Memory that the C library keeps for later.

/// Gives back to the system what has been freed. The library does so by itself only at the end of its
/// areas, and what is kept of many freed trees lies between. About 10 ms for 200 MB; others that
/// allocate wait for it.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn give_back_memory() {
    // SAFETY: it is given no pointer, touches nothing that is in use, and locks what it works on.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// Other libraries have no such call.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn give_back_memory() {}
