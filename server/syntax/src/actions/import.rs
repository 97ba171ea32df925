//! `sort_imports`: imports in a row, in order; a comment above one goes with it. Blank lines, and
//! what is no import, set rows apart, so that grouping stays the author's.

use std::ops::Range;

use tree_sitter::Node;

use super::marks::Marks;
use super::sort::in_order;
use super::{Edits, Place, Planned, Planner};

pub(super) const SORT: Planner = Planner { id: "sort_imports", kind: "source.sortImports", find };

/// An import with the comments above it: whole lines.
struct Line {
    lines: Range<usize>,
    key: String,
}

fn find(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let at_import = !place.marks.imports.is_empty();
        if !place.explicit && !at_import {
            return None;
        }
        let text = place.syntax.text();
        let marks = Marks::of(place.syntax, 0..text.len());
        let mut edits = Edits::new();
        for row in rows(place, &marks) {
            let mut sorted: Vec<&Line> = row.iter().collect();
            sorted.sort_by(|a, b| in_order(&a.key, &b.key));
            if sorted.iter().zip(&row).all(|(a, b)| a.lines == b.lines) {
                continue;
            }
            let start = text.line_start(row.first()?.lines.start);
            let end = text.line_span(row.last()?.lines.end - 1).end;
            let written = |line: &&Line| {
                let from = text.line_start(line.lines.start);
                text.slice(from..text.line_span(line.lines.end - 1).end).into_owned()
            };
            let lines: Vec<String> = sorted.iter().map(written).collect();
            edits.push((start..end, lines.join(place.line_end())));
        }
        if edits.is_empty() {
            return None;
        }
        place.tried(&edits)?;
        Some(vec![Planned::new("Sort imports", edits)])
    };
    made().unwrap_or_default()
}

fn rows(place: &Place<'_>, marks: &Marks<'_>) -> Vec<Vec<Line>> {
    let text = place.syntax.text();
    let mut nodes: Vec<Node<'_>> = marks.import_nodes.clone();
    nodes.sort_by_key(|n| n.start_byte());
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
        let alone = before.is_empty()
            && (behind.is_empty() || comment.iter().any(|c| behind.starts_with(c.as_str())))
            && !node.has_error();
        if !alone {
            after = None;
            continue;
        }
        // Comments between two imports of a row belong to the second.
        let between = after.is_some_and(|after| {
            (after..first).all(|line| {
                let said = text.line(line);
                !said.trim().is_empty() && comment.iter().any(|c| said.starts_with(c.as_str()))
            })
        });
        let name = marks
            .names
            .iter()
            .find(|n| n.start_byte() >= node.start_byte() && n.end_byte() <= node.end_byte());
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
