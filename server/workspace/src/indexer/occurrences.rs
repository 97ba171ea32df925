//! Lists the resolved names of every file.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, Index, Occurrence};
use text::Text;

use crate::{QueryError, Snapshot};

/// A file with the occurrences of names in it.
#[derive(Debug)]
pub struct FileOccurrences {
    /// Its id in the index.
    pub file: FileId,
    /// Its path below its root.
    pub path: String,
    /// Its language's id.
    pub language: &'static str,
    /// Its text.
    pub text: Text,
    /// The resolved occurrences, in text order.
    pub occurrences: Vec<Occurrence>,
    /// Number of occurrences that are not resolved.
    pub unsure: usize,
}

impl Snapshot {
    /// Calls `take` for every file of the index in path order, with the index to look up
    /// definitions. Files that changed since they were indexed are skipped.
    ///
    /// # Errors
    /// When interrupted, and the errors of `take`.
    pub fn for_each_file_occurrences<E: From<QueryError>>(
        &self,
        interrupt: &AtomicBool,
        mut take: impl FnMut(&Index, FileOccurrences) -> Result<(), E>,
    ) -> Result<(), E> {
        let index = self.indexer.index.read();
        let mut files: Vec<_> = index.files().collect();
        files.sort_unstable_by_key(|(_, path, _)| *path);
        for (file, path, counts) in files {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted.into());
            }
            let Some(text) = self.text_as_indexed(file) else { continue };
            let (occurrences, unsure) = index.occurrences(file);
            let (path, language) = (path.to_owned(), counts.language.id());
            take(&index, FileOccurrences { file, path, language, text, occurrences, unsure })?;
        }
        Ok(())
    }

    fn text_as_indexed(&self, file: FileId) -> Option<Text> {
        let entry = self.indexer.entry(file);
        let document: Arc<_> = self.document_or_file(&entry.uri)?;
        let same = document.stamp() == entry.stamp && document.revision() == entry.revision;
        same.then(|| document.text().clone())
    }
}
