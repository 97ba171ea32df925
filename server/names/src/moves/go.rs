//! Go: the paths of packages whose folder moves. The name of a package is not its folder's.

use super::{Moves, edit};
use crate::index::FileId;
use crate::project::Module;
use crate::rename::{RenameEdit, RenameReason};

pub(super) fn follow(moves: &Moves<'_>, file: FileId, edits: &mut Vec<RenameEdit>) {
    for site in moves.sites(file) {
        let Some(Module::Folder(folder)) = moves.module(&site) else { continue };
        let Some(new) = moves.new_folder(&folder) else { continue };
        // The module's path comes before the folder.
        let Some(before) = super::head(&site.name, &folder).filter(|_| !folder.is_empty()) else {
            continue;
        };
        let path = format!("{before}{new}");
        edits.push(edit(&site, path, RenameReason::Import));
    }
}
