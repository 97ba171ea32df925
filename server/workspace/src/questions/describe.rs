//! What is known of a name.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{Builtin, Description, FileId, Index, builtin_at};
use rustc_hash::FxHashMap;
use text::Text;

use super::{QueryError, ROUNDS, SURE};
use crate::{Document, Snapshot};

impl Snapshot {
    /// What is known of the name at `offset`, and the URI of the file that defines it. Waits for
    /// the other files that matter.
    ///
    /// # Errors
    /// When interrupted, or when a document has moved on.
    pub fn describe(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Option<(Description, Arc<str>)>, QueryError> {
        for _ in 0..ROUNDS {
            let first = |index: &Index, file: FileId| {
                index.definition(file, offset).first().map(|t| (t.file, t.confidence))
            };
            let sure = |file: FileId, found: &Option<(FileId, f32)>| {
                found.is_some_and(|(other, confidence)| other == file && confidence >= SURE)
            };
            let early = |found: &Option<(FileId, f32)>| found.is_some();
            let found = self.ask_soon(document, offset, interrupt, first, sure, Some(&early))?;
            let found = found.flatten();
            let is_sure = |asked| sure(asked, &found);
            let Some((file, _)) = found else { return Ok(None) };
            let Some((uri, text)) = self.text_of(file, interrupt) else { continue };
            let state = self.indexer.state(file);
            let texts = FxHashMap::<FileId, Text>::from_iter([(file, text)]);
            let ask = |index: &Index, asked: FileId| {
                index.describe(asked, offset, &|file| texts.get(&file).cloned())
            };
            // Its type may depend on more files than its place.
            let settled =
                |asked, _: &Option<Description>| is_sure(asked) || self.index_progress().complete;
            let early = |found: &Option<Description>| found.is_some();
            let described =
                self.ask_soon(document, offset, interrupt, ask, settled, Some(&early))?;
            let Some(described) = described.flatten() else { return Ok(None) };
            if described.file == file && self.indexer.state(file) == state {
                return Ok(Some((described, uri)));
            }
        }
        Err(QueryError::Moved)
    }

    /// What the language brings along under the name at `offset`, where nothing that is written
    /// defines it: [`describe`](Self::describe) is asked first.
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
