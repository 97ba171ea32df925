//! Whether a program waits for events.

use std::fs;

/// A look at a program's main thread, which sleeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ThreadRest {
    /// How often it has gone to sleep.
    sleeps: u64,
}

impl ThreadRest {
    /// The look, if the thread sleeps now.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        Self::parse(&fs::read_to_string(format!("/proc/{pid}/task/{pid}/status")).ok()?)
    }

    fn parse(status: &str) -> Option<Self> {
        let field = |name: &str| {
            status.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
        };
        let sleeps = field("voluntary_ctxt_switches")?.parse().ok()?;
        field("State")?.starts_with('S').then_some(Self { sleeps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_sleeping_thread_rests() {
        let status =
            |state: &str| format!("Name:\tx\nState:\t{state}\nvoluntary_ctxt_switches:\t12\n");
        assert_eq!(ThreadRest::parse(&status("S (sleeping)")), Some(ThreadRest { sleeps: 12 }));
        assert_eq!(ThreadRest::parse(&status("R (running)")), None);
        assert_eq!(ThreadRest::parse("broken"), None);
    }
}
