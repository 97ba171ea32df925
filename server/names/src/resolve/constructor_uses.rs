//! Uses of a constructor with a name of its own (`__init__`, `constructor`): the calls of its
//! class.

use rustc_hash::FxHashSet;

use super::{DefId, Resolver, Ty};
use crate::facts::{NONE, NameSite};
use crate::origin::Target;
use crate::vocabulary::Namespace;

/// Limit of the subclasses visited.
const MAX_CLASSES: usize = 200;

impl Resolver<'_> {
    /// Calls of the classes that the constructors construct: their own classes, and subclasses
    /// without a constructor of their own.
    pub(crate) fn constructor_uses(&self, symbol: &FxHashSet<DefId>) -> Vec<Target> {
        let mut classes = FxHashSet::default();
        for &id in symbol {
            let name = self.facts(id.file).strings.text(self.def(id).name);
            let constructs = match self.language(id.file) {
                "python" => name == "__init__",
                "javascript" | "typescript" | "tsx" => name == "constructor",
                _ => false,
            };
            if constructs
                && self.def(id).kind.is_callable()
                && let Some(class) = self.container_type(id)
            {
                self.classes_made_by(id, class, name, &mut classes);
            }
        }
        // The classes differ in name, so each needs a search of its own.
        let uses = classes.into_iter().flat_map(|class| {
            let mut one = FxHashSet::default();
            self.add_same_symbol(class, &mut one);
            self.find_uses(&one)
        });
        let mut targets: Vec<Target> = uses.collect();
        targets.retain(|target| {
            let facts = self.facts(target.file);
            let site = facts.site_at(target.name_span.start);
            matches!(site, Some(NameSite::Reference(r)) if facts.references[r as usize].call != NONE)
        });
        targets
    }

    /// Adds the classes whose constructor lookup finds `constructor`.
    fn classes_made_by(
        &self,
        constructor: DefId,
        class: DefId,
        name: &str,
        all: &mut FxHashSet<DefId>,
    ) {
        let mut open = vec![class];
        let mut seen: FxHashSet<DefId> = [class].into_iter().collect();
        while let Some(class) = open.pop() {
            self.reset_steps();
            let ty = Ty::Type(class, Ty::no_arguments());
            let own = self.members_named(&ty, name, Namespace::ANY);
            if own.first().is_none_or(|f| f.id != constructor) {
                continue;
            }
            all.insert(class);
            for subtype in self.direct_subtypes(class) {
                if seen.len() < MAX_CLASSES && seen.insert(subtype) {
                    open.push(subtype);
                }
            }
        }
    }
}
