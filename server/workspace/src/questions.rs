//! Questions of names: the index asked, and its answers brought to texts.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use names::{FileId, Index, Origin, Target, noting};
use rustc_hash::FxHashMap;
use text::Text;
use thiserror::Error;

use crate::{Document, Snapshot, Source};

mod actions;
mod complete;
mod describe;
mod diagnose;
mod hierarchy;
mod hints;
mod importance;
mod imports;
mod links;
mod missing_modules;
mod moves;
mod name_path;
mod node;
mod outside;
mod places;
mod rename;
mod signatures;
mod symbols;
mod texts;

pub use actions::{
    ActionEdits, ActionFailure, ActionRequest, ActionTime, ChangedFile, action_kinds,
};
pub use complete::{Completed, Offered, OfferedPath};
pub use hierarchy::{Hierarchy, Member};
pub use hints::Leading;
pub use importance::RankedFile;
pub use links::Link;
pub use name_path::{FileSymbols, SymbolSearch};
pub use rename::{Rename, RenameFailure, RenamedFile, UnsureUse};
pub use symbols::FoundSymbol;

/// A place that a name leads to.
#[derive(Debug, Clone)]
pub struct Location {
    /// The document's URI: the client's spelling where it is open.
    pub uri: Arc<str>,
    /// The text that the spans are of.
    pub text: Text,
    /// The whole definition, in bytes.
    pub span: Range<usize>,
    /// Its name, in bytes.
    pub name_span: Range<usize>,
    /// How it was found.
    pub origin: Origin,
    /// How sure that is, up to 1.
    pub confidence: f32,
}

/// Where a name is used.
#[derive(Debug, Default)]
pub struct Uses {
    /// The places that mean the same.
    pub sure: Vec<Location>,
    /// How many places may mean the same or not.
    pub unsure_count: usize,
    /// The first of those.
    pub unsure: Vec<UnsureUse>,
}

/// Why a question of names has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum QueryError {
    #[error("the question was cancelled")]
    Interrupted,
    #[error("the document has changed since the question was asked")]
    Moved,
}

/// A definition this sure, in the file of the question, needs no other files.
const SURE: f32 = 0.9;
/// Says which answers may come before everything has been read.
type Early<'e, T> = Option<&'e dyn Fn(&T) -> bool>;

/// What was not found may yet be.
#[allow(clippy::ptr_arg, reason = "it is what the index answers")]
fn is_found(targets: &Vec<Target>) -> bool {
    !targets.is_empty()
}

/// Rounds of re-reading files that changed while they were asked for.
const ROUNDS: usize = 3;

impl Snapshot {
    /// Where the name at `offset` of a document is defined, best first; empty where nothing is
    /// sure. Waits for the index where other files matter.
    ///
    /// # Errors
    /// When interrupted, or when the document has moved on.
    pub fn definition(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        let ask = |index: &Index, file| index.definition(file, offset);
        let local = |file, targets: &[Target]| {
            !targets.is_empty() && targets.iter().all(|t| t.file == file && t.confidence >= SURE)
        };
        self.asked(document, offset, interrupt, ask, local, Some(&is_found))
    }

    /// Where the name at `offset` of a document is used, in order of file and place. Waits for the
    /// files that mention the name and for what the answer depends on besides.
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
        // What the name means may lead into dependencies; where it is used does not.
        self.definition(document, offset, interrupt)?;
        let ask =
            |index: &Index, file| noting(|| index.references(file, offset, include_declaration)).0;
        self.asked(document, offset, interrupt, ask, |_, _| false, Some(&|_| true))
    }

    /// As [`Snapshot::references`], with the places that may mean the same or not: how many, and the
    /// first `most` of them.
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
        let ask = |index: &Index, file| noting(|| index.uses(file, offset, include_declaration)).0;
        let more = || self.uses_in_texts(document, offset, interrupt);
        self.with_unsure(document, offset, most, interrupt, ask, more)
    }

    /// As [`Snapshot::implementation`], with what may implement it: how much, and the first `most`.
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
        let ask = |index: &Index, file| noting(|| index.implementations(file, offset)).0;
        self.with_unsure(document, offset, most, interrupt, ask, Vec::new)
    }

    fn with_unsure(
        &self,
        document: &Document,
        offset: usize,
        most: usize,
        interrupt: &AtomicBool,
        ask: impl Fn(&Index, FileId) -> names::Uses,
        more: impl Fn() -> Vec<names::UnsureUse>,
    ) -> Result<Uses, QueryError> {
        self.definition(document, offset, interrupt)?;
        for _ in 0..ROUNDS {
            let found =
                self.ask_soon(document, offset, interrupt, &ask, |_, _| false, Some(&|_| true))?;
            let mut found = found.unwrap_or_default();
            found.unsure.extend(more());
            found.unsure.sort_by_key(|u| (u.file, u.span.start));
            found.unsure.dedup_by_key(|u| (u.file, u.span.start));
            let unsure = found.unsure.iter().take(most).map(|place| {
                let (uri, text) = self.text_of(place.file, interrupt)?;
                Some(UnsureUse { uri, text, span: place.span.clone(), why: place.why.to_owned() })
            });
            let unsure: Option<Vec<_>> = unsure.collect();
            if let (Some(sure), Some(unsure)) = (self.locations(&found.sure, interrupt), unsure) {
                return Ok(Uses { sure, unsure_count: found.unsure.len(), unsure });
            }
        }
        Err(QueryError::Moved)
    }

    /// The name at `offset` of a document, in bytes.
    #[must_use]
    pub fn name_span(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Option<Range<usize>> {
        Some(document.facts(interrupt)?.name_at(offset)?.span)
    }

    /// Asks the index about the name at `offset`. An answer for which `settled` does not hold is
    /// asked for again once what it depends on has been read, where `early` takes that, or else every
    /// file.
    fn asked(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
        ask: impl Fn(&Index, FileId) -> Vec<Target>,
        settled: impl Fn(FileId, &[Target]) -> bool,
        early: Early<'_, Vec<Target>>,
    ) -> Result<Vec<Location>, QueryError> {
        for _ in 0..ROUNDS {
            let settled = |file, targets: &Vec<Target>| settled(file, targets);
            let targets = self.ask_soon(document, offset, interrupt, &ask, settled, early)?;
            let Some(targets) = targets else { return Ok(Vec::new()) };
            if let Some(found) = self.locations(&targets, interrupt) {
                return Ok(found);
            }
        }
        Err(QueryError::Moved)
    }

    /// The same, whatever the index answers; `None` where the document has no name at `offset`.
    fn ask_index<T>(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
        ask: impl Fn(&Index, FileId) -> T,
        settled: impl Fn(FileId, &T) -> bool,
    ) -> Result<Option<T>, QueryError> {
        self.ask_soon(document, offset, interrupt, ask, settled, None)
    }

    /// The same. An answer for which `early` holds needs no other files than those that it was
    /// found to depend on, which are read before their turn.
    fn ask_soon<T>(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
        ask: impl Fn(&Index, FileId) -> T,
        settled: impl Fn(FileId, &T) -> bool,
        early: Early<'_, T>,
    ) -> Result<Option<T>, QueryError> {
        self.indexer.trim();
        self.catch_up(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
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
            // The same state of a file on disk is the same text.
            let stamp = self.indexer.entry(id).stamp;
            let index = self.indexer.index.read();
            let current = index.facts(id).is_some_and(|f| Arc::ptr_eq(f, &facts))
                || (stamp.is_some() && stamp == document.stamp());
            current.then(|| ask(&index, id)).ok_or(QueryError::Moved)
        };
        let answer = current()?;
        if settled(id, &answer) {
            return Ok(Some(answer));
        }
        if let Some(early) = early {
            let ask = || self.with_dependencies(interrupt, current);
            let answer = self.ask_early(document.language(), interrupt, ask)?;
            if let Some(answer) = answer.filter(|answer| early(answer)) {
                return Ok(Some(answer));
            }
        }
        self.wait_for_index(interrupt)?;
        self.with_dependencies(interrupt, current).map(Some)
    }

    /// Waits until every file has been read, or as long as this snapshot waits.
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
            if self.patience.as_ref().is_some_and(|patience| patience.ends(*progress)) {
                break;
            }
            self.indexer.progressed.wait_for(&mut progress, Duration::from_millis(20));
        }
        Ok(())
    }

    /// The targets with the texts that their spans are of. `None` where a file has changed since:
    /// it has been read again, and the question is to be asked again.
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

    /// The text that the index's facts of a file are of, and its URI.
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
