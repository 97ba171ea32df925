//! Every name of a file with what it means, for those who write that down elsewhere.

use std::ops::Range;

use crate::facts::Site;
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::DefinitionKind;

/// How sure the meaning of a use must be.
const SURE: f32 = 0.85;

/// A definition of the index.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefinitionId {
    /// The file that defines it.
    pub file: FileId,
    /// Its number there; 0 is the file itself, as a module.
    pub number: u32,
}

/// A name in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// What it means.
    pub definition: DefinitionId,
    /// Whether that is defined here.
    pub is_definition: bool,
}

/// What a definition is called, seen from everywhere.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QualifiedName<'i> {
    /// The path of the file that defines it.
    pub path: &'i str,
    /// The names of what it stands in, the outermost first, and its own; empty for a file.
    pub parts: Vec<(&'i str, DefinitionKind)>,
    /// Whether other files can name it, as far as its file says.
    pub exported: bool,
}

impl Index {
    /// The names of a file whose meaning is sure, in order of place, and how many others there are.
    /// O(its names).
    #[must_use]
    pub fn occurrences(&self, file: FileId) -> (Vec<Occurrence>, usize) {
        let Some(facts) = self.facts(file) else { return (Vec::new(), 0) };
        let resolver = Resolver::new(self);
        let mut all = Vec::new();
        for &number in facts.by_place.iter().filter(|&&d| d != 0) {
            let def = &facts.definitions[number as usize];
            if def.name_start < def.name_end && def.kind != DefinitionKind::Import {
                let definition = DefinitionId { file, number };
                let span = def.name_start as usize..def.name_end as usize;
                all.push(Occurrence { span, definition, is_definition: true });
            }
        }
        let mut unsure = 0;
        for (number, reference) in facts.references.iter().enumerate() {
            if reference.start >= reference.end {
                continue;
            }
            let found = resolver.site(file, Site::Reference(number as u32));
            match &resolver.preferred(found)[..] {
                [one]
                    if one.origin != Origin::Outside
                        && one.origin.confidence() >= SURE
                        && !self.is_library(one.id.file) =>
                {
                    let DefId { file, def: number } = one.id;
                    let span = reference.start as usize..reference.end as usize;
                    let definition = DefinitionId { file, number };
                    all.push(Occurrence { span, definition, is_definition: false });
                }
                _ => unsure += 1,
            }
        }
        all.sort_by_key(|o| (o.span.start, o.span.end, !o.is_definition));
        all.dedup_by(|b, a| a.span == b.span);
        (all, unsure)
    }

    /// What a definition is called, seen from everywhere.
    #[must_use]
    pub fn qualified(&self, id: DefinitionId) -> Option<QualifiedName<'_>> {
        let entry = self.files.get(&id.file)?;
        let facts = self.facts_of(id.file);
        facts.definitions.get(id.number as usize)?;
        let mut parts = Vec::new();
        let mut at = (id.number != 0).then_some(id.number);
        while let Some(number) = at {
            let def = &facts.definitions[number as usize];
            parts.push((facts.strings.text(def.name), def.kind));
            // What stands in itself stands nowhere.
            at = facts.container(number).filter(|_| parts.len() <= facts.scopes.len());
        }
        parts.reverse();
        let exported = id.number == 0 || facts.is_reachable(id.number);
        Some(QualifiedName { path: &entry.path, parts, exported })
    }
}
