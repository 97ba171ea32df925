//! Possible subtypes: types whose declared supertype has the right name but cannot be resolved.

use super::{DefId, Resolver, Ty};
use crate::facts::NONE;
use crate::index::FileId;

impl Resolver<'_> {
    /// The types that may inherit from a type, or the members of such types that may override a
    /// member; empty if all supertypes are resolved.
    pub(crate) fn possible_implementations(&self, id: DefId) -> Vec<DefId> {
        let def = self.def(id);
        if def.kind.is_type() {
            return self.possible_subtypes(id);
        }
        let Some(own) = self.container_type(id).filter(|_| def.kind.is_callable()) else {
            return Vec::new();
        };
        let name = self.facts(id.file).strings.text(def.name);
        let members =
            self.possible_subtypes(own).into_iter().flat_map(|ty| self.own_members(ty, name));
        members.map(|found| found.id).collect()
    }

    /// The types with an unresolved supertype of this type's name.
    fn possible_subtypes(&self, ty: DefId) -> Vec<DefId> {
        let name = self.facts(ty.file).strings.text(self.def(ty).name);
        let mut files: Vec<FileId> = self.files_containing(name);
        files.retain(|file| !self.is_library(*file));
        let mut all = Vec::new();
        for file in files {
            let facts = self.facts(file);
            let Some(name_id) = facts.strings.find(name) else { continue };
            for (d, def) in facts.definitions.iter().enumerate() {
                if def.supertypes == NONE || !def.kind.is_type() {
                    continue;
                }
                self.reset_steps();
                let may = facts.list(def.supertypes).iter().any(|above| {
                    let named = above.as_reference().map(|r| facts.references[r as usize].name);
                    named == Some(name_id)
                        && matches!(self.type_of_value(file, *above), Ty::Unknown)
                });
                if may {
                    all.push(DefId { file, def: d as u32 });
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}
