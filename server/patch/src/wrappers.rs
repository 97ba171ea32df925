//! Removes what tools and models wrap around quoted text: line numbers, code fences, a byte order
//! mark.
//!
//! Tried only if the text does not match as sent. A wrapper is removed from `new_text` only if
//! `old_text` has it too.

use crate::lines::{TextLine, is_blank, split_lines, trim};
use crate::match_location::MatchLocation;
use crate::patch::PatchTexts;
use crate::snapshot::Snapshot;

/// What a reading of a patch drops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wrapper {
    ByteOrderMark,
    Fence,
    LineNumbers,
}

impl Wrapper {
    /// The remark for the author.
    pub(crate) fn note(self) -> &'static str {
        match self {
            Wrapper::ByteOrderMark => "a byte order mark was dropped from old_text",
            Wrapper::Fence => "code fences were dropped from old_text",
            Wrapper::LineNumbers => "line numbers were dropped from old_text",
        }
    }

    /// Whether the document has such a wrapper around a place itself. Then the one of `old_text` is quoted from the
    /// document, and differs.
    pub(crate) fn is_around(self, snapshot: &Snapshot<'_>, place: &MatchLocation) -> bool {
        if self != Wrapper::Fence {
            return false;
        }
        let lines = snapshot.lines();
        let matched = snapshot.lines_of(&place.span);
        let before = matched.start().checked_sub(2);
        let after = Some(*matched.end()).filter(|line| *line < lines.len());
        [before, after]
            .into_iter()
            .flatten()
            .any(|line| trim(lines.content(line)).starts_with("```"))
    }
}

/// Other readings of a patch, the likeliest first.
pub(crate) fn readings<'p>(texts: &PatchTexts<'p>) -> Vec<(PatchTexts<'p>, Wrapper)> {
    let mut result = Vec::new();
    if let Some(old) = texts.old.strip_prefix('\u{feff}') {
        let new = texts.new.strip_prefix('\u{feff}').unwrap_or(&texts.new);
        result.push((owned_texts(old.to_owned(), new.to_owned()), Wrapper::ByteOrderMark));
    }
    let base = result.last().map_or(texts, |(texts, _): &(PatchTexts<'p>, _)| texts).clone();
    if let Some(old) = unfenced(&base.old) {
        let new = match unfenced(&base.new) {
            Some(new) => Some(new),
            // In a text that keeps a part of the fence, the fence belongs to the document.
            None if base.new.lines().any(|line| line.trim_start().starts_with("```")) => None,
            None => Some(base.new.to_string()),
        };
        result.extend(new.map(|new| (owned_texts(old, new), Wrapper::Fence)));
    }
    let base = result.last().map_or(texts, |(texts, _): &(PatchTexts<'p>, _)| texts).clone();
    for mark in NUMBER_SEPARATORS.into_iter().chain([""]) {
        if let Some(old) = unnumbered(&base.old, mark)
            && let Some(new) = unnumbered_new(&base.new, mark)
        {
            result.push((owned_texts(old, new), Wrapper::LineNumbers));
        }
    }
    result
}

fn owned_texts<'p>(old: String, new: String) -> PatchTexts<'p> {
    PatchTexts { old: old.into(), new: new.into() }
}

/// The inside of a fenced block that is the whole text.
fn unfenced(text: &str) -> Option<String> {
    let lines = split_lines(text);
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

/// Separators between a line number and its line. Variants with and without a blank are both tried,
/// because the blank may belong to the line.
const NUMBER_SEPARATORS: [&str; 12] =
    ["\t", " | ", "| ", " |", "|\t", "|", "→", ":\t", ": ", ":", ". ", "] "];

/// The text without a number in front of each of its lines.
fn unnumbered(text: &str, mark: &str) -> Option<String> {
    strip_numbers(text, mark, true)
}

/// `new_text` may have numbers on all lines or on none; lines in between may lack them.
fn unnumbered_new(text: &str, mark: &str) -> Option<String> {
    let numbered = split_lines(text).iter().any(|line| number(line.content, mark).is_some());
    if numbered { strip_numbers(text, mark, false) } else { Some(text.to_owned()) }
}

fn strip_numbers(text: &str, mark: &str, consecutive: bool) -> Option<String> {
    let lines = split_lines(text);
    let (mut result, mut before) = (String::new(), None::<u64>);
    for TextLine { content, ending } in &lines {
        if is_blank(content) {
            result.push_str(content);
        } else {
            let (value, rest) = number(content, mark)?;
            if (consecutive && before.is_some_and(|before| value != before + 1))
                || before.is_some_and(|before| value < before)
            {
                return None;
            }
            before = Some(value);
            result.push_str(rest);
        }
        result.push_str(ending.as_str());
    }
    before.map(|_| result)
}

/// The number in front of a line and what follows the mark after it. An empty mark stands for an
/// anchor of letters and digits, as in `12#ab|`.
fn number<'l>(line: &'l str, mark: &str) -> Option<(u64, &'l str)> {
    let trimmed = line.trim_start_matches(' ');
    let trimmed = match mark {
        "] " => trimmed.strip_prefix('[')?,
        _ => trimmed.strip_prefix('L').unwrap_or(trimmed),
    };
    let digits = trimmed.len() - trimmed.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let value =
        trimmed.get(..digits).filter(|digits| (1..=7).contains(&digits.len()))?.parse().ok()?;
    let rest = &trimmed[digits..];
    if mark.is_empty() {
        let anchor = rest.strip_prefix('#')?;
        let (tag, rest) = anchor.split_once(['|', ':'])?;
        let is_tag = tag.len() <= 8 && tag.chars().all(|c| c.is_ascii_alphanumeric());
        return is_tag.then_some((value, rest));
    }
    match rest.strip_prefix(mark) {
        Some(rest) => Some((value, rest)),
        // An empty line, without the blank.
        None => (rest == mark.trim_end() && !rest.is_empty()).then_some((value, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(old: &str, new: &str) -> Option<(String, String)> {
        let texts = PatchTexts { old: old.into(), new: new.into() };
        readings(&texts)
            .into_iter()
            .next()
            .map(|(texts, _)| (texts.old.into_owned(), texts.new.into_owned()))
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
        assert_eq!(read("1) a\n2) b\n", "x"), None);
        assert_eq!(read("```\na\n", "x"), None);
        assert_eq!(read("```yaml\na\n```\n", "```yaml\na\n```\nb\n"), None);
        assert_eq!(read("```yaml\na\n```\n", "b\na\n```\n"), None);
        assert_eq!(read("1| a\n2| b\n", "1| a\nplain\n"), None);
    }
}
