//! `wrap`: selected statements go into a block, a condition or a `try`.
//!
//! They must be whole, on lines of their own. Where a block ends what is declared in it, nothing that
//! is selected may declare while something follows that might use it.

use tree_sitter::Node;

use super::shift::deeper;
use super::{Edits, Place, Planned, Planner};

pub(super) const WRAP: Planner = Planner { id: "wrap", kind: "refactor.rewrite.wrap", find };

/// The settings, as choices, and what a person is shown.
const WAYS: &[(&str, &str, &str)] = &[
    ("block", "wrap.block", "Wrap in a block"),
    ("if", "wrap.if", "Wrap in `if`"),
    ("try", "wrap.try", "Wrap in `try`"),
];

fn find(place: &Place<'_>) -> Vec<Planned> {
    let span = place.trimmed();
    if span.is_empty() {
        return Vec::new();
    }
    let text = place.syntax.text();
    let Some((body, pattern)) = body(place) else { return Vec::new() };
    let mut cursor = body.walk();
    let children: Vec<Node<'_>> = body.children(&mut cursor).collect();
    let touches = |n: &Node<'_>| n.start_byte() < span.end && n.end_byte() > span.start;
    let selected: Vec<Node<'_>> = children.iter().copied().filter(touches).collect();
    let (Some(first), Some(last)) = (selected.first(), selected.last()) else { return Vec::new() };
    // A statement may take its line's end along.
    let end = last.start_byte() + place.text_of(*last).trim_end().len();
    let is_whole = first.start_byte() >= span.start && end <= span.end;
    let lines = text.line_of(first.start_byte())..text.line_of(end) + 1;
    let before = text.slice(text.line_start(lines.start)..first.start_byte());
    let after = text.slice(end..text.line_span(lines.end - 1).end);
    let statement = |n: &&Node<'_>| n.is_named() && !n.is_extra();
    let declares = |n: &Node<'_>| place.marks.declares.contains_key(&n.id());
    let follows = children.iter().filter(statement).any(|n| n.start_byte() >= end);
    let fixed = |n: &Node<'_>| place.marks.fixed.contains_key(&n.id()) || n.has_error();
    if !is_whole
        || !before.trim().is_empty()
        || !after.trim().is_empty()
        || !selected.iter().any(|n| statement(&n))
        || selected.iter().any(fixed)
        || selected.iter().any(|n| !n.is_named())
        || follows && selected.iter().any(declares)
    {
        return Vec::new();
    }
    let (indent, unit, eol) = (before.into_owned(), place.unit(), place.line_end());
    let made = WAYS.iter().filter_map(|(choice, setting, title)| {
        let template = place.marks.setting(pattern, setting)?;
        let (head, tail) = template.split_once('|')?;
        let written = |part: &str| {
            let deep = part.replace('\t', &unit);
            deep.replace('\n', &format!("{eol}{indent}"))
        };
        let mut edits: Edits = deeper(place.syntax, lines.clone(), &unit);
        let start = text.line_start(lines.start);
        let head = format!("{indent}{}{eol}", written(head.trim_end()));
        match edits.first_mut().filter(|(span, _)| span.start == start) {
            Some((_, new)) => new.insert_str(0, &head),
            None => edits.insert(0, (start..start, head)),
        }
        if !tail.is_empty() {
            edits.push((end..end, format!("{eol}{indent}{}", written(tail))));
        }
        place.tried(&edits)?;
        Some(Planned { choice, ..Planned::new(*title, edits) })
    });
    made.collect()
}

/// The innermost body around what is selected.
fn body<'t>(place: &Place<'t>) -> Option<(Node<'t>, usize)> {
    let found = place.around().find_map(|node| {
        let span = place.trimmed();
        let itself = node.byte_range() == span && node.parent().is_some();
        let pattern = place.marks.bodies.get(&node.id()).filter(|_| !itself)?;
        Some((node, *pattern))
    });
    found.filter(|(_, pattern)| WAYS.iter().any(|w| place.marks.setting(*pattern, w.1).is_some()))
}
