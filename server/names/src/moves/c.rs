//! C and C++: what is included, from beside or from an include folder.

use text::Text;

use super::{Moves, edit, head, parent, way, written};
use crate::index::FileId;
use crate::project::join;
use crate::rename::{RenameEdit, RenameReason};

pub(super) fn follow(moves: &Moves<'_>, file: FileId, text: &Text, edits: &mut Vec<RenameEdit>) {
    for site in moves.sites(file) {
        let Some(target) = moves.target(&site) else { continue };
        if !moves.moves(file) && !moves.moves(target) {
            continue;
        }
        let name = written(text, &site.span);
        let (old, new) = (moves.path(target), moves.new_path(target));
        let beside = join(parent(moves.path(file)), &name).as_deref() == Some(old);
        let quoted =
            site.span.start > 0 && written(text, &(site.span.start - 1..site.span.start)) == "\"";
        let (spelled, reason) = if beside && quoted {
            (way(parent(moves.new_path(file)), new), RenameReason::Import)
        } else if let Some(folder) = head(old, name.trim_start_matches("./")) {
            match new.strip_prefix(folder) {
                Some(rest) => (rest.to_owned(), RenameReason::Import),
                None if quoted => (way(parent(moves.new_path(file)), new), RenameReason::Unsure),
                None => continue,
            }
        } else {
            continue;
        };
        if spelled != name {
            edits.push(edit(&site, spelled, reason));
        }
    }
}
