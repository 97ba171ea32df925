//! Ranks the files and symbols of a workspace by importance.

use std::sync::atomic::{AtomicBool, Ordering};

use names::FileSymbol;

use super::QueryError;
use crate::{FilePath, FileText, Snapshot, Source};

/// A file with its rank and important symbols.
#[derive(Debug)]
pub struct RankedFile {
    /// The file.
    pub file: FileText,
    /// Its share of the total weight, up to 1.
    pub rank: f32,
    /// The symbols that it defines for other files, with their importance, in text order.
    pub symbols: Vec<(FileSymbol, f32)>,
}

impl Snapshot {
    /// The files of the index with their share of the total weight, the most important first. `None` while the
    /// index is not complete. Does not wait for it. Files that changed without a report are not read again.
    #[must_use]
    pub fn file_importance(&self) -> Option<Vec<(FilePath, f32)>> {
        if !self.index_progress().complete {
            return None;
        }
        let importance = self.indexer.index.read().importance(&[], &[]);
        let files = importance.files.into_iter();
        Some(files.filter_map(|(id, rank)| Some((self.indexer.entry(id).path?, rank))).collect())
    }

    /// Calls `take` with the most important files, in relation to `focus` and `words` if given,
    /// until it returns false. Waits for the index.
    ///
    /// # Errors
    /// When interrupted.
    pub fn for_each_important_file(
        &self,
        focus: &[FilePath],
        words: &[String],
        interrupt: &AtomicBool,
        mut take: impl FnMut(RankedFile) -> bool,
    ) -> Result<(), QueryError> {
        self.prepare_index(interrupt)?;
        let index = self.indexer.index.read();
        let within = |path: &FilePath| focus.iter().any(|f| path.is_within(f));
        let focus: Vec<_> = match focus.is_empty() {
            true => Vec::new(),
            false => index
                .files()
                .filter(|(file, ..)| self.indexer.entry(*file).path.as_ref().is_some_and(within))
                .map(|(file, ..)| file)
                .collect(),
        };
        let importance = index.importance(&focus, words);
        drop(index);
        for &(id, rank) in &importance.files {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let entry = self.indexer.entry(id);
            let Some(file) = entry.path.and_then(|path| self.read(&path).ok()) else { continue };
            let same = match &file.source {
                Source::Open(document) => entry.revision == document.revision(),
                Source::Disk(stamp) => entry.revision == 0 && entry.stamp == Some(*stamp),
            };
            // Skip files that have changed since they were indexed.
            if !same {
                continue;
            }
            let symbols = self.indexer.index.read().important_symbols(id, &importance);
            if !take(RankedFile { file, rank, symbols }) {
                break;
            }
        }
        Ok(())
    }
}
