//! Definitions by name paths, with the texts that they are in.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, FileSymbol, NamePath};

use super::QueryError;
use crate::{Document, FilePath, FileText, Snapshot, Source};

/// Which definitions are looked for.
pub struct SymbolSearch<'s> {
    /// Their name path.
    pub path: &'s NamePath,
    /// Nothing but what is at or below this place.
    pub below: &'s FilePath,
    /// Whether a file may be looked at.
    pub may_read: &'s dyn Fn(&FilePath) -> bool,
    /// Which of them count.
    pub wanted: &'s dyn Fn(&FileSymbol) -> bool,
    /// How many are passed over.
    pub skip: usize,
    /// Most that are given.
    pub limit: usize,
}

/// A file with the definitions that were looked for, in order of place.
#[derive(Debug)]
pub struct FileSymbols {
    /// The file.
    pub file: FileText,
    /// The same, as a document.
    pub document: Arc<Document>,
    /// The definitions, whose spans are of the file's text.
    pub symbols: Vec<FileSymbol>,
}

impl Snapshot {
    /// The definitions that a name path means, in order of file and place, and whether there are
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
        self.catch_up(interrupt);
        for document in self.documents() {
            self.index_document(document, interrupt);
        }
        if !self.read_mentioning(search.path, search.below, interrupt)? {
            self.wait_for_index(interrupt)?;
        }
        let files = self.indexer.index.read().files_with_symbol(search.path, |_, _| true);
        let (mut found, mut skip, mut room) = (Vec::new(), search.skip, search.limit);
        for id in files {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let Some(path) = self.indexer.entry(id).path else { continue };
            if !path.is_within(search.below) || !(search.may_read)(&path) {
                continue;
            }
            let known = self.indexer.index.read().symbols_at(id, search.path);
            let count = known.iter().filter(|symbol| (search.wanted)(symbol)).count();
            if count <= skip {
                skip -= count;
                continue;
            }
            if room == 0 {
                return Ok((found, true));
            }
            let Some(mut here) = self.current(id, &path, known, search.path, interrupt) else {
                continue;
            };
            here.symbols.retain(|symbol| (search.wanted)(symbol));
            here.symbols.drain(..skip.min(here.symbols.len()));
            skip = 0;
            let more = here.symbols.len() > room;
            here.symbols.truncate(room);
            room -= here.symbols.len();
            if !here.symbols.is_empty() {
                found.push(here);
            }
            if more {
                return Ok((found, true));
            }
        }
        Ok((found, false))
    }

    /// The document that a file's text makes: the open one, where it is open.
    #[must_use]
    pub fn document_of(&self, file: &FileText) -> Arc<Document> {
        match &file.source {
            Source::Open(document) => document.clone(),
            Source::Disk(stamp) => Arc::new(Document::on_disk(file, *stamp)),
        }
    }

    /// The file as it is now, with what a name path means in it.
    fn current(
        &self,
        id: FileId,
        path: &FilePath,
        known: Vec<FileSymbol>,
        wanted: &NamePath,
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
        // It has changed and nobody has said so.
        self.refresh(path, interrupt);
        let mut symbols = document.symbols(interrupt)?;
        symbols.retain(|symbol| wanted.fits(&symbol.path));
        Some(FileSymbols { file, document, symbols })
    }
}

impl FilePath {
    /// Whether it is `above`, or lies below it.
    #[must_use]
    pub fn is_within(&self, above: &Self) -> bool {
        Arc::ptr_eq(&self.root, &above.root) && self.relative.starts_with(&above.relative)
    }
}
