//! Which units differ between two versions of a file.

use rustc_hash::{FxHashMap, FxHashSet};

use super::units::{FileUnits, Name, Unit, UnitKind};

/// What differs in a file.
#[derive(Debug, Default)]
pub(super) struct Difference {
    /// Units of the new version, by their numbers in the file.
    pub(super) units: Vec<usize>,
    /// Those of them that are functions of which only the body differs.
    pub(super) bodies: Vec<usize>,
    /// Names of units that are gone, and of the types whose members they were.
    pub(super) gone: Vec<(Name, Vec<Name>)>,
    /// Whether statements outside of all units differ.
    pub(super) has_statements: bool,
    /// Names that are imported only in one of them, if no unit uses one.
    pub(super) has_unused_imports: bool,
}

impl Difference {
    /// All of it but the bodies of functions.
    pub(super) fn without_bodies(&self) -> Self {
        let units = self.units.iter().copied().filter(|unit| !self.bodies.contains(unit));
        Self {
            units: units.collect(),
            bodies: Vec::new(),
            gone: self.gone.clone(),
            has_statements: self.has_statements,
            has_unused_imports: self.has_unused_imports,
        }
    }
}

/// Compares two versions of a file by the tokens of their units.
pub(super) fn difference(old: &FileUnits, new: &FileUnits) -> Difference {
    let mut found = Difference { has_statements: old.hash != new.hash, ..Difference::default() };
    let hashes = |file: &FileUnits| {
        let mut hashes: FxHashMap<Vec<Box<str>>, Vec<u64>> = FxHashMap::default();
        for unit in &file.units {
            hashes.entry(unit.path.clone()).or_default().push(unit.hash);
        }
        hashes
    };
    let (before, after) = (hashes(old), hashes(new));
    let differs = |unit: &Unit| before.get(&unit.path) != after.get(&unit.path);
    found.units = (0..new.units.len()).filter(|unit| differs(&new.units[*unit])).collect();
    if old.import_hash == new.import_hash {
        let heads = |file: &FileUnits| {
            let mut heads: FxHashMap<Vec<Box<str>>, Vec<u64>> = FxHashMap::default();
            for unit in file.units.iter().filter(|unit| unit.kind == UnitKind::Function) {
                heads.entry(unit.path.clone()).or_default().push(unit.head_hash);
            }
            heads
        };
        let (before, after) = (heads(old), heads(new));
        let is_body = |unit: &usize| {
            let path = &new.units[*unit].path;
            let heads = after.get(path);
            heads.is_some_and(|heads| heads.len() == 1) && before.get(path) == heads
        };
        found.bodies = found.units.iter().copied().filter(is_body).collect();
    }
    let gone = old.units.iter().filter(|unit| !after.contains_key(&unit.path));
    found.gone = gone.map(|unit| (unit.name, unit.types.clone())).collect();
    if old.import_hash != new.import_hash {
        let names = |file: &FileUnits| file.imports.iter().copied().collect::<FxHashSet<Name>>();
        let (before, after) = (names(old), names(new));
        let changed: FxHashSet<Name> = before.symmetric_difference(&after).copied().collect();
        let uses = |unit: &usize| new.units[*unit].uses.iter().any(|name| changed.contains(name));
        let using: Vec<usize> = (0..new.units.len()).filter(uses).collect();
        found.has_unused_imports = using.is_empty();
        found.units.extend(using);
        found.units.sort_unstable();
        found.units.dedup();
    }
    found
}
