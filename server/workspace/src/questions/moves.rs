//! Files that get other paths, and the imports that follow them.

use std::sync::atomic::{AtomicBool, Ordering};

use names::{FileId, RenameEdit, RenamePlan, RenameSources};

use super::rename::Texts;
use super::{QueryError, ROUNDS, Rename};
use crate::Snapshot;
use crate::indexer::index_name;

/// Most files and folders that are moved at once.
const MOST: usize = 1_000;

impl Snapshot {
    /// What changes so that imports still lead to files and folders that are about to get other
    /// paths: their URIs, from and to. Waits for the index.
    ///
    /// # Errors
    /// When interrupted, or when a document has moved on.
    pub fn imports_follow(
        &self,
        moves: &[(String, String)],
        interrupt: &AtomicBool,
    ) -> Result<Rename, QueryError> {
        let pairs: Vec<(String, String)> = moves
            .iter()
            .take(MOST)
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

    /// The same for paths of the index, from and to.
    pub(super) fn pairs_follow(
        &self,
        pairs: &[(String, String)],
        interrupt: &AtomicBool,
    ) -> Result<Rename, QueryError> {
        self.catch_up(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
        self.wait_for_index(interrupt)?;
        for _ in 0..ROUNDS {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let holding = self.indexer.index.read().files_naming_moved(pairs);
            let Some(texts) = self.texts_of(&holding, interrupt) else { continue };
            let edits = self.moved_edits(pairs, &holding, &texts, interrupt);
            let plan = RenamePlan { edits, ..RenamePlan::default() };
            if let Some(found) = self.brought_to_texts(&plan, &texts, interrupt) {
                return Ok(found);
            }
        }
        Err(QueryError::Moved)
    }

    fn texts_of(&self, files: &[FileId], interrupt: &AtomicBool) -> Option<Texts> {
        let mut texts = Texts::default();
        for &file in files {
            let state = self.indexer.state(file);
            let (uri, text) = self.text_of(file, interrupt)?;
            texts.insert(file, (uri, text, state));
        }
        Some(texts)
    }

    fn moved_edits(
        &self,
        pairs: &[(String, String)],
        holding: &[FileId],
        texts: &Texts,
        interrupt: &AtomicBool,
    ) -> Vec<RenameEdit> {
        let text = |file: FileId| texts.get(&file).map(|known| known.1.clone());
        let sources = RenameSources { text: &text, holding, interrupt };
        self.indexer.index.read().imports_follow(pairs, &sources)
    }
}
