//! Python stub files: definitions of `a.py` are declared again in `a.pyi`.

use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Resolution, Resolver};
use crate::vocabulary::DefinitionKind;

/// Limit for the nesting of a definition.
const MAX_DEPTH: usize = 16;

/// The stub's declarations of a definition, or the definitions of a stub's declaration.
pub(super) fn counterparts(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    if resolver.language(id.file) != "python" {
        return Vec::new();
    }
    let Some((top, path)) = name_path(resolver, id) else { return Vec::new() };
    let mut all = Vec::new();
    if let Some(other) = counterpart_file(resolver, id.file) {
        all.extend(definitions_at(resolver, other, &path));
    }
    // A stub may declare what its module only imports.
    for stub in resolver.files_containing(path[0]) {
        if !resolver.path(stub).ends_with(".pyi") {
            continue;
        }
        let Some(module) = counterpart_file(resolver, stub).filter(|m| *m != id.file) else {
            continue;
        };
        if top_level_definitions(resolver, module, path[0]).contains(&top) {
            all.extend(definitions_at(resolver, stub, &path));
        }
    }
    all.retain(|other| *other != id);
    all
}

/// The top-level definition that contains a definition, and the names from there down to it.
fn name_path<'i>(resolver: &Resolver<'i>, id: DefId) -> Option<(DefId, Vec<&'i str>)> {
    let facts = resolver.facts(id.file);
    let (mut at, mut path) = (id, Vec::new());
    while path.len() < MAX_DEPTH {
        let def = resolver.def(at);
        path.push(facts.strings.text(def.name));
        if def.scope == 0 {
            path.reverse();
            return Some((at, path));
        }
        let owner = facts.scopes.get(def.scope as usize)?.owner;
        if owner == NONE || owner == 0 {
            return None;
        }
        let kind = facts.definitions[owner as usize].kind;
        if !kind.is_type() && def.kind != DefinitionKind::Parameter {
            return None;
        }
        at = DefId { file: id.file, def: owner };
    }
    None
}

/// The stub of a module, or the module of a stub.
fn counterpart_file(resolver: &Resolver<'_>, file: FileId) -> Option<FileId> {
    let path = resolver.path(file);
    let other = match path.strip_suffix(".pyi") {
        Some(bare) => format!("{bare}.py"),
        None => format!("{}.pyi", path.strip_suffix(".py")?),
    };
    resolver.file_at(&other)
}

/// The definitions that a name has at a file's top level, through imports.
fn top_level_definitions(resolver: &Resolver<'_>, file: FileId, name: &str) -> Vec<DefId> {
    let facts = resolver.facts(file);
    let Some(number) = facts.strings.find(name) else { return Vec::new() };
    resolver.reset_steps();
    let own = facts.definitions_in_scope(0, number).iter().map(|&def| DefId { file, def });
    let targets =
        own.flat_map(|id| resolver.follow_import(Resolution { id, origin: Origin::SameFile }));
    targets.map(|f| f.id).collect()
}

/// The definitions at a path of names, starting at a file's top level.
fn definitions_at(resolver: &Resolver<'_>, file: FileId, path: &[&str]) -> Vec<DefId> {
    let mut at = top_level_definitions(resolver, file, path[0]);
    for name in &path[1..] {
        let inner = |id: DefId| {
            let def = resolver.def(id);
            if def.kind.is_type() {
                return resolver.own_members(id, name).into_iter().map(|f| f.id).collect();
            }
            let facts = resolver.facts(id.file);
            let named = |p: &DefId| facts.strings.text(resolver.def(*p).name) == *name;
            let mut all = resolver.parameters(id);
            all.retain(named);
            all
        };
        at = at.into_iter().flat_map(inner).collect();
    }
    at.retain(|id| resolver.def(*id).kind != DefinitionKind::Import);
    at
}
