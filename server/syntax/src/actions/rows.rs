//! What stands on lines of its own, one below the other, in order; a comment above one goes with it.
//! Blank lines, and what is nothing of the kind, set rows apart, so that grouping stays the author's.

use std::ops::Range;

use tree_sitter::Node;

use super::sort::in_order;
use super::{Edits, Place};

/// One of a row, with the comments above it: whole lines.
struct Line {
    lines: Range<usize>,
    key: String,
}

/// What puts the rows of `nodes` in the order of their names, which are among `names`; each starts
/// behind `indent`.
pub(super) fn sorted(
    place: &Place<'_>,
    nodes: &[Node<'_>],
    names: &[Node<'_>],
    indent: &str,
) -> Edits {
    let text = place.syntax.text();
    let mut edits = Edits::new();
    for row in rows(place, nodes, names, indent) {
        let mut sorted: Vec<&Line> = row.iter().collect();
        sorted.sort_by(|a, b| in_order(&a.key, &b.key));
        let moved = sorted.iter().zip(&row).any(|(a, b)| a.lines != b.lines);
        let (Some(first), Some(last), true) = (row.first(), row.last(), moved) else { continue };
        let start = text.line_start(first.lines.start);
        let end = text.line_span(last.lines.end - 1).end;
        let written = |line: &&Line| {
            let from = text.line_start(line.lines.start);
            text.slice(from..text.line_span(line.lines.end - 1).end).into_owned()
        };
        // The ends of lines stay where they are: a text may have several kinds of them.
        let mut new = String::new();
        for (line, before) in sorted.iter().zip(&row) {
            if !new.is_empty() {
                new += &place.end_before(before.lines.start);
            }
            new += &written(line);
        }
        edits.push((start..end, new));
    }
    edits
}

fn rows(place: &Place<'_>, nodes: &[Node<'_>], names: &[Node<'_>], indent: &str) -> Vec<Vec<Line>> {
    let text = place.syntax.text();
    let mut nodes = nodes.to_vec();
    nodes.sort_by_key(Node::start_byte);
    let mut names = names.to_vec();
    names.sort_by_key(Node::start_byte);
    let mut rows: Vec<Vec<Line>> = Vec::new();
    let mut after: Option<usize> = None;
    for node in nodes {
        let written = place.text_of(node);
        let end = node.start_byte() + written.trim_end().len();
        let (first, last) = (text.line_of(node.start_byte()), text.line_of(end));
        let before = text.slice(text.line_start(first)..node.start_byte());
        let behind = text.slice(end..text.line_span(last).end);
        let behind = behind.trim_start().trim_start_matches(';').trim();
        let comment = place.syntax.language().line_comments();
        let commented = |said: &str| comment.iter().any(|c| said.starts_with(c.as_str()));
        let alone =
            before == indent && (behind.is_empty() || commented(behind)) && !node.has_error();
        if !alone {
            after = None;
            continue;
        }
        // Comments between two of a row belong to the second.
        let between = after.is_some_and(|after| {
            (after..first).all(|line| text.line(line).strip_prefix(indent).is_some_and(&commented))
        });
        let at = names.partition_point(|n| n.start_byte() < node.start_byte());
        let name = names.get(at).filter(|n| n.end_byte() <= node.end_byte());
        let key = name.map_or_else(
            || written.trim_end().trim_end_matches(';').to_owned(),
            |n| place.text_of(*n),
        );
        match (between, rows.last_mut(), after) {
            (true, Some(row), Some(after)) => row.push(Line { lines: after..last + 1, key }),
            _ => rows.push(vec![Line { lines: first..last + 1, key }]),
        }
        after = Some(last + 1);
    }
    rows
}
