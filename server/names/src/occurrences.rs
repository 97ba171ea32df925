//! All names of a file with what they resolve to, for exports such as SCIP.

use std::ops::Range;

use crate::facts::NameSite;
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::DefinitionKind;

/// The least confidence of a use that is exported.
const MIN_CONFIDENCE: f32 = 0.85;

/// The identity of a definition in the index.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DefinitionId {
    /// The file that defines it.
    pub file: FileId,
    /// Its number in the file; 0 is the file itself, as a module.
    pub number: u32,
}

/// An occurrence of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Occurrence {
    /// The bytes of the name.
    pub span: Range<usize>,
    /// The definition it refers to.
    pub definition: DefinitionId,
    /// Whether it is that definition.
    pub is_definition: bool,
}

/// The name of a definition that is unique in the project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QualifiedName<'i> {
    /// The path of the file that defines it.
    pub path: &'i str,
    /// The names of the definitions around it, the outermost first, and its own; empty for a file.
    pub parts: Vec<(&'i str, DefinitionKind)>,
    /// Whether its file makes it visible to other files.
    pub exported: bool,
}

impl Index {
    /// The occurrences in a file that resolve with confidence, by position, and how many others
    /// there are. O(its names).
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
            let found = resolver.definitions_at_site(file, NameSite::Reference(number as u32));
            match &resolver.prefer_bodies(found)[..] {
                [one]
                    if one.origin != Origin::External
                        && one.origin.confidence() >= MIN_CONFIDENCE
                        && !self.is_dependency(one.id.file) =>
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

    /// The qualified name of a definition.
    #[must_use]
    pub fn qualified_name(&self, id: DefinitionId) -> Option<QualifiedName<'_>> {
        let entry = self.files.get(&id.file)?;
        let facts = self.indexed_facts(id.file);
        facts.definitions.get(id.number as usize)?;
        let mut parts = Vec::new();
        let mut at = (id.number != 0).then_some(id.number);
        while let Some(number) = at {
            let def = &facts.definitions[number as usize];
            parts.push((facts.strings.text(def.name), def.kind));
            // Guards against definitions that contain themselves.
            at = facts.container(number).filter(|_| parts.len() <= facts.scopes.len());
        }
        parts.reverse();
        let exported = id.number == 0 || facts.is_reachable(id.number);
        Some(QualifiedName { path: &entry.path, parts, exported })
    }
}
