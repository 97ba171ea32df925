//! A changed file and how it changed, in a status or a diff.

use git2::Delta;

use crate::repo_path::RepoPath;

/// How a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum ChangeKind {
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

impl ChangeKind {
    /// The name in results.
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

    pub(crate) fn from_delta(delta: Delta) -> Option<Self> {
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

/// One changed file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileChange {
    /// Its path; the new one if it was renamed.
    pub path: RepoPath,
    /// How it changed.
    pub kind: ChangeKind,
    /// Its previous path, if it was renamed or copied.
    pub old_path: Option<RepoPath>,
}
