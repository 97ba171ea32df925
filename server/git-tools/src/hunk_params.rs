//! Selects lines of a diff.

use git::LineSelection;
use schemars::JsonSchema;
use serde::Deserialize;

/// Lines of a file's diff, numbered as in `git_diff`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HunkParam {
    /// First old line; with `old_lines`, the removed lines.
    #[serde(default)]
    old_start: u32,
    /// Number of old lines.
    #[serde(default)]
    old_lines: u32,
    /// First new line; with `new_lines`, the added lines.
    #[serde(default)]
    new_start: u32,
    /// Number of new lines.
    #[serde(default)]
    new_lines: u32,
}

pub(super) fn selection(hunks: &[HunkParam]) -> LineSelection {
    let mut selection = LineSelection::default();
    for hunk in hunks {
        if hunk.old_lines > 0 {
            let last = hunk.old_start.saturating_add(hunk.old_lines - 1);
            selection.old.push(hunk.old_start..=last);
        }
        if hunk.new_lines > 0 {
            let last = hunk.new_start.saturating_add(hunk.new_lines - 1);
            selection.new.push(hunk.new_start..=last);
        }
    }
    selection
}
