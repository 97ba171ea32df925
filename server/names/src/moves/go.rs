//! Go: updates the import paths of moved packages. The package names stay, as they are independent
//! of the folder.

use super::{Moves, edit};
use crate::index::FileId;
use crate::project::Module;
use crate::rename::{RenameEdit, RenameReason};

/// Adds the edits of one file.
pub(super) fn update_imports(moves: &Moves<'_>, file: FileId, edits: &mut Vec<RenameEdit>) {
    for reference in moves.module_references(file) {
        let Some(Module::Folder(folder)) = moves.module(&reference) else { continue };
        let Some(new) = moves.new_folder(&folder) else { continue };
        // The path of an import starts with the path of the Go module.
        let Some(before) =
            super::without_path_suffix(&reference.name, &folder).filter(|_| !folder.is_empty())
        else {
            continue;
        };
        let path = format!("{before}{new}");
        edits.push(edit(&reference, path, RenameReason::Import));
    }
}
