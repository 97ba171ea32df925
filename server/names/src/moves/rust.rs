//! Rust: updates the declaration and uses of a module whose file is renamed in place, and the paths
//! of one that moves elsewhere in the module tree.

use std::ops::Range;

use text::Text;

use super::{Moves, last, parent};
use crate::index::FileId;
use crate::rename::{RenameEdit, RenameReason};
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

/// Adds the edits for a moved module file.
pub(super) fn update_imports(
    moves: &Moves<'_>,
    file: FileId,
    text: &Text,
    edits: &mut Vec<RenameEdit>,
) {
    if !moves.is_moved(file) {
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
    let is_name = new.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && new.chars().all(|c| c.is_alphanumeric() || c == '_');
    if old_folder != new_folder {
        if is_name {
            update_paths_to_moved_module(moves, file, &old, text, edits);
        }
        return;
    }
    if old == new || !is_name {
        return;
    }
    // Its submodules are in a folder of its name.
    let inner = format!("{}/{old}", old_folder).trim_start_matches('/').to_owned();
    let has_folder = !moves.index.project.in_folder(&inner).is_empty();
    let folder_moves = moves.new_folder(&inner).is_some() || last(moves.path(file)) == "mod.rs";
    let reason = match has_folder && !folder_moves {
        true => RenameReason::Unsure,
        false => RenameReason::Import,
    };
    let Some((declared, uses)) = declaration_and_uses(moves, file, &old) else { return };
    for (file, span) in std::iter::once(declared).chain(uses) {
        edits.push(RenameEdit { file, span, new_text: new.clone(), reason });
    }
}

type Span = (FileId, Range<usize>);

/// The place where a module is declared, if there is one, and its uses.
fn declaration_and_uses(moves: &Moves<'_>, file: FileId, name: &str) -> Option<(Span, Vec<Span>)> {
    let (parents, _) = moves.index.project.rust_parents(file);
    let mut declared = Vec::new();
    for parent in parents {
        let Some(facts) = moves.index.facts(parent) else { continue };
        let own = facts.definitions().filter(|d| d.name == name);
        let own = own.filter(|d| d.kind == DefinitionKind::Module);
        declared.extend(own.map(|d| (parent, d.name_span)));
    }
    let [(declaring, span)] = &declared[..] else { return None };
    let definition = moves.index.definition_at(*declaring, span);
    let module: Vec<_> = definition.into_iter().chain([DefId { file, def: 0 }]).collect();
    let uses = moves.uses_of_module(&module, name);
    Some((declared.swap_remove(0), uses))
}

/// Updates paths to a module that moves elsewhere in the module tree. Other modules must declare
/// it, and visibility changes, so all edits need confirmation.
fn update_paths_to_moved_module(
    moves: &Moves<'_>,
    file: FileId,
    name: &str,
    text: &Text,
    edits: &mut Vec<RenameEdit>,
) {
    let resolver = Resolver::new(moves.index);
    let Ty::Module(root, _) = resolver.crate_root(file) else { return };
    let base = parent(moves.path(root));
    let module_of = |path: &str| {
        let inside = path.strip_prefix(base)?.trim_start_matches('/').strip_suffix(".rs")?;
        let inside = inside.strip_suffix("/mod").unwrap_or(inside);
        let inside = if matches!(inside, "lib" | "main" | "mod") { "" } else { inside };
        let parts =
            std::iter::once("crate").chain(inside.split('/').filter(|part| !part.is_empty()));
        Some(parts.collect::<Vec<_>>().join("::"))
    };
    // If its parent moves with it, the declaration stays the same.
    let (parents, _) = moves.index.project.rust_parents(file);
    if parents.iter().any(|parent| moves.is_moved(*parent)) {
        return;
    }
    let (Some(old_path), Some(new_path)) =
        (module_of(moves.path(file)), module_of(moves.new_path(file)))
    else {
        return;
    };
    let mut add_unsure_edit = |file: FileId, span: Range<usize>, new_text: String| {
        edits.push(RenameEdit { file, span, new_text, reason: RenameReason::Unsure });
    };
    if let Some((declared, uses)) = declaration_and_uses(moves, file, name) {
        for (file, span) in std::iter::once(declared).chain(uses) {
            add_unsure_edit(file, span, new_path.clone());
        }
    }
    let parent_path =
        old_path.rsplit_once("::").map_or("crate", |(parent_path, _)| parent_path).to_owned();
    for (at, word) in text.slice(0..text.len()).match_indices("super") {
        let span = at..at + word.len();
        let scope = moves.index.facts(file).map_or(0, |facts| facts.scope_at(at as u32));
        let is_own = resolver.module_scope(file, scope) == (file, 0);
        if is_own && is_path(text, &span) {
            add_unsure_edit(file, span, parent_path.clone());
        }
    }
}

/// Whether a `super` starts a path or is in `pub(super)`.
fn is_path(text: &Text, span: &Range<usize>) -> bool {
    let after = text.slice(span.end..(span.end + 2).min(text.len()));
    let before = text.slice(span.start.saturating_sub(4)..span.start);
    let begins = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    begins && (after == "::" || before.ends_with("pub(") && after.starts_with(')'))
}
