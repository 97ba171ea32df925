//! Thread priorities.

use rustix::process::{getpriority_process, setpriority_process};
use rustix::thread::gettid;

/// The niceness added to background threads: one gets a third of the time of a thread that a person
/// waits for if both compete for a core.
const BACKGROUND_NICENESS: i32 = 5;
/// The maximum niceness.
const MAX_NICENESS: i32 = 19;

/// Lowers the priority of the calling thread permanently.
pub fn lower_thread_priority() {
    // On Linux, niceness is per thread. A failure is harmless.
    let lowered = getpriority_process(Some(gettid())).and_then(|own| {
        setpriority_process(Some(gettid()), (own + BACKGROUND_NICENESS).min(MAX_NICENESS))
    });
    if let Err(error) = lowered {
        tracing::debug!("the priority of a thread could not be lowered: {error}");
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
        assert_eq!(
            lowered.join().expect("a thread"),
            (before + BACKGROUND_NICENESS).min(MAX_NICENESS)
        );
        assert_eq!(own_niceness(), before);
    }
}
