//! What a session is doing, why its program stopped, and how it ended.

use std::fmt;

/// What a session is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionPhase {
    /// It is being started.
    Starting,
    /// The program runs.
    Running,
    /// The program is stopped.
    Stopped(StopInfo),
    /// The session has ended.
    Ended(SessionEnd),
}

/// Why and where a program stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StopInfo {
    /// `breakpoint`, `step`, `exception`, `pause`, `entry`, or an adapter's own reason.
    pub reason: String,
    /// The adapter's description of the reason.
    pub description: Option<String>,
    /// Additional text, such as an exception's message.
    pub text: Option<String>,
    /// The thread.
    pub thread: Option<i64>,
    /// The ids of the breakpoints that were hit.
    pub breakpoints: Vec<u64>,
    /// The number of the stop. Frame and variable references are valid for one stop only.
    pub number: u64,
}

/// How a session ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionEnd {
    /// The program's exit code, if the adapter reported it.
    pub exit_code: Option<i64>,
    /// The adapter's failure, with its last lines of standard error.
    pub fault: Option<String>,
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.fault, self.exit_code) {
            (Some(fault), _) => write!(f, "{fault}"),
            (None, Some(code)) => write!(f, "the program exited with {code}"),
            (None, None) => write!(f, "the program has ended"),
        }
    }
}
