//! The names of a Python module seen from other files.

use super::conditional_imports::alternatives;
use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::{Facts, ReferenceRole};
use crate::index::FileId;
use crate::origin::Origin;
use crate::project::Module;
use crate::vocabulary::{DefinitionKind, Flags};

impl Resolver<'_> {
    /// Selects among a module's definitions of a name what importing files get. `None` if it is
    /// none of them.
    pub(super) fn python_exported(
        &self,
        file: FileId,
        own: &[u32],
        name: &str,
    ) -> Option<Vec<Resolution>> {
        let facts = self.facts(file);
        let child = match self.index.project.python_child(file, name) {
            Some(Module::File(child)) => Some(child),
            _ => None,
        };
        if let Some(child) = child
            && own.iter().all(|&d| self.imports_own_name(file, facts, d))
        {
            // `from . import name` in the package's `__init__.py`: the submodule.
            return Some(vec![Resolution {
                id: DefId { file: child, def: 0 },
                origin: Origin::Import,
            }]);
        }
        let mut own = own.to_vec();
        if own.len() > 1 && !own.iter().all(|&d| self.imports_own_name(file, facts, d)) {
            own.retain(|&d| !self.imports_own_name(file, facts, d));
        }
        let several = alternatives(facts, &own, facts.len);
        if !several.is_empty() {
            let found = |d| Resolution { id: DefId { file, def: d }, origin: Origin::Import };
            return Some(several.into_iter().map(found).collect());
        }
        let active = |d: &u32| !facts.definitions[*d as usize].flags.has(Flags::INACTIVE);
        if own.iter().any(active) {
            own.retain(active);
        }
        let def = |d: &u32| &facts.definitions[*d as usize];
        let regular = |d: &u32| !def(d).flags.has(Flags::FALLBACK);
        let declared = |d: &u32| self.is_declared(DefId { file, def: *d });
        if own.len() > 1 && own.iter().any(|d| declared(d) && def(d).kind != DefinitionKind::Import)
        {
            // An import of an unknown module says less than a declaration of the same name.
            let known = |d: &u32| {
                let id = DefId { file, def: *d };
                def(d).kind != DefinitionKind::Import
                    || self
                        .follow_import(Resolution { id, origin: Origin::Import })
                        .iter()
                        .all(|f| f.origin != Origin::External)
            };
            let targets: Vec<u32> = own.iter().copied().filter(known).collect();
            own = targets;
        }
        // Order of preference: declared and not a fallback, declared, not a fallback, the last one.
        // The last counts because a module's namespace is read after the module ran.
        let last = own
            .iter()
            .rfind(|d| declared(d) && regular(d))
            .or_else(|| own.iter().rfind(|d| declared(d)))
            .or_else(|| own.iter().rfind(|d| regular(d)))
            .or_else(|| own.last())?;
        Some(vec![Resolution { id: DefId { file, def: *last }, origin: Origin::Import }])
    }

    /// Whether a definition imports its name from the module that it stands in.
    fn imports_own_name(&self, file: FileId, facts: &Facts, d: u32) -> bool {
        let def = &facts.definitions[d as usize];
        let Some(r) = def.value.as_reference() else { return false };
        let reference = &facts.references[r as usize];
        def.kind == DefinitionKind::Import
            && reference.role == ReferenceRole::Member
            && reference.name == def.name
            && matches!(self.type_of_value(file, reference.receiver), Ty::Module(f, 0) if f == file)
    }

    /// Whether `from module import *` imports a name of the module.
    pub(super) fn is_star_exported(&self, found: &Resolution, name: &str) -> bool {
        let facts = self.facts(found.id.file);
        let file = &facts.definitions[0];
        if found.id.def == 0 {
            return !name.starts_with('_');
        }
        if file.flags.has(Flags::LISTED) {
            return self.def(found.id).flags.has(Flags::LISTED);
        }
        !name.starts_with('_')
    }
}
