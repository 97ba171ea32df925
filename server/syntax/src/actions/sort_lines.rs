//! Sorting consecutive lines; a comment above a line moves along. Blank lines and other code
//! separate groups, which are sorted on their own.

use std::ops::Range;

use tree_sitter::Node;

use super::sort_items::compare_natural;
use super::{ActionContext, Edits};

/// A node on its own lines, with the comments above it.
struct SortableLines {
    lines: Range<usize>,
    key: String,
}

/// The edits that sort each group of `nodes` by their names, which are among `names`. Each node
/// starts after `indent`.
pub(super) fn sorted(
    context: &ActionContext<'_>,
    nodes: &[Node<'_>],
    names: &[Node<'_>],
    indent: &str,
) -> Edits {
    let text = context.syntax.text();
    let mut edits = Edits::new();
    for group in groups(context, nodes, names, indent) {
        let mut sorted: Vec<&SortableLines> = group.iter().collect();
        sorted.sort_by(|a, b| compare_natural(&a.key, &b.key));
        let moved = sorted.iter().zip(&group).any(|(a, b)| a.lines != b.lines);
        let (Some(first), Some(last), true) = (group.first(), group.last(), moved) else {
            continue;
        };
        let start = text.line_start(first.lines.start);
        let end = text.line_span(last.lines.end - 1).end;
        let written = |line: &&SortableLines| {
            let from = text.line_start(line.lines.start);
            text.slice(from..text.line_span(line.lines.end - 1).end).into_owned()
        };
        // The line endings stay in place: a text may mix several kinds.
        let mut new = String::new();
        for (line, before) in sorted.iter().zip(&group) {
            if !new.is_empty() {
                new += &context.end_before(before.lines.start);
            }
            new += &written(line);
        }
        edits.push((start..end, new));
    }
    edits
}

fn groups(
    context: &ActionContext<'_>,
    nodes: &[Node<'_>],
    names: &[Node<'_>],
    indent: &str,
) -> Vec<Vec<SortableLines>> {
    let text = context.syntax.text();
    let mut nodes = nodes.to_vec();
    nodes.sort_by_key(Node::start_byte);
    let mut names = names.to_vec();
    names.sort_by_key(Node::start_byte);
    let mut groups: Vec<Vec<SortableLines>> = Vec::new();
    let mut after: Option<usize> = None;
    for node in nodes {
        let written = context.text_of(node);
        let end = node.start_byte() + written.trim_end().len();
        let (first, last) = (text.line_of(node.start_byte()), text.line_of(end));
        let before = text.slice(text.line_start(first)..node.start_byte());
        let behind = text.slice(end..text.line_span(last).end);
        let behind = behind.trim_start().trim_start_matches(';').trim();
        let comment = context.syntax.language().line_comments();
        let commented = |content: &str| comment.iter().any(|c| content.starts_with(c.as_str()));
        let alone =
            before == indent && (behind.is_empty() || commented(behind)) && !node.has_error();
        if !alone {
            after = None;
            continue;
        }
        // Comments between two nodes of a group belong to the second.
        let between = after.is_some_and(|after| {
            (after..first).all(|line| text.line(line).strip_prefix(indent).is_some_and(&commented))
        });
        let at = names.partition_point(|n| n.start_byte() < node.start_byte());
        let name = names.get(at).filter(|n| n.end_byte() <= node.end_byte());
        let key = name.map_or_else(
            || written.trim_end().trim_end_matches(';').to_owned(),
            |n| context.text_of(*n),
        );
        match (between, groups.last_mut(), after) {
            (true, Some(group), Some(after)) => {
                group.push(SortableLines { lines: after..last + 1, key })
            }
            _ => groups.push(vec![SortableLines { lines: first..last + 1, key }]),
        }
        after = Some(last + 1);
    }
    groups
}
