//! What differs between the last commit, the index and the work tree.

use workspace::Budget;

use crate::head::Head;
use crate::look::Look;
use crate::table::{Entry, Table};
use crate::unsaved::Unsaved;
use crate::{GitError, Repo, RepoPath};
use git2::{Delta, ErrorCode, Status as Flags, StatusOptions, StatusShow};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Added,
    Modified,
    Deleted,
    Renamed,
    Copied,
    TypeChanged,
    Conflicted,
    Untracked,
    Unreadable,
}

impl Kind {
    /// In words.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
            Self::TypeChanged => "type_changed",
            Self::Conflicted => "conflicted",
            Self::Untracked => "untracked",
            Self::Unreadable => "unreadable",
        }
    }

    pub(crate) fn of(delta: Delta) -> Option<Self> {
        Some(match delta {
            Delta::Added => Self::Added,
            Delta::Deleted => Self::Deleted,
            Delta::Modified => Self::Modified,
            Delta::Renamed => Self::Renamed,
            Delta::Copied => Self::Copied,
            Delta::Typechange => Self::TypeChanged,
            Delta::Conflicted => Self::Conflicted,
            Delta::Untracked => Self::Untracked,
            Delta::Unreadable => Self::Unreadable,
            Delta::Unmodified | Delta::Ignored => return None,
        })
    }
}

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Changed {
    /// Its path; the new one, where it was renamed.
    pub path: RepoPath,
    /// What became of it.
    pub kind: Kind,
    /// Its path before.
    pub from: Option<RepoPath>,
}

/// One file of which a merge has left several states.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflicted {
    /// Its path.
    pub path: RepoPath,
    /// Which of the states there are: of the common ancestor, ours, theirs.
    pub sides: [bool; 3],
}

/// A repository within the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submodule {
    /// Its path.
    pub path: RepoPath,
    /// Whether its files are there.
    pub is_present: bool,
}

/// Another work tree of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
    /// Whether it is locked.
    pub is_locked: bool,
}

/// The whole status.
#[derive(Debug, Clone)]
pub struct Status {
    /// Where the repository stands.
    pub head: Head,
    /// What differs between commit and index.
    pub staged: Vec<Changed>,
    /// What differs between index and work tree, unsaved documents counting.
    pub unstaged: Vec<Changed>,
    /// What git does not know: files, and folders with nothing in them that it does.
    pub untracked: Vec<RepoPath>,
    /// What a merge has left open.
    pub conflicts: Vec<Conflicted>,
    /// What is under way.
    pub operation: Option<&'static str>,
    /// Repositories within.
    pub submodules: Vec<Submodule>,
    /// Its other work trees.
    pub work_trees: Vec<WorkTree>,
    /// Whether the state of every file was looked at; else of those that were asked for, or touched
    /// since that was done.
    pub looked_at_all: bool,
}

/// What of a status is wanted.
#[derive(Debug, Clone, Default)]
pub struct StatusQuestion {
    /// Only what lies in one of these; everything without any.
    pub within: Vec<RepoPath>,
    /// Whether each untracked file is told by itself.
    pub all_untracked: bool,
}

impl StatusQuestion {
    fn is_of(&self, path: &RepoPath) -> bool {
        self.within.is_empty() || self.within.iter().any(|folder| path.is_in(folder))
    }
}

impl Repo {
    /// The status of the work tree. O(files), and reading those that may have changed.
    ///
    /// # Errors
    /// When the repository cannot be read.
    pub fn status(&self, question: &StatusQuestion, unsaved: &Unsaved) -> Result<Status, GitError> {
        self.status_until(question, unsaved, &Budget::of_one_call())
    }

    /// The status of the work tree, as long as somebody wants it.
    ///
    /// # Errors
    /// When the repository cannot be read, or nobody wants to know any more.
    pub fn status_until(
        &self,
        question: &StatusQuestion,
        unsaved: &Unsaved,
        budget: &Budget<'_>,
    ) -> Result<Status, GitError> {
        let within = self.layout().within(&question.within)?;
        let question = &StatusQuestion { within, ..*question };
        let scope = self.layout().scope();
        let is_all = question.within.is_empty() || question.within.contains(&scope);
        let look = match is_all {
            true => self.look(&scope, budget)?,
            false => self.look_at_index(&question.within)?,
        };
        let table = &look.table;
        let mut status = Status {
            head: self.head()?,
            staged: Vec::new(),
            unstaged: Vec::new(),
            untracked: Vec::new(),
            conflicts: conflicted(table.iter()),
            operation: self.operation(),
            submodules: self.submodules(table, question),
            work_trees: self.work_trees()?,
            looked_at_all: look.is_of_all,
        };
        status.staged = match is_all {
            true => self.staged(&look, || self.find_staged(&look, question, budget))?,
            false => self.find_staged(&look, question, budget)?,
        };
        budget.check()?;
        self.find_unstaged(&look, question, &mut status)?;
        budget.check()?;
        if !question.all_untracked {
            collapse(table, &mut status.untracked, &question.within);
        }
        status.staged.retain(|changed| !table.is_announced(&changed.path));
        for changed in &mut status.unstaged {
            let is_there = matches!(changed.kind, Kind::Modified | Kind::TypeChanged);
            if is_there && table.is_announced(&changed.path) {
                changed.kind = Kind::Added;
            }
        }
        status
            .unstaged
            .retain(|changed| changed.kind != Kind::Deleted || !table.is_left_out(&changed.path));
        self.count_unsaved(&mut status, table, question, unsaved)?;
        status.conflicts.retain(|conflict| question.is_of(&conflict.path));
        let conflicted = |path: &RepoPath| status.conflicts.iter().any(|c| c.path == *path);
        status.staged.retain(|changed| !conflicted(&changed.path));
        status.unstaged.retain(|changed| !conflicted(&changed.path));
        status.staged.sort();
        status.unstaged.sort();
        status.untracked.sort();
        Ok(status)
    }

    /// What differs between the last commit and the index.
    fn find_staged(
        &self,
        look: &Look,
        question: &StatusQuestion,
        budget: &Budget<'_>,
    ) -> Result<Vec<Changed>, GitError> {
        self.check_tree(self.head_tree()?.as_ref(), budget)?;
        let mut options = status_options();
        options.show(StatusShow::Index).renames_head_to_index(true);
        for path in &question.within {
            options.pathspec(path.path());
        }
        let found = self.git.statuses(Some(&mut options))?;
        let staged = |entry: git2::StatusEntry<'_>| {
            let delta = entry.head_to_index()?;
            let is_open = entry.status().contains(Flags::CONFLICTED);
            Some(changed(&delta, Kind::of(delta.status()).filter(|_| !is_open)?))
        };
        let mut found: Vec<Changed> = found.iter().filter_map(staged).collect();
        self.add_assumed(look, question, &mut found)?;
        Ok(found)
    }

    /// libgit2 does not tell of a new file that is not to be looked at in the work tree.
    fn add_assumed(
        &self,
        look: &Look,
        question: &StatusQuestion,
        found: &mut Vec<Changed>,
    ) -> Result<(), GitError> {
        for entry in look.table.iter().filter(Entry::is_assumed) {
            let path = RepoPath::new(entry.path);
            let is_told = || found.iter().any(|changed| changed.path == path);
            if question.is_of(&path) && !is_told() && self.head_entry(&path)?.is_none() {
                found.push(Changed { path, kind: Kind::Added, from: None });
            }
        }
        Ok(())
    }

    /// What differs between the index and the work tree: libgit2 looks at what may.
    fn find_unstaged(
        &self,
        look: &Look,
        question: &StatusQuestion,
        status: &mut Status,
    ) -> Result<(), GitError> {
        let scope = self.layout().scope();
        let paths = match &look.differing {
            Some(paths) if paths.is_empty() => return Ok(()),
            Some(paths) => paths.clone(),
            // Where too much may differ to be named, libgit2 looks for itself.
            None if question.within.is_empty() && !scope.bytes().is_empty() => vec![scope],
            None => question.within.clone(),
        };
        for path in paths.iter().filter(|path| self.is_other(look, path)) {
            status.untracked.push(RepoPath::new(&[path.bytes(), b"/"].concat()));
        }
        let small = self.small(look);
        let mut options = status_options();
        options.show(StatusShow::Workdir);
        for path in &paths {
            options.pathspec(path.path());
        }
        for entry in small.as_ref().unwrap_or(&self.git).statuses(Some(&mut options))?.iter() {
            let flags = entry.status();
            if flags.contains(Flags::CONFLICTED) {
                continue;
            }
            if flags.contains(Flags::WT_NEW) {
                status.untracked.push(RepoPath::new(entry.path_bytes()));
            } else if let Some(delta) = entry.index_to_workdir()
                && let Some(kind) = Kind::of(delta.status())
            {
                status.unstaged.push(changed(&delta, kind));
            }
        }
        Ok(())
    }

    /// Whether a repository stands at a path that git does not know, of which libgit2 does not tell.
    fn is_other(&self, look: &Look, path: &RepoPath) -> bool {
        let git = RepoPath::new(&[path.bytes(), b"/.git"].concat());
        look.table.at(path).next().is_none()
            && !look.table.has_below(path.bytes())
            && matches!(self.kind_in_work_tree(&git), Ok(Some(_)))
            && !self.git.is_path_ignored(path.path()).unwrap_or(true)
    }

    /// Unsaved text is what stands in the work tree.
    fn count_unsaved(
        &self,
        status: &mut Status,
        table: &Table,
        question: &StatusQuestion,
        unsaved: &Unsaved,
    ) -> Result<(), GitError> {
        if unsaved.is_empty() {
            return Ok(());
        }
        for (path, bytes) in unsaved.iter() {
            let entry = table.find(path).filter(|_| question.is_of(path));
            let Some(before) = entry.map(|entry| entry.id()) else { continue };
            let (_, id) = self.kept_of(path, bytes, Some(before))?;
            let known = status.unstaged.iter().position(|changed| changed.path == *path);
            match known {
                Some(at) if id == before && status.unstaged[at].kind == Kind::Modified => {
                    status.unstaged.remove(at);
                }
                None if id != before => status.unstaged.push(Changed {
                    path: path.clone(),
                    kind: Kind::Modified,
                    from: None,
                }),
                _ => {}
            }
        }
        Ok(())
    }

    /// The files that a merge has left in several states, in order of paths.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn conflicted(&self) -> Result<Vec<Conflicted>, GitError> {
        Ok(conflicted(self.look_at_index(&[])?.table.iter()))
    }

    /// The index as it is on disk.
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

    fn submodules(&self, table: &Table, question: &StatusQuestion) -> Vec<Submodule> {
        // Every entry of the index that is one, whether `.gitmodules` knows it or not.
        let module = |path: RepoPath| {
            let root = self.layout().work_tree.root();
            let below = self.layout().work_tree.relative().join(path.path()).join(".git");
            let is_present = matches!(root.kind_below(&below), Ok(Some(_)));
            Submodule { path, is_present }
        };
        let modules = table.iter().filter(Entry::is_module);
        let paths = modules.map(|entry| RepoPath::new(entry.path));
        paths.filter(|path| question.is_of(path)).map(module).collect()
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

fn status_options() -> StatusOptions {
    let mut options = StatusOptions::new();
    options
        .include_untracked(true)
        .recurse_untracked_dirs(true)
        .include_ignored(false)
        .include_unreadable(true)
        .disable_pathspec_match(true);
    options
}

/// Of untracked files in folders that hold nothing else, the topmost folder is told. It is looked
/// for here: libgit2 takes a folder for one where it is only asked of files in it.
fn collapse(table: &Table, untracked: &mut Vec<RepoPath>, within: &[RepoPath]) {
    for path in untracked.iter_mut() {
        let bytes = path.bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let is_below = |end: usize| {
            let folder = RepoPath::new(&bytes[..end]);
            within.is_empty() || within.iter().any(|within| folder.is_in(within))
        };
        let found =
            ends.map(|(at, _)| at).find(|at| !table.has_below(&bytes[..*at]) && is_below(*at));
        if let Some(at) = found {
            *path = RepoPath::new(&bytes[..=at]);
        }
    }
    // In the place of a file that git knows, the file is told to be gone, and no more.
    let is_known = |path: &RepoPath| {
        path.bytes()
            .strip_suffix(b"/")
            .is_some_and(|path| table.at(&RepoPath::new(path)).next().is_some())
    };
    untracked.retain(|path| !is_known(path));
    untracked.sort();
    untracked.dedup();
}

/// The files that a merge has left in several states, in order of paths.
fn conflicted<'t>(entries: impl Iterator<Item = Entry<'t>>) -> Vec<Conflicted> {
    let mut found: Vec<Conflicted> = Vec::new();
    for entry in entries.filter(|entry| entry.stage() > 0) {
        let path = RepoPath::new(entry.path);
        if found.last().is_none_or(|last| last.path != path) {
            found.push(Conflicted { path, sides: [false; 3] });
        }
        if let Some(last) = found.last_mut() {
            last.sides[entry.stage() - 1] = true;
        }
    }
    found
}

pub(crate) fn changed(delta: &git2::DiffDelta<'_>, kind: Kind) -> Changed {
    let path = |file: git2::DiffFile<'_>| RepoPath::new(file.path_bytes().unwrap_or_default());
    let (old, new) = (path(delta.old_file()), path(delta.new_file()));
    let moved = matches!(kind, Kind::Renamed | Kind::Copied);
    let here = if kind == Kind::Deleted { old.clone() } else { new };
    Changed { path: here, kind, from: moved.then_some(old) }
}

/// Whether an error says that something is not there.
pub(crate) fn is_absent(error: &git2::Error) -> bool {
    matches!(error.code(), ErrorCode::NotFound | ErrorCode::UnbornBranch)
}
