//! Renames: resolves the index's plan to texts and documents.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{
    FileId, FileMove, Index, Renamable, RenamableModule, RenameError, RenamePlan, RenameProblem,
    RenameProblems, RenameReason, RenameRequest, RenameSources,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use text::Text;
use thiserror::Error;

use super::{MAX_RETRIES, QueryError};
use crate::indexer::{FileState, index_name};
use crate::uri::uri_of_path;
use crate::{Document, FilePath, Snapshot};

/// The changes of a rename.
#[derive(Debug, Default)]
pub struct Rename {
    /// The old name.
    pub old: String,
    /// The changed files, sorted by URI.
    pub files: Vec<RenamedFile>,
    /// Files that must be renamed as well: their URI and their new path.
    pub moves: Vec<(Arc<str>, FilePath)>,
    /// Whether no other file can refer to the definition.
    pub is_local: bool,
    /// Uncertain uses, which are not renamed.
    pub left_out: Vec<UnsureUse>,
}

/// An uncertain use: it may refer to the definition.
#[derive(Debug)]
pub struct UnsureUse {
    /// The document's URI.
    pub uri: Arc<str>,
    /// The text that the span refers to.
    pub text: Text,
    /// The byte range of the name.
    pub span: Range<usize>,
    /// Why it is uncertain.
    pub why: String,
}

/// A file that a rename changes.
#[derive(Debug)]
pub struct RenamedFile {
    /// The document's URI, spelled as by the client if it is open.
    pub uri: Arc<str>,
    /// The version, if the document is open.
    pub version: Option<i32>,
    /// The text that the spans refer to.
    pub text: Text,
    /// Spans of the text with their replacement and reason: sorted and disjoint.
    pub edits: Vec<(Range<usize>, String, RenameReason)>,
}

/// A file or folder that is moved.
struct MovedPath {
    path: FilePath,
    is_folder: bool,
}

/// Why a rename is not possible.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum RenameFailure {
    #[error(transparent)]
    Refused(#[from] RenameError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

pub(super) type TextsByFile = FxHashMap<FileId, (Arc<str>, Text, FileState)>;

impl Snapshot {
    /// The name that can be renamed at `offset`. Waits for the files that this depends on.
    ///
    /// # Errors
    /// Why it cannot be renamed.
    pub fn prepare_rename(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Renamable, RenameFailure> {
        let query = |index: &Index, file| index.prepare_rename(file, offset);
        // A refusal may be due to files that are not indexed yet.
        let accepts = |found: &Result<Renamable, RenameError>| found.is_ok();
        let found = self.query_index_early(
            document,
            offset,
            interrupt,
            query,
            |_, _| false,
            Some(&accepts),
        )?;
        Ok(found.ok_or(RenameError::NotAName)??)
    }

    /// The changes that rename the name at `offset`. Waits for the index.
    ///
    /// # Errors
    /// Why it is not renamed. A rename with uncertain uses is refused unless the request allows it.
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
        for _ in 0..MAX_RETRIES {
            let module = |index: &Index, file| index.module_at(file, offset);
            let module = self.query_index(document, offset, interrupt, module, |_, _| true)?;
            if let Some(module) = module.flatten() {
                return self.rename_module(&module, request, interrupt);
            }
            let old = self.prepare_rename(document, offset, interrupt)?.name;
            let Some(texts) = self.texts_containing(document, offset, &old, interrupt)? else {
                continue;
            };
            let holding: Vec<FileId> = texts.keys().copied().collect();
            let text = |file: FileId| texts.get(&file).map(|known| known.1.clone());
            let sources = RenameSources { text: &text, files_with_name: &holding, interrupt };
            let query = |index: &Index, file| index.rename(file, offset, request, &sources);
            let planned = self.query_index(document, offset, interrupt, query, |_, _| true)?;
            let plan = planned.ok_or(RenameError::NotAName)??;
            if let Some(rename) = self.resolve_plan(&plan, &texts, interrupt) {
                return Ok(rename);
            }
        }
        Err(QueryError::DocumentChanged.into())
    }

    /// The texts of the files that name `name`, and of those that contain it and may use it by a macro. `None`
    /// if one changed meanwhile.
    fn texts_containing(
        &self,
        document: &Document,
        offset: usize,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Result<Option<TextsByFile>, QueryError> {
        let candidates = |index: &Index, file: FileId| {
            let mut sure: Vec<FileId> = index.files_naming(name).collect();
            sure.push(file);
            sure.sort_unstable();
            sure.dedup();
            let searched = index.files_whose_macros_may_use(file);
            let searched: Vec<FileId> =
                searched.filter(|f| sure.binary_search(f).is_err()).collect();
            (sure, searched)
        };
        let found = self.query_index(document, offset, interrupt, candidates, |_, _| true)?;
        let Some((sure, searched)) = found else { return Ok(None) };
        let read = |file: &FileId| {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            let state = self.indexer.state(*file);
            let (uri, text) = self.text_of(*file, interrupt)?;
            Some((*file, (uri, text, state)))
        };
        let mut texts = TextsByFile::default();
        for file in &sure {
            let Some((file, known)) = read(file) else { return Ok(None) };
            texts.insert(file, known);
        }
        let holds = |(_, known): &(FileId, (Arc<str>, Text, FileState))| {
            known.1.slice(0..known.1.len()).contains(name)
        };
        let more = searched.par_iter().map(|file| Some(Some(read(file)?).filter(holds)));
        let more: Option<Vec<_>> = more.collect();
        if interrupt.load(Ordering::Relaxed) {
            return Err(QueryError::Interrupted);
        }
        let Some(more) = more else { return Ok(None) };
        texts.extend(more.into_iter().flatten());
        Ok(Some(texts))
    }

    /// The changes that rename a module: its imports, and the path of its file or folder.
    fn rename_module(
        &self,
        module: &RenamableModule,
        request: RenameRequest<'_>,
        interrupt: &AtomicBool,
    ) -> Result<Rename, RenameFailure> {
        let moves = self.indexer.index.read().module_moves(module, request.new)?;
        let pairs: Vec<_> = moves.iter().map(|m| (m.from.clone(), m.to.clone())).collect();
        let mut rename = match pairs.is_empty() {
            true => Rename::default(),
            false => self.pairs_follow(&pairs, interrupt)?,
        };
        rename.old.clone_from(&module.name);
        if module.needs_declaration() && !moves.is_empty() && rename.files.is_empty() {
            let (name, why) = (module.name.clone(), "it is not certain which file declares it");
            return Err(RenameError::NotRenamable { name, why: why.to_owned() }.into());
        }
        for moved in &moves {
            let (from, to) = self.resolve_move(moved).ok_or(QueryError::DocumentChanged)?;
            rename.moves.push((uri_of_path(&from.path.absolute()).into(), to));
        }
        for file in &mut rename.files {
            let unsure = file.edits.extract_if(.., |edit| edit.2 == RenameReason::Unsure);
            rename.left_out.extend(unsure.map(|(span, new, _)| UnsureUse {
                uri: file.uri.clone(),
                text: file.text.clone(),
                span,
                why: format!("may have to become `{new}`"),
            }));
        }
        rename.files.retain(|file| !file.edits.is_empty());
        if !request.allow_unsure && !rename.left_out.is_empty() {
            let places = rename.left_out.iter().map(|unsure_use| RenameProblem {
                file: moves.first().map_or(FileId(0), |m| m.file),
                path: self
                    .locate(&unsure_use.uri)
                    .map_or_else(|_| String::new(), |p| p.display_path()),
                line: unsure_use.text.line_of(unsure_use.span.start) + 1,
                span: unsure_use.span.clone(),
                why: unsure_use.why.clone(),
            });
            let (name, places) = (module.name.clone(), RenameProblems(places.collect()));
            return Err(RenameError::Unsure { name, places }.into());
        }
        Ok(rename)
    }

    /// The old and the new path of a file or folder that moves.
    fn resolve_move(&self, moved: &FileMove) -> Option<(MovedPath, FilePath)> {
        let mut path = self.indexer.entry(moved.file).path?;
        // For a folder, the plan refers to a file inside it.
        let inner = index_name(&self.roots, &path);
        let below = inner.strip_prefix(&*moved.from)?.matches('/').count();
        for _ in 0..below {
            path.relative.pop();
        }
        let mut to = path.clone();
        to.relative.set_file_name(moved.to.rsplit('/').next()?);
        Some((MovedPath { path, is_folder: below > 0 }, to))
    }

    /// Resolves a plan to texts; `None` if a file has changed since it was indexed.
    pub(super) fn resolve_plan(
        &self,
        plan: &RenamePlan,
        texts: &TextsByFile,
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
            let (from, to) = self.resolve_move(moved)?;
            let known = texts.get(&moved.file).filter(|_| !from.is_folder);
            let uri =
                known.map_or_else(|| uri_of_path(&from.path.absolute()).into(), |t| t.0.clone());
            moves.push((uri, to));
        }
        let left_out = plan.uncertain_uses.iter().map(|unsure_use| {
            let known =
                texts.get(&unsure_use.file).map(|(uri, text, _)| (uri.clone(), text.clone()));
            let (uri, text) = known.or_else(|| self.text_of(unsure_use.file, interrupt))?;
            Some(UnsureUse {
                uri,
                text,
                span: unsure_use.span.clone(),
                why: unsure_use.why.clone(),
            })
        });
        let left_out = left_out.collect::<Option<_>>()?;
        Some(Rename { old: plan.old.clone(), files, moves, is_local: plan.is_local, left_out })
    }
}
