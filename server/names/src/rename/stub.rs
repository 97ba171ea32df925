//! Python's stubs: what stands in `a.py` is declared in `a.pyi` beside it once more.

use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::{DefId, Found, Resolver};
use crate::vocabulary::DefinitionKind;

/// Most steps from a definition to its file.
const DEPTH: usize = 16;

/// What a stub declares of a definition, or what a declaration in a stub stands for.
pub(super) fn counterparts(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    if resolver.language(id.file) != "python" {
        return Vec::new();
    }
    let Some((top, way)) = way(resolver, id) else { return Vec::new() };
    let mut all = Vec::new();
    if let Some(other) = beside(resolver, id.file) {
        all.extend(descend(resolver, other, &way));
    }
    // A stub declares what its module only imports.
    for stub in resolver.files_with(way[0]) {
        if !resolver.path(stub).ends_with(".pyi") {
            continue;
        }
        let Some(module) = beside(resolver, stub).filter(|m| *m != id.file) else { continue };
        if tops(resolver, module, way[0]).contains(&top) {
            all.extend(descend(resolver, stub, &way));
        }
    }
    all.retain(|other| *other != id);
    all
}

/// The definition at the top level that holds one, and the names from there to it.
fn way<'i>(resolver: &Resolver<'i>, id: DefId) -> Option<(DefId, Vec<&'i str>)> {
    let facts = resolver.facts(id.file);
    let (mut at, mut way) = (id, Vec::new());
    while way.len() < DEPTH {
        let def = resolver.def(at);
        way.push(facts.strings.text(def.name));
        if def.scope == 0 {
            way.reverse();
            return Some((at, way));
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
fn beside(resolver: &Resolver<'_>, file: FileId) -> Option<FileId> {
    let path = resolver.path(file);
    let other = match path.strip_suffix(".pyi") {
        Some(bare) => format!("{bare}.py"),
        None => format!("{}.pyi", path.strip_suffix(".py")?),
    };
    resolver.file_at(&other)
}

/// What a name means at the top level of a file, imported or not.
fn tops(resolver: &Resolver<'_>, file: FileId, name: &str) -> Vec<DefId> {
    let facts = resolver.facts(file);
    let Some(number) = facts.strings.find(name) else { return Vec::new() };
    resolver.refresh();
    let own = facts.in_scope(0, number).iter().map(|&def| DefId { file, def });
    let meant = own.flat_map(|id| resolver.follow(Found { id, origin: Origin::SameFile }));
    meant.map(|f| f.id).collect()
}

fn descend(resolver: &Resolver<'_>, file: FileId, way: &[&str]) -> Vec<DefId> {
    let mut at = tops(resolver, file, way[0]);
    for name in &way[1..] {
        let inner = |id: DefId| {
            let def = resolver.def(id);
            if def.kind.is_type() {
                return resolver.own_member(id, name).into_iter().map(|f| f.id).collect();
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
