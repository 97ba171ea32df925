//! `sort_imports`: imports in a row, in order.

use super::marks::Marks;
use super::{Place, Planned, Planner, rows};

pub(super) const SORT: Planner = Planner { id: "sort_imports", kind: "source.sortImports", find };

fn find(place: &Place<'_>) -> Vec<Planned> {
    let at_import = !place.marks.imports.is_empty();
    if !place.explicit && !at_import {
        return Vec::new();
    }
    let marks = Marks::of(place.syntax, 0..place.syntax.text().len());
    let edits = rows::sorted(place, &marks.import_nodes, &marks.names, "");
    if edits.is_empty() || place.tried(&edits).is_none() {
        return Vec::new();
    }
    vec![Planned::new("Sort imports", edits)]
}
