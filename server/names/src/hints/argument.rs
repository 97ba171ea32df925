//! Whether an argument tells by itself which parameter it is for.

/// Longest argument that is looked at, in bytes.
pub(super) const LONGEST: usize = 160;
/// Shortest name of a parameter that tells something.
const SHORTEST: usize = 2;

/// Whether an argument stands for any number of them.
pub(super) fn spreads(written: &str, language: &str) -> bool {
    match language {
        "python" => written.starts_with('*'),
        "javascript" | "typescript" | "tsx" => written.starts_with("..."),
        _ => false,
    }
}

/// Whether nobody needs to be told that an argument is for a parameter: what is called takes
/// nothing else and is no mere value, the argument is named alike, or the name says nothing.
pub(super) fn tells(written: &str, parameter: &str, called: &str, single: bool) -> bool {
    if parameter.chars().count() < SHORTEST || parameter.starts_with('_') {
        return true;
    }
    let parameter = plain(parameter);
    if single && (!is_bare_value(written) || plain(called).contains(&parameter)) {
        return true;
    }
    let Some(own) = last_name(written) else { return false };
    let own = plain(own);
    let alike = own.ends_with(&parameter) || own.starts_with(&parameter);
    alike || own.len() >= SHORTEST && parameter.ends_with(&own)
}

/// A literal of which one cannot guess what it means.
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

/// A name without what only spells it.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_' && *c != '$').flat_map(char::to_lowercase).collect()
}

/// Calls that give the same again under another name.
const AGAIN: &[&str] = &[
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

/// The name that an argument is read by: of a variable, of the last field, of what is called.
fn last_name(written: &str) -> Option<&str> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut rest = written.trim_start_matches(['&', '*', '!', '-']).trim_start();
    for word in ["mut ", "await ", "new ", "ref "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    if rest.starts_with(['"', '\'', '`', '[', '{', '(', '|']) {
        return None;
    }
    let (mut name, mut at) = (None, 0);
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        let end = tail.find(|c| !part(c)).unwrap_or(tail.len());
        let word = &tail[..end];
        if !word.is_empty() && !word.starts_with(char::is_numeric) {
            if !AGAIN.contains(&word) {
                name = Some(word);
            }
        } else if end == 0 && !tail.starts_with(['.', ':', '?', '!', '-', '>', '(', ')']) {
            // An operation, or what is given in turn.
            break;
        }
        at += end;
        let joint = rest[at..].find(part).unwrap_or(rest.len() - at);
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
