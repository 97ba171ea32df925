//! Lists which files in watched folders were touched since the last query.
//!
//! There is no background thread: the system queues events, and the query drains them. Everything
//! done before the query is included, because events are queued before the causing system call
//! returns. Not included are writes through memory-mapped files, and through another hard link
//! outside the folders.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Root;
use crate::platform::{Errno, EventKinds, FolderEvents, Opening, reports_all_changes, stat};

/// Maximum number of watched folders.
const MAX_FOLDERS: usize = 32_768;
/// Maximum number of paths in a result.
const MAX_PATHS: usize = 16_384;

/// Watched folders below a root.
#[derive(Debug)]
pub struct TouchedFiles {
    events: FolderEvents,
    /// The folders of each watch; one may have several paths.
    folders: FxHashMap<i32, Vec<PathBuf>>,
    base: i32,
}

impl TouchedFiles {
    /// Watches no folders yet; `None` if this system cannot watch.
    #[must_use]
    pub fn new() -> Option<Self> {
        Some(Self {
            events: FolderEvents::new(EventKinds::All).ok()?,
            folders: FxHashMap::default(),
            base: -1,
        })
    }

    /// Watches exactly these folders below `root` from now on: `base` and some below it, each after
    /// its parent. Earlier events are dropped. Returns whether all changes will be reported; a
    /// missing folder, or a link, counts as reported.
    pub fn watch<'p>(
        &mut self,
        root: &Root,
        base: &'p Path,
        folders: impl Iterator<Item = &'p Path>,
        stop: &AtomicBool,
    ) -> bool {
        // Events that were lost before do not matter from now on.
        if self.events.drain(&mut |_| ()).is_err() {
            return false;
        }
        self.folders.clear();
        let mut device = None;
        for (count, folder) in std::iter::once(base).chain(folders).enumerate() {
            if count > MAX_FOLDERS || stop.load(Ordering::Relaxed) {
                return false;
            }
            let handle = match root.open_at(folder, Opening::Traverse) {
                Ok(handle) => handle,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if count > 0 => continue,
                Err(_) => return false,
            };
            let Ok(found) = stat(&handle) else { return false };
            // Another file system may not report all changes.
            if *device.get_or_insert(found.device()) != found.device()
                || (count == 0 && !reports_all_changes(&handle))
            {
                return false;
            }
            let number = match self.events.add(&handle) {
                Ok(number) => number,
                Err(errno) => {
                    tracing::debug!("{}: is not watched: {errno}", folder.display());
                    return false;
                }
            };
            if count == 0 {
                self.base = number;
            }
            let known = self.folders.entry(number).or_default();
            if !known.iter().any(|path| path == folder) {
                known.push(folder.to_owned());
            }
        }
        true
    }

    /// The paths below the root that were touched since the last call: files that were added,
    /// removed or may have changed, and folders that were added, removed or moved, with all their
    /// contents. `None` if events were lost; the folders must then be watched again.
    pub fn drain(&mut self) -> Option<Vec<PathBuf>> {
        let mut paths = FxHashSet::default();
        let (folders, base) = (&self.folders, self.base);
        let mut is_known = true;
        let is_all = self.events.drain(&mut |event| {
            // The watched folder itself was moved or removed.
            is_known &= event.name.is_some() || event.folder != base;
            // Events of folders that are no longer watched may still arrive.
            for folder in folders.get(&event.folder).into_iter().flatten() {
                if paths.len() < MAX_PATHS {
                    paths.insert(match event.name {
                        Some(name) => folder.join(OsStr::from_bytes(name)),
                        None => folder.clone(),
                    });
                }
            }
        });
        let is_known = is_known && matches!(is_all, Ok(true)) && paths.len() < MAX_PATHS;
        is_known.then(|| paths.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn touched_files_are_reported_at_once() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |path: &str| temporary.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir(at("unwatched")).unwrap();
        fs::write(at("a/f"), "").unwrap();
        let root = Root::open(temporary.path()).unwrap();
        let mut touched = TouchedFiles::new().unwrap();
        let never = AtomicBool::new(false);
        let folders = ["a", "a/b", "missing"].map(Path::new);
        if !touched.watch(&root, Path::new(""), folders.into_iter(), &never) {
            eprintln!("this file system does not report changes");
            return;
        }
        let mut touched_paths = || {
            let mut paths: Vec<String> =
                touched.drain()?.iter().map(|path| path.display().to_string()).collect();
            paths.sort();
            Some(paths.join(" "))
        };
        assert_eq!(touched_paths().unwrap(), "");
        for round in 0..200 {
            fs::write(at("a/f"), round.to_string()).unwrap();
            assert_eq!(touched_paths().unwrap(), "a/f");
        }
        fs::write(at("unwatched/x"), "").unwrap();
        assert_eq!(touched_paths().unwrap(), "");
        fs::create_dir(at("missing")).unwrap();
        fs::rename(at("a/b"), at("c")).unwrap();
        fs::write(at("c/x"), "").unwrap();
        assert_eq!(touched_paths().unwrap(), "a/b a/b/x c missing");
        fs::rename(temporary.path(), temporary.path().with_extension("moved")).unwrap();
        assert_eq!(touched_paths(), None);
        fs::rename(temporary.path().with_extension("moved"), temporary.path()).unwrap();
    }
}
