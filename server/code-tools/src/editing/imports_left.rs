//! Imports of moved files. `apply_edit` only makes the requested changes, so it reports these
//! imports and does not change them; `move_file` does.

use std::ops::Range;

use patch::Plan;
use workspace::{Snapshot, UnsureUse, uri_of_path};

use super::plan::Planned;
use tools::{
    Context,
    results::{UnsurePlace, unsure_places, with_index_wait},
};

/// The imports that a move would break, in other files and in the moved files: the first of them,
/// and their number.
pub(super) fn imports_left(
    context: &Context<'_>,
    snapshot: &Snapshot,
    planned: &[Planned],
) -> (Vec<UnsurePlace>, usize) {
    let moved = planned.iter().filter_map(|one| match one {
        Planned::Move { file, to, .. } => {
            Some((uri_of_path(&file.path.absolute()), uri_of_path(&to.absolute())))
        }
        _ => None,
    });
    let pairs: Vec<_> = moved.collect();
    if pairs.is_empty() {
        return (Vec::new(), 0);
    }
    let Ok(found) = with_index_wait(snapshot).imports_follow(&pairs, context.interrupt) else {
        return (Vec::new(), 0);
    };
    let mut left = Vec::new();
    for file in found.files {
        let path = snapshot.locate(&file.uri).ok();
        let own_plan = planned.iter().find_map(|one| match one {
            Planned::Edit { file, plan, .. } | Planned::Move { file, plan, .. } => {
                (Some(&file.path) == path.as_ref()).then_some(plan)
            }
            _ => None,
        });
        for (span, new, _) in file.edits {
            if own_plan.is_some_and(|plan| changes(plan, &span)) {
                continue;
            }
            let why = format!("would have to become `{new}`");
            left.push(UnsureUse { uri: file.uri.clone(), text: file.text.clone(), span, why });
        }
    }
    (unsure_places(context, &left), left.len())
}

/// Whether a plan changes part of a span.
fn changes(plan: &Plan, span: &Range<usize>) -> bool {
    plan.edits.iter().any(|edit| edit.range.start <= span.end && span.start <= edit.range.end)
}
