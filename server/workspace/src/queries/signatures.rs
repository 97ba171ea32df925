//! Signature help.

use std::sync::atomic::{AtomicBool, Ordering};

use names::{CallAtCursor, Facts, FileId, Signatures};
use rustc_hash::FxHashMap;
use text::Text;

use super::{MAX_RETRIES, QueryError};
use crate::{Document, Snapshot, parse_with_timeout};

impl Snapshot {
    /// The signatures of the call around `offset`, terminated or not. Does not wait for the index.
    ///
    /// # Errors
    /// When interrupted, or when a document has changed.
    pub fn signatures(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Option<Signatures>, QueryError> {
        let stopped = || match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => Ok(None),
        };
        let Some(syntax) = document.syntax(interrupt) else { return stopped() };
        let Some(calling) = CallAtCursor::at_offset(&syntax, offset) else { return stopped() };
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.apply_file_changes(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
        let (Some(file), Some(facts)) =
            (self.index_document(document, interrupt), document.facts(interrupt))
        else {
            return stopped();
        };
        if let Some(found) =
            self.signatures_by(file, &facts, document.text(), &calling, interrupt)?
        {
            return Ok(Some(found));
        }
        // A syntax error may hide the callee, so try again with the call completed.
        let missing = calling.completing_insertions();
        if missing.is_empty() {
            return Ok(None);
        }
        let mut text = document.text().clone();
        for (at, written) in missing {
            text.replace(at..at, &written);
        }
        let closed = parse_with_timeout(syntax.language(), &text, Some(&syntax), interrupt);
        let Some(facts) = closed.and_then(|s| Facts::lower(&s, interrupt)) else {
            return stopped();
        };
        self.signatures_by(file, &facts, &text, &calling, interrupt)
    }

    /// Queries the signatures of a call in a text with these facts.
    fn signatures_by(
        &self,
        file: FileId,
        facts: &Facts,
        text: &Text,
        calling: &CallAtCursor,
        interrupt: &AtomicBool,
    ) -> Result<Option<Signatures>, QueryError> {
        for _ in 0..MAX_RETRIES {
            let query = || Ok(self.indexer.index.read().files_of_callees(file, facts, calling));
            let files: Vec<FileId> = self.with_dependencies(interrupt, query)?;
            if files.is_empty() {
                return Ok(None);
            }
            let known = |id: &FileId| match *id == file {
                true => Some((*id, text.clone())),
                false => Some((*id, self.text_of(*id, interrupt)?.1)),
            };
            let texts: Option<FxHashMap<FileId, Text>> = files.iter().map(known).collect();
            let Some(texts) = texts else { continue };
            let index = self.indexer.index.read();
            let text = |file: FileId| texts.get(&file).cloned();
            return Ok(index.signatures(file, facts, calling, &text));
        }
        Err(QueryError::DocumentChanged)
    }
}
