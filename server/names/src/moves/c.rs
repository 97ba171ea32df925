//! C and C++: updates includes, relative to the file or to an include folder.

use text::Text;

use super::{Moves, edit, parent, relative_path, without_path_suffix, written};
use crate::index::FileId;
use crate::project::join_normalized;
use crate::rename::{RenameEdit, RenameReason};

/// Adds the edits of one file.
pub(super) fn update_imports(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    edits: &mut Vec<RenameEdit>,
) {
    for reference in moves.module_references(file) {
        let Some(target) = moves.target(&reference) else { continue };
        if !moves.is_moved(file) && !moves.is_moved(target) {
            continue;
        }
        let name = written(text, &reference.span);
        let (old, new) = (moves.path(target), moves.new_path(target));
        let is_relative = join_normalized(parent(moves.path(file)), &name).as_deref() == Some(old);
        let quoted = reference.span.start > 0
            && written(text, &(reference.span.start - 1..reference.span.start)) == "\"";
        let (new_name, reason) = if is_relative && quoted {
            (relative_path(parent(moves.new_path(file)), new), RenameReason::Import)
        } else if let Some(folder) = without_path_suffix(old, name.trim_start_matches("./")) {
            match new.strip_prefix(folder) {
                Some(rest) => (rest.to_owned(), RenameReason::Import),
                None if quoted => {
                    (relative_path(parent(moves.new_path(file)), new), RenameReason::Unsure)
                }
                None => continue,
            }
        } else {
            continue;
        };
        if new_name != name {
            edits.push(edit(&reference, new_name, reason));
        }
    }
}
