//! What differs between the last commit, the index and the work tree.

use git2::{Delta, ErrorCode, Status as Flags, StatusOptions, StatusShow};
use rustc_hash::FxHashSet;

use crate::head::Head;
use crate::scan::Marks;
use crate::unsaved::Unsaved;
use crate::{GitError, Interrupt, Repo, RepoPath};

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
        self.status_until(question, unsaved, Interrupt::NEVER)
    }

    /// The status of the work tree, as long as somebody wants it.
    ///
    /// # Errors
    /// When the repository cannot be read, or nobody wants to know any more.
    pub fn status_until(
        &self,
        question: &StatusQuestion,
        unsaved: &Unsaved,
        interrupt: Interrupt<'_>,
    ) -> Result<Status, GitError> {
        let within = self.layout().within(&question.within)?;
        let question = &StatusQuestion { within, ..*question };
        let entries = self.entries()?;
        let marks = Marks::of(&entries);
        let mut status = Status {
            head: self.head()?,
            staged: Vec::new(),
            unstaged: Vec::new(),
            untracked: Vec::new(),
            conflicts: self.conflicted()?,
            operation: self.operation(),
            submodules: self.submodules(&marks.modules, question),
            work_trees: self.work_trees()?,
        };
        let scope = self.layout().scope();
        let is_all = question.within.is_empty() || question.within.contains(&scope);
        let differing = match is_all {
            true => self.may_differ(&entries, &scope, interrupt)?,
            false => Some(question.within.clone()),
        };
        // Where too much may differ to be named, libgit2 looks for itself.
        let differing = differing.or_else(|| (!scope.bytes().is_empty()).then(|| vec![scope]));
        if !(is_all && self.is_index_the_head()) {
            let mut options = status_options();
            options.show(StatusShow::Index).renames_head_to_index(true);
            for path in &question.within {
                options.pathspec(path.path());
            }
            for entry in self.git.statuses(Some(&mut options))?.iter() {
                status.take(&entry);
            }
        }
        interrupt.check()?;
        if differing.as_ref().is_none_or(|paths| !paths.is_empty()) {
            let mut options = status_options();
            options.show(StatusShow::Workdir);
            for path in differing.iter().flatten() {
                options.pathspec(path.path());
            }
            for entry in self.git.statuses(Some(&mut options))?.iter() {
                status.take(&entry);
            }
        }
        interrupt.check()?;
        if !question.all_untracked {
            self.collapse(&mut status.untracked, &question.within)?;
        }
        let announced = &marks.announced;
        if !announced.is_empty() {
            status.staged.retain(|changed| !announced.contains(&changed.path));
            for changed in &mut status.unstaged {
                if changed.kind == Kind::Modified && announced.contains(&changed.path) {
                    changed.kind = Kind::Added;
                }
            }
        }
        let left_out = &marks.left_out;
        status
            .unstaged
            .retain(|changed| changed.kind != Kind::Deleted || !left_out.contains(&changed.path));
        self.count_unsaved(&mut status, question, unsaved)?;
        status.conflicts.retain(|conflict| question.is_of(&conflict.path));
        let conflicted = |path: &RepoPath| status.conflicts.iter().any(|c| c.path == *path);
        status.staged.retain(|changed| !conflicted(&changed.path));
        status.unstaged.retain(|changed| !conflicted(&changed.path));
        status.staged.sort();
        status.unstaged.sort();
        status.untracked.sort();
        Ok(status)
    }

    /// Of untracked files in folders that hold nothing else, the topmost folder is told. It is
    /// looked for here: libgit2 takes a folder for one where it is only asked of files in it.
    fn collapse(&self, untracked: &mut Vec<RepoPath>, within: &[RepoPath]) -> Result<(), GitError> {
        if !untracked.iter().any(|path| path.bytes().contains(&b'/')) {
            return Ok(());
        }
        let mut folders: FxHashSet<Vec<u8>> = FxHashSet::default();
        for entry in self.index()?.iter() {
            let mut path = entry.path.as_slice();
            while let Some(at) = path.iter().rposition(|byte| *byte == b'/') {
                path = &path[..at];
                if !folders.insert(path.to_vec()) {
                    break;
                }
            }
        }
        for path in untracked.iter_mut() {
            let bytes = path.bytes();
            let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'/');
            let is_below = |end: usize| {
                let folder = RepoPath::new(&bytes[..end]);
                within.is_empty() || within.iter().any(|within| folder.is_in(within))
            };
            let found =
                ends.map(|(at, _)| at).find(|at| !folders.contains(&bytes[..*at]) && is_below(*at));
            if let Some(at) = found {
                *path = RepoPath::new(&bytes[..=at]);
            }
        }
        untracked.sort();
        untracked.dedup();
        Ok(())
    }

    /// Unsaved text is what stands in the work tree.
    fn count_unsaved(
        &self,
        status: &mut Status,
        question: &StatusQuestion,
        unsaved: &Unsaved,
    ) -> Result<(), GitError> {
        if unsaved.is_empty() {
            return Ok(());
        }
        let index = self.git.index()?;
        for (path, bytes) in unsaved.iter() {
            let entry = index.get_path(path.path(), 0).filter(|_| question.is_of(path));
            let Some(entry) = entry else { continue };
            let (_, id) = self.kept_of(path, bytes, Some(entry.id))?;
            let known = status.unstaged.iter().position(|changed| changed.path == *path);
            match known {
                Some(at) if id == entry.id && status.unstaged[at].kind == Kind::Modified => {
                    status.unstaged.remove(at);
                }
                None if id != entry.id => status.unstaged.push(Changed {
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
        let index = self.index()?;
        let mut found: Vec<Conflicted> = Vec::new();
        if !index.has_conflicts() {
            return Ok(found);
        }
        for entry in index.iter() {
            let stage = usize::from((entry.flags >> 12) & 3);
            if stage == 0 {
                continue;
            }
            let path = RepoPath::new(&entry.path);
            let at = match found.iter().position(|conflict| conflict.path == path) {
                Some(at) => at,
                None => {
                    found.push(Conflicted { path, sides: [false; 3] });
                    found.len() - 1
                }
            };
            found[at].sides[stage - 1] = true;
        }
        found.sort();
        Ok(found)
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

    fn submodules(&self, paths: &[RepoPath], question: &StatusQuestion) -> Vec<Submodule> {
        // Every entry of the index that is one, whether `.gitmodules` knows it or not.
        let module = |path: &RepoPath| {
            let root = self.layout().work_tree.root();
            let below = self.layout().work_tree.relative().join(path.path()).join(".git");
            let is_present = matches!(root.kind_below(&below), Ok(Some(_)));
            Submodule { path: path.clone(), is_present }
        };
        paths.iter().filter(|path| question.is_of(path)).map(module).collect()
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

impl Status {
    fn take(&mut self, entry: &git2::StatusEntry<'_>) {
        let flags = entry.status();
        let path = RepoPath::new(entry.path_bytes());
        if flags.contains(Flags::CONFLICTED) {
            return;
        }
        if let Some(delta) = entry.head_to_index()
            && let Some(kind) = Kind::of(delta.status())
        {
            self.staged.push(changed(&delta, kind));
        }
        if flags.contains(Flags::WT_NEW) {
            self.untracked.push(path);
        } else if let Some(delta) = entry.index_to_workdir()
            && let Some(kind) = Kind::of(delta.status())
        {
            self.unstaged.push(changed(&delta, kind));
        }
    }
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
