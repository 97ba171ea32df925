//! Lines of results that models read.

use std::fmt::{Display, Write};

use serde_json::Value;

/// Adds a line.
pub(crate) fn push(text: &mut String, line: impl Display) {
    if !text.is_empty() {
        text.push('\n');
    }
    // Writing to a string cannot fail.
    let _ = write!(text, "{line}");
}

/// A window as a line: `0x1c00007 * XTerm "title" 800×600+10+20 minimized`.
pub(crate) fn window_line(window: &Value) -> String {
    let field = |name: &str| window[name].as_str().unwrap_or_default();
    let number = |name: &str| window[name].as_i64().unwrap_or_default();
    let mark = if window["focused"] == true { " *" } else { "" };
    let mut line = format!(
        "{}{mark} {} \"{}\" {}×{}+{}+{}",
        field("id"),
        field("app"),
        field("title"),
        number("width"),
        number("height"),
        number("x"),
        number("y")
    );
    for state in window["state"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        line.push(' ');
        line.push_str(state);
    }
    line
}
