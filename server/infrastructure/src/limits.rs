//! Limits.

use std::time::Duration;

/// Time for a plan, unless the caller wants another.
pub(crate) const PLAN_TIMEOUT_MS: u64 = 600_000;
/// Time for an apply, unless the caller wants another.
pub(crate) const APPLY_TIMEOUT_MS: u64 = 3_600_000;
/// Most time for either.
pub(crate) const MAX_TIMEOUT_MS: u64 = 6 * 3_600_000;
/// Time for a program that only reads a file.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(120);
/// Time to finish what is being changed after a cancellation: a state that is not written is lost.
pub(crate) const APPLY_GRACE: Duration = Duration::from_secs(60);

/// Most bytes of a plan as JSON, and of a pulled state.
pub(crate) const MAX_JSON_BYTES: usize = 64 << 20;
/// Most bytes of a stored plan.
pub(crate) const MAX_PLAN_BYTES: u64 = 256 << 20;
/// Captured of what programs print beside that, in bytes: for messages.
pub(crate) const MAX_CAPTURED_BYTES: usize = 64 << 10;
/// Most bytes of one line of a program's log.
pub(crate) const MAX_LINE_BYTES: usize = 1 << 20;
/// Most events and diagnostics that are kept.
pub(crate) const MAX_EVENTS: usize = 10_000;

/// Most changes of a plan.
pub(crate) const MAX_CHANGES: usize = 20_000;
/// Attributes that are listed of one change.
pub(crate) const MAX_ATTRIBUTES: usize = 60;
/// Longest shown value, in characters.
pub(crate) const MAX_VALUE_CHARS: usize = 200;

/// Most files of a configuration, and their bytes all together.
pub(crate) const MAX_FILES: usize = 10_000;
pub(crate) const MAX_FILE_BYTES: u64 = 256 << 20;
/// How deep folders of a configuration may nest.
pub(crate) const MAX_DEPTH: usize = 32;

/// Plans that are kept of a workspace.
pub(crate) const MAX_PLANS: usize = 10;
/// Most variables, and the bytes of one.
pub(crate) const MAX_VARIABLES: usize = 200;
pub(crate) const MAX_VARIABLE_BYTES: usize = 32 << 10;
