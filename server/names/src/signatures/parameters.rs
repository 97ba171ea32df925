//! Parses the parameter list of a function from its text.

use std::ops::Range;

/// Limit for the text of a declaration, in bytes.
pub(super) const MAX_DECLARATION: usize = 6 << 10;
/// Limit for the parameters of a function.
const MAX_PARAMETERS: usize = 128;

/// A parameter list in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParameterList {
    /// From the opening bracket to the offset after the closing one; the parameter itself if it has
    /// no brackets.
    pub(crate) list: Range<usize>,
    /// Each parameter, without surrounding blanks and comments.
    pub(crate) parameters: Vec<Range<usize>>,
}

/// What a text starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParameterSource {
    /// The text after a function's name.
    AfterName,
    /// An anonymous function.
    Lambda,
    /// The text after a variable's name, which has a function type.
    Type,
}

/// Parses the parameter list; `None` if the text does not start with one.
pub(crate) fn parse_parameters(
    text: &str,
    reading: ParameterSource,
    language: &str,
) -> Option<ParameterList> {
    match reading {
        ParameterSource::AfterName => {
            bracketed_list(text, skip_generics(text, 0, language), language)
        }
        ParameterSource::Lambda => lambda(text, language),
        ParameterSource::Type => function_type(text, language),
    }
}

/// The parameters of an anonymous function.
fn lambda(text: &str, language: &str) -> Option<ParameterList> {
    let mut at = skip_blanks(text, 0);
    if language == "python" {
        let rest = text[at..].strip_prefix("lambda")?;
        let start = text.len() - rest.len();
        let end = find_end(text, start, language, |c, _| c == ':')?;
        return Some(split_list(text, start..end, start..end, language));
    }
    if language == "rust" {
        for word in ["async", "move"] {
            if text[at..].starts_with(word) {
                at = skip_blanks(text, at + word.len());
            }
        }
        let start = at + text[at..].strip_prefix('|').map(|_| 1)?;
        let end = find_end(text, start, language, |c, _| c == '|')?;
        return Some(split_list(text, start - 1..end + 1, start..end, language));
    }
    for word in ["async", "function", "func", "*"] {
        if text[at..].starts_with(word) {
            at = skip_blanks(text, at + word.len());
        }
    }
    let name = text[at..].find(|c: char| !is_word(c)).unwrap_or(0);
    let after = skip_blanks(text, at + name);
    if name > 0 && text[after..].starts_with("=>") {
        let span = at..at + name;
        return Some(ParameterList { list: span.clone(), parameters: vec![span] });
    }
    bracketed_list(text, skip_generics(text, after, language), language)
}

/// The parameters of a function type.
fn function_type(text: &str, language: &str) -> Option<ParameterList> {
    let at = match language {
        "c" | "cpp" => text.strip_prefix(')').map(|_| 1)?,
        "go" => {
            let at = skip_blanks(text, 0);
            at + text[at..].strip_prefix("func").map(|_| 4)?
        }
        "javascript" | "typescript" | "tsx" => return ecma_value(text, language),
        _ => return None,
    };
    bracketed_list(text, skip_generics(text, at, language), language)
}

/// The parameters after `:` or `=`: those of a function or of a function type.
fn ecma_value(text: &str, language: &str) -> Option<ParameterList> {
    let at = skip_blanks(text, 0);
    let at = at + text[at..].strip_prefix(['?', '!']).map_or(0, |_| 1);
    let at = skip_blanks(text, at + text[at..].strip_prefix([':', '=']).map(|_| 1)?);
    let written = lambda(text.get(at..)?, language)?;
    let moved = |span: Range<usize>| span.start + at..span.end + at;
    let list = moved(written.list);
    let after = text[list.end..].trim_start();
    let starts = |word: &str| text[at..].starts_with(word);
    let function = after.starts_with("=>") || starts("function") || starts("async function");
    let parameters = written.parameters.into_iter().map(moved).collect();
    function.then_some(ParameterList { list, parameters })
}

/// The bracketed list that starts at an offset.
fn bracketed_list(text: &str, at: usize, language: &str) -> Option<ParameterList> {
    let open = skip_blanks(text, at);
    text[open..].strip_prefix('(')?;
    let close = find_end(text, open + 1, language, |c, _| c == ')')?;
    Some(split_list(text, open..close + 1, open + 1..close, language))
}

fn split_list(
    text: &str,
    list: Range<usize>,
    inside: Range<usize>,
    language: &str,
) -> ParameterList {
    let mut parameters = Vec::new();
    let mut start = inside.start;
    let inner = &text[..inside.end];
    while start < inside.end && parameters.len() < MAX_PARAMETERS {
        let end = find_end(inner, start, language, |c, _| c == ',').unwrap_or(inside.end);
        let from = skip_blanks(text, start).min(end);
        let written = text[from..end].trim_end();
        let written = without_comment(written, language);
        if !written.is_empty() {
            parameters.push(from..from + written.len());
        }
        start = end + 1;
    }
    ParameterList { list, parameters }
}

/// A parameter without a trailing comment.
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

/// The next offset that is neither blank nor in a comment.
fn skip_blanks(text: &str, from: usize) -> usize {
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

/// Skips the type parameters at an offset, if there are any.
fn skip_generics(text: &str, from: usize, language: &str) -> usize {
    let at = skip_blanks(text, from);
    let close = match (text[at..].chars().next(), language) {
        (Some('<'), _) => '>',
        (Some('['), "go" | "python") => ']',
        _ => return at,
    };
    find_end(text, at + 1, language, |c, _| c == close).map_or(at, |end| skip_blanks(text, end + 1))
}

/// The first offset for which `is_end` holds outside brackets, strings and comments.
fn find_end(
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
            '"' | '`' => at += string_length(rest, c),
            '\'' if language != "rust" => at += string_length(rest, c),
            '\'' => at += character_length(rest),
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

/// Whether `<` starts type arguments, and is not a comparison.
fn is_generic(rest: &str, last: char) -> bool {
    (is_word(last) || matches!(last, ':' | '(' | ' ' | ','))
        && !rest.starts_with("<=")
        && !rest.starts_with("< ")
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |end| at + end)
}

/// The length of a string literal, without its last character.
fn string_length(rest: &str, quote: char) -> usize {
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

/// The length of a Rust character literal without its last character; 0 for a lifetime.
fn character_length(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), _) => rest.get(2..).and_then(|r| r.find('\'')).map_or(0, |e| e + 2),
        (_, Some((at, '\''))) => at,
        _ => 0,
    }
}
