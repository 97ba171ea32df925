//! Members of something unknown: what members are called elsewhere, the language's own family only.

use rustc_hash::FxHashSet;

use crate::complete::Asked;
use crate::facts::{Ref, Role};
use crate::origin::Origin;
use crate::resolve::{DefId, same_family};
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Most names that are guessed.
const MOST: usize = 400;

impl Asked<'_, '_> {
    /// Members that anything might have: those that the file uses, then those of the workspace.
    pub(super) fn guess_members(&mut self, own: &Ref) {
        let file = self.typing.file;
        let facts = self.resolver.facts(file);
        let mut names: Vec<&str> = Vec::new();
        let mut known = FxHashSet::default();
        for reference in facts.references.iter().filter(|r| r.role == Role::Member) {
            let name = facts.strings.text(reference.name);
            if reference.start != own.start && self.pattern.begins(name) && known.insert(name) {
                names.push(name);
            }
        }
        let found = self.index.names.names_like(self.pattern, MOST);
        names.extend(found.into_iter().filter(|n| known.insert(n)));
        for name in names {
            let Some(id) = self.any_member(name, own) else { continue };
            self.offer(name, id, Origin::UniqueName, false);
        }
        // Whoever types on may mean any other.
        self.cut = true;
    }

    fn any_member(&self, name: &str, own: &Ref) -> Option<DefId> {
        let language = self.resolver.language(self.typing.file);
        self.resolver.defined(name).find(|id| {
            let facts = self.resolver.facts(id.file);
            let def = self.resolver.def(*id);
            let member = facts.scopes.get(def.scope as usize).is_some_and(|s| {
                matches!(
                    s.kind,
                    ScopeKind::Members | ScopeKind::Body | ScopeKind::Open | ScopeKind::Extension
                )
            });
            member
                && same_family(facts.language.id(), language)
                && def.namespace.has(own.namespace)
                && !def.flags.has(Flags::HIDDEN)
                && !matches!(def.kind, DefinitionKind::TypeParameter | DefinitionKind::Parameter)
        })
    }
}
