//! Minimal edits: the smallest byte changes that turn a part of the text into its replacement.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::lines::{Lines, splits_crlf};
use crate::plan::Edit;

/// Longer parts are not diffed by line; they become one edit, trimmed at both ends.
const MAX_DIFFED_BYTES: usize = 1 << 20;

/// Edits of `text` that turn `span` into `new`: sorted, disjoint, none empty.
pub(crate) fn minimal_edits(text: &str, span: &Range<usize>, new: &str) -> Vec<Edit> {
    let old = &text[span.clone()];
    let Some((range, replacement)) = trim_common(old, new) else { return Vec::new() };
    let at = |range: Range<usize>| span.start + range.start..span.start + range.end;
    let (old_part, new_part) = (&old[range.clone()], replacement);
    let is_multiline = |part: &str| part.bytes().any(|byte| byte == b'\n' || byte == b'\r');
    if !is_multiline(old_part)
        || !is_multiline(new_part)
        || old_part.len() + new_part.len() > MAX_DIFFED_BYTES
    {
        return vec![Edit { range: at(range), new_text: replacement.to_owned() }];
    }
    let (old_lines, new_lines) = (Lines::new(old_part, 0), Lines::new(new_part, 0));
    let whole_lines = |lines: &Lines<'_>| -> Vec<String> {
        (0..lines.len()).map(|line| lines.line_with_ending(line).to_owned()).collect()
    };
    let (before, after) = (whole_lines(&old_lines), whole_lines(&new_lines));
    let mut edits = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &before, &after) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (removed, added) = (op.old_range(), op.new_range());
        let removed = old_lines.span(removed.start, removed.len());
        let added = &new_part[new_lines.span(added.start, added.len())];
        if let Some((inner, replacement)) = trim_common(&old_part[removed.clone()], added) {
            let start = range.start + removed.start + inner.start;
            edits.push(Edit {
                range: at(start..start + inner.len()),
                new_text: replacement.to_owned(),
            });
        }
    }
    edits
}

/// The differing middle of two texts, without their common prefix and suffix; `None` if they are
/// equal. Never splits a character or a CRLF.
fn trim_common<'n>(old: &str, new: &'n str) -> Option<(Range<usize>, &'n str)> {
    if old == new {
        return None;
    }
    let cut = |at: usize, text: &str| !text.is_char_boundary(at) || splits_crlf(text, at);
    let mut start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while cut(start, old) || cut(start, new) {
        start -= 1;
    }
    let limit = old.len().min(new.len()) - start;
    let mut tail =
        old.bytes().rev().zip(new.bytes().rev()).take(limit).take_while(|(a, b)| a == b).count();
    while cut(old.len() - tail, old) || cut(new.len() - tail, new) {
        tail -= 1;
    }
    Some((start..old.len() - tail, &new[start..new.len() - tail]))
}

/// Joins edits that touch. `edits` are sorted and disjoint.
pub(crate) fn join_adjacent(edits: Vec<Edit>) -> Vec<Edit> {
    let mut result: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        match result.last_mut() {
            Some(last) if last.range.end == edit.range.start => {
                last.range.end = edit.range.end;
                last.new_text.push_str(&edit.new_text);
            }
            _ => result.push(edit),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(text: &str, new: &str) -> Vec<(Range<usize>, String)> {
        minimal_edits(text, &(0..text.len()), new)
            .into_iter()
            .map(|edit| (edit.range, edit.new_text))
            .collect()
    }

    #[test]
    fn only_what_differs() {
        assert_eq!(ranges("a\nb\nc\n", "a\nx\nc\n"), [(2..3, "x".into())]);
        assert_eq!(
            ranges("a\nb\nc\nd\n", "x\nb\nc\ny\n"),
            [(0..1, "x".into()), (6..7, "y".into())]
        );
        assert_eq!(ranges("aa", "aaa"), [(2..2, "a".into())]);
        assert_eq!(ranges("é", "è"), [(0..2, "è".into())]);
        assert_eq!(ranges("a\r\n", "a\n"), [(1..3, "\n".into())]);
        assert!(ranges("same", "same").is_empty());
    }
}
