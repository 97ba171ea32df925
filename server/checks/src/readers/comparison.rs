//! What a failed assertion expected and found, where its message says which is which.

use std::sync::LazyLock;

use regex::Regex;

/// Messages that name both sides. `a == b` does not say which of them was expected.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        // JUnit 5 and 4.
        r"(?s)expected: ?<(?P<expected>.*?)> but was: ?<(?P<found>.*?)>(?:\n|$)",
        // Jest, Vitest.
        r"(?m)^\s*Expected: (?P<expected>.+)\n\s*Received: (?P<found>.+)$",
        // RSpec.
        r"(?m)^\s*expected: (?P<expected>.+)\n\s*got: (?P<found>.+)$",
        // testify.
        r"(?m)^\s*expected\s*: (?P<expected>.+)\n\s*actual\s*: (?P<found>.+)$",
        // PHPUnit.
        r"Failed asserting that (?P<found>.+) (?:matches expected|is identical to) (?P<expected>.+)\.",
    ];
    forms.iter().filter_map(|form| Regex::new(form).ok()).collect()
});

/// The expected and the found value of a message.
pub(super) fn comparison(message: &str) -> (Option<String>, Option<String>) {
    let captures = FORMS.iter().find_map(|form| form.captures(message));
    let group = |name: &str| {
        captures.as_ref().and_then(|captures| Some(captures.name(name)?.as_str().to_owned()))
    };
    (group("expected"), group("found"))
}
