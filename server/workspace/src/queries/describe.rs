//! Hover information of a name.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{Builtin, FileId, HoverInfo, Index, builtin_at};
use rustc_hash::FxHashMap;
use text::Text;

use super::{MAX_RETRIES, MIN_LOCAL_CONFIDENCE, QueryError};
use crate::{Document, Snapshot};

impl Snapshot {
    /// The description of the name at `offset`, and the URI of the file that defines it. Waits for
    /// the other files that matter.
    ///
    /// # Errors
    /// When interrupted, or when a document has changed.
    pub fn describe(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Option<(HoverInfo, Arc<str>)>, QueryError> {
        for _ in 0..MAX_RETRIES {
            let first = |index: &Index, file: FileId| {
                index.definition(file, offset).first().map(|t| (t.file, t.confidence))
            };
            let sure = |file: FileId, found: &Option<(FileId, f32)>| {
                found.is_some_and(|(other, confidence)| {
                    other == file && confidence >= MIN_LOCAL_CONFIDENCE
                })
            };
            let accepts = |found: &Option<(FileId, f32)>| found.is_some();
            let found =
                self.query_index_early(document, offset, interrupt, first, sure, Some(&accepts))?;
            let found = found.flatten();
            let is_sure = |queried| sure(queried, &found);
            let Some((file, _)) = found else { return Ok(None) };
            let Some((uri, text)) = self.text_of(file, interrupt) else { continue };
            let state = self.indexer.state(file);
            let texts = FxHashMap::<FileId, Text>::from_iter([(file, text)]);
            let query = |index: &Index, queried: FileId| {
                index.hover(queried, offset, &|file| texts.get(&file).cloned())
            };
            // The type may depend on more files than the location.
            let is_final =
                |queried, _: &Option<HoverInfo>| is_sure(queried) || self.index_progress().complete;
            let accepts = |found: &Option<HoverInfo>| found.is_some();
            let described = self.query_index_early(
                document,
                offset,
                interrupt,
                query,
                is_final,
                Some(&accepts),
            )?;
            let Some(described) = described.flatten() else { return Ok(None) };
            if described.file == file && self.indexer.state(file) == state {
                return Ok(Some((described, uri)));
            }
        }
        Err(QueryError::DocumentChanged)
    }

    /// The built-in of the language with the name at `offset`. Call [`describe`](Self::describe)
    /// first: this is for names without a definition in a file.
    #[must_use]
    pub fn builtin(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Option<(Range<usize>, &'static Builtin)> {
        builtin_at(&document.syntax(interrupt)?, offset)
    }
}
