//! A file of the index.

use std::sync::{Arc, OnceLock};

use syntax::Language;

use crate::facts::Facts;
use crate::postings::{NameUse, marks};
use crate::stored::PackedFacts;

/// A file of the index: its facts stay packed until a query needs them.
#[derive(Debug)]
pub(crate) struct IndexEntry {
    pub(crate) path: Arc<str>,
    pub(crate) language: Language,
    body: EntryFacts,
}

#[derive(Debug)]
enum EntryFacts {
    /// Facts that are shared with the caller.
    Shared(Arc<Facts>),
    Packed(PackedFacts, OnceLock<Arc<Facts>>),
    /// Not indexed: only the file's existence is known.
    Unindexed(Arc<Facts>),
}

/// The size of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileCounts {
    /// Its language.
    pub language: Language,
    /// Bytes of its text.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// Definitions, without the file itself.
    pub definitions: usize,
    /// References.
    pub references: usize,
}

impl IndexEntry {
    pub(super) fn shared(path: Arc<str>, facts: Arc<Facts>) -> Self {
        Self { path, language: facts.language, body: EntryFacts::Shared(facts) }
    }

    pub(super) fn packed(path: Arc<str>, packed: PackedFacts) -> Self {
        let language = packed.head().language;
        Self { path, language, body: EntryFacts::Packed(packed, OnceLock::new()) }
    }

    /// A file that exists and is not indexed.
    pub(super) fn unindexed(path: Arc<str>, language: Language) -> Self {
        let blank = Arc::new(Facts::empty(language));
        Self { path, language, body: EntryFacts::Unindexed(blank) }
    }

    pub(crate) fn is_unread(&self) -> bool {
        matches!(self.body, EntryFacts::Unindexed(_))
    }

    /// Whether reading the facts means unpacking them.
    pub(super) fn is_packed(&self) -> bool {
        matches!(&self.body, EntryFacts::Packed(_, facts) if facts.get().is_none())
    }

    /// The facts, and by how many bytes reading them increased the memory use.
    pub(crate) fn facts(&self) -> (&Arc<Facts>, usize) {
        match &self.body {
            EntryFacts::Shared(facts) | EntryFacts::Unindexed(facts) => (facts, 0),
            EntryFacts::Packed(packed, facts) => {
                let mut more = 0;
                let facts = facts.get_or_init(|| {
                    let facts = packed.unpack_or_blank();
                    more = facts.bytes();
                    Arc::new(facts)
                });
                (facts, more)
            }
        }
    }

    /// Drops unpacked facts if they can be unpacked again.
    pub(super) fn drop_unpacked(&mut self) {
        if let EntryFacts::Packed(_, facts) = &mut self.body {
            facts.take();
        }
    }

    /// The facts, packed.
    pub(super) fn to_packed(&self) -> PackedFacts {
        match &self.body {
            EntryFacts::Shared(facts) | EntryFacts::Unindexed(facts) => PackedFacts::pack(facts),
            EntryFacts::Packed(packed, _) => packed.clone(),
        }
    }

    /// Visits each name that other files may look up, in order, with its mark.
    pub(super) fn each_name(&self, mut take: impl FnMut(&str, NameUse)) {
        let mut some = |name: &str, mark: NameUse| {
            if mark != NameUse::None {
                take(name, mark);
            }
        };
        match &self.body {
            EntryFacts::Shared(facts) | EntryFacts::Unindexed(facts) => {
                facts.strings.iter().zip(marks(facts)).for_each(|(name, mark)| some(name, mark));
            }
            EntryFacts::Packed(packed, _) => packed.each_name(some),
        }
    }

    /// The package that the file declares.
    pub(super) fn package(&self) -> Option<String> {
        match &self.body {
            EntryFacts::Shared(facts) | EntryFacts::Unindexed(facts) => {
                let package = facts.strings.text(facts.package);
                (!package.is_empty()).then(|| package.to_owned())
            }
            EntryFacts::Packed(packed, _) => packed.package().filter(|package| !package.is_empty()),
        }
    }

    /// The size of the file.
    pub(super) fn counts(&self) -> FileCounts {
        let (len, lines, definitions, references) = match &self.body {
            EntryFacts::Shared(f) | EntryFacts::Unindexed(f) => {
                (f.len, f.lines, f.definitions.len(), f.references.len())
            }
            EntryFacts::Packed(packed, _) => {
                let head = packed.head();
                let counts = (head.definitions as usize, head.references as usize);
                (head.len, head.lines, counts.0, counts.1)
            }
        };
        FileCounts {
            language: self.language,
            bytes: len as usize,
            lines: lines as usize,
            // The first one is the file itself.
            definitions: definitions.saturating_sub(1),
            references,
        }
    }

    /// The memory it takes in bytes, without unpacked facts.
    pub(crate) fn bytes(&self) -> usize {
        let body = match &self.body {
            EntryFacts::Shared(facts) | EntryFacts::Unindexed(facts) => facts.bytes(),
            EntryFacts::Packed(packed, _) => packed.bytes().len(),
        };
        body + self.path.len() + size_of::<Self>()
    }
}
