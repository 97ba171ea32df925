//! Definitions that a reader takes for one symbol, though the language keeps them apart.

use super::RenameSources;
use crate::facts::{Def, Facts, NONE, NameSite, ReferenceRole};
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// C: the tag and the typedef of `typedef struct name name`, which the language keeps apart.
pub(super) fn typedef_tags(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    if !def.kind.is_type() || !facts.is_reachable(id.def) {
        return Vec::new();
    }
    let Some(all) = resolver.definitions_if_few(facts.strings.text(def.name)) else {
        return Vec::new();
    };
    let is_same = |other: &DefId| {
        let there = resolver.facts(other.file);
        let o = resolver.def(*other);
        o.kind.is_type() && there.is_reachable(other.def) && there.language().id() == "c"
    };
    all.filter(is_same).collect()
}

/// TypeScript: definitions that merge into one symbol: a function and a namespace, a constant and a
/// type.
pub(super) fn merged_declarations(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    let kind = facts.scopes.get(def.scope as usize).map(|s| s.kind);
    let merges = |d: &Def| {
        !d.flags.has(Flags::HIDDEN)
            && !matches!(
                d.kind,
                DefinitionKind::Import
                    | DefinitionKind::Label
                    | DefinitionKind::Module
                    | DefinitionKind::Parameter
                    | DefinitionKind::TypeParameter
            )
    };
    let cannot_merge = !matches!(kind, Some(ScopeKind::File | ScopeKind::Namespace));
    if !is_ecma(resolver, id) || cannot_merge || !merges(def) {
        return Vec::new();
    }
    let all = facts.definitions_in_scope(def.scope, def.name).iter();
    let all = all.filter(|&&d| merges(&facts.definitions[d as usize]));
    all.map(|&def| DefId { file: id.file, def }).collect()
}

/// JavaScript: the definition of the same name in the `.js` file and in its `.d.ts` file.
pub(super) fn declaration_file_twins(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    let def = resolver.def(id);
    if !is_ecma(resolver, id) || def.kind == DefinitionKind::Import {
        return Vec::new();
    }
    let Some((stem, declares)) = stem(resolver.path(id.file)) else { return Vec::new() };
    let facts = resolver.facts(id.file);
    let container = |id: DefId| {
        let ty = resolver.container_type(id);
        ty.map(|ty| resolver.facts(ty.file).strings.text(resolver.def(ty).name))
    };
    let is_same = |other: &DefId| {
        let o = resolver.def(*other);
        stem_of(resolver, *other) == Some((stem, !declares))
            && o.kind != DefinitionKind::Import
            && (o.scope == 0) == (def.scope == 0)
            && (o.scope == 0 || container(*other).is_some_and(|c| container(id) == Some(c)))
    };
    let all = resolver.definitions_if_few(facts.strings.text(def.name));
    all.map_or_else(Vec::new, |all| all.filter(is_same).collect())
}

fn stem_of<'i>(resolver: &Resolver<'i>, id: DefId) -> Option<(&'i str, bool)> {
    stem(resolver.path(id.file))
}

/// A module's path without its extension, and whether the file only declares types.
fn stem(path: &str) -> Option<(&str, bool)> {
    let ends = |all: &[&str]| all.iter().find_map(|e| path.strip_suffix(e));
    let declares = ends(&[".d.ts", ".d.mts", ".d.cts"]).map(|s| (s, true));
    declares.or_else(|| ends(&[".js", ".mjs", ".cjs", ".jsx"]).map(|s| (s, false)))
}

fn is_ecma(resolver: &Resolver<'_>, id: DefId) -> bool {
    matches!(resolver.language(id.file), "typescript" | "tsx" | "javascript")
}

/// Whether a definition augments one that is elsewhere: it is in `declare global` or in `declare
/// module 'x'`.
pub(super) fn is_augmentation(
    resolver: &Resolver<'_>,
    id: DefId,
    sources: &RenameSources<'_>,
) -> bool {
    let facts = resolver.facts(id.file);
    let mut scope = resolver.def(id).scope;
    while let Some(at) = facts.scopes.get(scope as usize).filter(|_| scope != 0) {
        let start = at.start as usize;
        let text = (sources.text)(id.file);
        let augments = |t: text::Text| {
            is_augmentation_head(&t.slice(start.saturating_sub(200)..start))
                || t.slice(start..start + 40)
                    .strip_prefix("module")
                    .is_some_and(|name| name.trim_start().starts_with(['"', '\'']))
        };
        if text.is_some_and(augments) {
            return true;
        }
        scope = at.parent;
    }
    false
}

/// Whether the text before a body is `global` or `module 'x'`.
fn is_augmentation_head(head: &str) -> bool {
    let head = head.trim_end();
    let Some(quote) = head.chars().next_back().filter(|c| matches!(c, '"' | '\'')) else {
        return head.ends_with("global");
    };
    let inner = &head[..head.len() - 1];
    inner.rfind(quote).is_some_and(|open| inner[..open].trim_end().ends_with("module"))
}

/// The variable that a pattern binds, if the site is also a field's name: `{ x } = y` renames the
/// variable.
pub(super) fn bound_variable(facts: &Facts, site: NameSite) -> NameSite {
    let NameSite::Reference(r) = site else { return site };
    let reference = &facts.references[r as usize];
    if !matches!(reference.role, ReferenceRole::Member | ReferenceRole::Field) {
        return site;
    }
    let variable = |&&d: &&u32| {
        let def = &facts.definitions[d as usize];
        let kind = facts.scopes.get(def.scope as usize).map(|s| s.kind);
        def.name_start == reference.start
            && kind != Some(ScopeKind::Object)
            && matches!(
                def.kind,
                DefinitionKind::Variable | DefinitionKind::Constant | DefinitionKind::Parameter
            )
    };
    facts
        .definitions_named(reference.name)
        .iter()
        .find(variable)
        .map_or(site, |&d| NameSite::Definition(d))
}

/// Definitions at the same bytes: a parameter that is also a field.
pub(super) fn same_bytes(resolver: &Resolver<'_>, id: DefId) -> Vec<DefId> {
    let facts = resolver.facts(id.file);
    let def = resolver.def(id);
    if def.name_start == def.name_end {
        return Vec::new();
    }
    let twin = |d: &&u32| {
        let other = &facts.definitions[**d as usize];
        other.name_start == def.name_start && other.kind != DefinitionKind::Import
    };
    let all = facts.definitions_named(def.name).iter().filter(twin);
    all.map(|&def| DefId { file: id.file, def }).collect()
}

/// The constructors of a class, or the class of a constructor, where they share its name.
pub(super) fn class_and_constructors(resolver: &Resolver<'_>, id: DefId, name: &str) -> Vec<DefId> {
    let def = resolver.def(id);
    if !matches!(resolver.language(id.file), "java" | "cpp") {
        return Vec::new();
    }
    let mut all = Vec::new();
    if def.kind.is_type() {
        let facts = resolver.facts(id.file);
        let own = facts.definitions_in_scope(def.body, def.name).iter().copied();
        let own = own.filter(|&d| facts.definitions[d as usize].kind.is_callable());
        all.extend(own.map(|def| DefId { file: id.file, def }));
        resolver.each_extension(id, &mut |file, extension| {
            let facts = resolver.facts(file);
            let number = facts.strings.find(name).unwrap_or(NONE);
            let own = facts.definitions_in_scope(extension.scope, number);
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
