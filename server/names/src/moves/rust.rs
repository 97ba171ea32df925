//! Rust: a module's file that gets another name beside where it was, and what leads to one that goes
//! elsewhere in the tree of modules.

use std::ops::Range;

use text::Text;

use super::{Moves, last, parent};
use crate::index::FileId;
use crate::rename::{RenameEdit, RenameReason};
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::DefinitionKind;

pub(super) fn follow(moves: &Moves<'_>, file: FileId, text: &Text, edits: &mut Vec<RenameEdit>) {
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
    let is_name = new.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && new.chars().all(|c| c.is_alphanumeric() || c == '_');
    if old_folder != new_folder {
        if is_name {
            elsewhere(moves, file, &old, text, edits);
        }
        return;
    }
    if old == new || !is_name {
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
    let Some((declared, uses)) = named(moves, file, &old) else { return };
    for (file, span) in std::iter::once(declared).chain(uses) {
        edits.push(RenameEdit { file, span, new_text: new.clone(), reason });
    }
}

type Span = (FileId, Range<usize>);

/// Where a module is declared, if that is one place, and where it is used.
fn named(moves: &Moves<'_>, file: FileId, name: &str) -> Option<(Span, Vec<Span>)> {
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

/// A module that goes elsewhere in the tree: other modules have to declare it, it sees others, and
/// others see it. What leads to it, and what it reaches by `super`, is to be confirmed.
fn elsewhere(
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
    // What moves with the folder around it is declared there as before.
    let (parents, _) = moves.index.project.rust_parents(file);
    if parents.iter().any(|parent| moves.moves(*parent)) {
        return;
    }
    let (Some(old_path), Some(new_path)) =
        (module_of(moves.path(file)), module_of(moves.new_path(file)))
    else {
        return;
    };
    let mut unsure = |file: FileId, span: Range<usize>, new_text: String| {
        edits.push(RenameEdit { file, span, new_text, reason: RenameReason::Unsure });
    };
    if let Some((declared, uses)) = named(moves, file, name) {
        for (file, span) in std::iter::once(declared).chain(uses) {
            unsure(file, span, new_path.clone());
        }
    }
    let above = old_path.rsplit_once("::").map_or("crate", |(above, _)| above).to_owned();
    for (at, word) in text.slice(0..text.len()).match_indices("super") {
        let span = at..at + word.len();
        let scope = moves.index.facts(file).map_or(0, |facts| facts.scope_at(at as u32));
        let is_own = resolver.module_scope(file, scope) == (file, 0);
        if is_own && is_path(text, &span) {
            unsure(file, span, above.clone());
        }
    }
}

/// Whether `super` at a place begins a path or says how far something is visible.
fn is_path(text: &Text, span: &Range<usize>) -> bool {
    let behind = text.slice(span.end..(span.end + 2).min(text.len()));
    let before = text.slice(span.start.saturating_sub(4)..span.start);
    let begins = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    begins && (behind == "::" || before.ends_with("pub(") && behind.starts_with(')'))
}
