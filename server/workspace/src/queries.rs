//! Queries of names: runs them on the index, and resolves file ids in the results to texts.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use names::{FileId, Index, Origin, Target, with_missing_dependencies};
use rustc_hash::FxHashMap;
use text::Text;
use thiserror::Error;

use crate::{Document, Snapshot, Source};

mod actions;
mod complete;
mod dependencies;
mod describe;
mod diagnose;
mod file_moves;
mod hierarchy;
mod hints;
mod impact;
mod importance;
mod imports;
mod indexed_files;
mod links;
mod missing_modules;
mod name_path;
mod navigation;
mod node_resolution;
mod rename;
mod signatures;
mod suppose;
mod symbols;
mod text_uses;

pub use actions::{
    ActionEdits, ActionFailure, ActionRequest, ActionTimeLimit, ChangedFile, action_kinds,
};
pub use complete::{CompletionResult, Offered, PathCompletion};
pub use hierarchy::{HierarchyMember, HierarchyQuery};
pub use hints::HintWithTarget;
pub use impact::{AffectedMember, ImpactOfChange};
pub use importance::RankedFile;
pub use indexed_files::{FileDefinitions, FileVersion, IndexedFile, definitions_in_text};
pub use links::DocumentLink;
pub use name_path::{FileSymbols, SymbolSearch};
pub use rename::{Rename, RenameFailure, RenamedFile, UnsureUse};
pub use suppose::SupposedFile;
pub use symbols::SymbolMatch;

/// The location of a definition or reference.
#[derive(Debug, Clone)]
pub struct Location {
    /// The document's URI, spelled as by the client if it is open.
    pub uri: Arc<str>,
    /// The text that the spans refer to.
    pub text: Text,
    /// The byte range of the whole definition.
    pub span: Range<usize>,
    /// The byte range of its name.
    pub name_span: Range<usize>,
    /// How it was found.
    pub origin: Origin,
    /// The confidence, up to 1.
    pub confidence: f32,
}

/// The uses of a name.
#[derive(Debug, Default)]
pub struct Uses {
    /// Uses that certainly refer to the same definition.
    pub sure: Vec<Location>,
    /// The number of uses that may refer to it.
    pub unsure_count: usize,
    /// The first of these.
    pub unsure: Vec<UnsureUse>,
}

/// Why a query has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum QueryError {
    #[error("the query was cancelled")]
    Interrupted,
    #[error("the document has changed since the query began")]
    DocumentChanged,
}

/// A definition in the queried file with this confidence is final: other files need not be indexed.
const MIN_LOCAL_CONFIDENCE: f32 = 0.9;
/// Decides whether a result is acceptable before the whole workspace is indexed.
type AcceptsPartial<'e, T> = Option<&'e dyn Fn(&T) -> bool>;

/// A definition that was not found may be in a file that is not indexed yet.
#[allow(clippy::ptr_arg, reason = "it must match the type of query results")]
fn is_found(targets: &Vec<Target>) -> bool {
    !targets.is_empty()
}

/// Maximum number of retries after a file changed during the query.
const MAX_RETRIES: usize = 3;

impl Snapshot {
    /// The definitions of the name at `offset` of a document, best first; empty if none is certain.
    /// Waits for the index if other files matter.
    ///
    /// # Errors
    /// When interrupted, or when the document has changed.
    pub fn definition(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        let query = |index: &Index, file| index.definition(file, offset);
        let is_final = |file, targets: &[Target]| {
            !targets.is_empty()
                && targets.iter().all(|t| t.file == file && t.confidence >= MIN_LOCAL_CONFIDENCE)
        };
        self.query_locations(document, offset, interrupt, query, is_final, Some(&is_found))
    }

    /// The references to the name at `offset` of a document, in order of file and position. Waits
    /// for the files that mention the name and that the result depends on.
    ///
    /// # Errors
    /// As [`Snapshot::definition`].
    pub fn references(
        &self,
        document: &Document,
        offset: usize,
        include_declaration: bool,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        // The definition may be in a dependency, which this indexes; references are in the
        // workspace.
        self.definition(document, offset, interrupt)?;
        let query = |index: &Index, file| {
            with_missing_dependencies(|| index.references(file, offset, include_declaration)).0
        };
        self.query_locations(document, offset, interrupt, query, |_, _| false, Some(&|_| true))
    }

    /// As [`Snapshot::references`], with uncertain uses: their number, and the first `most` of
    /// them.
    ///
    /// # Errors
    /// As [`Snapshot::definition`].
    pub fn uses(
        &self,
        document: &Document,
        offset: usize,
        include_declaration: bool,
        most: usize,
        interrupt: &AtomicBool,
    ) -> Result<Uses, QueryError> {
        let query = |index: &Index, file| {
            with_missing_dependencies(|| {
                index.certain_and_uncertain_references(file, offset, include_declaration)
            })
            .0
        };
        let more = || self.uses_in_texts(document, offset, interrupt);
        self.with_unsure(document, offset, most, interrupt, query, more)
    }

    /// As [`Snapshot::implementation`], with uncertain implementations: their number, and the first
    /// `most`.
    ///
    /// # Errors
    /// As [`Snapshot::definition`].
    pub fn implementations(
        &self,
        document: &Document,
        offset: usize,
        most: usize,
        interrupt: &AtomicBool,
    ) -> Result<Uses, QueryError> {
        let query = |index: &Index, file| {
            with_missing_dependencies(|| index.implementations(file, offset)).0
        };
        self.with_unsure(document, offset, most, interrupt, query, Vec::new)
    }

    /// Runs a query for certain and uncertain uses, merges those of `more`, and resolves them to
    /// texts.
    fn with_unsure(
        &self,
        document: &Document,
        offset: usize,
        most: usize,
        interrupt: &AtomicBool,
        query: impl Fn(&Index, FileId) -> names::References,
        more: impl Fn() -> Vec<names::UncertainReference>,
    ) -> Result<Uses, QueryError> {
        self.definition(document, offset, interrupt)?;
        for _ in 0..MAX_RETRIES {
            let found = self.query_index_early(
                document,
                offset,
                interrupt,
                &query,
                |_, _| false,
                Some(&|_| true),
            )?;
            let mut found = found.unwrap_or_default();
            found.uncertain.extend(more());
            found.uncertain.sort_by_key(|u| (u.file, u.span.start));
            found.uncertain.dedup_by_key(|u| (u.file, u.span.start));
            let unsure = found.uncertain.iter().take(most).map(|unsure_use| {
                let (uri, text) = self.text_of(unsure_use.file, interrupt)?;
                Some(UnsureUse {
                    uri,
                    text,
                    span: unsure_use.span.clone(),
                    why: unsure_use.why.to_owned(),
                })
            });
            let unsure: Option<Vec<_>> = unsure.collect();
            if let (Some(sure), Some(unsure)) = (self.locations(&found.certain, interrupt), unsure)
            {
                return Ok(Uses { sure, unsure_count: found.uncertain.len(), unsure });
            }
        }
        Err(QueryError::DocumentChanged)
    }

    /// The byte range of the name at `offset` of a document.
    #[must_use]
    pub fn name_span(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Option<Range<usize>> {
        Some(document.facts(interrupt)?.name_at(offset)?.span)
    }

    /// Queries the locations of the name at `offset`. A result that is not `is_final` is queried
    /// again once the files that it depends on are indexed (if `accepts` it then), or else the
    /// whole workspace.
    fn query_locations(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
        query: impl Fn(&Index, FileId) -> Vec<Target>,
        is_final: impl Fn(FileId, &[Target]) -> bool,
        accepts: AcceptsPartial<'_, Vec<Target>>,
    ) -> Result<Vec<Location>, QueryError> {
        for _ in 0..MAX_RETRIES {
            let is_final = |file, targets: &Vec<Target>| is_final(file, targets);
            let targets =
                self.query_index_early(document, offset, interrupt, &query, is_final, accepts)?;
            let Some(targets) = targets else { return Ok(Vec::new()) };
            if let Some(found) = self.locations(&targets, interrupt) {
                return Ok(found);
            }
        }
        Err(QueryError::DocumentChanged)
    }

    /// Queries the index about the name at `offset`; `None` if there is no name.
    fn query_index<T>(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
        query: impl Fn(&Index, FileId) -> T,
        is_final: impl Fn(FileId, &T) -> bool,
    ) -> Result<Option<T>, QueryError> {
        self.query_index_early(document, offset, interrupt, query, is_final, None)
    }

    /// As [`Snapshot::query_index`], but a result that `accepts` holds for needs only the files
    /// that it depends on, which are indexed early.
    fn query_index_early<T>(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
        query: impl Fn(&Index, FileId) -> T,
        is_final: impl Fn(FileId, &T) -> bool,
        accepts: AcceptsPartial<'_, T>,
    ) -> Result<Option<T>, QueryError> {
        self.update_index(interrupt);
        let (Some(id), Some(facts)) =
            (self.index_document(document, interrupt), document.facts(interrupt))
        else {
            return match interrupt.load(Ordering::Relaxed) {
                true => Err(QueryError::Interrupted),
                false => Ok(None),
            };
        };
        if facts.name_at(offset).is_none() {
            return Ok(None);
        }
        let current = || {
            // An equal stamp of a file on disk means an equal text.
            let stamp = self.indexer.entry(id).stamp;
            let index = self.indexer.index.read();
            let current = index.facts(id).is_some_and(|f| Arc::ptr_eq(f, &facts))
                || (stamp.is_some() && stamp == document.stamp());
            current.then(|| query(&index, id)).ok_or(QueryError::DocumentChanged)
        };
        let result = current()?;
        if is_final(id, &result) {
            return Ok(Some(result));
        }
        if let Some(accepts) = accepts {
            let query = || self.with_dependencies(interrupt, current);
            let result = self.query_early(document.language(), interrupt, query)?;
            if let Some(result) = result.filter(|result| accepts(result)) {
                return Ok(Some(result));
            }
        }
        self.wait_for_index(interrupt)?;
        self.with_dependencies(interrupt, current).map(Some)
    }

    /// Waits until the workspace is indexed, or until this snapshot's deadline.
    ///
    /// # Errors
    /// When interrupted.
    pub fn wait_for_index(&self, interrupt: &AtomicBool) -> Result<(), QueryError> {
        self.begin_index();
        let mut progress = self.indexer.progress.lock();
        while !progress.complete {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            if self.query_deadline.as_ref().is_some_and(|deadline| deadline.has_passed(*progress)) {
                break;
            }
            self.indexer.progressed.wait_for(&mut progress, Duration::from_millis(20));
        }
        Ok(())
    }

    /// Brings the index up to date with what is known to have changed: files on disk, and open documents.
    fn update_index(&self, interrupt: &AtomicBool) {
        self.indexer.trim();
        self.apply_file_changes(interrupt);
        for document in self.documents() {
            self.index_document(document, interrupt);
        }
    }

    /// Waits for the index, and brings it up to date.
    fn prepare_index(&self, interrupt: &AtomicBool) -> Result<(), QueryError> {
        self.wait_for_index(interrupt)?;
        self.update_index(interrupt);
        Ok(())
    }

    /// Resolves targets to URIs and texts. `None` if a file has changed since it was indexed: it is
    /// indexed again, and the query must be repeated.
    fn locations(&self, targets: &[Target], interrupt: &AtomicBool) -> Option<Vec<Location>> {
        let mut texts: FxHashMap<FileId, (Arc<str>, Text)> = FxHashMap::default();
        let mut locations = Vec::with_capacity(targets.len());
        for target in targets {
            let (uri, text) = match texts.get(&target.file) {
                Some(known) => known.clone(),
                None => {
                    let known = self.text_of(target.file, interrupt)?;
                    texts.insert(target.file, known.clone());
                    known
                }
            };
            locations.push(Location {
                uri,
                text,
                span: target.span.clone(),
                name_span: target.name_span.clone(),
                origin: target.origin,
                confidence: target.confidence,
            });
        }
        Some(locations)
    }

    /// The URI and the text that a file's facts come from. `None` if the file has changed since.
    fn text_of(&self, file: FileId, interrupt: &AtomicBool) -> Option<(Arc<str>, Text)> {
        let entry = self.indexer.entry(file);
        let open = match &entry.path {
            Some(path) => self.open_document(path),
            None => self.document(&entry.uri),
        };
        if let Some(document) = open {
            let same = entry.revision == document.revision();
            return same.then(|| (document.uri().clone(), document.text().clone()));
        }
        let path = entry.path?;
        let file = self.read_disk(&path).ok();
        let same = |source: &Source| matches!(source, Source::Disk(s) if Some(*s) == entry.stamp);
        match file.filter(|f| same(&f.source)) {
            Some(file) => Some((entry.uri, file.text)),
            None => {
                self.refresh(&path, interrupt);
                None
            }
        }
    }
}
