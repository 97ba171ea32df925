//! Minimal line edits between two texts.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use text::Text;

use crate::editing::Edits;

/// The line edits that turn `from` into `to`, restricted to `lines` (0-based), in order.
/// Differences in line endings alone are ignored: `from`'s are kept.
pub(super) fn line_edits(from: &Text, to: &str, lines: Option<Range<usize>>) -> Edits {
    let before: Vec<_> = (0..from.line_count()).map(|line| from.line(line)).collect();
    let ending = text::LineEndings::detect(from);
    let end = match ending.as_str() {
        "crlf" => "\r\n",
        "cr" => "\r",
        _ => "\n",
    };
    let to = Text::new(to);
    let after: Vec<_> = (0..to.line_count()).map(|line| to.line(line)).collect();
    let mut edits = Edits::new();
    for op in capture_diff_slices(Algorithm::Patience, &before, &after) {
        let (old, new) = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { old_index, old_len, .. } => (old_index..old_index + old_len, 0..0),
            DiffOp::Insert { old_index, new_index, new_len } => {
                (old_index..old_index, new_index..new_index + new_len)
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                (old_index..old_index + old_len, new_index..new_index + new_len)
            }
        };
        let wanted = lines.as_ref().is_none_or(|lines| {
            old.start < lines.end && old.end > lines.start
                || old.is_empty() && lines.start <= old.start && old.start <= lines.end
        });
        if !wanted {
            continue;
        }
        // The last line has no line ending: text added after it starts with one, a deletion takes
        // the one before.
        let last = before.len();
        let (start, stop) = (from.line_start(old.start), from.line_start(old.end));
        let mut text = after[new.clone()].join(end);
        let mut span = start..stop;
        if old.end < last {
            if !new.is_empty() {
                text.push_str(end);
            }
        } else {
            span.end = from.len();
            if new.is_empty() && old.start > 0 {
                span.start = from.line_span(old.start - 1).end;
            } else if old.is_empty() {
                text.insert_str(0, end);
            }
        }
        edits.push((span, text));
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;

    fn applied(from: &str, to: &str, lines: Option<Range<usize>>) -> String {
        let mut edits = line_edits(&Text::new(from), to, lines);
        edits.reverse();
        edits.into_iter().fold(from.to_owned(), |text, (span, new)| {
            format!("{}{new}{}", &text[..span.start], &text[span.end..])
        })
    }

    #[test]
    fn edits_produce_the_new_text() {
        for from in ["", "a", "a\n", "a\nb\nc\n", "a\nb", "\n\n", "x\na\n"] {
            for to in ["", "a", "a\n", "a\nc\n", "b", "a\nb\nc", "\n", "a\n\nb\n"] {
                assert_eq!(applied(from, to, None), to, "{from:?} -> {to:?}");
            }
        }
    }

    #[test]
    fn line_ends_stay_and_lines_outside_stay() {
        assert_eq!(applied("a\r\nb\r\nc\r\n", "a\nx\nc\n", None), "a\r\nx\r\nc\r\n");
        assert_eq!(applied("a\nb\nc\nd\n", "A\nb\nc\nD\n", Some(3..4)), "a\nb\nc\nD\n");
    }
}
