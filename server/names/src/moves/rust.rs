//! Rust: a module's file that gets another name beside where it was.

use super::{Moves, last, parent};
use crate::index::FileId;
use crate::rename::{RenameEdit, RenameReason};
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;

pub(super) fn follow(moves: &Moves<'_>, file: FileId, edits: &mut Vec<RenameEdit>) {
    if !moves.moves(file) {
        return;
    }
    let module = |path: &str| {
        let (folder, name) = (parent(path), last(path));
        match name {
            "mod.rs" => Some((parent(folder).to_owned(), last(folder).to_owned())),
            "lib.rs" | "main.rs" => None,
            _ => Some((folder.to_owned(), name.strip_suffix(".rs")?.to_owned())),
        }
    };
    let (Some((old_folder, old)), Some((new_folder, new))) =
        (module(moves.path(file)), module(moves.new_path(file)))
    else {
        return;
    };
    // Elsewhere in the tree, other modules would have to declare it.
    let is_name = new.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && new.chars().all(|c| c.is_alphanumeric() || c == '_');
    if old_folder != new_folder || old == new || !is_name {
        return;
    }
    // Its own modules lie in a folder of its name.
    let inner = format!("{}/{old}", old_folder).trim_start_matches('/').to_owned();
    let has_folder = !moves.index.project.in_folder(&inner).is_empty();
    let folder_moves = moves.new_folder(&inner).is_some() || last(moves.path(file)) == "mod.rs";
    let reason = match has_folder && !folder_moves {
        true => RenameReason::Unsure,
        false => RenameReason::Import,
    };
    let (parents, _) = moves.index.project.rust_parents(file);
    let mut declared = Vec::new();
    for parent in parents {
        let Some(facts) = moves.index.facts(parent) else { continue };
        let own = facts.definitions().filter(|d| d.name == old);
        let own = own.filter(|d| d.kind == DefinitionKind::Module);
        declared.extend(own.map(|d| (parent, d.name_span)));
    }
    let [(declaring, span)] = &declared[..] else { return };
    let definition = moves.index.definition_at(*declaring, span);
    let module: Vec<_> = definition.into_iter().chain([DefId { file, def: 0 }]).collect();
    let uses = moves.uses_of_module(&module, &old).into_iter();
    for (file, span) in declared.into_iter().chain(uses) {
        edits.push(RenameEdit { file, span, new_text: new.clone(), reason });
    }
}
