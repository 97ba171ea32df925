//! Finds definitions by name path.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, FileSymbol, NamePath};

use super::QueryError;
use crate::{Document, FilePath, FileText, Snapshot, Source};

/// A search for definitions.
pub struct SymbolSearch<'s> {
    /// The name path.
    pub path: &'s NamePath,
    /// The file or folder to search in.
    pub below: &'s FilePath,
    /// Whether a file may be read.
    pub may_read: &'s dyn Fn(&FilePath) -> bool,
    /// The filter for definitions.
    pub wanted: &'s dyn Fn(&FileSymbol) -> bool,
    /// The number of matches to skip.
    pub skip: usize,
    /// The maximum number of matches.
    pub limit: usize,
}

/// A file with its matching definitions, in text order.
#[derive(Debug)]
pub struct FileSymbols {
    /// The file.
    pub file: FileText,
    /// The document of the file.
    pub document: Arc<Document>,
    /// The definitions; their spans refer to the file's text.
    pub symbols: Vec<FileSymbol>,
}

impl Snapshot {
    /// The definitions that match a name path, in order of file and position, and whether there are
    /// more. Waits for the files that mention the name.
    ///
    /// # Errors
    /// When interrupted.
    pub fn find_symbols(
        &self,
        search: &SymbolSearch<'_>,
        interrupt: &AtomicBool,
    ) -> Result<(Vec<FileSymbols>, bool), QueryError> {
        self.indexer.trim();
        self.apply_file_changes(interrupt);
        for document in self.documents() {
            self.index_document(document, interrupt);
        }
        if !self.index_files_mentioning(search.path, search.below, interrupt)? {
            self.wait_for_index(interrupt)?;
        }
        let files = self.indexer.index.read().files_with_symbol(search.path, |_, _| true);
        let (mut found, mut skip, mut left) = (Vec::new(), search.skip, search.limit);
        for id in files {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let Some(path) = self.indexer.entry(id).path else { continue };
            if !path.is_within(search.below) || !(search.may_read)(&path) {
                continue;
            }
            let known = self.indexer.index.read().symbols_matching(id, search.path);
            let count = known.iter().filter(|symbol| (search.wanted)(symbol)).count();
            if count <= skip {
                skip -= count;
                continue;
            }
            if left == 0 {
                return Ok((found, true));
            }
            let Some(mut here) = self.current_matches(id, &path, known, search.path, interrupt)
            else {
                continue;
            };
            here.symbols.retain(|symbol| (search.wanted)(symbol));
            here.symbols.drain(..skip.min(here.symbols.len()));
            skip = 0;
            let more = here.symbols.len() > left;
            here.symbols.truncate(left);
            left -= here.symbols.len();
            if !here.symbols.is_empty() {
                found.push(here);
            }
            if more {
                return Ok((found, true));
            }
        }
        Ok((found, false))
    }

    /// The document of a file: the open one if it is open.
    #[must_use]
    pub fn document_of(&self, file: &FileText) -> Arc<Document> {
        match &file.source {
            Source::Open(document) => document.clone(),
            Source::Disk(stamp) => Arc::new(Document::on_disk(file, *stamp)),
        }
    }

    /// The current file with its definitions that match a name path.
    fn current_matches(
        &self,
        id: FileId,
        path: &FilePath,
        known: Vec<FileSymbol>,
        path_filter: &NamePath,
        interrupt: &AtomicBool,
    ) -> Option<FileSymbols> {
        let file = self.read(path).ok()?;
        let document = self.document_of(&file);
        let entry = self.indexer.entry(id);
        let same = match &file.source {
            Source::Open(document) => entry.revision == document.revision(),
            Source::Disk(stamp) => entry.revision == 0 && entry.stamp == Some(*stamp),
        };
        if same {
            return Some(FileSymbols { file, document, symbols: known });
        }
        // The file has changed without a report.
        self.refresh(path, interrupt);
        let mut symbols = document.symbols(interrupt)?;
        symbols.retain(|symbol| path_filter.matches(&symbol.path));
        Some(FileSymbols { file, document, symbols })
    }
}

impl FilePath {
    /// Whether it is `above` or below it.
    #[must_use]
    pub fn is_within(&self, above: &Self) -> bool {
        Arc::ptr_eq(&self.root, &above.root) && self.relative.starts_with(&above.relative)
    }
}
