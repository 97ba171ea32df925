//! What matters most in a workspace, with the texts that it is in.

use std::sync::atomic::{AtomicBool, Ordering};

use names::FileSymbol;

use super::QueryError;
use crate::{FilePath, FileText, Snapshot, Source};

/// A file, and what of it matters.
#[derive(Debug)]
pub struct RankedFile {
    /// The file.
    pub file: FileText,
    /// Its part of all weight, up to 1.
    pub rank: f32,
    /// What it defines for others, with how much it matters, in order of place.
    pub symbols: Vec<(FileSymbol, f32)>,
}

impl Snapshot {
    /// The files that matter most, seen from some files and words where there are any; `take` gets
    /// one after the other until it says that it is enough. Waits for the index.
    ///
    /// # Errors
    /// When interrupted.
    pub fn each_important_file(
        &self,
        focus: &[FilePath],
        words: &[String],
        interrupt: &AtomicBool,
        mut take: impl FnMut(RankedFile) -> bool,
    ) -> Result<(), QueryError> {
        self.indexer.trim();
        self.catch_up(interrupt);
        for document in self.documents() {
            self.index_document(document, interrupt);
        }
        self.wait_for_index(interrupt)?;
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
            // What has changed just now is passed over.
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
