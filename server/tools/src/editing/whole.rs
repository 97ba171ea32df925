//! What a whole new text of a file must not be: a part of it.

use serde_json::json;

use crate::{Code, ToolError};

/// Lines from which on a text that shrinks is looked at.
const LINES: usize = 30;

/// The part of its lines that a file keeps at least.
const KEPT: (usize, usize) = (2, 5);

/// Refuses a text that stands for more than it is: with a line in place of code that is left out, or
/// with much less than the file has, unless the caller shows by `expected_hash` that they know what
/// that is.
pub(super) fn check(shown: &str, before: &str, after: &str, knows: bool) -> Result<(), ToolError> {
    if let Some((line, omitted)) = patch::omission(before, after) {
        let message = format!(
            "{shown}: line {line} of the new text, \"{omitted}\", is a placeholder for omitted code, which it would replace"
        );
        return Err(
            ToolError::new(Code::Guard, message).hint("write the whole text, or patch the file")
        );
    }
    let written = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let (old, new) = (written(before), written(after));
    if knows || old < LINES || new * KEPT.1 >= old * KEPT.0 {
        return Ok(());
    }
    let message = format!("{shown}: the new text has {new} lines in place of {old}");
    Err(ToolError::new(Code::Guard, message)
        .hint("to replace it anyway, pass expected_hash from read_file (write_file: or overwrite: true); to change a part, use apply_edit with old_text")
        .details(json!({ "lines_before": old, "lines_after": new })))
}
