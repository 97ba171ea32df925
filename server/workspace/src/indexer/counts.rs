//! How much the index holds.

use std::collections::BTreeMap;

use crate::Snapshot;

/// How much the index holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexCounts {
    /// By language, in the order of their ids.
    pub languages: Vec<LanguageCounts>,
    /// Different names.
    pub names: usize,
    /// Bytes of memory that it takes, roughly.
    pub memory: usize,
}

/// How much it holds of one language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LanguageCounts {
    /// The language's id.
    pub language: &'static str,
    /// Files.
    pub files: usize,
    /// Lines in them.
    pub lines: usize,
    /// Bytes of text in them.
    pub bytes: usize,
    /// Definitions in them.
    pub definitions: usize,
    /// Places where a name is used.
    pub references: usize,
}

impl Snapshot {
    /// How much the index holds now. O(files and names).
    #[must_use]
    pub fn index_counts(&self) -> IndexCounts {
        let index = self.indexer.index.read();
        let mut languages: BTreeMap<&'static str, LanguageCounts> = BTreeMap::new();
        for (_, _, file) in index.files() {
            let language = file.language.id();
            let counts = languages.entry(language).or_default();
            counts.language = language;
            counts.files += 1;
            counts.lines += file.lines;
            counts.bytes += file.bytes;
            counts.definitions += file.definitions;
            counts.references += file.references;
        }
        let whole = index.counts();
        IndexCounts {
            languages: languages.into_values().collect(),
            names: whole.names,
            memory: whole.bytes,
        }
    }
}
