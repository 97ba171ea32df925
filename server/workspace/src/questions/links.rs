//! The files that a document's imports lead to.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::QueryError;
use crate::{Document, Snapshot};

/// The bytes that name another file, and its URI.
pub type Link = (Range<usize>, Arc<str>);

impl Snapshot {
    /// What in a document names another file, and that file's URI, in order of place: only what
    /// leads somewhere. Never waits for the index: what it knows by now is enough.
    ///
    /// # Errors
    /// When interrupted.
    pub fn links(
        &self,
        document: &Document,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Link>, QueryError> {
        let spans = document.syntax(interrupt).map(|syntax| syntax.links()).unwrap_or_default();
        self.lead(document, &spans, interrupt)
    }

    /// The URI of the file that a part of a document names.
    ///
    /// # Errors
    /// As [`Snapshot::links`].
    pub fn link(
        &self,
        document: &Document,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Result<Option<Arc<str>>, QueryError> {
        Ok(self.lead(document, &[span], interrupt)?.pop().map(|link| link.1))
    }

    fn lead(
        &self,
        document: &Document,
        spans: &[Range<usize>],
        interrupt: &AtomicBool,
    ) -> Result<Vec<Link>, QueryError> {
        if spans.is_empty() {
            return Ok(Vec::new());
        }
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.catch_up(interrupt);
        let Some(file) = self.index_document(document, interrupt) else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(Vec::new()),
            };
        };
        let ask = || {
            let index = self.indexer.index.read();
            Ok(spans.iter().map(|span| index.linked(file, span)).collect::<Vec<_>>())
        };
        let found = self.with_dependencies(interrupt, ask)?;
        let known = spans
            .iter()
            .zip(found)
            .filter_map(|(span, id)| Some((span.clone(), self.indexer.entry(id?).uri)));
        Ok(known.collect())
    }
}
