//! Priorities of threads.

use rustix::process::setpriority_process;
use rustix::thread::gettid;

/// Niceness of threads that no query waits for: such a thread gets a third of the time of one that
/// a person waits for, where both want the same core.
const NICENESS: i32 = 5;

/// Lowers the priority of the calling thread, for good.
pub fn lower_thread_priority() {
    // Linux keeps the niceness by thread. Without it the work is done all the same.
    if let Err(error) = setpriority_process(Some(gettid()), NICENESS) {
        tracing::debug!("a thread keeps its priority: {error}");
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn only_the_calling_thread_is_niced() {
        let before = getpriority_process(Some(gettid())).expect("a priority");
        let lowered = std::thread::spawn(|| {
            lower_thread_priority();
            getpriority_process(Some(gettid())).expect("a priority")
        });
        assert_eq!(lowered.join().expect("a thread"), NICENESS.max(before));
        assert_eq!(getpriority_process(Some(gettid())).expect("a priority"), before);
    }
}
