//! Finds changed files when the changes were not reported one by one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use super::Stale;
use crate::walk::project_walk;
use crate::{FilePath, Snapshot, Stamp, Workspace, uri_of_path};

impl Workspace {
    /// Marks all files as possibly created, changed or deleted on disk, as after running a program.
    /// [`Snapshot::catch_up`] finds out which.
    pub fn files_may_have_changed(&self) {
        self.indexer().count_disk_change();
        self.indexer().mark_everything();
    }
}

impl super::Indexer {
    fn mark_everything(&self) {
        let mut stale = self.stale.lock();
        if !stale.iter().any(|stale| matches!(stale, Stale::Everything)) {
            stale.push(Stale::Everything);
        }
    }
}

impl Snapshot {
    /// Walks the roots again, re-indexes files whose stamp changed, and forgets deleted ones. It
    /// stats every file, but reads only changed ones.
    pub(super) fn rescan(&self, interrupt: &AtomicBool) {
        if !self.index_progress().complete {
            // The initial indexing may have passed a file before it changed.
            return self.indexer.mark_everything();
        }
        let mut found_uris: FxHashSet<Arc<str>> = FxHashSet::default();
        for root in self.roots() {
            let (sources, projects) = project_walk(root, interrupt);
            let sources = sources.into_iter().map(|(path, _)| path);
            let libraries = self.libraries();
            for path in sources.chain(projects) {
                if libraries.locate(&path.absolute()).is_some() {
                    continue;
                }
                if interrupt.load(Ordering::Relaxed) {
                    return self.indexer.mark_everything();
                }
                let uri: Arc<str> = uri_of_path(&path.absolute()).into();
                if !self.is_current(&uri, &path) {
                    self.refresh(&path, interrupt);
                }
                found_uris.insert(uri);
            }
        }
        if interrupt.load(Ordering::Relaxed) {
            return self.indexer.mark_everything();
        }
        // Ignored files are not walked, but may be in the index.
        for (uri, path) in self.files_from_disk() {
            if !found_uris.contains(&uri) && !self.is_current(&uri, &path) {
                self.refresh(&path, interrupt);
            }
        }
    }

    /// Whether the facts of a file are current. Those of an open document never depend on the disk.
    fn is_current(&self, uri: &str, path: &FilePath) -> bool {
        let known = {
            let mut files = self.indexer.files.lock();
            if let Some(stamp) = files.projects.get(uri) {
                Some(*stamp)
            } else {
                match files.ids.get(uri).copied().map(|id| files.entry(id).clone()) {
                    Some(entry) if entry.revision != 0 => return true,
                    Some(entry) => entry.stamp,
                    None => None,
                }
            }
        };
        let found = path.root.stat(&path.relative).ok().map(|stat| Stamp::from_stat(&stat));
        known.is_some() && found == known
    }

    /// All files whose facts come from the disk.
    fn files_from_disk(&self) -> Vec<(Arc<str>, FilePath)> {
        let files = self.indexer.files.lock();
        let sources = files.entries.iter().filter(|entry| entry.stamp.is_some());
        let sources = sources.filter_map(|entry| Some((entry.uri.clone(), entry.path.clone()?)));
        let projects = files.projects.keys().filter_map(|uri| {
            let path = self.locate(uri).ok()?;
            Some((uri.clone(), path))
        });
        sources.chain(projects).collect()
    }
}
