//! Recognizes expressions without side effects, in languages of similar syntax.

/// Words that are operators.
const OPERATOR_WORDS: &[&str] = &["and", "or", "not", "in", "is"];
/// Length limit of an expression, in bytes.
const MAX_LENGTH: usize = 1_000;

/// Whether an expression has no side effects: it consists of names, member and element access,
/// constants and comparisons. It contains no call or assignment and is no debugger command. For
/// adapters of other languages use [`Session::only_looks`](crate::Session::only_looks).
#[must_use]
pub fn is_side_effect_free(expression: &str) -> bool {
    if expression.len() > MAX_LENGTH || expression.trim().is_empty() {
        return false;
    }
    let mut rest = expression.trim();
    // Whether the previous token ended a value: the next one must be an operator then.
    let mut after_value = false;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() && c != '\n' {
            rest = &rest[c.len_utf8()..];
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let word = &rest[..end];
            rest = &rest[end..];
            if OPERATOR_WORDS.contains(&word) {
                after_value = false;
            } else if after_value {
                return false;
            } else {
                after_value = true;
            }
        } else if let Some(quoted) = rest.strip_prefix(['"', '\'']) {
            let Some(end) = quoted.find(c) else { return false };
            if after_value || quoted[..end].contains('\\') {
                return false;
            }
            rest = &quoted[end + 1..];
            after_value = true;
        } else {
            let Some(length) = pure_operator_length(rest, after_value) else { return false };
            after_value = rest.starts_with([')', ']']);
            rest = &rest[length..];
        }
    }
    after_value
}

/// The expressions in a log message: its parts in braces.
pub fn log_message_expressions(message: &str) -> impl Iterator<Item = &str> {
    message.split('{').skip(1).map(|part| part.split('}').next().unwrap_or(part))
}

/// The length of the operator at the start of `text`; `None` if it may have side effects.
fn pure_operator_length(text: &str, after_value: bool) -> Option<usize> {
    for safe in ["==", "!=", "<=", ">=", "->", "::", "&&", "||", "//"] {
        if text.starts_with(safe) {
            return Some(2);
        }
    }
    for unsafe_ in ["++", "--", "<<", ">>", "**"] {
        if text.starts_with(unsafe_) {
            return None;
        }
    }
    let first = text.chars().next()?;
    match first {
        // After a value, `(` is a call.
        '(' => (!after_value).then_some(1),
        ')' | '[' | ']' | '.' | '<' | '>' | '+' | '-' | '*' | '/' | '%' => {
            // `+=` and the like are assignments.
            (!text[1..].starts_with('=')).then_some(1)
        }
        '!' | '&' => (!after_value).then_some(1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_with_side_effects_are_recognized() {
        for pure in [
            "x",
            "self.items[0].name",
            "a + b * (c - 1)",
            "n == 3 and not done",
            "p->next->value",
            "map['key']",
            "*p",
            "&x",
            "v[i + 1] >= 2.5",
            "crate::X",
            "1",
            "a // b",
        ] {
            assert!(is_side_effect_free(pure), "{pure}");
        }
        for other in [
            "f()",
            "x = 1",
            "x += 1",
            "x++",
            "--x",
            "import os",
            "shell ls",
            "a; b",
            "`cmd`",
            "",
            "a.b(c)",
            "[f() for x in y]",
            "x := 1",
            "delete p",
            "lambda: 1",
            "a\nb",
            "@x",
            "a[f(1)]",
            "(f)(1)",
            "platform shell rm",
            "x <<= 1",
            "x >>= 1",
            "x **= 2",
            "$x",
            "{1}",
            "quit,",
        ] {
            assert!(!is_side_effect_free(other), "{other}");
        }
    }
}
