//! Taking up what is kept of an earlier index, and keeping this one.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use names::FileId;

use super::index_name;
use crate::index_cache::{IndexCache, keep};
use crate::{EntryKind, FilePath, Snapshot, Stamp, uri_of_path};

/// An index is kept anew once one file in so many was read.
const WORTH: usize = 50;

impl Snapshot {
    /// Whether the facts of a file are kept, and those of its state; they are taken up then, and
    /// the file is not opened.
    pub(super) fn take_up_kept(&self, path: &FilePath, kept: &IndexCache) -> bool {
        let Ok(stat) = path.root.stat(&path.relative) else { return false };
        if stat.kind() != EntryKind::File {
            return false;
        }
        let (uri, stamp) = (uri_of_path(&path.absolute()), Stamp::of(&stat));
        let Some(packed) = kept.packed(&uri, stamp) else { return false };
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, Some(path));
        let entry = files.entry(id);
        // Unsaved text counts.
        if entry.revision == 0 {
            entry.stamp = Some(stamp);
            index.insert_packed(id, &index_name(&self.roots, path), packed);
        }
        true
    }

    /// Keeps the index for the next start, where enough of it is new: `read` of `total` files.
    pub(super) fn keep_index(&self, read: usize, total: usize, begun: SystemTime) {
        let Some(cache) = &self.indexer.cache else { return };
        if read == 0 || read < total / WORTH {
            return;
        }
        let mut all = Vec::new();
        for (id, entry) in self.indexer.files.lock().entries.iter().enumerate() {
            if let (Some(stamp), 0) = (entry.stamp, entry.revision) {
                all.push((FileId(id as u32), entry.uri.clone(), stamp));
            }
        }
        let all = all.into_iter().filter_map(|(id, uri, stamp)| {
            // One at a time: the index is not held while a disk is waited for.
            let packed = {
                let index = self.indexer.index.read();
                // Dependencies are read anew, as far as they are asked for.
                (!index.is_library(id)).then(|| index.packed(id))??
            };
            // Unsaved text that came in between is not what the disk holds.
            let same = self.indexer.state(id) == (Some(stamp), 0);
            same.then_some((uri, stamp, packed))
        });
        if let Err(error) = keep(cache, &self.roots, all, begun) {
            tracing::debug!("the index is not kept: {error}");
        }
    }

    /// Has the first question that needs the index build it, where nobody does so in the
    /// background.
    pub fn index_on_demand(&self) {
        self.indexer.on_demand.store(true, Ordering::Relaxed);
    }

    /// Begins to read every file if that is left to the first query. On a thread of its own: the
    /// query has the files that it needs read first, and may be cancelled.
    pub(crate) fn begin_index(&self) {
        if !self.indexer.on_demand.swap(false, Ordering::Relaxed) {
            return;
        }
        let snapshot = self.clone();
        let build = move || snapshot.build_index(&AtomicBool::new(false), &|_| {});
        if std::thread::Builder::new().name("index".to_owned()).spawn(build).is_err() {
            self.build_index(&AtomicBool::new(false), &|_| {});
        }
    }
}
