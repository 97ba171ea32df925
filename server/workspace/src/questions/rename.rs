//! Renames: the index's plan, brought to texts and documents.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{
    FileId, Index, Renamable, RenameError, RenamePlan, RenameReason, RenameRequest, RenameSources,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use text::Text;
use thiserror::Error;

use super::{QueryError, ROUNDS};
use crate::indexer::FileState;
use crate::{Document, FilePath, Snapshot};

/// A rename, ready to be made.
#[derive(Debug, Default)]
pub struct Rename {
    /// The name as it was.
    pub old: String,
    /// The files that change, in the order of their URIs.
    pub files: Vec<RenamedFile>,
    /// Files that are named for what is renamed: their URI, and the path that they should have.
    pub moves: Vec<(Arc<str>, FilePath)>,
    /// Whether no other file can name what is renamed.
    pub is_local: bool,
    /// Uses that may mean it and keep their name.
    pub left_out: Vec<UnsureUse>,
}

/// A use that may mean what was asked about.
#[derive(Debug)]
pub struct UnsureUse {
    /// The document's URI.
    pub uri: Arc<str>,
    /// The text that the span is of.
    pub text: Text,
    /// The name there.
    pub span: Range<usize>,
    /// What makes it unsure.
    pub why: String,
}

/// A file of a rename.
#[derive(Debug)]
pub struct RenamedFile {
    /// The document's URI: the client's spelling where it is open.
    pub uri: Arc<str>,
    /// The open document's version.
    pub version: Option<i32>,
    /// The text that the spans are of.
    pub text: Text,
    /// Spans of the text, what comes there, and why: in order, disjoint.
    pub edits: Vec<(Range<usize>, String, RenameReason)>,
}

/// Why there is no rename.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RenameFailure {
    #[error(transparent)]
    Refused(#[from] RenameError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

pub(super) type Texts = FxHashMap<FileId, (Arc<str>, Text, FileState)>;

impl Snapshot {
    /// What could be renamed at `offset`. Waits for the files that this depends on.
    ///
    /// # Errors
    /// Why it could not.
    pub fn prepare_rename(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Renamable, RenameFailure> {
        let ask = |index: &Index, file| index.prepare_rename(file, offset);
        // What is refused may not be once more is known.
        let early = |found: &Result<Renamable, RenameError>| found.is_ok();
        let found = self.ask_soon(document, offset, interrupt, ask, |_, _| false, Some(&early))?;
        Ok(found.ok_or(RenameError::NoName)??)
    }

    /// What changes when the name at `offset` becomes another. Waits for the index.
    ///
    /// # Errors
    /// Why it is not renamed: a rename that is not sure is refused, unless the request allows it.
    pub fn rename<'r>(
        &self,
        document: &Document,
        offset: usize,
        request: impl Into<RenameRequest<'r>>,
        interrupt: &AtomicBool,
    ) -> Result<Rename, RenameFailure> {
        let request = request.into();
        // Any file may use the name.
        self.wait_for_index(interrupt)?;
        for _ in 0..ROUNDS {
            let old = self.prepare_rename(document, offset, interrupt)?.name;
            let Some(texts) = self.texts_holding(document, offset, &old, interrupt)? else {
                continue;
            };
            let holding: Vec<FileId> = texts.keys().copied().collect();
            let text = |file: FileId| texts.get(&file).map(|known| known.1.clone());
            let sources = RenameSources { text: &text, holding: &holding, interrupt };
            let ask = |index: &Index, file| index.rename(file, offset, request, &sources);
            let planned = self.ask_index(document, offset, interrupt, ask, |_, _| true)?;
            let plan = planned.ok_or(RenameError::NoName)??;
            if let Some(rename) = self.brought_to_texts(&plan, &texts, interrupt) {
                return Ok(rename);
            }
        }
        Err(QueryError::Moved.into())
    }

    /// The texts of the files that hold a name as a word or may mean it. `None` where one changed
    /// meanwhile.
    fn texts_holding(
        &self,
        document: &Document,
        offset: usize,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Result<Option<Texts>, QueryError> {
        let candidates = |index: &Index, file: FileId| {
            let mut sure: Vec<FileId> = index.files_naming(name).collect();
            sure.push(file);
            sure.sort_unstable();
            sure.dedup();
            let searched = index.files_with_macros_like(file);
            let searched: Vec<FileId> =
                searched.filter(|f| sure.binary_search(f).is_err()).collect();
            (sure, searched)
        };
        let found = self.ask_index(document, offset, interrupt, candidates, |_, _| true)?;
        let Some((sure, searched)) = found else { return Ok(None) };
        let read = |file: &FileId| {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            let state = self.indexer.state(*file);
            let (uri, text) = self.text_of(*file, interrupt)?;
            Some((*file, (uri, text, state)))
        };
        let mut texts = Texts::default();
        for file in &sure {
            let Some((file, known)) = read(file) else { return Ok(None) };
            texts.insert(file, known);
        }
        let holds = |(_, known): &(FileId, (Arc<str>, Text, FileState))| {
            known.1.slice(0..known.1.len()).contains(name)
        };
        let more: Vec<_> = searched.par_iter().filter_map(read).filter(holds).collect();
        texts.extend(more);
        match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => Ok(Some(texts)),
        }
    }

    /// The plan with its texts; `None` where a file has changed since it was read.
    pub(super) fn brought_to_texts(
        &self,
        plan: &RenamePlan,
        texts: &Texts,
        interrupt: &AtomicBool,
    ) -> Option<Rename> {
        let mut files: Vec<RenamedFile> = Vec::new();
        for own in plan.edits.chunk_by(|a, b| a.file == b.file) {
            let file = own.first()?.file;
            let (uri, text, state) = texts.get(&file)?;
            if self.indexer.state(file) != *state {
                return None;
            }
            files.push(RenamedFile {
                uri: uri.clone(),
                version: self.document(uri).map(|d| d.version()),
                text: text.clone(),
                edits: own.iter().map(|e| (e.span.clone(), e.new_text.clone(), e.reason)).collect(),
            });
        }
        files.sort_by(|a, b| a.uri.cmp(&b.uri));
        let mut moves = Vec::new();
        for moved in &plan.moves {
            let (uri, ..) = texts.get(&moved.file)?;
            let name = moved.to.rsplit('/').next()?;
            let mut path = self.indexer.entry(moved.file).path?;
            path.relative.set_file_name(name);
            moves.push((uri.clone(), path));
        }
        let left_out = plan.left_out.iter().map(|place| {
            let known = texts.get(&place.file).map(|(uri, text, _)| (uri.clone(), text.clone()));
            let (uri, text) = known.or_else(|| self.text_of(place.file, interrupt))?;
            Some(UnsureUse { uri, text, span: place.span.clone(), why: place.why.clone() })
        });
        let left_out = left_out.collect::<Option<_>>()?;
        Some(Rename { old: plan.old.clone(), files, moves, is_local: plan.is_local, left_out })
    }
}
