//! Finds out what has changed where nobody said which files.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use super::Stale;
use crate::walk::project_walk;
use crate::{FilePath, Snapshot, Stamp, Workspace, uri_of_path};

impl Workspace {
    /// Takes note that any files may have been created, changed or deleted on disk, as a program
    /// may do. [`Snapshot::catch_up`] finds out which.
    pub fn files_may_have_changed(&self) {
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
    /// Walks the roots once more, reads the files whose state is not the one that the facts are
    /// of, and forgets those that are gone. O(files) looks, and no reading of what is the same.
    pub(super) fn look_again(&self, interrupt: &AtomicBool) {
        if !self.index_progress().complete {
            // The first reading may have been past a file that changed then.
            return self.indexer.mark_everything();
        }
        let mut there: FxHashSet<Arc<str>> = FxHashSet::default();
        for root in self.roots() {
            let (sources, projects) = project_walk(root, interrupt);
            let sources = sources.into_iter().map(|(path, _)| path);
            let libraries = self.libraries();
            for path in sources.chain(projects) {
                if libraries.place(&path.absolute()).is_some() {
                    continue;
                }
                if interrupt.load(Ordering::Relaxed) {
                    return self.indexer.mark_everything();
                }
                let uri: Arc<str> = uri_of_path(&path.absolute()).into();
                if !self.is_known(&uri, &path) {
                    self.refresh(&path, interrupt);
                }
                there.insert(uri);
            }
        }
        if interrupt.load(Ordering::Relaxed) {
            return self.indexer.mark_everything();
        }
        // What no walk meets, as it is ignored, may be known all the same.
        for (uri, path) in self.known() {
            if !there.contains(&uri) && !self.is_known(&uri, &path) {
                self.refresh(&path, interrupt);
            }
        }
    }

    /// Whether the facts of a closed file are those of its state on disk; an open document's are
    /// none of the disk's.
    fn is_known(&self, uri: &str, path: &FilePath) -> bool {
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
        let found = path.root.stat(&path.relative).ok().map(|stat| Stamp::of(&stat));
        known.is_some() && found == known
    }

    /// Everything that has facts of a state on disk.
    fn known(&self) -> Vec<(Arc<str>, FilePath)> {
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
