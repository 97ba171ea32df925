//! Code actions: what can be done at a place because names make it certain, and doing it.
//!
//! The edits are worked out on one state of the workspace and go the way of `apply_edit`.

mod apply_code_action;
mod code_actions;
mod place;

pub(crate) use apply_code_action::ApplyCodeAction;
pub(crate) use code_actions::CodeActions;

/// Other names of the parameters that say which lines are meant.
const PLACE_ALIASES: &[(&str, &str)] = &[
    ("uri", "path"),
    ("file", "path"),
    ("file_path", "path"),
    ("relative_path", "path"),
    ("line", "start_line"),
    ("text", "code"),
];
