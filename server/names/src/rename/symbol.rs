//! Definitions that everybody reads as one symbol, whatever the language makes of them.

use super::RenameSources;
use crate::facts::NONE;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::DefinitionKind;

/// `typedef struct name name`: everybody reads one name there, whatever C makes of it.
pub(super) fn tags(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    if !def.kind.is_type() || !facts.is_reachable(id.def) {
        return Vec::new();
    }
    let Some(all) = resolver.all_defined(facts.strings.text(def.name)) else { return Vec::new() };
    let one = |other: &DefId| {
        let there = resolver.facts(other.file);
        let o = resolver.def(*other);
        o.kind.is_type() && there.is_reachable(other.def) && there.language().id() == "c"
    };
    all.filter(one).collect()
}

/// Whether a definition adds to one of the language's own: it stands in `declare global`.
pub(super) fn is_global(resolver: &Resolver<'_>, id: DefId, sources: &RenameSources<'_>) -> bool {
    let facts = resolver.facts(id.file);
    let mut scope = resolver.def(id).scope;
    while let Some(at) = facts.scopes.get(scope as usize).filter(|_| scope != 0) {
        let start = at.start as usize;
        let text = (sources.text)(id.file);
        if text.is_some_and(|t| {
            t.slice(start.saturating_sub(12)..start).trim_end().ends_with("global")
        }) {
            return true;
        }
        scope = at.parent;
    }
    false
}

/// Definitions by the same letters: a parameter that is a field, too.
pub(super) fn twins(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    if def.name_start == def.name_end {
        return Vec::new();
    }
    let twin = |d: &&u32| {
        let other = &facts.definitions[**d as usize];
        other.name_start == def.name_start && other.kind != DefinitionKind::Import
    };
    let all = facts.named(def.name).iter().filter(twin);
    all.map(|&def| DefId { file: id.file, def }).collect()
}

/// A class and its constructors, where they share its name.
pub(super) fn namesakes(resolver: &Resolver<'_>, id: DefId, name: &str) -> Vec<DefId> {
    let def = resolver.def(id);
    if !matches!(resolver.language(id.file), "java" | "cpp") {
        return Vec::new();
    }
    let mut all = Vec::new();
    if def.kind.is_type() {
        let facts = resolver.facts(id.file);
        let own = facts.in_scope(def.body, def.name).iter().copied();
        let own = own.filter(|&d| facts.definitions[d as usize].kind.is_callable());
        all.extend(own.map(|def| DefId { file: id.file, def }));
        resolver.each_extension(id, &mut |file, extension| {
            let facts = resolver.facts(file);
            let number = facts.strings.find(name).unwrap_or(NONE);
            let own = facts.in_scope(extension.scope, number);
            all.extend(own.iter().map(|&def| DefId { file, def }));
        });
    } else if def.kind.is_callable()
        && let Some(class) = resolver.container_type(id)
        && resolver.facts(class.file).strings.text(resolver.def(class).name) == name
    {
        all.push(class);
    }
    all
}
