//! `git status`: the differences between the last commit, the index and the work tree.

use workspace::CallBudget;

use crate::file_change::{ChangeKind, FileChange};
use crate::head::Head;
use crate::index_file::{Entry, IndexFile};
use crate::status_cache::WorkTreeScan;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};
use git2::{ErrorCode, Status as Flags, StatusShow};

/// A file with merge conflicts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConflictedFile {
    /// Its path.
    pub path: RepoPath,
    /// Which versions exist: the common ancestor's, ours, theirs.
    pub sides: [bool; 3],
}

/// A submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// Its path.
    pub path: RepoPath,
    /// Whether it is checked out.
    pub is_present: bool,
}

/// Another work tree of the repository (`git worktree`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Whether it is locked.
    pub is_locked: bool,
}

/// The result of a status query.
#[derive(Debug, Clone)]
pub struct Status {
    /// The current branch and commit.
    pub head: Head,
    /// Changes between the last commit and the index.
    pub staged: Vec<FileChange>,
    /// Changes between the index and the work tree, unsaved documents included.
    pub unstaged: Vec<FileChange>,
    /// Untracked files, and folders that contain no tracked file.
    pub untracked: Vec<RepoPath>,
    /// Files with merge conflicts.
    pub conflicts: Vec<ConflictedFile>,
    /// The operation in progress.
    pub operation: Option<&'static str>,
    /// Submodules.
    pub submodules: Vec<Submodule>,
    /// Its other work trees.
    pub work_trees: Vec<WorkTree>,
    /// Whether every file was checked, instead of the requested ones or those touched since the
    /// last full scan.
    pub is_full_scan: bool,
}

/// What to include in a status.
#[derive(Debug, Clone, Default)]
pub struct StatusOptions {
    /// Only paths in these files and folders; empty means everything.
    pub paths: Vec<RepoPath>,
    /// Whether to list each untracked file instead of the topmost untracked folder.
    pub all_untracked: bool,
}

impl StatusOptions {
    fn includes(&self, path: &RepoPath) -> bool {
        self.paths.is_empty() || self.paths.iter().any(|folder| path.is_in(folder))
    }
}

impl Repo {
    /// The status of the work tree. O(files), and reads those that may have changed.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn status(
        &self,
        options: &StatusOptions,
        unsaved: &UnsavedFiles,
    ) -> Result<Status, GitError> {
        self.status_with_budget(options, unsaved, &CallBudget::without_cancel())
    }

    /// The status of the work tree, within a budget.
    ///
    /// # Errors
    /// When the repository cannot be read, or the budget is exhausted.
    pub fn status_with_budget(
        &self,
        options: &StatusOptions,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Status, GitError> {
        let within = self.layout().paths_in_workspace(&options.paths)?;
        let options = &StatusOptions { paths: within, ..*options };
        let scope = self.layout().scope();
        let covers_everything = options.paths.is_empty() || options.paths.contains(&scope);
        let scan = match covers_everything {
            true => self.scan_work_tree(&scope, budget)?,
            false => self.index_scan(&options.paths)?,
        };
        let index = &scan.index;
        let mut status = Status {
            head: self.head()?,
            staged: Vec::new(),
            unstaged: Vec::new(),
            untracked: Vec::new(),
            conflicts: conflicted(index.iter()),
            operation: self.operation(),
            submodules: self.submodules(index, options),
            work_trees: self.work_trees()?,
            is_full_scan: scan.is_full,
        };
        status.staged = match covers_everything {
            true => self.cached_staged(&scan, || self.find_staged(&scan, options, budget))?,
            false => self.find_staged(&scan, options, budget)?,
        };
        budget.check()?;
        self.find_unstaged(&scan, options, &mut status)?;
        budget.check()?;
        if !options.all_untracked {
            collapse_untracked(index, &mut status.untracked, &options.paths);
        }
        status.staged.retain(|changed| !index.is_intent_to_add(&changed.path));
        for changed in &mut status.unstaged {
            let is_there = matches!(changed.kind, ChangeKind::Modified | ChangeKind::TypeChanged);
            if is_there && index.is_intent_to_add(&changed.path) {
                changed.kind = ChangeKind::Added;
            }
        }
        status.unstaged.retain(|changed| {
            changed.kind != ChangeKind::Deleted || !index.is_skip_worktree(&changed.path)
        });
        self.apply_unsaved(&mut status, index, options, unsaved)?;
        status.conflicts.retain(|conflict| options.includes(&conflict.path));
        let conflicted = |path: &RepoPath| status.conflicts.iter().any(|c| c.path == *path);
        status.staged.retain(|changed| !conflicted(&changed.path));
        status.unstaged.retain(|changed| !conflicted(&changed.path));
        status.staged.sort();
        status.unstaged.sort();
        status.untracked.sort();
        Ok(status)
    }

    /// The changes between the last commit and the index.
    fn find_staged(
        &self,
        scan: &WorkTreeScan,
        options: &StatusOptions,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<FileChange>, GitError> {
        self.check_tree(self.head_tree()?.as_ref(), budget)?;
        let mut git_options = status_options();
        git_options.show(StatusShow::Index).renames_head_to_index(true);
        for path in &options.paths {
            git_options.pathspec(path.as_path());
        }
        let found = self.git.statuses(Some(&mut git_options))?;
        let staged = |entry: git2::StatusEntry<'_>| {
            let delta = entry.head_to_index()?;
            let is_open = entry.status().contains(Flags::CONFLICTED);
            Some(changed_file(&delta, ChangeKind::from_delta(delta.status()).filter(|_| !is_open)?))
        };
        let mut found: Vec<FileChange> = found.iter().filter_map(staged).collect();
        self.add_assume_unchanged(scan, options, &mut found)?;
        Ok(found)
    }

    /// Adds new files marked `--assume-unchanged`, which libgit2 does not report as staged.
    fn add_assume_unchanged(
        &self,
        scan: &WorkTreeScan,
        options: &StatusOptions,
        found: &mut Vec<FileChange>,
    ) -> Result<(), GitError> {
        for entry in scan.index.iter().filter(Entry::is_assume_unchanged) {
            let path = RepoPath::new(entry.path);
            let is_listed = || found.iter().any(|changed| changed.path == path);
            if options.includes(&path) && !is_listed() && self.head_entry(&path)?.is_none() {
                found.push(FileChange { path, kind: ChangeKind::Added, old_path: None });
            }
        }
        Ok(())
    }

    /// Adds the changes between the index and the work tree: libgit2 compares the candidates.
    fn find_unstaged(
        &self,
        scan: &WorkTreeScan,
        options: &StatusOptions,
        status: &mut Status,
    ) -> Result<(), GitError> {
        let scope = self.layout().scope();
        let paths = match &scan.candidates {
            Some(paths) if paths.is_empty() => return Ok(()),
            Some(paths) => paths.clone(),
            // Too many candidates to name: libgit2 scans everything itself.
            None if options.paths.is_empty() && !scope.as_bytes().is_empty() => vec![scope],
            None => options.paths.clone(),
        };
        for path in paths.iter().filter(|path| self.is_nested_repository(scan, path)) {
            status.untracked.push(RepoPath::new(&[path.as_bytes(), b"/"].concat()));
        }
        let reduced = self.reduced_repository(scan);
        let mut git_options = status_options();
        git_options.show(StatusShow::Workdir);
        for path in &paths {
            git_options.pathspec(path.as_path());
        }
        for entry in reduced.as_ref().unwrap_or(&self.git).statuses(Some(&mut git_options))?.iter()
        {
            let flags = entry.status();
            if flags.contains(Flags::CONFLICTED) {
                continue;
            }
            if flags.contains(Flags::WT_NEW) {
                status.untracked.push(RepoPath::new(entry.path_bytes()));
            } else if let Some(delta) = entry.index_to_workdir()
                && let Some(kind) = ChangeKind::from_delta(delta.status())
            {
                status.unstaged.push(changed_file(&delta, kind));
            }
        }
        Ok(())
    }

    /// Whether an untracked path is a nested repository, which libgit2 does not report.
    fn is_nested_repository(&self, scan: &WorkTreeScan, path: &RepoPath) -> bool {
        let git = RepoPath::new(&[path.as_bytes(), b"/.git"].concat());
        scan.index.stages_of(path).next().is_none()
            && !scan.index.has_below(path.as_bytes())
            && matches!(self.kind_in_work_tree(&git), Ok(Some(_)))
            && !self.git.is_path_ignored(path.as_path()).unwrap_or(true)
    }

    /// Replaces the state on disk by that of unsaved documents.
    fn apply_unsaved(
        &self,
        status: &mut Status,
        index: &IndexFile,
        options: &StatusOptions,
        unsaved: &UnsavedFiles,
    ) -> Result<(), GitError> {
        if unsaved.is_empty() {
            return Ok(());
        }
        for (path, bytes) in unsaved.iter() {
            let entry = index.find(path).filter(|_| options.includes(path));
            let Some(before) = entry.map(|entry| entry.id()) else { continue };
            let (_, id) = self.to_git_blob(path, bytes, Some(before))?;
            let known = status.unstaged.iter().position(|changed| changed.path == *path);
            match known {
                Some(at) if id == before && status.unstaged[at].kind == ChangeKind::Modified => {
                    status.unstaged.remove(at);
                }
                None if id != before => status.unstaged.push(FileChange {
                    path: path.clone(),
                    kind: ChangeKind::Modified,
                    old_path: None,
                }),
                _ => {}
            }
        }
        Ok(())
    }

    /// The files with merge conflicts, sorted by path.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn conflicted_files(&self) -> Result<Vec<ConflictedFile>, GitError> {
        Ok(conflicted(self.index_scan(&[])?.index.iter()))
    }

    /// The index on disk, as libgit2 reads it.
    pub(crate) fn index(&self) -> Result<git2::Index, GitError> {
        self.git.index().map_err(|error| {
            let what = error.message().to_owned();
            if what.contains("unsupported mandatory extension") {
                let what = format!(
                    "the index has a form that cannot be read here ({what}): a sparse or split \
                     index; `git sparse-checkout reapply --no-sparse-index` or `git update-index \
                     --no-split-index` writes a plain one"
                );
                return GitError::Unsupported { what };
            }
            error.into()
        })
    }

    fn submodules(&self, index: &IndexFile, options: &StatusOptions) -> Vec<Submodule> {
        // Every such index entry counts, whether or not `.gitmodules` lists it.
        let module = |path: RepoPath| {
            let root = self.layout().work_tree.root();
            let below = self.layout().work_tree.relative().join(path.as_path()).join(".git");
            let is_present = matches!(root.kind_below(&below), Ok(Some(_)));
            Submodule { path, is_present }
        };
        let modules = index.iter().filter(Entry::is_submodule);
        let paths = modules.map(|entry| RepoPath::new(entry.path));
        paths.filter(|path| options.includes(path)).map(module).collect()
    }

    fn work_trees(&self) -> Result<Vec<WorkTree>, GitError> {
        let mut found = Vec::new();
        for name in self.git.worktrees()?.iter_bytes() {
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let Ok(tree) = self.git.find_worktree(name) else { continue };
            found.push(WorkTree {
                name: name.to_owned(),
                path: tree.path().to_string_lossy().into_owned(),
                is_locked: !matches!(tree.is_locked(), Ok(git2::WorktreeLockStatus::Unlocked)),
            });
        }
        Ok(found)
    }
}

fn status_options() -> git2::StatusOptions {
    let mut git_options = git2::StatusOptions::new();
    git_options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .include_ignored(false)
        .include_unreadable(true)
        .disable_pathspec_match(true);
    git_options
}

/// Replaces untracked files by the topmost folder without tracked files. libgit2 could do that, but
/// gets it wrong if it is limited to paths inside such a folder.
fn collapse_untracked(index: &IndexFile, untracked: &mut Vec<RepoPath>, within: &[RepoPath]) {
    for path in untracked.iter_mut() {
        let bytes = path.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let is_below = |end: usize| {
            let folder = RepoPath::new(&bytes[..end]);
            within.is_empty() || within.iter().any(|within| folder.is_in(within))
        };
        let found =
            ends.map(|(at, _)| at).find(|at| !index.has_below(&bytes[..*at]) && is_below(*at));
        if let Some(at) = found {
            *path = RepoPath::new(&bytes[..=at]);
        }
    }
    // If an untracked folder replaces a tracked file, git reports only that the file is deleted.
    let is_known = |path: &RepoPath| {
        path.as_bytes()
            .strip_suffix(b"/")
            .is_some_and(|path| index.stages_of(&RepoPath::new(path)).next().is_some())
    };
    untracked.retain(|path| !is_known(path));
    untracked.sort();
    untracked.dedup();
}

/// The files with merge conflicts, sorted by path.
fn conflicted<'t>(entries: impl Iterator<Item = Entry<'t>>) -> Vec<ConflictedFile> {
    let mut found: Vec<ConflictedFile> = Vec::new();
    for entry in entries.filter(|entry| entry.stage() > 0) {
        let path = RepoPath::new(entry.path);
        if found.last().is_none_or(|last| last.path != path) {
            found.push(ConflictedFile { path, sides: [false; 3] });
        }
        if let Some(last) = found.last_mut() {
            last.sides[entry.stage() - 1] = true;
        }
    }
    found
}

pub(crate) fn changed_file(delta: &git2::DiffDelta<'_>, kind: ChangeKind) -> FileChange {
    let path = |file: git2::DiffFile<'_>| RepoPath::new(file.path_bytes().unwrap_or_default());
    let (old, new) = (path(delta.old_file()), path(delta.new_file()));
    let moved = matches!(kind, ChangeKind::Renamed | ChangeKind::Copied);
    let here = if kind == ChangeKind::Deleted { old.clone() } else { new };
    FileChange { path: here, kind, old_path: moved.then_some(old) }
}

/// Whether an error means that something does not exist.
pub(crate) fn is_absent(error: &git2::Error) -> bool {
    matches!(error.code(), ErrorCode::NotFound | ErrorCode::UnbornBranch)
}
