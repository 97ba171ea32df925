//! Declaration, type definition, implementation and document highlights.

use std::sync::atomic::AtomicBool;

use names::{Highlight, Index, Target, with_missing_dependencies};

use super::{Location, MIN_LOCAL_CONFIDENCE, QueryError, is_found};
use crate::{Document, Snapshot};

impl Snapshot {
    /// The declaration of the name at `offset`: a prototype, or the interface member that it
    /// implements; otherwise its definition. Waits for the files that the result depends on.
    ///
    /// # Errors
    /// When interrupted, or when the document has changed.
    pub fn declaration(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        let query = |index: &Index, file| index.declaration(file, offset);
        self.query_locations(document, offset, interrupt, query, |_, _| false, Some(&is_found))
    }

    /// The definition of the type of the name at `offset`. Waits for the files that the result
    /// depends on.
    ///
    /// # Errors
    /// As [`Snapshot::declaration`].
    pub fn type_definition(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        let query = |index: &Index, file| index.type_definition(file, offset);
        let is_final = |file, found: &[Target]| {
            !found.is_empty()
                && found.iter().all(|t| t.file == file && t.confidence >= MIN_LOCAL_CONFIDENCE)
        };
        self.query_locations(document, offset, interrupt, query, is_final, Some(&is_found))
    }

    /// The implementations of the name at `offset`, in order of file and position. Waits for the
    /// files that the result depends on.
    ///
    /// # Errors
    /// As [`Snapshot::declaration`].
    pub fn implementation(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        self.definition(document, offset, interrupt)?;
        let query = |index: &Index, file| {
            with_missing_dependencies(|| index.implementation(file, offset)).0
        };
        self.query_locations(document, offset, interrupt, query, |_, _| false, Some(&|_| true))
    }

    /// The occurrences of the name at `offset` in its document, in text order. Does not wait for
    /// the index.
    ///
    /// # Errors
    /// As [`Snapshot::declaration`].
    pub fn highlights(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Highlight>, QueryError> {
        let text = document.text();
        let query = |index: &Index, file| index.highlights(file, offset, text);
        let found = self.query_index(document, offset, interrupt, query, |_, _| true)?;
        Ok(found.unwrap_or_default())
    }
}
