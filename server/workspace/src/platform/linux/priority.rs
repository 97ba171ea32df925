//! Priorities of threads.

use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::gettid;

/// What is added to the niceness of a thread that no query waits for: it gets a third of the time of
/// one that a person waits for, where both want the same core.
const NICER: i32 = 5;
/// The greatest niceness.
const NICEST: i32 = 19;

/// Lowers the priority of the calling thread, for good.
pub fn lower_thread_priority() {
    // Linux keeps the niceness by thread. Without it the work is done all the same.
    let lowered = getpriority_process(Some(gettid()))
        .and_then(|own| setpriority_process(Some(gettid()), (own + NICER).min(NICEST)));
    if let Err(error) = lowered {
        tracing::debug!("a thread keeps its priority: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_niceness() -> i32 {
        getpriority_process(Some(gettid())).expect("a priority")
    }

    #[test]
    fn only_the_calling_thread_is_niced() {
        let before = own_niceness();
        let lowered = std::thread::spawn(|| {
            lower_thread_priority();
            own_niceness()
        });
        assert_eq!(lowered.join().expect("a thread"), (before + NICER).min(NICEST));
        assert_eq!(own_niceness(), before);
    }
}
