//! Redaction for debug data that is shown outside the tools.

use super::display;
use tools::audit::redact;

/// A variable's value, at most `longest` characters, or a placeholder if value or name look like a
/// secret.
#[must_use]
pub fn shown_value(name: &str, text: &str, longest: usize) -> String {
    display::redact_value(name, text, longest)
}

/// Output or an exception's text, with recognised secrets removed.
#[must_use]
pub fn shown_text(text: &str) -> String {
    redact(text)
}
