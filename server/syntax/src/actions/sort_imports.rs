//! `sort_imports`: sorts consecutive imports.

use super::captures::ActionCaptures;
use super::{ActionContext, ActionProvider, PlannedAction, sort_lines};

pub(super) const SORT: ActionProvider =
    ActionProvider { id: "sort_imports", kind: "source.sortImports", find };

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let at_import = !context.captures.imports.is_empty();
    if !context.is_explicit && !at_import {
        return Vec::new();
    }
    let captures = ActionCaptures::new(context.syntax, 0..context.syntax.text().len());
    let edits = sort_lines::sorted(context, &captures.import_nodes, &captures.names, "");
    if edits.is_empty() || context.try_edits(&edits).is_none() {
        return Vec::new();
    }
    vec![PlannedAction::new("Sort imports", edits)]
}
