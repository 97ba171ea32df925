//! Reading dependencies as far as a question leads into them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use names::{FileId, Wanted, noting};

use super::QueryError;
use crate::libraries::{indexed, is_inside};
use crate::platform::Opening;
use crate::resolve::resolve;
use crate::walk::language_of;
use crate::{FileError, FilePath, Snapshot};

/// Most rounds of reading what the answer so far leads to.
const ROUNDS: usize = 16;
/// Most files that one question has read.
const FILES: usize = 128;
/// Longest time that one question reads.
const TIME: Duration = Duration::from_millis(400);
/// How many files one question has read, and how long it reads.
pub(super) const DEPENDENCIES: (usize, Duration) = (FILES, TIME);
/// The largest file of a dependency that is read for its names.
const LARGEST: u64 = 2 << 20;
/// Most files of a folder that is read as one package.
const PACKAGE: usize = 200;
/// The most memory that what is known of dependencies may take.
const MEMORY: usize = 96 << 20;
/// How long what was not there counts as not there.
const ABSENT: Duration = Duration::from_secs(20);

impl Snapshot {
    /// Asks, reads what of dependencies the answer would need, and asks again.
    pub(super) fn with_dependencies<T>(
        &self,
        interrupt: &AtomicBool,
        ask: impl FnMut() -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        self.with_some_dependencies(DEPENDENCIES, interrupt, ask)
    }

    /// The same, with no more than so many files read and for no longer than that.
    pub(super) fn with_some_dependencies<T>(
        &self,
        (files, time): (usize, Duration),
        interrupt: &AtomicBool,
        mut ask: impl FnMut() -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let deadline = Instant::now() + time;
        let mut left = files;
        for _ in 0..ROUNDS {
            let (answer, wanted) = noting(&mut ask);
            let answer = answer?;
            let mut is_new = false;
            for wanted in wanted {
                if left == 0 || Instant::now() > deadline {
                    break;
                }
                if interrupt.load(Ordering::Relaxed) {
                    return Err(QueryError::Interrupted);
                }
                let read = self.fetch(&wanted, interrupt);
                is_new |= read > 0;
                left = left.saturating_sub(read);
            }
            if !is_new {
                return Ok(answer);
            }
        }
        ask()
    }

    /// Brings something of a dependency into the index; how much was read.
    fn fetch(&self, wanted: &Wanted, interrupt: &AtomicBool) -> usize {
        let key = format!("{wanted:?}");
        {
            let mut absent = self.indexer.absent.lock();
            match absent.get(&*key) {
                Some(since) if since.elapsed() < ABSENT => return 0,
                // What is there is not asked for again; what was not may be there by now.
                _ => drop(absent.insert(key.into(), Instant::now())),
            }
        }
        match wanted {
            Wanted::File(path) => self.fetch_file(path, interrupt),
            Wanted::Folder(path) => self.fetch_folder(path, interrupt),
            Wanted::Module { from, name } => self.fetch_module(*from, name, interrupt),
        }
    }

    fn fetch_file(&self, indexed: &str, interrupt: &AtomicBool) -> usize {
        if language_of(indexed.as_ref()).is_none() {
            return 0;
        }
        let libraries = self.libraries();
        let Some(path) = libraries.place_of(indexed) else { return 0 };
        libraries.unpack(&path);
        let read = self.index_library_file(&path, indexed, interrupt);
        usize::from(read.is_ok())
    }

    /// Takes up a file of a dependency under its path in the index; links are followed as far as
    /// they stay inside of what is known.
    fn index_library_file(
        &self,
        path: &FilePath,
        indexed: &str,
        interrupt: &AtomicBool,
    ) -> Result<FileId, FileError> {
        let path = self.followed(path)?;
        // What links lead to is known by where it lies.
        let at = self.libraries().place(&path.absolute()).filter(|_| !path.ways().is_empty());
        let indexed = at.and_then(|at| self::indexed(&at)).unwrap_or_else(|| indexed.to_owned());
        let stat = path.root.stat(&path.relative);
        let stat = stat.map_err(|e| FileError::from_errno(&path.shown(), "looking up", e))?;
        if stat.size() > LARGEST {
            let (path, size) = (path.shown(), stat.size());
            return Err(FileError::TooLarge { path, size, limit: LARGEST });
        }
        self.make_room();
        self.index_as(&path, &indexed, interrupt)
    }

    fn fetch_folder(&self, indexed: &str, interrupt: &AtomicBool) -> usize {
        let Some(path) = self.libraries().place_of(indexed) else { return 0 };
        let Ok(dir) = path.root.open_at(&path.relative, Opening::Folder) else { return 0 };
        let Ok(names) = crate::platform::names_in(&dir) else { return 0 };
        self.indexer.index.write().insert_library_folder(indexed);
        let names = names.filter_map(|name| name.ok()?.into_string().ok());
        // Where a folder is one package, its files are needed together.
        let is_part = |name: &String| name.ends_with(".go") && !name.ends_with("_test.go");
        let parts: Vec<_> = names.filter(is_part).take(PACKAGE).collect();
        let read = parts.iter().filter(|name| {
            let path = path.join(name);
            let indexed = format!("{indexed}/{name}");
            self.index_library_file(&path, &indexed, interrupt).is_ok()
        });
        read.count().max(1)
    }

    fn fetch_module(&self, from: FileId, name: &str, interrupt: &AtomicBool) -> usize {
        let Some(from_path) = self.indexer.entry(from).path else { return 0 };
        let Some(found) = self.node_module(&from_path, name) else { return 0 };
        let read = match self.libraries().place(&found.absolute()).and_then(|p| indexed(&p)) {
            Some(indexed) => self.index_library_file(&found, &indexed, interrupt),
            // A link back into the project.
            None => self.known_file(&found).ok_or(FileError::NotFound { path: found.shown() }),
        };
        let Ok(to) = read else { return 0 };
        self.indexer.index.write().link(from, name, to);
        1
    }

    /// Drops what is known of dependencies once it is too much.
    fn make_room(&self) {
        if self.indexer.index.read().library_bytes() > MEMORY {
            self.indexer.index.write().drop_libraries();
            self.indexer.absent.lock().clear();
        }
    }

    /// Where a place of a dependency is once links are followed: from within the roots inside of
    /// them, from elsewhere to wherever dependencies lie.
    pub(super) fn followed(&self, path: &FilePath) -> Result<FilePath, FileError> {
        let mut all: Vec<_> = self.roots.to_vec();
        if !is_inside(&path.root, &self.roots) {
            all.extend(self.libraries().outside(&self.roots).cloned());
        }
        resolve(&all, &path.root, &path.relative, &path.shown())
    }
}
