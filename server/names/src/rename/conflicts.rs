//! Conflicts of the new name: definitions that it would collide with, shadow or be shadowed by.

use rustc_hash::FxHashSet;

use super::RenameProblem;
use super::sites::RenameSites;
use super::symbol::{Reach, RenamedSymbol};
use crate::facts::{Def, NONE, ReferenceRole};
use crate::index::FileId;
use crate::resolve::languages::is_same_language_family;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// The places at which the new name conflicts with another definition or use.
pub(super) fn find_conflicts(
    resolver: &Resolver<'_>,
    symbol: &RenamedSymbol,
    new: &str,
    sites: &RenameSites,
) -> Vec<RenameProblem> {
    let mut check = ConflictCheck { resolver, symbol, new, problems: Vec::new() };
    for &id in &symbol.definitions {
        check.check_definition(id);
    }
    for &id in &sites.imports {
        if !symbol.definitions.contains(&id) {
            check.check_import(id);
        }
    }
    for &(file, r) in &sites.references {
        check.check_reference(file, r);
    }
    let mut problems = check.problems;
    problems.sort_by_key(|p| (p.file, p.span.start));
    problems.dedup_by_key(|p| (p.file, p.span.start));
    problems
}

struct ConflictCheck<'s, 'i> {
    resolver: &'s Resolver<'i>,
    symbol: &'s RenamedSymbol,
    new: &'s str,
    problems: Vec<RenameProblem>,
}

impl ConflictCheck<'_, '_> {
    fn add_problem(&mut self, file: FileId, start: u32, end: u32, why: &str) {
        let span = start as usize..end as usize;
        self.problems.push(RenameProblem::new(file, span, why));
    }

    fn add_definition_problem(&mut self, id: DefId, why: &str) {
        let def = self.resolver.def(id);
        self.add_problem(id.file, def.name_start, def.name_end, why);
    }

    /// Checks for definitions of the new name where the symbol is defined.
    fn check_definition(&mut self, id: DefId) {
        let resolver = self.resolver;
        let facts = resolver.facts(id.file);
        let def = *resolver.def(id);
        let number = facts.strings.find(self.new).unwrap_or(NONE);
        let clash = |d: &&u32| {
            let other = &facts.definitions[**d as usize];
            let fresh = other.flags.has(Flags::FRESH) && def.flags.has(Flags::FRESH);
            other.namespace.has(def.namespace)
                && !fresh
                && !other.flags.has(Flags::HIDDEN)
                && !are_overloads(resolver, id, DefId { file: id.file, def: **d })
        };
        if let Some(&other) = facts.definitions_in_scope(def.scope, number).iter().find(clash) {
            self.add_definition_problem(
                DefId { file: id.file, def: other },
                "already has that name",
            );
        }
        match self.symbol.reach {
            Reach::Member => self.check_members(id, &def),
            Reach::TopLevel => self.check_siblings(id, &def),
            Reach::Local => {}
        }
        self.check_captures(id.file, &def);
    }

    /// Checks for members of the new name that are inherited or that inherit.
    fn check_members(&mut self, id: DefId, def: &Def) {
        let resolver = self.resolver;
        let Some(own) = resolver.container_type(id) else { return };
        resolver.reset_steps();
        let namespace = def.namespace;
        let value = Ty::Instance(own, Ty::no_arguments());
        let mut met = resolver.members_named(&value, self.new, namespace);
        let (mut open, mut seen) = (vec![own], FxHashSet::from_iter([own]));
        while let Some(at) = open.pop() {
            for below in resolver.direct_subtypes(at) {
                if seen.len() < 300 && seen.insert(below) {
                    open.push(below);
                    met.extend(resolver.own_members(below, self.new));
                }
            }
        }
        for f in met {
            if resolver.def(f.id).namespace.has(namespace) && !are_overloads(resolver, id, f.id) {
                self.add_definition_problem(f.id, "is already a member of that name");
            }
        }
    }

    /// Checks the other definitions of the package or program.
    fn check_siblings(&mut self, id: DefId, def: &Def) {
        let resolver = self.resolver;
        let language = resolver.language(id.file);
        if !matches!(language, "go" | "java" | "c" | "cpp") || def.flags.has(Flags::LOCAL_FILE) {
            return;
        }
        let Some(all) = resolver.definitions_if_few(self.new) else { return };
        let all: Vec<DefId> = all.collect();
        for other in all {
            let facts = resolver.facts(other.file);
            let o = resolver.def(other);
            let top = facts.scopes.get(o.scope as usize).is_some_and(|s| {
                matches!(s.kind, ScopeKind::File | ScopeKind::Namespace | ScopeKind::Template)
            });
            let near = match language {
                "go" => resolver.folder(other.file) == resolver.folder(id.file),
                "java" => {
                    let package = |f: FileId| {
                        let facts = resolver.facts(f);
                        facts.strings.text(facts.package)
                    };
                    package(other.file) == package(id.file)
                }
                _ => !o.flags.has(Flags::LOCAL_FILE),
            };
            if top
                && near
                && o.kind != DefinitionKind::Import
                && is_same_language_family(facts.language.id(), language)
                && o.namespace.has(def.namespace)
                && !are_overloads(resolver, id, other)
            {
                self.add_definition_problem(other, "already has that name");
            }
        }
    }

    /// Checks for definitions of the new name where the symbol is imported.
    fn check_import(&mut self, id: DefId) {
        let facts = self.resolver.facts(id.file);
        let def = *self.resolver.def(id);
        let number = facts.strings.find(self.new).unwrap_or(NONE);
        if let Some(&other) = facts.definitions_in_scope(def.scope, number).first() {
            self.add_definition_problem(
                DefId { file: id.file, def: other },
                "already has that name",
            );
        }
        self.check_captures(id.file, &def);
    }

    /// Checks for uses of the new name that the renamed definition would capture.
    fn check_captures(&mut self, file: FileId, def: &Def) {
        let facts = self.resolver.facts(file);
        let Some(number) = facts.strings.find(self.new) else { return };
        let Some(scope) = facts.scopes.get(def.scope as usize) else { return };
        if matches!(
            scope.kind,
            ScopeKind::Members | ScopeKind::Object | ScopeKind::Extension | ScopeKind::Enum
        ) || def.flags.has(Flags::HIDDEN)
        {
            return;
        }
        for reference in facts.references.iter() {
            let here = reference.name == number
                && reference.role == ReferenceRole::Plain
                && scope.start <= reference.start
                && reference.end <= scope.end
                && def.visible_from <= reference.start
                && def.namespace.has(reference.namespace);
            if here && !self.is_shadowed_between(file, reference.scope, def.scope, number) {
                let (start, end) = (reference.start, reference.end);
                self.add_problem(file, start, end, "would refer to the renamed symbol instead");
            }
        }
    }

    /// Whether a scope between two scopes defines the new name.
    fn is_shadowed_between(&self, file: FileId, from: u32, to: u32, number: u32) -> bool {
        let facts = self.resolver.facts(file);
        let mut at = from;
        while at != to {
            let Some(scope) = facts.scopes.get(at as usize) else { return true };
            if !facts.definitions_in_scope(at, number).is_empty() {
                return true;
            }
            at = scope.parent;
        }
        false
    }

    /// Checks that the new name resolves to nothing else where the symbol is used.
    fn check_reference(&mut self, file: FileId, r: u32) {
        let resolver = self.resolver;
        let facts = resolver.facts(file);
        let reference = facts.references[r as usize];
        if reference.role != ReferenceRole::Plain {
            return;
        }
        resolver.reset_steps();
        let number = facts.strings.find(self.new).unwrap_or(NONE);
        let scope = reference.scope;
        // Walk out to the scope in which the old name is defined.
        let own: FxHashSet<u32> = {
            let mut own: FxHashSet<u32> = self
                .symbol
                .definitions
                .iter()
                .filter(|id| id.file == file)
                .map(|id| resolver.def(*id).scope)
                .collect();
            let old = facts.strings.find(&self.symbol.name).unwrap_or(NONE);
            let imports = facts
                .definitions_named(old)
                .iter()
                .filter(|&&d| facts.definitions[d as usize].kind == DefinitionKind::Import);
            own.extend(imports.map(|&d| facts.definitions[d as usize].scope));
            own
        };
        let mut at = scope;
        while let Some(around) = facts.scopes.get(at as usize) {
            let sees = !matches!(
                around.kind,
                ScopeKind::Members | ScopeKind::Object | ScopeKind::Extension | ScopeKind::Enum
            );
            let hides = |d: &&u32| {
                let def = &facts.definitions[**d as usize];
                def.namespace.has(reference.namespace)
                    && def.visible_from <= reference.start
                    && !def.flags.has(Flags::HIDDEN)
                    && !are_overloads(resolver, self.symbol.selected, DefId { file, def: **d })
            };
            if sees && facts.definitions_in_scope(at, number).iter().any(|d| hides(&d)) {
                self.add_problem(
                    file,
                    reference.start,
                    reference.end,
                    "would refer to another symbol of that name",
                );
                return;
            }
            if own.contains(&at) {
                return;
            }
            at = around.parent;
        }
        let found = resolver.resolve_around_file(file, self.new, reference.namespace);
        if found.iter().any(|f| !are_overloads(resolver, self.symbol.selected, f.id))
            && own.is_empty()
        {
            self.add_problem(
                file,
                reference.start,
                reference.end,
                "would refer to another symbol of that name",
            );
        }
    }
}

/// Whether two functions may share a name as overloads.
fn are_overloads(resolver: &Resolver<'_>, a: DefId, b: DefId) -> bool {
    let (left, right) = (resolver.def(a), resolver.def(b));
    matches!(resolver.language(a.file), "java" | "cpp")
        && left.kind.is_callable()
        && right.kind.is_callable()
        && resolver.parameters(a).len() != resolver.parameters(b).len()
        || resolver.language(a.file) == "java"
            && left.kind.is_callable() != right.kind.is_callable()
}
