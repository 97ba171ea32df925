//! Checks a whole new text of a file: it must not be only a part of it.

use serde_json::json;

use tools::{Code, ToolError};

/// Minimum number of lines of a text whose shrinking is checked.
const MIN_LINES: usize = 30;

/// The fraction of its lines that a new text must have.
const MIN_KEPT_FRACTION: (usize, usize) = (2, 5);

/// Refuses a text with a placeholder for omitted code. Refuses one much shorter than the file, too,
/// unless the caller proves by `expected_hash` that they know its content.
pub(super) fn check_rewrite(
    shown: &str,
    before: &str,
    after: &str,
    knows_content: bool,
) -> Result<(), ToolError> {
    if let Some((line, omitted)) = patch::omission(before, after) {
        let message = format!(
            "{shown}: line {line} of the new text, \"{omitted}\", is a placeholder for omitted code, which it would replace"
        );
        return Err(
            ToolError::new(Code::Guard, message).hint("write the whole text, or patch the file")
        );
    }
    let nonempty_lines = |text: &str| text.lines().filter(|line| !line.trim().is_empty()).count();
    let (old, new) = (nonempty_lines(before), nonempty_lines(after));
    if knows_content || old < MIN_LINES || new * MIN_KEPT_FRACTION.1 >= old * MIN_KEPT_FRACTION.0 {
        return Ok(());
    }
    let message = format!("{shown}: the new text has {new} lines in place of {old}");
    Err(ToolError::new(Code::Guard, message)
        .hint("to replace it anyway, pass expected_hash from read_file (write_file: or overwrite: true); to change a part, use apply_edit with old_text")
        .details(json!({ "lines_before": old, "lines_after": new })))
}
