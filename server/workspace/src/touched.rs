//! Which files of some folders have been touched since somebody last asked.
//!
//! Nothing runs meanwhile: the system notes what happens, and is asked. What was done before the
//! question is in the answer, as it is noted before whoever did it goes on. Not noted is what is
//! written through memory that a file is mapped to, or by another name of the same file outside
//! the folders.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Root;
use crate::platform::{Changes, Errno, Events, Opening, are_changes_noted, stat};

/// Most folders of one watch.
const MOST_FOLDERS: usize = 32_768;
/// Most paths that are told one by one.
const MOST_PATHS: usize = 16_384;

/// Folders below a root of which is known what was touched in them.
#[derive(Debug)]
pub struct Touched {
    events: Events,
    /// The folders by their numbers; one may be known by several paths.
    folders: FxHashMap<i32, Vec<PathBuf>>,
    base: i32,
}

impl Touched {
    /// Of no folders yet; `None` where this system cannot tell.
    #[must_use]
    pub fn new() -> Option<Self> {
        Some(Self {
            events: Events::new(Changes::All).ok()?,
            folders: FxHashMap::default(),
            base: -1,
        })
    }

    /// Watches these folders below `root` from now on, and no others: `base` and some below it, each
    /// after the one that it lies in. Forgets what was touched before. Answers whether everything
    /// that happens there will be known; a folder that is missing, or a link, is known to be so.
    pub fn watch<'p>(
        &mut self,
        root: &Root,
        base: &'p Path,
        folders: impl Iterator<Item = &'p Path>,
        stop: &AtomicBool,
    ) -> bool {
        // What was lost before makes no difference from now on.
        if self.events.take(&mut |_| ()).is_err() {
            return false;
        }
        self.folders.clear();
        let mut device = None;
        for (count, folder) in std::iter::once(base).chain(folders).enumerate() {
            if count > MOST_FOLDERS || stop.load(Ordering::Relaxed) {
                return false;
            }
            let handle = match root.open_at(folder, Opening::Through) {
                Ok(handle) => handle,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) if count > 0 => continue,
                Err(_) => return false,
            };
            let Ok(found) = stat(&handle) else { return false };
            // Another file system may not tell.
            if *device.get_or_insert(found.device()) != found.device()
                || (count == 0 && !are_changes_noted(&handle))
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

    /// The paths below the root that were touched since the last time: files that came, went or may
    /// have changed, and folders that came, went or were moved, with whatever is in them now. `None`
    /// where that is not known any more, for good.
    pub fn take(&mut self) -> Option<Vec<PathBuf>> {
        let mut paths = FxHashSet::default();
        let (folders, base) = (&self.folders, self.base);
        let mut is_known = true;
        let is_all = self.events.take(&mut |noted| {
            // The watched folder itself moved, or went.
            is_known &= noted.name.is_some() || noted.folder != base;
            // Of one that is watched no longer there may be more to come.
            for folder in folders.get(&noted.folder).into_iter().flatten() {
                if paths.len() < MOST_PATHS {
                    paths.insert(match noted.name {
                        Some(name) => folder.join(OsStr::from_bytes(name)),
                        None => folder.clone(),
                    });
                }
            }
        });
        let is_known = is_known && matches!(is_all, Ok(true)) && paths.len() < MOST_PATHS;
        is_known.then(|| paths.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_was_done_is_known_at_once() {
        let temporary = tempfile::tempdir().unwrap();
        let at = |path: &str| temporary.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        fs::create_dir(at("unwatched")).unwrap();
        fs::write(at("a/f"), "").unwrap();
        let root = Root::open(temporary.path()).unwrap();
        let mut touched = Touched::new().unwrap();
        let never = AtomicBool::new(false);
        let folders = ["a", "a/b", "missing"].map(Path::new);
        if !touched.watch(&root, Path::new(""), folders.into_iter(), &never) {
            eprintln!("this file system does not tell");
            return;
        }
        let mut told = || {
            let mut paths: Vec<String> =
                touched.take()?.iter().map(|path| path.display().to_string()).collect();
            paths.sort();
            Some(paths.join(" "))
        };
        assert_eq!(told().unwrap(), "");
        for round in 0..200 {
            fs::write(at("a/f"), round.to_string()).unwrap();
            assert_eq!(told().unwrap(), "a/f");
        }
        fs::write(at("unwatched/x"), "").unwrap();
        assert_eq!(told().unwrap(), "");
        fs::create_dir(at("missing")).unwrap();
        fs::rename(at("a/b"), at("c")).unwrap();
        fs::write(at("c/x"), "").unwrap();
        assert_eq!(told().unwrap(), "a/b a/b/x c missing");
        fs::rename(temporary.path(), temporary.path().with_extension("moved")).unwrap();
        assert_eq!(told(), None);
        fs::rename(temporary.path().with_extension("moved"), temporary.path()).unwrap();
    }
}
