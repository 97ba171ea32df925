//! `sort_entries`: sorts the keys of a table or the elements of a set, which are on separate lines
//! and may be in any order.

use tree_sitter::Node;

use super::captures::ActionCaptures;
use super::{ActionContext, ActionProvider, PlannedAction, sort_lines};

pub(super) const SORT: ActionProvider =
    ActionProvider { id: "sort_entries", kind: "refactor.rewrite.sort", find };

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let (parent, pattern) = context.around().find_map(|node| {
            let inside = |(entry, _): &&(Node<'_>, usize)| entry.parent() == Some(node);
            context.captures.entries.iter().find(inside).map(|(_, pattern)| (node, *pattern))
        })?;
        let captures = ActionCaptures::new(context.syntax, parent.byte_range());
        let entries = captures.entries.iter().map(|(entry, _)| *entry);
        let entries: Vec<Node<'_>> = entries.filter(|e| e.parent() == Some(parent)).collect();
        if !captures.may_sort(pattern, &context.text_of(parent)) {
            return None;
        }
        let indent = context.indent_at(entries.first()?.start_byte());
        let edits = sort_lines::sorted(context, &entries, &captures.names, &indent);
        if edits.is_empty() {
            return None;
        }
        context.try_edits(&edits)?;
        Some(vec![PlannedAction::new("Sort entries", edits)])
    };
    actions().unwrap_or_default()
}
