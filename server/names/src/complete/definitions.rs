//! Completion of a name that is being defined: an import's name, an assigned or overridden member.

use super::gather::GatheredNames;
use super::{CompletionBuilder, CompletionContext, MAX_NAMES};
use crate::facts::{Facts, NameSite};
use crate::resolve::DefId;
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

impl CompletionBuilder<'_, '_> {
    /// Adds the likely names of a definition: that of its value, or of the definition that it
    /// declares again, overrides or assigns.
    pub(super) fn add_for_definition(&mut self, d: u32) {
        let file = self.typing.file;
        let facts = self.resolver.facts(file);
        let def = facts.definitions[d as usize];
        for found in self.resolver.definitions_at_site(file, NameSite::Definition(d)) {
            let target = self.resolver.def(found.id);
            let target_facts = self.resolver.facts(found.id.file);
            let name = match found.id.def {
                0 => stem(self.resolver.path(found.id.file)),
                _ => target_facts.strings.text(target.name),
            };
            if found.id != (DefId { file, def: d }) && self.pattern.matches_word_start(name) {
                self.add_candidate(name, found.id, found.origin, true);
            }
        }
        if let Some(value) = def.value.as_reference().and_then(|r| facts.references.get(r as usize))
        {
            let name = facts.strings.text(value.name);
            let found =
                self.resolver.definitions_of_reference(file, def.value.as_reference().unwrap_or(0));
            if let Some(found) = found.first()
                && self.pattern.matches_word_start(name)
            {
                self.add_candidate(name, found.id, found.origin, true);
            }
        }
        if def.kind == DefinitionKind::Module && self.resolver.language(file) == "rust" {
            self.add_module_files(facts, d);
        }
        let scope_kind = facts.scopes.get(def.scope as usize).map(|s| s.kind);
        if matches!(scope_kind, Some(ScopeKind::Members | ScopeKind::Body | ScopeKind::Open)) {
            self.context = CompletionContext::Member;
            let ty = self.resolver.scope_type(file, def.scope);
            let mut names = GatheredNames::new(file, self.pattern, MAX_NAMES);
            self.resolver.gather_members(&ty, &mut names);
            self.add_resolved(&names, Namespace::ANY, |resolver, name| {
                resolver.members_named(&ty, name, Namespace::ANY)
            });
        }
    }

    /// Adds the files that hold the body of a Rust module declared as `mod name;`.
    fn add_module_files(&mut self, facts: &Facts, own_definition: u32) {
        let file = self.typing.file;
        let own = self.resolver.path(file);
        let folder = match stem(own) {
            "mod" | "lib" | "main" => self.resolver.folder(file).to_owned(),
            _ => own.trim_end_matches(".rs").to_owned(),
        };
        let project = self.resolver.project();
        let files = project.in_folder(&folder).iter().copied().filter(|f| *f != file);
        let mut all: Vec<(&str, _)> = files.map(|f| (stem(self.resolver.path(f)), f)).collect();
        for child in project.folders_in(&folder) {
            let path = format!("{folder}/{child}/mod.rs");
            all.extend(project.file(path.trim_start_matches('/')).map(|f| (child, f)));
        }
        for (name, other) in all {
            let declared = facts.strings.find(name).is_some_and(|n| {
                let is_module = |d: &u32| {
                    let other = *d != own_definition;
                    other && facts.definitions[*d as usize].kind == DefinitionKind::Module
                };
                facts.definitions_named(n).iter().any(is_module)
            });
            if !declared
                && self.pattern.matches_word_start(name)
                && !matches!(name, "mod" | "lib" | "main")
            {
                let id = DefId { file: other, def: 0 };
                self.add_candidate(name, id, crate::origin::Origin::Package, true);
            }
        }
    }
}

/// A file's name without its extension.
fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}
