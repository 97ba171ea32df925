//! Finds the single-line change that makes a YAML text valid: what it changes is the mistake.
//!
//! A YAML parser stops where nothing fits any more, which may be many lines after an unclosed
//! quote. So a few changes of the lines before that position are tried, likely ones first; the
//! first one that makes the whole text valid is taken.

use std::ops::Range;

use super::first_parser_error;
use super::lines::Line;
use crate::syntax_error::{Missing, SyntaxError};

/// Longest text that is tried, in bytes.
const MAX_TEXT_LEN: usize = 256 << 10;
/// Limit of changes that are tried; each one parses the text.
const MAX_REPAIRS: usize = 60;
/// How many lines before the position are checked for quotes, and for the rest.
const QUOTE_LINES: usize = 40;
const NEARBY_LINES: usize = 3;
/// How many lines before are checked for possible indentations.
const INDENT_LINES: usize = 40;

/// A change, and the error if it makes the text valid.
struct Repair {
    replaced: Range<usize>,
    with: String,
    error: SyntaxError,
}

/// The error of a text that the parser rejects at a line. `quotes_only` if other parsers may accept
/// the text.
pub(super) fn find(
    source: &str,
    lines: &[Line<'_>],
    stopped: usize,
    quotes_only: bool,
) -> Option<SyntaxError> {
    if source.len() > MAX_TEXT_LEN {
        return None;
    }
    let end = lines.partition_point(|line| line.number <= stopped);
    let before = &lines[..end];
    let mut repairs = Vec::new();
    for line in before.iter().rev().take(QUOTE_LINES) {
        unterminated_string(line, &mut repairs);
        unclosed_bracket(line, &mut repairs);
    }
    let near = if quotes_only { 0 } else { NEARBY_LINES };
    for line in before.iter().rev().take(near).filter(|line| !line.is_comment()) {
        missing_opening_quote(line, &mut repairs);
        colon_in_value(line, &mut repairs);
        missing_colon(line, &mut repairs);
    }
    for (back, line) in before.iter().rev().take(near).enumerate() {
        // The parser itself reports tabs in indentation.
        let has_tab = source[line.start..line.at()].contains('\t');
        if !line.is_comment() && !has_tab {
            missing_dash(line, &before[..end - 1 - back], &mut repairs);
            wrong_indentation(line, &before[..end - 1 - back], &lines[end - back..], &mut repairs);
        }
    }
    for (back, line) in before.iter().rev().take(near).enumerate() {
        missing_dash_above(line, &before[..end - 1 - back], &mut repairs);
    }
    let makes_valid = |repair: &Repair| {
        let mut mended = source.to_owned();
        mended.replace_range(repair.replaced.clone(), &repair.with);
        first_parser_error(&mended).is_none()
    };
    repairs.into_iter().take(MAX_REPAIRS).find(makes_valid).map(|repair| repair.error)
}

/// The offset and quote of a value that is unterminated on its line.
fn open_quote(line: &Line<'_>) -> Option<(usize, char)> {
    let (mut open, mut fresh) = (None, true);
    let mut chars = line.text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match (open, c) {
            (Some((_, '"')), '\\') => drop(chars.next()),
            (Some((_, '\'')), '\'') if chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
            }
            (Some((_, quote)), _) if c == quote => (open, fresh) = (None, false),
            (Some(_), _) => {}
            (None, '#') if at == 0 || line.text[..at].ends_with([' ', '\t']) => return None,
            (None, '"' | '\'') if fresh => open = Some((at, c)),
            // A quoted value must start with its quote.
            (None, '[' | '{' | ',') => fresh = true,
            (None, ' ') => {
                let before = line.text[..at].trim_end();
                fresh = fresh || before.ends_with([':', '-', '?']);
            }
            (None, _) => fresh = false,
        }
    }
    open
}

/// A value that starts with a quote but does not end with one on its line.
fn unterminated_string(line: &Line<'_>, repairs: &mut Vec<Repair>) {
    let Some((at, quote)) = open_quote(line) else { return };
    let token = if quote == '"' { "\"" } else { "'" };
    let start = line.at() + at;
    let whole = line.text.trim_end_matches([',', ']', '}', ' ', ':']);
    let ends = [line.text.len(), whole.len()];
    for end in ends.into_iter().take(if ends[0] == ends[1] { 1 } else { 2 }).filter(|e| *e > at) {
        let message = format!("unclosed string that starts on line {}", line.number + 1);
        let missing = Some(Missing { token, at: Some(line.at() + end) });
        repairs.push(Repair {
            replaced: line.at() + end..line.at() + end,
            with: token.to_owned(),
            error: SyntaxError { span: start..line.end(), message, missing },
        });
    }
}

/// A flow collection that is unclosed on its line.
fn unclosed_bracket(line: &Line<'_>, repairs: &mut Vec<Repair>) {
    let (mut open, mut quote, mut last) = (Vec::new(), None, ' ');
    for (at, c) in line.text.char_indices() {
        match (quote, c) {
            (Some(q), _) if q == c && last != '\\' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') if !last.is_alphanumeric() => quote = Some(c),
            (None, '#') if last == ' ' => break,
            (None, '[') => open.push((at, "]")),
            (None, '{') => open.push((at, "}")),
            (None, ']' | '}') => drop(open.pop()),
            (None, _) => {}
        }
        last = c;
    }
    let Some(&(at, token)) = open.last() else { return };
    let bracket = &line.text[at..=at];
    repairs.push(Repair {
        replaced: line.end()..line.end(),
        with: token.to_owned(),
        error: SyntaxError {
            span: line.at() + at..line.at() + at + 1,
            message: format!("unclosed `{bracket}` that opens on line {}", line.number + 1),
            missing: Some(Missing { token, at: Some(line.end()) }),
        },
    });
}

/// A value that ends with a quote but does not start with one.
fn missing_opening_quote(line: &Line<'_>, repairs: &mut Vec<Repair>) {
    let code = line.text.trim_end_matches([',', ']', '}', ' ']);
    let Some(token) = ["\"", "'"].into_iter().find(|quote| code.ends_with(quote)) else { return };
    if open_quote(line).is_some_and(|(at, _)| at + 1 < code.len()) {
        return;
    }
    let start = value_at(line.text).unwrap_or_else(|| line.dashes_len());
    let word = word(&line.text[start..]);
    repairs.push(Repair {
        replaced: line.at() + start..line.at() + start,
        with: token.to_owned(),
        error: SyntaxError {
            span: line.at() + start..line.end(),
            message: format!("expected `{token}` before `{word}`"),
            missing: Some(Missing { token, at: Some(line.at() + start) }),
        },
    });
}

/// The start of the value of a line's first key.
fn value_at(text: &str) -> Option<usize> {
    let colon = text.find(": ")?;
    let value = text[colon + 1..].trim_start();
    (!value.is_empty()).then(|| text.len() - value.len())
}

/// `title: one: two`.
fn colon_in_value(line: &Line<'_>, repairs: &mut Vec<Repair>) {
    let Some(start) = value_at(line.text) else { return };
    let value = &line.text[start..];
    let Some(colon) = value.find(": ").or_else(|| value.strip_suffix(':').map(str::len)) else {
        return;
    };
    if value.starts_with(['"', '\'', '[', '{', '&', '*', '!', '|', '>']) {
        return;
    }
    let at = line.at() + start + colon;
    repairs.push(Repair {
        replaced: line.at() + start..line.end(),
        with: format!("'{}'", value.replace('\'', "''")),
        error: SyntaxError {
            span: at..at + 1,
            message: "unexpected `:` in a value: it needs quotes around it".to_owned(),
            missing: None,
        },
    });
}

/// A key without its colon.
fn missing_colon(line: &Line<'_>, repairs: &mut Vec<Repair>) {
    let entry = line.entry();
    let first = entry.split_whitespace().next().unwrap_or_default();
    if first.is_empty() || first.ends_with(':') || first.starts_with(['[', '{', '#', '&', '*']) {
        return;
    }
    let start = line.at() + line.dashes_len();
    for end in [first.len(), entry.len()] {
        let at = start + end;
        let word = word(&entry[..end]);
        repairs.push(Repair {
            replaced: at..at,
            with: ":".to_owned(),
            error: SyntaxError {
                span: start..at,
                message: format!("expected `:` after `{word}`"),
                missing: Some(Missing { token: ":", at: Some(at) }),
            },
        });
        if end == entry.len() {
            return;
        }
    }
}

/// A list item without a dash: this line, or the one before it.
fn missing_dash(line: &Line<'_>, before: &[Line<'_>], repairs: &mut Vec<Repair>) {
    let beside = before.iter().rev().take(INDENT_LINES).find(|other| other.indent <= line.indent);
    let Some(beside) = beside.filter(|other| other.indent == line.indent) else { return };
    match (line.is_item(), beside.is_item()) {
        (true, false) => repairs.push(insert_dash(beside)),
        (false, true) => repairs.push(insert_dash(line)),
        _ => {}
    }
}

/// Keys of an item whose first key has no dash.
fn missing_dash_above(line: &Line<'_>, before: &[Line<'_>], repairs: &mut Vec<Repair>) {
    let above = before.iter().rev().take(INDENT_LINES).find(|other| other.indent < line.indent);
    let is_key = |above: &&Line<'_>| above.indent + 2 == line.indent && !above.is_item();
    repairs.extend(above.filter(is_key).filter(|_| !line.is_comment()).map(insert_dash));
}

fn insert_dash(culprit: &Line<'_>) -> Repair {
    let word = word(culprit.text);
    Repair {
        replaced: culprit.at()..culprit.at(),
        with: "- ".to_owned(),
        error: SyntaxError {
            span: culprit.at()..culprit.end(),
            message: format!("expected `-` before `{word}`"),
            missing: Some(Missing { token: "- ", at: Some(culprit.at()) }),
        },
    }
}

/// A line with an indentation that no other line has.
fn wrong_indentation(
    line: &Line<'_>,
    before: &[Line<'_>],
    after: &[Line<'_>],
    repairs: &mut Vec<Repair>,
) {
    let mut levels: Vec<(usize, usize)> = Vec::new();
    for other in before.iter().rev().take(INDENT_LINES).filter(|other| !other.is_comment()) {
        for level in [other.indent, other.indent + other.dashes_len()] {
            if level != line.indent && !levels.iter().any(|(known, _)| *known == level) {
                levels.push((level, other.number + 1));
            }
        }
    }
    // The next line may have the right indentation.
    if let Some(next) = after.first().filter(|next| next.indent != line.indent)
        && !levels.iter().any(|(known, _)| *known == next.indent)
    {
        levels.push((next.indent, next.number + 1));
    }
    // An item whose keys are indented correctly.
    let keys = after.iter().take(NEARBY_LINES).filter(|_| line.is_item() && line.dashes_len() > 0);
    for key in keys.filter(|key| key.indent > line.dashes_len() && !key.is_item()) {
        levels.push((key.indent - line.dashes_len(), key.number + 1));
    }
    levels.sort_by_key(|(level, _)| level.abs_diff(line.indent));
    for (level, number) in levels.into_iter().take(NEARBY_LINES + 1) {
        repairs.push(Repair {
            replaced: line.start..line.at(),
            with: " ".repeat(level),
            error: SyntaxError {
                span: line.at()..line.end(),
                message: format!(
                    "wrong indentation: expected {level} spaces as on line {number}, found {}",
                    line.indent
                ),
                missing: None,
            },
        });
    }
}

fn word(text: &str) -> &str {
    let word = text.split_whitespace().next().unwrap_or_default();
    &word[..super::floor_char_boundary(word, 30)]
}
