//! The error type of all git operations.

use thiserror::Error;
use workspace::BudgetExceeded;

/// Why an operation failed. The repository is unchanged unless the variant says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum GitError {
    #[error("{path}: no git repository in the workspace contains it")]
    NoRepository { path: String },
    #[error("{path}: is a bare repository, without files to work on")]
    Bare { path: String },
    #[error("{path}: {what} points outside the workspace")]
    OutsideWorkspace { path: String, what: String },
    #[error("{path}: its git folder is outside the workspace, so it is read-only")]
    ReadOnly { path: String },
    #[error(
        "{path}: the workspace is a subfolder of this repository, and this would change files outside it"
    )]
    SubfolderOnly { path: String },
    #[error("{path}: the repository belongs to another user")]
    Owner { path: String },
    #[error("{what}")]
    Unsupported { what: String },
    #[error("the repository is damaged: {what}")]
    Corrupt { what: String },
    #[error("another git process is running here, or was killed: {what}")]
    Locked { what: String },
    #[error("{what}")]
    NotFound { what: String },
    #[error("{what}")]
    Ambiguous { what: String },
    #[error("{what}")]
    Invalid { what: String },
    #[error("{what}")]
    Conflict { what: String },
    #[error("{what}")]
    Exists { what: String },
    #[error("{what}")]
    TooLarge { what: String },
    #[error("no committer is configured: user.name and user.email are not set")]
    NoIdentity,
    #[error("cancelled")]
    Cancelled,
    #[error("timed out: {what}")]
    Timeout { what: String },
    #[error("panicked; its effects are unknown")]
    Panicked,
    #[error("{what}")]
    Io { what: String },
    #[error("git: {what}")]
    Other { what: String },
}

impl From<BudgetExceeded> for GitError {
    fn from(why: BudgetExceeded) -> Self {
        match why {
            BudgetExceeded::Cancelled => Self::Cancelled,
            BudgetExceeded::Time => Self::Timeout { what: why.to_string() },
            _ => Self::TooLarge { what: format!("the repository has {why}") },
        }
    }
}

impl From<git2::Error> for GitError {
    fn from(error: git2::Error) -> Self {
        use git2::{ErrorClass as Class, ErrorCode as Code};
        let what = error.message().to_owned();
        match (error.code(), error.class()) {
            (Code::Locked, _) => Self::Locked { what },
            (Code::Owner, _) => Self::Owner { path: what },
            (Code::Ambiguous, _) => Self::Ambiguous { what },
            (Code::InvalidSpec, _) => Self::Invalid { what },
            (Code::Exists, _) => Self::Exists { what },
            (Code::Conflict | Code::Uncommitted | Code::Unmerged | Code::MergeConflict, _) => {
                Self::Conflict { what }
            }
            (Code::NotFound, Class::Odb | Class::Object | Class::Tree) => {
                Self::Corrupt { what: format!("{what} (a partial or shallow clone may lack it)") }
            }
            (Code::NotFound | Code::UnbornBranch, _) => Self::NotFound { what },
            (Code::HashsumMismatch, _) => Self::Corrupt { what },
            (_, Class::Os | Class::Filesystem) => Self::Io { what },
            (_, Class::Zlib | Class::Odb | Class::Object | Class::Tree | Class::Index) => {
                Self::Corrupt { what }
            }
            _ if what.contains("unsupported") => Self::Unsupported { what },
            _ => Self::Other { what },
        }
    }
}
