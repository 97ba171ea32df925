//! Code action tools.
//!
//! Edits are computed on one snapshot and run through the patch engine.

mod apply_code_action;
mod code_actions;
mod place;

pub(crate) use apply_code_action::ApplyCodeAction;
pub(crate) use code_actions::CodeActions;

/// Aliases of the parameters that name a range.
const PLACE_ALIASES: &[(&str, &str)] = &[
    ("uri", "path"),
    ("file", "path"),
    ("file_path", "path"),
    ("relative_path", "path"),
    ("line", "start_line"),
    ("text", "code"),
];
