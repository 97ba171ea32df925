//! Effects of creating and deleting files and folders.

use workspace::{Entry, FileKind, FilePath};

use super::entry_detail::{creation_detail, deletion_detail};
use crate::{Context, Effect, ToolError};

/// The effects of creating `to` as a copy of `entry`, with everything inside.
pub fn create_effects(
    context: &Context<'_>,
    entry: &Entry,
    to: &FilePath,
) -> Result<Vec<Effect>, ToolError> {
    if entry.kind != FileKind::Directory {
        let detail =
            if context.asks_about(to) { creation_detail(context, entry, to) } else { None };
        return Ok(vec![Effect { detail, ..Effect::write(to) }]);
    }
    let below = context.snapshot.guarded_below(&entry.path, to, context.interrupt)?;
    // A rule may cover any file inside, so the tree is one more effect.
    let tree = Effect { detail: creation_detail(context, entry, to), ..Effect::write_tree(to) };
    Ok(std::iter::once(tree).chain(below.iter().map(Effect::write)).collect())
}

/// The effects of deleting `entry`, with everything inside.
pub fn delete_effects(context: &Context<'_>, entry: &Entry) -> Result<Vec<Effect>, ToolError> {
    let path = &entry.path;
    if entry.kind != FileKind::Directory {
        let detail = if context.asks_about(path) { deletion_detail(context, entry) } else { None };
        return Ok(vec![Effect { detail, ..Effect::delete(path) }]);
    }
    let below = context.snapshot.guarded_below(path, path, context.interrupt)?;
    let tree = Effect { detail: deletion_detail(context, entry), ..Effect::delete_tree(path) };
    Ok(std::iter::once(tree).chain(below.iter().map(Effect::delete)).collect())
}
