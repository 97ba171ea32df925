//! Whether an argument makes the name of its parameter obvious.

/// Limit for an argument, in bytes.
pub(super) const MAX_ARGUMENT: usize = 160;
/// Shortest parameter name that says something.
const MIN_NAME: usize = 2;

/// Whether an argument is unpacked into any number of arguments.
pub(super) fn is_unpacked(written: &str, language: &str) -> bool {
    match language {
        "python" => written.starts_with('*'),
        "javascript" | "typescript" | "tsx" => written.starts_with("..."),
        _ => false,
    }
}

/// Whether a parameter hint would be redundant: the only argument is not a bare literal, the
/// argument has a similar name, or the parameter's name says nothing.
pub(super) fn is_self_explanatory(
    written: &str,
    parameter: &str,
    called: &str,
    single: bool,
) -> bool {
    if parameter.chars().count() < MIN_NAME || parameter.starts_with('_') {
        return true;
    }
    let parameter = normalised(parameter);
    if single && (!is_bare_value(written) || normalised(called).contains(&parameter)) {
        return true;
    }
    let Some(own) = last_name(written) else { return false };
    let own = normalised(own);
    let is_similar = own.ends_with(&parameter) || own.starts_with(&parameter);
    is_similar || own.len() >= MIN_NAME && parameter.ends_with(&own)
}

/// Whether an argument is a literal whose meaning cannot be guessed.
fn is_bare_value(written: &str) -> bool {
    let word = written.trim_start_matches('-');
    word.starts_with(|c: char| c.is_ascii_digit())
        || matches!(
            written,
            "true"
                | "false"
                | "True"
                | "False"
                | "None"
                | "null"
                | "nil"
                | "undefined"
                | "nullptr"
                | "NULL"
        )
}

/// A name in lower case without `_` and `$`.
fn normalised(name: &str) -> String {
    name.chars().filter(|c| *c != '_' && *c != '$').flat_map(char::to_lowercase).collect()
}

/// Methods that return their receiver in another form.
const CONVERSIONS: &[&str] = &[
    "clone",
    "to_owned",
    "to_string",
    "as_ref",
    "as_mut",
    "as_str",
    "into",
    "iter",
    "unwrap",
    "borrow",
    "copy",
    "get",
    "toString",
    "data",
    "c_str",
    "as_deref",
];

/// The name that describes an argument: of a variable, the last field, or the callee.
fn last_name(written: &str) -> Option<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = written.trim_start_matches(['&', '*', '!', '-']).trim_start();
    for word in ["mut ", "await ", "new ", "ref "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    if rest.starts_with(['"', '\'', '`', '[', '{', '(', '|']) {
        return None;
    }
    let (mut name, mut at) = (None, 0);
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        let end = tail.find(|c| !is_word(c)).unwrap_or(tail.len());
        let word = &tail[..end];
        if !word.is_empty() && !word.starts_with(char::is_numeric) {
            if !CONVERSIONS.contains(&word) {
                name = Some(word);
            }
        } else if end == 0 && !tail.starts_with(['.', ':', '?', '!', '-', '>', '(', ')']) {
            // An operator, or an indexed expression.
            break;
        }
        at += end;
        let joint = rest[at..].find(is_word).unwrap_or(rest.len() - at);
        let between = &rest[at..at + joint];
        if !matches!(between, "." | "::" | "?." | "->" | "()." | "().unwrap" | "!.") {
            return match between.trim() {
                "" | "()" | "(" | "?" | "()?" | "!" => name,
                _ if between.starts_with('(') || between.starts_with('[') => name,
                _ => None,
            };
        }
        at += joint;
    }
    name
}
