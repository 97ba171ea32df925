//! `sort_entries`: the keys of a table, the names of a set: what stands on lines of its own, and means
//! the same in any order.

use tree_sitter::Node;

use super::marks::Marks;
use super::{Place, Planned, Planner, rows};

pub(super) const SORT: Planner =
    Planner { id: "sort_entries", kind: "refactor.rewrite.sort", find };

fn find(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let (parent, pattern) = place.around().find_map(|node| {
            let inside = |(entry, _): &&(Node<'_>, usize)| entry.parent() == Some(node);
            place.marks.entries.iter().find(inside).map(|(_, pattern)| (node, *pattern))
        })?;
        let marks = Marks::of(place.syntax, parent.byte_range());
        let entries = marks.entries.iter().map(|(entry, _)| *entry);
        let entries: Vec<Node<'_>> = entries.filter(|e| e.parent() == Some(parent)).collect();
        if !marks.may_sort(pattern, &place.text_of(parent)) {
            return None;
        }
        let indent = place.indent_at(entries.first()?.start_byte());
        let edits = rows::sorted(place, &entries, &marks.names, &indent);
        if edits.is_empty() {
            return None;
        }
        place.tried(&edits)?;
        Some(vec![Planned::new("Sort entries", edits)])
    };
    made().unwrap_or_default()
}
