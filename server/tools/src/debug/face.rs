//! What others than the tools show of programs that are debugged, with secrets left out as there.

use super::shown;
use crate::audit::redact;

/// A variable's value, at most `longest` characters of it. One that looks like a secret, or goes
/// under a secret's name, is not shown.
#[must_use]
pub fn shown_value(name: &str, text: &str, longest: usize) -> String {
    shown::value(name, text, longest)
}

/// What a program has written or an exception says, without what looks like a secret.
#[must_use]
pub fn shown_text(text: &str) -> String {
    redact(text)
}
