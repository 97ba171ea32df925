//! Statistics of the index.

use std::collections::BTreeMap;

use crate::Snapshot;

/// Statistics of the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexCounts {
    /// By language, sorted by id.
    pub languages: Vec<LanguageCounts>,
    /// Number of distinct names.
    pub names: usize,
    /// Approximate memory in bytes.
    pub memory: usize,
}

/// Statistics of one language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LanguageCounts {
    /// The language's id.
    pub language: &'static str,
    /// Number of files.
    pub files: usize,
    /// Number of lines.
    pub lines: usize,
    /// Number of bytes of text.
    pub bytes: usize,
    /// Number of definitions.
    pub definitions: usize,
    /// Number of references.
    pub references: usize,
}

impl Snapshot {
    /// The current statistics. O(files + names).
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
