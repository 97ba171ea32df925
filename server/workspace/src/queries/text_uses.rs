//! Finds uses of a name that only the texts of files show: keys in strings, code in macros.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use names::{FileId, RenameSources, UncertainReference};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use text::Text;

use crate::{Document, Snapshot, Source};

/// Maximum number of files searched per query.
const MAX_FILES: usize = 20_000;

/// How long a query waits for the index before it skips this search.
const INDEX_WAIT_LIMIT: Duration = Duration::from_millis(250);

impl Snapshot {
    /// Uncertain uses of the name at `offset` that only texts show. Files that have changed since
    /// they were indexed are skipped.
    pub(super) fn uses_in_texts(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Vec<UncertainReference> {
        // During the initial indexing, certain uses must not wait for all texts.
        let snapshot = self.with_index_timeout(INDEX_WAIT_LIMIT);
        let _ = snapshot.wait_for_index(interrupt);
        if snapshot.partial_index_progress().is_some() {
            return Vec::new();
        }
        let Some(file) = self.index_document(document, interrupt) else { return Vec::new() };
        let (name, files): (_, Vec<FileId>) = {
            let index = self.indexer.index.read();
            let Some(name) = index.shared_name(file, offset) else { return Vec::new() };
            (name, index.files_whose_texts_may_mention(file).take(MAX_FILES).collect())
        };
        // Read the files without holding the index lock: it takes long.
        let read = |file: &FileId| {
            let text =
                self.text_if_current(*file).filter(|_| !interrupt.load(Ordering::Relaxed))?;
            text.slice(0..text.len()).contains(&name).then_some((*file, text))
        };
        let texts: FxHashMap<FileId, Text> = files.par_iter().filter_map(read).collect();
        let mut holding: Vec<FileId> = texts.keys().copied().collect();
        holding.sort_unstable();
        let text = |file: FileId| texts.get(&file).cloned();
        let sources = RenameSources { text: &text, files_with_name: &holding, interrupt };
        self.indexer.index.read().uncertain_references_in_texts(file, offset, &sources)
    }

    /// The text of a file if it is the indexed one.
    fn text_if_current(&self, file: FileId) -> Option<Text> {
        let entry = self.indexer.entry(file);
        let open = match &entry.path {
            Some(path) => self.open_document(path),
            None => self.document(&entry.uri),
        };
        if let Some(document) = open {
            let current = entry.revision == document.revision();
            return current.then(|| document.text().clone());
        }
        let read = self.read_disk(&entry.path?).ok()?;
        let current = matches!(&read.source, Source::Disk(s) if Some(*s) == entry.stamp);
        current.then_some(read.text)
    }
}
