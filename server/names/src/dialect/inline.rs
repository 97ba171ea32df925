//! Marks inside a line that several dialects share.

use super::MAX_MARK_DISTANCE;

/// A code span.
pub(super) fn code_span(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::new();
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut fence = "`".to_owned();
    while text.contains(&fence) {
        fence.push('`');
    }
    match text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// Writes one character of prose so that Markdown shows it unchanged. Of paired marks only possible
/// closing ones are escaped: editors that do not render escapes show fewer of them that way.
pub(super) fn push_plain(out: &mut String, c: char, next: Option<char>) {
    let before = out.chars().next_back();
    let word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let line_start = before.is_none_or(|c| c == '\n');
    let closes = word(before) || !space(before) && !word(next);
    let escaped = match c {
        '`' => true,
        '*' => closes,
        '_' => closes && !(word(before) && word(next)),
        '<' => next.is_none_or(|c| c.is_alphabetic() || matches!(c, '/' | '!' | '?')),
        '\\' => next.is_some_and(|c| c.is_ascii_punctuation()),
        '#' | '>' => line_start,
        '~' => next == Some('~') || before == Some('~'),
        '&' => next.is_some_and(|c| c.is_ascii_alphabetic() || c == '#'),
        _ => false,
    };
    if escaped {
        out.push('\\');
    }
    out.push(c);
}

/// The length of the code span at the start of `text`; of an unclosed one, the length of its marks.
pub(super) fn code_span_length(text: &str) -> usize {
    let run = text.bytes().take_while(|b| *b == b'`').count();
    find_close(&text[run..], &text[..run]).map_or(run, |end| end + 2 * run)
}

/// The offset of a closing mark after an opening one, within reach.
pub(super) fn find_close(rest: &str, close: &str) -> Option<usize> {
    rest[..rest.floor_char_boundary(MAX_MARK_DISTANCE)].find(close)
}

/// The end of a braced text whose opening brace precedes `rest`; nested braces are counted.
pub(super) fn find_brace(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in rest[..rest.floor_char_boundary(MAX_MARK_DISTANCE)].char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return Some(at),
            '}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The first word of a text, and the rest.
pub(super) fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// A link with text and target, or only the text if the target is no URL.
pub(super) fn link(text: &str, target: &str) -> String {
    let target = target.trim();
    let web = ["http://", "https://", "mailto:"].iter().any(|s| target.starts_with(s));
    let clean = !target.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>'));
    match web && clean {
        true if text.trim().is_empty() => format!("<{target}>"),
        true => format!("[{}](<{target}>)", text.trim().replace(['[', ']'], "")),
        false => text.trim().to_owned(),
    }
}
