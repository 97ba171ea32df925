//! Members of a receiver of unknown type: member names used elsewhere in the same language family.

use rustc_hash::FxHashSet;

use crate::complete::CompletionBuilder;
use crate::facts::{Ref, ReferenceRole};
use crate::origin::Origin;
use crate::resolve::DefId;
use crate::resolve::languages::is_same_language_family;
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Limit for the workspace names that are considered.
const MAX_GUESSES: usize = 400;

impl CompletionBuilder<'_, '_> {
    /// Adds the member names that the file uses, then those that the workspace defines.
    pub(super) fn add_guessed_members(&mut self, cursor: &Ref) {
        let file = self.typing.file;
        let facts = self.resolver.facts(file);
        let mut names: Vec<&str> = Vec::new();
        let mut known = FxHashSet::default();
        for reference in facts.references.iter().filter(|r| r.role == ReferenceRole::Member) {
            let name = facts.strings.text(reference.name);
            if reference.start != cursor.start
                && self.pattern.matches_word_start(name)
                && known.insert(name)
            {
                names.push(name);
            }
        }
        let found = self.index.names.names_matching(self.pattern, MAX_GUESSES);
        names.extend(found.into_iter().filter(|n| known.insert(n)));
        for name in names {
            let Some(id) = self.any_member(name, cursor) else { continue };
            self.add_candidate(name, id, Origin::UniqueName, false);
        }
        // Typing on may match a name that was not considered.
        self.truncated = true;
    }

    /// Some definition of a member of this name in the same language family.
    fn any_member(&self, name: &str, cursor: &Ref) -> Option<DefId> {
        let language = self.resolver.language(self.typing.file);
        self.resolver.definitions_named(name).find(|id| {
            let facts = self.resolver.facts(id.file);
            let def = self.resolver.def(*id);
            let member = facts.scopes.get(def.scope as usize).is_some_and(|s| {
                matches!(
                    s.kind,
                    ScopeKind::Members | ScopeKind::Body | ScopeKind::Open | ScopeKind::Extension
                )
            });
            member
                && is_same_language_family(facts.language.id(), language)
                && def.namespace.has(cursor.namespace)
                && !def.flags.has(Flags::HIDDEN)
                && !matches!(def.kind, DefinitionKind::TypeParameter | DefinitionKind::Parameter)
        })
    }
}
