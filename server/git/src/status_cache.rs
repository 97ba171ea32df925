//! Remembers which files of a work tree may differ from the index, from one status to the next.
//!
//! From the second status on, the work tree's folders are watched ([`Touched`]). A file is known to
//! be unchanged if it did not differ in the last full scan, was not touched since, and its index
//! entry is the same. Every other file is a candidate, and stays one until the next full scan; a
//! touched folder makes everything below it a candidate. Only candidates are cached: ignore rules,
//! conversions and commits are evaluated anew each time.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use git2::{Index, IndexEntry, IndexTime, Oid, Repository, RepositoryOpenFlags};
use parking_lot::Mutex;
use workspace::{CallBudget, Root, TouchedFiles};

use crate::index_file::{Entry, IndexFile, is_valid_path};
use crate::index_file::{SKIP_WORKTREE, folder_of, folders};
use crate::limits::{
    MAX_CACHED_CANDIDATES, MAX_CACHED_ENTRIES, MAX_CACHED_WORK_TREES, MAX_INDEX_SIZE,
    MAX_REDUCED_ENTRIES, MAX_SCAN_AGE, WATCH_RETRY_DELAY,
};
use crate::scan::ScanResult;
use crate::special_files::is_read_anywhere;
use crate::{FileChange, GitError, Repo, RepoPath};

/// The index, and the files that may differ from it.
pub(crate) struct WorkTreeScan {
    pub(crate) index: Arc<IndexFile>,
    /// The state of the index file; `None` if libgit2 had to read it.
    state: Option<IndexState>,
    /// Paths that may differ; `None` if there are too many to name, or none were looked for.
    pub(crate) candidates: Option<Vec<RepoPath>>,
    /// Whether every file was checked, instead of those touched since the last full scan.
    pub(crate) is_full: bool,
    cache: Option<Arc<Mutex<StatusCache>>>,
}

/// Identifies the content of an index file: its checksum and stat data.
#[derive(Debug, Clone, PartialEq, Eq)]
struct IndexState {
    checksum: [u8; 20],
    file: [i64; 6],
}

impl IndexState {
    fn written(&self) -> (i64, i64) {
        (self.file[2], self.file[3])
    }
}

/// Cache key: a work tree's paths and the identity of the folders there.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CacheKey {
    top: PathBuf,
    git_folder: PathBuf,
    identities: [(u64, u64); 2],
    scope: RepoPath,
}

/// The cache of one work tree.
#[derive(Default)]
struct StatusCache {
    /// Whether this is at least the second status: watching does not pay for a single one.
    was_queried: bool,
    touched: Option<TouchedFiles>,
    watch_failed: Option<Instant>,
    last: Option<LastScan>,
}

/// The result of the last full scan, kept up to date with touched paths.
struct LastScan {
    finished: Instant,
    state: IndexState,
    index: Arc<IndexFile>,
    candidates: BTreeSet<RepoPath>,
    staged: Option<(StagedKey, Vec<FileChange>)>,
}

/// What the staged changes depend on besides the index: the commit's tree and the settings file.
type StagedKey = (Option<Oid>, Option<[i64; 6]>);

static CACHES: Mutex<Vec<(CacheKey, Arc<Mutex<StatusCache>>)>> = Mutex::new(Vec::new());

/// Empties the cache, so that the next status scans everything.
pub fn clear_status_cache() {
    CACHES.lock().clear();
}

fn cache_for(key: CacheKey) -> Arc<Mutex<StatusCache>> {
    let mut caches = CACHES.lock();
    let position = caches.iter().position(|(cached_key, _)| *cached_key == key);
    let entry = match position {
        Some(at) => caches.remove(at),
        // Another repository may have taken the same path: drop the old one.
        None => {
            caches.retain(|(cached, _)| cached.top != key.top || cached.scope != key.scope);
            (key, Arc::default())
        }
    };
    if caches.len() >= MAX_CACHED_WORK_TREES {
        caches.remove(0);
    }
    let cache = entry.1.clone();
    caches.push(entry);
    cache
}

impl Repo {
    /// The index, and the paths below `scope` that may differ from it.
    ///
    /// # Errors
    /// When the index cannot be read, or the budget is exhausted.
    pub(crate) fn scan_work_tree(
        &self,
        scope: &RepoPath,
        budget: &CallBudget<'_>,
    ) -> Result<WorkTreeScan, GitError> {
        let cache = self.cache_key(scope).map(cache_for);
        // If another thread holds the cache, do not wait: scan without reading or updating it.
        let mut guard = cache.as_ref().and_then(|cache| cache.try_lock());
        if let Some(guard) = guard.as_deref_mut()
            && let Some(candidates) = self.cached_candidates(guard, scope)
            && let Some(last) = &guard.last
        {
            let (index, state) = (last.index.clone(), Some(last.state.clone()));
            let candidates = Some(candidates);
            return Ok(WorkTreeScan {
                index,
                state,
                candidates,
                is_full: false,
                cache: cache.clone(),
            });
        }
        let (state, index) = self.load_index()?;
        let index = Arc::new(index);
        let written = match &state {
            Some(state) => state.written(),
            None => file_stamp(&self.git.path().join("index"))
                .map_or((i64::MIN, 0), |file| (file[2], file[3])),
        };
        let mut watched = None;
        if let (Some(guard), Some(_)) = (guard.as_deref_mut(), &state) {
            watched = guard.watch(self, &index, scope, budget);
        }
        let result = self.find_candidates(&index, written, scope, budget)?;
        if let (Some(guard), Some(touched), Some(state)) = (guard.as_deref_mut(), watched, &state) {
            guard.store(touched, state, &index, result.as_ref());
        }
        let candidates = result.map(|result| result.candidates);
        Ok(WorkTreeScan { index, state, candidates, is_full: true, cache: cache.clone() })
    }

    /// Reads the index only. Checks the files that git reads in the folders of `paths`.
    ///
    /// # Errors
    /// When the index cannot be read, or one of those files is a special file.
    pub(crate) fn index_scan(&self, paths: &[RepoPath]) -> Result<WorkTreeScan, GitError> {
        let (state, index) = self.load_index()?;
        paths.iter().try_for_each(|path| self.check_around(path, &index))?;
        Ok(WorkTreeScan {
            index: Arc::new(index),
            state,
            candidates: None,
            is_full: false,
            cache: None,
        })
    }

    fn cache_key(&self, scope: &RepoPath) -> Option<CacheKey> {
        let top = self.layout().work_tree.absolute();
        let git_folder = self.layout().git_folder.clone();
        let identity = |path: &Path| {
            let metadata = std::fs::symlink_metadata(path).ok()?;
            Some((metadata.dev(), metadata.ino()))
        };
        let identities = [identity(&top)?, identity(&git_folder)?];
        Some(CacheKey { top, git_folder, identities, scope: scope.clone() })
    }

    /// The candidates according to the cache; `None` if a full scan is needed.
    fn cached_candidates(
        &self,
        cache: &mut StatusCache,
        scope: &RepoPath,
    ) -> Option<Vec<RepoPath>> {
        // `last` is taken out: every early return below makes the next status scan everything.
        let mut last = cache.last.take()?;
        if last.finished.elapsed() > MAX_SCAN_AGE {
            return None;
        }
        let state = self.index_state()?;
        if state != last.state {
            let (state, index) = self.parse_index()?;
            if index.is_sparse || state.written() < last.state.written() {
                return None;
            }
            last.candidates
                .extend(last.index.changed_paths(&index).into_iter().filter(|p| p.is_in(scope)));
            (last.state, last.index, last.staged) = (state, Arc::new(index), None);
        }
        // Touched paths are read after the index, so that they include changes made together with
        // it.
        let is_in_git_folder =
            |path: &RepoPath| path.as_bytes() == b".git" || path.as_bytes().starts_with(b".git/");
        let touched = cache.touched.as_mut()?.drain()?;
        let top = self.layout().work_tree.relative();
        let touched = touched.iter().filter_map(|path| path.strip_prefix(top).ok());
        let touched: Vec<RepoPath> =
            touched.map(RepoPath::from_path).filter(|path| !is_in_git_folder(path)).collect();
        let is_read = |path: &RepoPath| {
            path.as_path().file_name().is_some_and(|name| is_read_anywhere(name.as_bytes()))
        };
        // `.gitignore` and `.gitattributes` change other files' state, and must be checked for
        // FIFOs: only a full scan does.
        let needs_full_scan = touched.iter().any(is_read);
        last.candidates.extend(touched);
        if needs_full_scan || last.candidates.len() > MAX_CACHED_CANDIDATES {
            return None;
        }
        let candidates = last.candidates.iter().cloned().collect();
        cache.last = Some(last);
        Some(candidates)
    }

    /// Reads the index: with our own parser and its file's state if possible, otherwise with
    /// libgit2.
    fn load_index(&self) -> Result<(Option<IndexState>, IndexFile), GitError> {
        match self.parse_index() {
            Some((state, index)) if !index.is_sparse => return Ok((Some(state), index)),
            _ => {}
        }
        // libgit2 reports what is wrong with the file.
        let index = IndexFile::from_entries(&self.entries()?).ok_or_else(|| {
            let what = format!("{}: the index is too large", self.layout().display_path());
            GitError::TooLarge { what }
        })?;
        // libgit2 may accept a path here that escapes the work tree, and then refuses it when we
        // add it.
        if let Some(entry) = index.iter().find(|entry| !is_valid_path(entry.path)) {
            let path = RepoPath::new(entry.path);
            let what =
                format!("its index contains the invalid path `{:.200}`", path.to_string_lossy());
            return Err(GitError::Corrupt { what });
        }
        Ok((None, index))
    }

    /// The entries as libgit2 reads them. As git does, clears the skip-worktree flag of files that
    /// exist nevertheless; libgit2's index is updated too.
    fn entries(&self) -> Result<Vec<IndexEntry>, GitError> {
        let mut index = self.index()?;
        let mut entries: Vec<IndexEntry> = index.iter().collect();
        let mut absent: Vec<u8> = Vec::new();
        for entry in entries.iter_mut().filter(|entry| entry.flags_extended & SKIP_WORKTREE != 0) {
            let folder = folder_of(&entry.path);
            if !absent.is_empty() && absent == folder {
                continue;
            }
            let path = RepoPath::new(&entry.path);
            if self.kind_in_work_tree(&path)?.is_some() {
                entry.flags_extended &= !SKIP_WORKTREE;
                index.add(entry)?;
            } else if !folder.is_empty()
                && self.kind_in_work_tree(&RepoPath::new(folder))?.is_none()
            {
                absent = folder.to_vec();
            }
        }
        Ok(entries)
    }

    fn parse_index(&self) -> Option<(IndexState, IndexFile)> {
        let path = self.git.path().join("index");
        let before = file_stamp(&path)?;
        let folder = Root::open(self.git.path()).ok()?;
        let bytes = folder.read_below(Path::new("index"), MAX_INDEX_SIZE).ok()??;
        // git replaces the file atomically. If it was written in place while we read it, libgit2
        // must cope.
        if file_stamp(&path)? != before {
            return None;
        }
        let checksum = bytes.last_chunk().copied()?;
        Some((IndexState { checksum, file: before }, IndexFile::parse(bytes)?))
    }

    fn index_state(&self) -> Option<IndexState> {
        use std::os::unix::fs::FileExt;
        let path = self.git.path().join("index");
        let file = file_stamp(&path)?;
        let end = u64::try_from(file[1]).ok()?.checked_sub(20)?;
        let mut checksum = [0; 20];
        std::fs::File::open(&path).ok()?.read_exact_at(&mut checksum, end).ok()?;
        (file_stamp(&path)? == file).then_some(IndexState { checksum, file })
    }

    /// A repository handle whose index holds only the candidates and all `.gitattributes`, so that
    /// libgit2 need not read a large index. `None` if the full index is needed.
    pub(crate) fn reduced_repository(&self, scan: &WorkTreeScan) -> Option<Repository> {
        let (state, paths) = (scan.state.as_ref()?, scan.candidates.as_ref()?);
        let mut index = Index::new().ok()?;
        let mut count = 0;
        let mut add = |entry: Entry<'_>| -> Option<()> {
            count += 1;
            let mut entry = entry.to_git2();
            // Racy entry: the file changed in the instant in which the index was written. libgit2
            // recognizes these by the index's time, which an in-memory index lacks, so clear the
            // time to force a comparison.
            let written = (i64::from(entry.mtime.seconds()), i64::from(entry.mtime.nanoseconds()));
            if written >= state.written() {
                entry.mtime = IndexTime::new(0, 0);
            }
            (count <= MAX_REDUCED_ENTRIES).then_some(())?;
            index.add(&entry).ok()
        };
        for entry in scan.index.attribute_files() {
            add(entry)?;
        }
        for path in paths {
            for entry in scan.index.stages_of(path).chain(scan.index.below(path.as_bytes())) {
                add(entry)?;
            }
        }
        let none: [&Path; 0] = [];
        let top = self.layout().work_tree.absolute();
        let git = Repository::open_ext(&top, RepositoryOpenFlags::NO_SEARCH, none).ok()?;
        if git.path() != self.git.path() {
            return None;
        }
        git.set_index(&mut index).ok()?;
        Some(git)
    }

    /// The staged changes: cached for this index and commit, or computed by `compute`.
    pub(crate) fn cached_staged(
        &self,
        scan: &WorkTreeScan,
        compute: impl FnOnce() -> Result<Vec<FileChange>, GitError>,
    ) -> Result<Vec<FileChange>, GitError> {
        let tree = self.head_tree()?.map(|tree| tree.id());
        if tree.is_some() && tree == scan.index.tree {
            return Ok(Vec::new());
        }
        let commit = (tree, file_stamp(&self.layout().common_folder.join("config")));
        let mut cache = scan.cache.as_ref().and_then(|cache| cache.try_lock());
        let last = cache.as_mut().and_then(|cache| cache.last.as_mut());
        let last = last.filter(|last| Some(&last.state) == scan.state.as_ref());
        let Some(last) = last else { return compute() };
        match &last.staged {
            Some((key, staged)) if *key == commit => Ok(staged.clone()),
            _ => {
                let staged = compute()?;
                last.staged = Some((commit, staged.clone()));
                Ok(staged)
            }
        }
    }
}

impl StatusCache {
    /// Starts watching the index's folders from the second status on; `None` if that is too early
    /// or fails.
    fn watch(
        &mut self,
        repo: &Repo,
        index: &IndexFile,
        scope: &RepoPath,
        budget: &CallBudget<'_>,
    ) -> Option<TouchedFiles> {
        self.last = None;
        let failed_recently =
            self.watch_failed.is_some_and(|when| when.elapsed() < WATCH_RETRY_DELAY);
        let was_queried = std::mem::replace(&mut self.was_queried, true);
        if !was_queried || failed_recently || index.len() > MAX_CACHED_ENTRIES {
            return None;
        }
        self.watch_failed = Some(Instant::now());
        let mut touched = self.touched.take().or_else(TouchedFiles::new)?;
        let all = folders(index, scope.as_bytes());
        let mut below: Vec<RepoPath> = all.into_keys().map(RepoPath::new).collect();
        // Parents come before their children.
        below.sort();
        let top = &repo.layout().work_tree;
        let whole = |path: &RepoPath| top.relative().join(path.as_path());
        let below: Vec<PathBuf> = below.iter().filter(|path| *path != scope).map(whole).collect();
        let folders = below.iter().map(PathBuf::as_path);
        let is_watched = touched.watch(top.root(), &whole(scope), folders, budget.interrupt());
        if budget.check().is_ok() && !(is_watched && top.root().is_in_place()) {
            return None;
        }
        self.watch_failed = None;
        is_watched.then_some(touched)
    }

    /// Stores the result of a full scan.
    fn store(
        &mut self,
        touched: TouchedFiles,
        state: &IndexState,
        index: &Arc<IndexFile>,
        result: Option<&ScanResult>,
    ) {
        let candidates =
            result.map(|result| result.candidates.iter().chain(&result.hard_linked).cloned());
        let candidates: Option<BTreeSet<_>> = candidates.map(Iterator::collect);
        let Some(candidates) =
            candidates.filter(|candidates| candidates.len() <= MAX_CACHED_CANDIDATES)
        else {
            self.watch_failed = Some(Instant::now());
            return;
        };
        self.touched = Some(touched);
        self.last = Some(LastScan {
            finished: Instant::now(),
            state: state.clone(),
            index: index.clone(),
            candidates,
            staged: None,
        });
    }
}

/// Stat data of a regular file; `None` if there is none.
fn file_stamp(path: &Path) -> Option<[i64; 6]> {
    let metadata = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let number = |n: u64| n.cast_signed();
    let times = [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
    Some([number(metadata.ino()), number(metadata.size()), times[0], times[1], times[2], times[3]])
}
