//! `wrap`: puts selected statements into a block, a condition or a `try`.
//!
//! The statements must be complete and on lines of their own. If the block scopes its declarations,
//! the selected statements must not declare anything while code follows that could use it.

use tree_sitter::Node;

use super::indentation::indent_lines;
use super::{ActionContext, ActionProvider, Edits, PlannedAction};

pub(super) const WRAP: ActionProvider =
    ActionProvider { id: "wrap", kind: "refactor.rewrite.wrap", find };

/// The choice, its setting in the query, and the title.
const WRAPPERS: &[(&str, &str, &str)] = &[
    ("block", "wrap.block", "Wrap in a block"),
    ("if", "wrap.if", "Wrap in `if`"),
    ("try", "wrap.try", "Wrap in `try`"),
];

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let span = context.trimmed();
    if span.is_empty() {
        return Vec::new();
    }
    let text = context.syntax.text();
    let Some((body, pattern)) = body(context) else { return Vec::new() };
    let mut cursor = body.walk();
    let children: Vec<Node<'_>> = body.children(&mut cursor).collect();
    let touches = |n: &Node<'_>| n.start_byte() < span.end && n.end_byte() > span.start;
    let selected: Vec<Node<'_>> = children.iter().copied().filter(touches).collect();
    let (Some(first), Some(last)) = (selected.first(), selected.last()) else { return Vec::new() };
    // The node of a statement may include its newline.
    let end = last.start_byte() + context.text_of(*last).trim_end().len();
    let is_whole = first.start_byte() >= span.start && end <= span.end;
    let lines = text.line_of(first.start_byte())..text.line_of(end) + 1;
    let before = text.slice(text.line_start(lines.start)..first.start_byte());
    let after = text.slice(end..text.line_span(lines.end - 1).end);
    let statement = |n: &&Node<'_>| n.is_named() && !n.is_extra();
    let declares = |n: &Node<'_>| context.captures.declares.contains_key(&n.id());
    let follows = children.iter().filter(statement).any(|n| n.start_byte() >= end);
    let fixed = |n: &Node<'_>| context.captures.fixed.contains_key(&n.id()) || n.has_error();
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
    let (indent, unit, eol) = (before.into_owned(), context.unit(), context.line_end());
    let actions = WRAPPERS.iter().filter_map(|(choice, setting, title)| {
        let template = context.captures.setting(pattern, setting)?;
        let (head, tail) = template.split_once('|')?;
        let written = |part: &str| {
            let deep = part.replace('\t', &unit);
            deep.replace('\n', &format!("{eol}{indent}"))
        };
        let mut edits: Edits = indent_lines(context.syntax, lines.clone(), &unit);
        let start = text.line_start(lines.start);
        let head = format!("{indent}{}{eol}", written(head.trim_end()));
        match edits.first_mut().filter(|(span, _)| span.start == start) {
            Some((_, new)) => new.insert_str(0, &head),
            None => edits.insert(0, (start..start, head)),
        }
        if !tail.is_empty() {
            edits.push((end..end, format!("{eol}{indent}{}", written(tail))));
        }
        context.try_edits(&edits)?;
        Some(PlannedAction { choice, ..PlannedAction::new(*title, edits) })
    });
    actions.collect()
}

/// The innermost body that contains the selection.
fn body<'t>(context: &ActionContext<'t>) -> Option<(Node<'t>, usize)> {
    let found = context.around().find_map(|node| {
        let span = context.trimmed();
        let itself = node.byte_range() == span && node.parent().is_some();
        let pattern = context.captures.bodies.get(&node.id()).filter(|_| !itself)?;
        Some((node, *pattern))
    });
    found.filter(|(_, pattern)| {
        WRAPPERS.iter().any(|w| context.captures.setting(*pattern, w.1).is_some())
    })
}
