//! Uses of a name that only the texts of files show: keys in strings, code in macros.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use names::{FileId, RenameSources, UnsureUse};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use text::Text;

use crate::{Document, Snapshot, Source};

/// Most files whose texts are searched for one query.
const MOST: usize = 20_000;

/// How long a query waits for the rest of the workspace before it leaves the texts out.
const PATIENCE_FOR_TEXTS: Duration = Duration::from_millis(250);

impl Snapshot {
    /// The places that only the texts show and that may mean the name at `offset`. Files that have
    /// changed since they were read into the index are passed over.
    pub(super) fn uses_in_texts(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Vec<UnsureUse> {
        // While a workspace is first read, the sure uses are not kept waiting for all of its texts.
        let patient = self.waiting_at_most(PATIENCE_FOR_TEXTS);
        let _ = patient.wait_for_index(interrupt);
        if patient.unfinished_reading().is_some() {
            return Vec::new();
        }
        let Some(file) = self.index_document(document, interrupt) else { return Vec::new() };
        let (name, files): (_, Vec<FileId>) = {
            let index = self.indexer.index.read();
            let Some(name) = index.shared_name(file, offset) else { return Vec::new() };
            (name, index.files_with_texts_like(file).take(MOST).collect())
        };
        // Reading takes long: nobody who writes to the index waits for it.
        let read = |file: &FileId| {
            let text =
                self.text_if_current(*file).filter(|_| !interrupt.load(Ordering::Relaxed))?;
            text.slice(0..text.len()).contains(&name).then_some((*file, text))
        };
        let texts: FxHashMap<FileId, Text> = files.par_iter().filter_map(read).collect();
        let mut holding: Vec<FileId> = texts.keys().copied().collect();
        holding.sort_unstable();
        let text = |file: FileId| texts.get(&file).cloned();
        let sources = RenameSources { text: &text, holding: &holding, interrupt };
        self.indexer.index.read().unsure_in_texts(file, offset, &sources)
    }

    /// The text of a file, where the index has read that very text.
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
