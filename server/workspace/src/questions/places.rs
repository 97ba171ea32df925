//! Where else a name leads, and where in its file it occurs.

use std::sync::atomic::AtomicBool;

use names::{Highlight, Index, Target, noting};

use super::{Location, QueryError, SURE, is_found};
use crate::{Document, Snapshot};

impl Snapshot {
    /// Where the name at `offset` is declared: a prototype, or the member of an interface that it
    /// fulfils; else where it is defined. Waits for the files that the answer depends on.
    ///
    /// # Errors
    /// When interrupted, or when the document has moved on.
    pub fn declaration(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        let ask = |index: &Index, file| index.declaration(file, offset);
        self.asked(document, offset, interrupt, ask, |_, _| false, Some(&is_found))
    }

    /// Where the type of the name at `offset` is defined. Waits for the files that
    /// the answer depends on.
    ///
    /// # Errors
    /// As [`Snapshot::declaration`].
    pub fn type_definition(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        let ask = |index: &Index, file| index.type_definition(file, offset);
        let local = |file, found: &[Target]| {
            !found.is_empty() && found.iter().all(|t| t.file == file && t.confidence >= SURE)
        };
        self.asked(document, offset, interrupt, ask, local, Some(&is_found))
    }

    /// What implements the name at `offset`, in order of file and place. Waits for the files that
    /// the answer depends on.
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
        let ask = |index: &Index, file| noting(|| index.implementation(file, offset)).0;
        self.asked(document, offset, interrupt, ask, |_, _| false, Some(&|_| true))
    }

    /// Where in its document the name at `offset` occurs, in order of place. Never waits: what the
    /// index knows by now is enough.
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
        let ask = |index: &Index, file| index.highlights(file, offset, text);
        let found = self.ask_index(document, offset, interrupt, ask, |_, _| true)?;
        Ok(found.unwrap_or_default())
    }
}
