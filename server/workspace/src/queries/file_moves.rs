//! Updates imports when files and folders are moved.

use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, RenameEdit, RenamePlan, RenameSources};

use super::rename::TextsByFile;
use super::{MAX_RETRIES, QueryError, Rename};
use crate::Snapshot;
use crate::indexer::index_name;

/// Maximum number of files and folders that are moved at once.
const MAX_MOVES: usize = 1_000;

impl Snapshot {
    /// The edits that keep imports valid when files and folders are about to be moved, given as
    /// pairs of URIs (from, to). Waits for the index.
    ///
    /// # Errors
    /// When interrupted, or when a document has changed.
    pub fn imports_follow(
        &self,
        moves: &[(String, String)],
        interrupt: &AtomicBool,
    ) -> Result<Rename, QueryError> {
        let pairs: Vec<(String, String)> = moves
            .iter()
            .take(MAX_MOVES)
            .filter_map(|(from, to)| {
                let (from, to) = (self.locate_entry(from).ok()?, self.locate(to).ok()?);
                let name = |path| index_name(&self.roots, path);
                Some((name(&from), name(&to))).filter(|(from, to)| from != to)
            })
            .collect();
        let mut rename = Rename::default();
        if let [(from, _)] = &pairs[..] {
            rename.old = from.rsplit('/').next().unwrap_or(from).to_owned();
        }
        if pairs.is_empty() {
            return Ok(rename);
        }
        Ok(Rename { old: rename.old, ..self.pairs_follow(&pairs, interrupt)? })
    }

    /// As [`Snapshot::imports_follow`], for pairs of index paths.
    pub(super) fn pairs_follow(
        &self,
        pairs: &[(String, String)],
        interrupt: &AtomicBool,
    ) -> Result<Rename, QueryError> {
        self.apply_file_changes(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
        self.wait_for_index(interrupt)?;
        for _ in 0..MAX_RETRIES {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let files_with_imports = self.indexer.index.read().files_affected_by_move(pairs);
            let Some(texts) = self.texts_of(&files_with_imports, interrupt) else { continue };
            let edits = self.moved_edits(pairs, &files_with_imports, &texts, interrupt);
            let plan = RenamePlan { edits, ..RenamePlan::default() };
            if let Some(found) = self.resolve_plan(&plan, &texts, interrupt) {
                return Ok(found);
            }
        }
        Err(QueryError::DocumentChanged)
    }

    fn texts_of(&self, files: &[FileId], interrupt: &AtomicBool) -> Option<TextsByFile> {
        let mut texts = TextsByFile::default();
        for &file in files {
            let state = self.indexer.state(file);
            let (uri, text) = self.text_of(file, interrupt)?;
            texts.insert(file, (uri, text, state));
        }
        Some(texts)
    }

    /// The edits of imports that refer to moved files.
    fn moved_edits(
        &self,
        pairs: &[(String, String)],
        files_with_imports: &[FileId],
        texts: &TextsByFile,
        interrupt: &AtomicBool,
    ) -> Vec<RenameEdit> {
        let text = |file: FileId| texts.get(&file).map(|known| known.1.clone());
        let sources = RenameSources { text: &text, files_with_name: files_with_imports, interrupt };
        self.indexer.index.read().import_edits_for_move(pairs, &sources)
    }
}
