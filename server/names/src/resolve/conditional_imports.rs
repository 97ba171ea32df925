//! Conditional imports of Python: any branch may be the one that runs.

use super::{Resolution, Resolver, Ty};
use crate::facts::Facts;
use crate::vocabulary::{DefinitionKind, Flags};

/// The conditional imports among definitions of one name, if all of them are such; branches for
/// this platform come first. Empty if it is known which one holds.
pub(super) fn alternatives(facts: &Facts, own: &[u32], offset: u32) -> Vec<u32> {
    let flags = |d: u32| facts.definitions[d as usize].flags;
    let alternative = |&d: &u32| {
        facts.definitions[d as usize].kind == DefinitionKind::Import
            && flags(d).has(Flags::OPTIONAL)
            && !flags(d).has(Flags::FALLBACK)
            // Inside of the branch that imports it, the name is that import.
            && facts.definitions[d as usize].name_end <= offset
    };
    if own.len() < 2 || facts.language.id() != "python" || !own.iter().all(alternative) {
        return Vec::new();
    }
    let mut all = own.to_vec();
    all.sort_by_key(|&d| (flags(d).has(Flags::INACTIVE), d));
    all
}

impl Resolver<'_> {
    /// The type of a name that stands for one of several modules.
    pub(super) fn any_module(&self, found: &[Resolution]) -> Option<Ty> {
        let several = found.len() > 1 && found.iter().all(|f| f.id.def == 0);
        several.then(|| Ty::union(found.iter().map(|f| self.type_of_definition(f.id)).collect()))
    }
}
