//! Returns freed memory to the system.

/// Returns freed heap memory to the system. The C library does so itself only at the end of its
/// arenas, but the memory of freed trees lies in between. About 10 ms for 200 MB; other threads
/// that allocate wait meanwhile.
#[cfg(target_env = "gnu")]
#[allow(unsafe_code, reason = "there is no safe wrapper")]
pub(crate) fn trim_heap() {
    // SAFETY: it takes no pointer, does not touch memory in use, and locks its own state.
    let _ = unsafe { libc::malloc_trim(0) };
}

/// Other C libraries have no such call.
#[cfg(not(target_env = "gnu"))]
pub(crate) fn trim_heap() {}
