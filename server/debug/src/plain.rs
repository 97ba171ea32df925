//! Expressions that only look, in languages that are much alike.

/// Words that stand between others.
const BETWEEN: &[&str] = &["and", "or", "not", "in", "is"];
/// Longest that is looked through, in bytes.
const LONGEST: usize = 1_000;

/// Whether an expression is made of names, their parts, constants and comparisons alone: nothing is
/// called or given a value, and it is no command of a debugger. Adapters of other languages say so
/// of themselves: [`Session::only_looks`](crate::Session::only_looks).
#[must_use]
pub fn is_plain(expression: &str) -> bool {
    if expression.len() > LONGEST || expression.trim().is_empty() {
        return false;
    }
    let mut rest = expression.trim();
    // Whether a value has just ended.
    let mut after_value = false;
    while let Some(c) = rest.chars().next() {
        if c.is_whitespace() && c != '\n' {
            rest = &rest[c.len_utf8()..];
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            let word = &rest[..end];
            rest = &rest[end..];
            if BETWEEN.contains(&word) {
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
            let Some(length) = operator(rest, after_value) else { return false };
            after_value = rest.starts_with([')', ']']);
            rest = &rest[length..];
        }
    }
    after_value
}

/// What of a log message is code: the parts in braces.
pub fn code_of_message(message: &str) -> impl Iterator<Item = &str> {
    message.split('{').skip(1).map(|part| part.split('}').next().unwrap_or(part))
}

/// The length of the operator that a text begins with, where it changes nothing.
fn operator(text: &str, after_value: bool) -> Option<usize> {
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
        // After a value, a call.
        '(' => (!after_value).then_some(1),
        ')' | '[' | ']' | '.' | '<' | '>' | '+' | '-' | '*' | '/' | '%' => {
            // `+=` and its like give a value.
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
    fn looking_is_told_from_doing() {
        for plain in [
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
            assert!(is_plain(plain), "{plain}");
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
            assert!(!is_plain(other), "{other}");
        }
    }
}
