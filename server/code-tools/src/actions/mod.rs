//! Code action tools.
//!
//! Edits are computed on one snapshot and run through the patch engine.

mod action_location;
mod apply_code_action;
mod code_actions;

use tools::Entry;

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<code_actions::CodeActions>(),
        Entry::new::<apply_code_action::ApplyCodeAction>(),
    ]
}

/// Aliases of the parameters that name a range.
const PLACE_ALIASES: &[(&str, &str)] = &[
    ("uri", "path"),
    ("file", "path"),
    ("file_path", "path"),
    ("relative_path", "path"),
    ("line", "start_line"),
    ("text", "code"),
];
