//! The lines of a difference that a caller means.

use git::Selection;
use schemars::JsonSchema;
use serde::Deserialize;

/// Lines of a file's difference, as `git_diff` numbers them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Hunk {
    /// The first line before; with `old_lines`, the lines that went.
    #[serde(default)]
    old_start: u32,
    /// How many lines before.
    #[serde(default)]
    old_lines: u32,
    /// The first line after; with `new_lines`, the lines that came.
    #[serde(default)]
    new_start: u32,
    /// How many lines after.
    #[serde(default)]
    new_lines: u32,
}

pub(super) fn selection(hunks: &[Hunk]) -> Selection {
    let mut selection = Selection::default();
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
