//! `unwrap`: replaces a statement by its body.
//!
//! Not offered if the statement declares names that the body uses, if a loop's body breaks or
//! continues the loop, or if the body declares a name that also occurs around the statement.

use std::collections::HashSet;

use tree_sitter::Node;

use super::captures::{ActionCaptures, Unwrap};
use super::indentation::dedent_lines;
use super::{ActionContext, ActionProvider, Edits, PlannedAction};

pub(super) const UNWRAP: ActionProvider =
    ActionProvider { id: "unwrap", kind: "refactor.rewrite.unwrap", find };

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let span = context.trimmed();
        let list_at_selection = |u: &&Unwrap<'_>| {
            let whole = span == u.node.byte_range();
            whole || u.node.start_byte() <= span.start && span.end <= u.inside.start_byte() + 1
        };
        let found = context
            .captures
            .unwraps
            .iter()
            .filter(list_at_selection)
            .min_by_key(|u| u.node.byte_range().len());
        plan(context, found?)
    };
    actions().into_iter().collect()
}

fn plan(context: &ActionContext<'_>, found: &Unwrap<'_>) -> Option<PlannedAction> {
    let text = context.syntax.text();
    let whole = found.node.byte_range();
    let end = whole.start + text.slice(whole.clone()).trim_end().len();
    let (first, last) = (text.line_of(whole.start), text.line_of(end));
    let indent = text.slice(text.line_start(first)..whole.start).into_owned();
    let behind = text.slice(end..text.line_span(last).end);
    if found.node.has_error() || !indent.trim().is_empty() || !behind.trim().is_empty() {
        return None;
    }
    let mut inside = found.inside.byte_range();
    let written = text.slice(inside.clone());
    if written.starts_with('{') && written.trim_end().ends_with('}') {
        inside = inside.start + 1..inside.start + written.trim_end().len() - 1;
    }
    let held = text.slice(inside.clone());
    let start = inside.start + held.len() - held.trim_start().len();
    let stop = inside.start + held.trim_end().len();
    if start >= stop || changes_meaning(context, found) {
        return None;
    }
    // Comments outside the body would be lost.
    let mut cursor = found.node.walk();
    let outside = |n: &Node<'_>| {
        n.is_extra() && !(n.start_byte() >= inside.start && n.end_byte() <= inside.end)
    };
    if found.node.children(&mut cursor).any(|n| outside(&n)) {
        return None;
    }
    let deep = text.slice(text.line_start(text.line_of(start))..start).into_owned();
    let mut edits: Edits = Vec::new();
    if deep.trim().is_empty() {
        let blanks = deep.strip_prefix(indent.as_str())?;
        edits.push((whole.start..start, String::new()));
        let rest = text.line_of(start) + 1..text.line_of(stop) + 1;
        edits.extend(dedent_lines(context.syntax, rest, &indent, blanks)?);
    } else if text.line_of(start) == text.line_of(stop) {
        edits.push((whole.start..start, String::new()));
    } else {
        return None;
    }
    edits.push((stop..end, String::new()));
    context.try_edits(&edits)?;
    let title = match found.loses {
        Some(loses) => format!("Unwrap, without {loses}"),
        None => "Unwrap".to_owned(),
    };
    Some(PlannedAction::new(title, edits))
}

/// Whether the body would mean something else without the statement around it.
fn changes_meaning(context: &ActionContext<'_>, found: &Unwrap<'_>) -> bool {
    let text = context.syntax.text();
    let inner = ActionCaptures::new(context.syntax, found.inside.byte_range());
    let within = |n: &Node<'_>| {
        n.start_byte() >= found.inside.start_byte() && n.end_byte() <= found.inside.end_byte()
    };
    if found.is_loop && contains_jump(found.inside, &inner) {
        return true;
    }
    let body = text.slice(found.inside.byte_range());
    let used: HashSet<&str> = words(&body).collect();
    let bound: Vec<String> = found.binds.iter().map(|n| context.text_of(*n)).collect();
    if bound.iter().flat_map(|b| words(b)).any(|word| used.contains(word)) {
        return true;
    }
    // Declarations in the body itself, not in nested blocks.
    let mut cursor = found.inside.walk();
    let direct: HashSet<usize> = found.inside.children(&mut cursor).map(|n| n.id()).collect();
    let own = |n: &Node<'_>| {
        let mut around = context.syntax.ancestors(*n).into_iter();
        let declaring = around.find(|n| inner.declares.contains_key(&n.id()));
        within(n) && declaring.is_some_and(|d| direct.contains(&d.id()))
    };
    let names: Vec<String> =
        inner.names.iter().filter(|n| own(n)).map(|n| context.text_of(*n)).collect();
    let declares = direct.iter().any(|id| inner.declares.contains_key(id));
    if names.is_empty() {
        // A declaration without a known name may declare any.
        return declares;
    }
    let around = context.syntax.ancestors(found.node);
    // The outermost node below the root that contains the statement.
    let top = around.len().checked_sub(2).filter(|at| *at > 0).map(|at| around[at]);
    let span = top.map_or(0..text.len(), |n| n.byte_range());
    let before = text.slice(span.start..found.node.start_byte());
    let after = text.slice(found.node.end_byte()..span.end);
    let known: HashSet<&str> = words(&before).chain(words(&after)).collect();
    names.iter().any(|name| known.contains(name.as_str()))
}

/// Whether a node contains a jump (`break`, `continue`) of the loop around it.
fn contains_jump(node: Node<'_>, captures: &ActionCaptures<'_>) -> bool {
    let mut cursor = node.walk();
    loop {
        if captures.jumps.contains_key(&cursor.node().id()) {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).filter(|w| !w.is_empty())
}
