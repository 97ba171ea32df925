//! Indexes files of dependencies on demand during a query.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use names::{FileId, MissingDependency, with_missing_dependencies};

use super::QueryError;
use crate::libraries::{indexed_path, is_inside};
use crate::platform::Opening;
use crate::resolve::resolve;
use crate::walk::language_of;
use crate::{FileError, FilePath, Snapshot};

/// Maximum number of rounds: each indexes the files that the previous result refers to.
const MAX_ROUNDS: usize = 16;
/// Maximum number of files that one query indexes.
const MAX_FILES: usize = 128;
/// Time limit of one query for indexing.
const TIME_LIMIT: Duration = Duration::from_millis(400);
/// Both limits of one query.
pub(super) const DEPENDENCY_LIMITS: (usize, Duration) = (MAX_FILES, TIME_LIMIT);
/// Size limit of an indexed file of a dependency.
const MAX_FILE_BYTES: u64 = 2 << 20;
/// Maximum number of files of a folder that is indexed as one package.
const MAX_PACKAGE_FILES: usize = 200;
/// Memory limit of the facts of dependencies.
const MAX_MEMORY: usize = 96 << 20;
/// How long a failed lookup is not repeated.
const RETRY_DELAY: Duration = Duration::from_secs(20);

impl Snapshot {
    /// Runs a query, indexes the files of dependencies that its result needs, and runs it again.
    pub(super) fn with_dependencies<T>(
        &self,
        interrupt: &AtomicBool,
        query: impl FnMut() -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        self.with_some_dependencies(DEPENDENCY_LIMITS, interrupt, query)
    }

    /// As [`Snapshot::with_dependencies`], with limits on the number of files and on the time.
    pub(super) fn with_some_dependencies<T>(
        &self,
        (files, time): (usize, Duration),
        interrupt: &AtomicBool,
        mut query: impl FnMut() -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let deadline = Instant::now() + time;
        let mut left = files;
        for _ in 0..MAX_ROUNDS {
            let (result, missing) = with_missing_dependencies(&mut query);
            let result = result?;
            let mut is_new = false;
            for missing in missing {
                if left == 0 || Instant::now() > deadline {
                    break;
                }
                if interrupt.load(Ordering::Relaxed) {
                    return Err(QueryError::Interrupted);
                }
                let read = self.index_missing(&missing, interrupt);
                is_new |= read > 0;
                left = left.saturating_sub(read);
            }
            if !is_new {
                return Ok(result);
            }
        }
        query()
    }

    /// Indexes a missing part of a dependency; returns the number of indexed files.
    fn index_missing(&self, missing: &MissingDependency, interrupt: &AtomicBool) -> usize {
        let key = format!("{missing:?}");
        {
            let mut lookups = self.indexer.missing_lookups.lock();
            match lookups.get(&*key) {
                Some(since) if since.elapsed() < RETRY_DELAY => return 0,
                // After the delay, the lookup may succeed.
                _ => drop(lookups.insert(key.into(), Instant::now())),
            }
        }
        match missing {
            MissingDependency::File(path) => self.index_missing_file(path, interrupt),
            MissingDependency::Folder(path) => self.index_missing_folder(path, interrupt),
            MissingDependency::Module { from, name } => {
                self.index_missing_module(*from, name, interrupt)
            }
        }
    }

    fn index_missing_file(&self, indexed: &str, interrupt: &AtomicBool) -> usize {
        if language_of(indexed.as_ref()).is_none() {
            return 0;
        }
        let libraries = self.libraries();
        let Some(path) = libraries.locate_indexed(indexed) else { return 0 };
        libraries.unpack(&path);
        let read = self.index_library_file(&path, indexed, interrupt);
        usize::from(read.is_ok())
    }

    /// Indexes a file of a dependency under its index path. Links are followed as long as they stay
    /// in known folders.
    fn index_library_file(
        &self,
        path: &FilePath,
        indexed: &str,
        interrupt: &AtomicBool,
    ) -> Result<FileId, FileError> {
        let path = self.resolve_library_path(path)?;
        // The target of a link is indexed under its own path.
        let at = self.libraries().locate(&path.absolute()).filter(|_| !path.ways().is_empty());
        let indexed =
            at.and_then(|at| self::indexed_path(&at)).unwrap_or_else(|| indexed.to_owned());
        let stat = path.root.stat(&path.relative);
        let stat =
            stat.map_err(|e| FileError::from_errno(&path.display_path(), "looking up", e))?;
        if stat.size() > MAX_FILE_BYTES {
            let (path, size) = (path.display_path(), stat.size());
            return Err(FileError::TooLarge { path, size, limit: MAX_FILE_BYTES });
        }
        self.limit_memory();
        self.index_as(&path, &indexed, interrupt)
    }

    /// Registers a folder of a dependency; a Go package is indexed as a whole.
    fn index_missing_folder(&self, indexed: &str, interrupt: &AtomicBool) -> usize {
        let Some(path) = self.libraries().locate_indexed(indexed) else { return 0 };
        let Ok(dir) = path.root.open_at(&path.relative, Opening::Folder) else { return 0 };
        let Ok(names) = crate::platform::names_in(&dir) else { return 0 };
        self.indexer.index.write().insert_library_folder(indexed);
        let names = names.filter_map(|name| name.ok()?.into_string().ok());
        // In Go a folder is one package, so its files are needed together.
        let is_part = |name: &String| name.ends_with(".go") && !name.ends_with("_test.go");
        let parts: Vec<_> = names.filter(is_part).take(MAX_PACKAGE_FILES).collect();
        let read = parts.iter().filter(|name| {
            let path = path.join(name);
            let indexed = format!("{indexed}/{name}");
            self.index_library_file(&path, &indexed, interrupt).is_ok()
        });
        read.count().max(1)
    }

    /// Resolves a module name by Node's rules, indexes the file and links the name to it.
    fn index_missing_module(&self, from: FileId, name: &str, interrupt: &AtomicBool) -> usize {
        let Some(from_path) = self.indexer.entry(from).path else { return 0 };
        let Some(found) = self.node_module(&from_path, name) else { return 0 };
        let read = match self.libraries().locate(&found.absolute()).and_then(|p| indexed_path(&p)) {
            Some(indexed) => self.index_library_file(&found, &indexed, interrupt),
            // The module is a link back into the project.
            None => {
                self.file_id_of(&found).ok_or(FileError::NotFound { path: found.display_path() })
            }
        };
        let Ok(to) = read else { return 0 };
        self.indexer.index.write().link_module(from, name, to);
        1
    }

    /// Drops the facts of all dependencies if they exceed the memory limit.
    fn limit_memory(&self) {
        if self.indexer.index.read().library_bytes() > MAX_MEMORY {
            self.indexer.index.write().drop_dependencies();
            self.indexer.missing_lookups.lock().clear();
        }
    }

    /// Resolves the links in a path of a dependency: inside the roots to targets inside the roots,
    /// elsewhere to targets in any folder of dependencies.
    pub(super) fn resolve_library_path(&self, path: &FilePath) -> Result<FilePath, FileError> {
        let mut all: Vec<_> = self.roots.to_vec();
        if !is_inside(&path.root, &self.roots) {
            all.extend(self.libraries().outside(&self.roots).cloned());
        }
        resolve(&all, &path.root, &path.relative, &path.display_path())
    }
}
