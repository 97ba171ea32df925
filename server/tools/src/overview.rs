//! The figures of an overview of the workspace, which families add to.

use jiff::Timestamp;

/// The period that figures are counted in.
#[derive(Debug, Clone, Copy)]
pub struct OverviewPeriod {
    /// The tool that counts, for errors.
    pub tool: &'static str,
    /// Its beginning; it ends now.
    pub since: Timestamp,
}

/// What families know of a workspace.
#[derive(Debug, Clone, Default)]
pub struct Overview {
    /// Builds and test runs that ended in the period.
    pub builds: BuildFigures,
    /// Sessions whose agents work now.
    pub active_sessions: u64,
    /// Sessions that were created in the period.
    pub sessions: u64,
    /// Messages of people and agents in the period.
    pub messages: u64,
}

/// Builds and test runs that ended by themselves or by a timeout.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuildFigures {
    /// Those that passed.
    pub passed: u64,
    /// Those that failed or took too long.
    pub failed: u64,
    /// How long all of them took, in milliseconds.
    pub duration_ms: u64,
}
