//! Loads facts from the stored index, and stores the index.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use names::FileId;

use super::shared_facts::share;
use super::{index_name, with_indexing_threads};
use crate::index_cache::{IndexCache, save};
use crate::{EntryKind, FilePath, Snapshot, Stamp, uri_of_path};

/// The index is stored again if at least one file in this many was parsed anew.
const MIN_NEW_FRACTION: usize = 50;

impl Snapshot {
    /// Loads the facts of a file from the stored index if its stamp is unchanged. Returns whether
    /// it did; the file is not opened then.
    pub(super) fn load_cached_facts(&self, path: &FilePath, kept: &IndexCache) -> bool {
        let Ok(stat) = path.root.stat(&path.relative) else { return false };
        if stat.kind() != EntryKind::File {
            return false;
        }
        let (uri, stamp) = (uri_of_path(&path.absolute()), Stamp::from_stat(&stat));
        let Some(packed) = kept.packed(&uri, stamp) else { return false };
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, Some(path));
        let entry = files.entry(id);
        // The text of an open document takes precedence.
        if entry.revision == 0 {
            entry.stamp = Some(stamp);
            index.insert_packed(id, &index_name(&self.roots, path), share(packed));
        }
        true
    }

    /// Stores the index for the next start if enough of it is new: `read` of `total` files.
    pub(super) fn store_index(&self, read: usize, total: usize, begun: SystemTime) {
        let Some(cache) = &self.indexer.cache else { return };
        if read == 0 || read < total / MIN_NEW_FRACTION {
            return;
        }
        let mut all = Vec::new();
        for (id, entry) in self.indexer.files.lock().entries.iter().enumerate() {
            if let (Some(stamp), 0) = (entry.stamp, entry.revision) {
                all.push((FileId(id as u32), entry.uri.clone(), stamp));
            }
        }
        let all = all.into_iter().filter_map(|(id, uri, stamp)| {
            // Lock the index per file, not while waiting for the disk.
            let packed = {
                let index = self.indexer.index.read();
                // Dependencies are not stored: they are indexed on demand.
                (!index.is_dependency(id)).then(|| index.packed(id))??
            };
            // A document opened in between has replaced the facts from the disk.
            let same = self.indexer.state(id) == (Some(stamp), 0);
            same.then_some((uri, stamp, packed))
        });
        if let Err(error) = save(cache, &self.roots, all, begun) {
            tracing::debug!("the index could not be stored: {error}");
        }
    }

    /// Makes the first query that needs the index build it, for clients without background
    /// indexing.
    pub fn index_on_demand(&self) {
        self.indexer.on_demand.store(true, Ordering::Relaxed);
    }

    /// Starts the initial indexing if it was left to the first query. It runs on its own thread:
    /// the query indexes the files that it needs first, and may be cancelled.
    pub(crate) fn begin_index(&self) {
        if !self.indexer.on_demand.swap(false, Ordering::Relaxed) {
            return;
        }
        let snapshot = self.clone();
        let build = move || {
            with_indexing_threads(|| snapshot.build_index(&AtomicBool::new(false), &|_| {}));
        };
        if std::thread::Builder::new().name("index".to_owned()).spawn(build).is_err() {
            self.build_index(&AtomicBool::new(false), &|_| {});
        }
    }
}
