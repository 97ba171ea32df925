//! What gets wrapped around a quoted text: line numbers, code fences, a byte order mark.
//!
//! Tried only when the text as sent is nowhere. What is not around `old_text` is never
//! taken from `new_text`.

use crate::lines::{Piece, is_blank, pieces, trim};
use crate::places::Wanted;

/// Other readings of a patch, the likeliest first, each with a note on what it dropped.
pub(crate) fn readings<'p>(wanted: &Wanted<'p>) -> Vec<(Wanted<'p>, &'static str)> {
    let mut result = Vec::new();
    if let Some(old) = wanted.old.strip_prefix('\u{feff}') {
        let new = wanted.new.strip_prefix('\u{feff}').unwrap_or(&wanted.new);
        result.push((
            owned(old.to_owned(), new.to_owned()),
            "a byte order mark was dropped from old_text",
        ));
    }
    let base = result.last().map_or(wanted, |(wanted, _): &(Wanted<'p>, _)| wanted).clone();
    if let Some(old) = unfenced(&base.old) {
        let new = unfenced(&base.new).unwrap_or_else(|| base.new.to_string());
        result.push((owned(old, new), "code fences were dropped from old_text"));
    }
    let base = result.last().map_or(wanted, |(wanted, _): &(Wanted<'p>, _)| wanted).clone();
    if let Some(old) = unnumbered(&base.old)
        && let Some(new) = unnumbered_new(&base.new)
    {
        result.push((owned(old, new), "line numbers were dropped from old_text"));
    }
    result
}

fn owned<'p>(old: String, new: String) -> Wanted<'p> {
    Wanted { old: old.into(), new: new.into() }
}

/// The inside of a fenced block that is the whole text.
fn unfenced(text: &str) -> Option<String> {
    let lines = pieces(text);
    let first = lines.iter().position(|line| !line.is_blank())?;
    let last = lines.iter().rposition(|line| !line.is_blank())?;
    let open = trim(lines[first].content);
    let fence = &open[..open.len() - open.trim_start_matches('`').len()];
    let info = &open[fence.len()..];
    if first >= last
        || fence.len() < 3
        || info.contains('`')
        || info.split_whitespace().count() > 2
        || trim(lines[last].content) != fence
    {
        return None;
    }
    Some(
        lines[first + 1..last]
            .iter()
            .map(|line| format!("{}{}", line.content, line.ending.as_str()))
            .collect(),
    )
}

/// The text without a number in front of each of its lines.
fn unnumbered(text: &str) -> Option<String> {
    strip_numbers(text, true)
}

/// `new_text` may have numbers on all lines or on none; lines in between may lack them.
fn unnumbered_new(text: &str) -> Option<String> {
    let numbered = pieces(text).iter().any(|line| number(line.content).is_some());
    if numbered { strip_numbers(text, false) } else { Some(text.to_owned()) }
}

fn strip_numbers(text: &str, consecutive: bool) -> Option<String> {
    let lines = pieces(text);
    let style = lines.iter().find_map(|line| number(line.content)).map(|found| found.1)?;
    let (mut result, mut before) = (String::new(), None::<u64>);
    for Piece { content, ending } in &lines {
        if is_blank(content) {
            result.push_str(content);
        } else {
            let (value, mark, rest) = number(content)?;
            if mark != style
                || (consecutive && before.is_some_and(|before| value != before + 1))
                || before.is_some_and(|before| value < before)
            {
                return None;
            }
            before = Some(value);
            result.push_str(rest);
        }
        result.push_str(ending.as_str());
    }
    Some(result)
}

/// The number in front of a line, the mark after it and the rest.
fn number(line: &str) -> Option<(u64, &'static str, &str)> {
    let trimmed = line.trim_start_matches(' ');
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let value =
        trimmed.get(..digits).filter(|digits| (1..=7).contains(&digits.len()))?.parse().ok()?;
    let rest = &trimmed[digits..];
    for mark in ["\t", " | ", " |", "| ", "|", "→", ": ", ":"] {
        if let Some(rest) = rest.strip_prefix(mark) {
            return Some((value, mark, rest));
        }
    }
    // An anchor of letters and digits, as in `12#ab|`.
    let anchor = rest.strip_prefix('#')?;
    let (tag, rest) = anchor.split_once(['|', ':'])?;
    (tag.len() <= 8 && tag.chars().all(|c| c.is_ascii_alphanumeric())).then_some((value, "#", rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(old: &str, new: &str) -> Option<(String, String)> {
        let wanted = Wanted { old: old.into(), new: new.into() };
        readings(&wanted)
            .pop()
            .map(|(wanted, _)| (wanted.old.into_owned(), wanted.new.into_owned()))
    }

    #[test]
    fn wrappers_go() {
        assert_eq!(
            read("```rust\na\nb\n```", "```rust\nc\n```\n"),
            Some(("a\nb\n".into(), "c\n".into()))
        );
        assert_eq!(
            read("  9 | a\n 10 |     b\n", "  9 | a\n 10 |     c\n"),
            Some(("a\n    b\n".into(), "a\n    c\n".into()))
        );
        assert_eq!(read("12\ta\n13\tb", "c\nd"), Some(("a\nb".into(), "c\nd".into())));
        assert_eq!(read("12#ab|a\n13#f0|b", "c"), Some(("a\nb".into(), "c".into())));
        assert_eq!(read("\u{feff}a", "b"), Some(("a".into(), "b".into())));
    }

    #[test]
    fn texts_that_look_like_it_stay() {
        assert_eq!(read("1: a\n3: b\n", "x"), None);
        assert_eq!(read("1. a\n2. b\n", "x"), None);
        assert_eq!(read("```\na\n", "x"), None);
        assert_eq!(read("1| a\n2| b\n", "1| a\nplain\n"), None);
    }
}
