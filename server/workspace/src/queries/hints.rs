//! Inlay hints.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, Hint};
use rustc_hash::FxHashMap;
use text::Text;

use super::{MAX_RETRIES, QueryError};
use crate::{Document, Snapshot};

/// A hint, with the URI of the file that it links to.
pub type HintWithTarget = (Hint, Option<Arc<str>>);

impl Snapshot {
    /// The inlay hints of a part of a document in text order, with the URI of the file that each
    /// links to. Does not wait for the index.
    ///
    /// # Errors
    /// When interrupted, or when a document has changed.
    pub fn hints(
        &self,
        document: &Document,
        span: &Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<Vec<HintWithTarget>, QueryError> {
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.apply_file_changes(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
        let (Some(syntax), Some(facts), Some(file)) = (
            document.syntax(interrupt),
            document.facts(interrupt),
            self.index_document(document, interrupt),
        ) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(Vec::new()),
            };
        };
        for _ in 0..MAX_RETRIES {
            let query = || {
                let index = self.indexer.index.read();
                Ok(index.files_for_inlay_hints(file, &facts, &syntax, span.clone()))
            };
            let files = self.with_dependencies(interrupt, query)?;
            let known = |id: &FileId| match *id == file {
                true => Some((*id, document.text().clone())),
                false => Some((*id, self.text_of(*id, interrupt)?.1)),
            };
            let texts: Option<FxHashMap<FileId, Text>> = files.iter().map(known).collect();
            let Some(texts) = texts else { continue };
            let text = |file: FileId| texts.get(&file).cloned();
            let hints =
                self.indexer.index.read().inlay_hints(file, &facts, &syntax, span.clone(), &text);
            let with_uri = |hint: Hint| {
                let uri = hint.location.as_ref().map(|(file, _)| self.indexer.entry(*file).uri);
                (hint, uri)
            };
            return Ok(hints.into_iter().map(with_uri).collect());
        }
        Err(QueryError::DocumentChanged)
    }
}
