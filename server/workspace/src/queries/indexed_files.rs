//! The files of the index with their definitions, for analyses of a whole project.

use std::sync::atomic::{AtomicBool, Ordering};

use names::{Facts, FileId, FileSymbol};
use syntax::Language;
use text::Text;

use super::QueryError;
use crate::{FilePath, FileText, Snapshot, Source, Stamp};

/// A file of the index.
#[derive(Debug, Clone)]
pub struct IndexedFile {
    /// The file.
    pub path: FilePath,
    /// Its language's id.
    pub language: &'static str,
    /// Which text its definitions come from.
    pub version: FileVersion,
    id: FileId,
}

/// A text with its definitions.
#[derive(Debug)]
pub struct FileDefinitions {
    /// The text.
    pub text: FileText,
    /// Its definitions; their spans refer to the text.
    pub definitions: Vec<FileSymbol>,
    /// Whether it parses without errors.
    pub is_complete: bool,
}

/// Identifies the content of a file: equal versions of a file have equal texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileVersion(Option<Stamp>, u64);

impl Snapshot {
    /// The files of the index in a folder, as they are now: those that changed without a report are
    /// indexed again. Waits for the index. O(files).
    ///
    /// # Errors
    /// When interrupted.
    pub fn indexed_files(
        &self,
        folder: &FilePath,
        interrupt: &AtomicBool,
    ) -> Result<Vec<IndexedFile>, QueryError> {
        self.prepare_index(interrupt)?;
        let known: Vec<(FileId, &'static str)> = {
            let index = self.indexer.index.read();
            index.files().map(|(id, _, counts)| (id, counts.language.id())).collect()
        };
        let mut files = Vec::new();
        for (id, language) in known {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let entry = self.indexer.entry(id);
            let Some(path) = entry.path.filter(|path| path.is_within(folder)) else { continue };
            if entry.revision == 0 {
                let stamp = path.root.stat(&path.relative).ok().map(|stat| Stamp::from_stat(&stat));
                if stamp.is_none() {
                    continue;
                }
                if stamp != entry.stamp {
                    self.refresh(&path, interrupt);
                }
            }
            let (stamp, revision) = self.indexer.state(id);
            files.push(IndexedFile { path, language, version: FileVersion(stamp, revision), id });
        }
        files.sort_by(|one, other| one.path.relative.cmp(&other.path.relative));
        Ok(files)
    }

    /// The text of an indexed file and its definitions. `None` if it cannot be read, or changes right
    /// now.
    #[must_use]
    pub fn definitions_of(&self, file: &IndexedFile) -> Option<FileDefinitions> {
        let text = self.read(&file.path).ok()?;
        let same = match &text.source {
            Source::Open(document) => document.revision() == file.version.1,
            Source::Disk(stamp) => file.version == FileVersion(Some(*stamp), 0),
        };
        let index = self.indexer.index.read();
        let facts = index.facts(file.id).filter(|_| same)?;
        let (definitions, is_complete) = (facts.symbols(), facts.is_complete());
        Some(FileDefinitions { text, definitions, is_complete })
    }
}

/// The definitions of a text that is in no file, as of an earlier commit. `None` if its language has no
/// definitions.
#[must_use]
pub fn definitions_in_text(
    file_name: &str,
    text: &str,
    interrupt: &AtomicBool,
) -> Option<Vec<FileSymbol>> {
    let language = Language::detect(file_name, text)?;
    let facts = Facts::parse_and_lower(language, &Text::new(text), interrupt, &mut || {
        interrupt.load(Ordering::Relaxed)
    })?;
    Some(facts.symbols())
}
