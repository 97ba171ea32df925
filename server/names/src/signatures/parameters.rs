//! The parameters of a function as they are written, read off its text.

use std::ops::Range;

/// Most text of a declaration that is read, in bytes.
pub(super) const MOST: usize = 6 << 10;
/// Most parameters of one function.
const PARAMETERS: usize = 128;

/// A list of parameters in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Written {
    /// From the bracket that opens the list to behind the one that closes it; the parameter itself
    /// where it stands without brackets.
    pub(crate) list: Range<usize>,
    /// Each parameter without blanks and comments around it.
    pub(crate) parameters: Vec<Range<usize>>,
}

/// What a text is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The text behind the name of a function.
    Named,
    /// A function without a name, from its first character.
    Lambda,
    /// The text behind the name of a variable: its type is the type of a function.
    Type,
}

/// Finds the list of parameters; `None` where there is none at once.
pub(crate) fn read(text: &str, reading: Reading, language: &str) -> Option<Written> {
    match reading {
        Reading::Named => listed(text, skip_generics(text, 0, language), language),
        Reading::Lambda => lambda(text, language),
        Reading::Type => typed(text, language),
    }
}

fn lambda(text: &str, language: &str) -> Option<Written> {
    let mut at = blanks(text, 0);
    if language == "python" {
        let rest = text[at..].strip_prefix("lambda")?;
        let start = text.len() - rest.len();
        let end = ends(text, start, language, |c, _| c == ':')?;
        return Some(split(text, start..end, start..end, language));
    }
    if language == "rust" {
        for word in ["async", "move"] {
            if text[at..].starts_with(word) {
                at = blanks(text, at + word.len());
            }
        }
        let start = at + text[at..].strip_prefix('|').map(|_| 1)?;
        let end = ends(text, start, language, |c, _| c == '|')?;
        return Some(split(text, start - 1..end + 1, start..end, language));
    }
    for word in ["async", "function", "func", "*"] {
        if text[at..].starts_with(word) {
            at = blanks(text, at + word.len());
        }
    }
    let name = text[at..].find(|c: char| !is_word(c)).unwrap_or(0);
    let behind = blanks(text, at + name);
    if name > 0 && text[behind..].starts_with("=>") {
        let span = at..at + name;
        return Some(Written { list: span.clone(), parameters: vec![span] });
    }
    listed(text, skip_generics(text, behind, language), language)
}

fn typed(text: &str, language: &str) -> Option<Written> {
    let at = match language {
        "c" | "cpp" => text.strip_prefix(')').map(|_| 1)?,
        "go" => {
            let at = blanks(text, 0);
            at + text[at..].strip_prefix("func").map(|_| 4)?
        }
        "javascript" | "typescript" | "tsx" => return ecma_value(text, language),
        _ => return None,
    };
    listed(text, skip_generics(text, at, language), language)
}

/// Behind `: ` or `= `, a function or the type of one.
fn ecma_value(text: &str, language: &str) -> Option<Written> {
    let at = blanks(text, 0);
    let at = at + text[at..].strip_prefix(['?', '!']).map_or(0, |_| 1);
    let at = blanks(text, at + text[at..].strip_prefix([':', '=']).map(|_| 1)?);
    let written = lambda(text.get(at..)?, language)?;
    let moved = |span: Range<usize>| span.start + at..span.end + at;
    let list = moved(written.list);
    let behind = text[list.end..].trim_start();
    let starts = |word: &str| text[at..].starts_with(word);
    let function = behind.starts_with("=>") || starts("function") || starts("async function");
    let parameters = written.parameters.into_iter().map(moved).collect();
    function.then_some(Written { list, parameters })
}

/// The list that begins at a place.
fn listed(text: &str, at: usize, language: &str) -> Option<Written> {
    let open = blanks(text, at);
    text[open..].strip_prefix('(')?;
    let close = ends(text, open + 1, language, |c, _| c == ')')?;
    Some(split(text, open..close + 1, open + 1..close, language))
}

fn split(text: &str, list: Range<usize>, inside: Range<usize>, language: &str) -> Written {
    let mut parameters = Vec::new();
    let mut start = inside.start;
    let inner = &text[..inside.end];
    while start < inside.end && parameters.len() < PARAMETERS {
        let end = ends(inner, start, language, |c, _| c == ',').unwrap_or(inside.end);
        let from = blanks(text, start).min(end);
        let written = text[from..end].trim_end();
        let written = without_comment(written, language);
        if !written.is_empty() {
            parameters.push(from..from + written.len());
        }
        start = end + 1;
    }
    Written { list, parameters }
}

/// A parameter without the comment that ends it.
fn without_comment<'t>(written: &'t str, language: &str) -> &'t str {
    let mark = if language == "python" { "#" } else { "//" };
    match written.rfind(mark) {
        Some(at) if !written[at..].contains(['\n', '"', '\'']) => written[..at].trim_end(),
        _ => written,
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The next place that holds neither blank nor comment.
fn blanks(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.starts_with("//") || trimmed.starts_with("# ") {
            at += trimmed.find('\n').unwrap_or(trimmed.len());
        } else if trimmed.starts_with("/*") {
            at += trimmed.find("*/").map_or(trimmed.len(), |end| end + 2);
        } else {
            return at;
        }
    }
}

/// Past the type parameters that begin at a place, if any do.
fn skip_generics(text: &str, from: usize, language: &str) -> usize {
    let at = blanks(text, from);
    let close = match (text[at..].chars().next(), language) {
        (Some('<'), _) => '>',
        (Some('['), "go" | "python") => ']',
        _ => return at,
    };
    ends(text, at + 1, language, |c, _| c == close).map_or(at, |end| blanks(text, end + 1))
}

/// The first place from which on `is_end` holds outside of brackets, strings and comments.
fn ends(
    text: &str,
    from: usize,
    language: &str,
    is_end: impl Fn(char, usize) -> bool,
) -> Option<usize> {
    let angles = matches!(language, "rust" | "java" | "cpp" | "typescript" | "tsx");
    let mut open: Vec<char> = Vec::new();
    let mut at = from;
    let mut last = ' ';
    while let Some(c) = text.get(at..)?.chars().next() {
        if open.is_empty() && is_end(c, at) && !(c == '>' && matches!(last, '-' | '=')) {
            return Some(at);
        }
        let rest = &text[at..];
        match c {
            '"' | '`' => at += quoted(rest, c),
            '\'' if language != "rust" => at += quoted(rest, c),
            '\'' => at += character(rest),
            '/' if rest.starts_with("//") => at = line_end(text, at),
            '/' if rest.starts_with("/*") => at += rest.find("*/").map_or(rest.len(), |e| e + 1),
            '#' if language == "python" => at = line_end(text, at),
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            '<' if angles && is_generic(rest, last) => open.push('>'),
            '>' if angles && !matches!(last, '-' | '=') && open.last() == Some(&'>') => {
                open.pop();
            }
            ')' | ']' | '}' => {
                while open.last() == Some(&'>') {
                    open.pop();
                }
                if open.pop() != Some(c) {
                    return None;
                }
            }
            _ => {}
        }
        last = c;
        at += text.get(at..)?.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// `<` of a type, not of a comparison.
fn is_generic(rest: &str, last: char) -> bool {
    (is_word(last) || matches!(last, ':' | '(' | ' ' | ','))
        && !rest.starts_with("<=")
        && !rest.starts_with("< ")
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

/// From a quote to its end, without the last character.
fn quoted(rest: &str, quote: char) -> usize {
    let triple = [quote; 3].iter().collect::<String>();
    if rest.starts_with(&triple) {
        return rest[3..].find(&triple).map_or(rest.len(), |end| end + 5);
    }
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// A character of Rust, or the lifetime that only looks like one.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => rest.get(2..).and_then(|r| r.find('\'')).map_or(0, |e| e + 2),
        (_, Some((at, '\''))) => at,
        _ => 0,
    }
}
