//! Converts git errors to tool errors.

use git::GitError;

use tools::{Code, ToolError};

/// The tool error for `error`, which occurred in `tool`.
#[must_use]
pub fn from_git_error(tool: &str, error: GitError) -> ToolError {
    let (code, hint) = match &error {
        GitError::NoRepository { .. } => (
            Code::PathNotFound,
            Some(
                "a repository counts only if its top is a workspace folder, or lies in or above \
                 one; open that folder",
            ),
        ),
        GitError::Bare { .. } | GitError::Unsupported { .. } => (Code::Unsupported, None),
        GitError::OutsideWorkspace { .. } => (
            Code::PathForbidden,
            Some("the person can trust the workspace: git.trusted in their config.toml"),
        ),
        GitError::SubfolderOnly { .. } => (
            Code::PathForbidden,
            Some("open the repository's own folder, or have git itself do it"),
        ),
        GitError::ReadOnly { .. } => (
            Code::Denied,
            Some("the person can trust the workspace: git.trusted in their config.toml"),
        ),
        GitError::Owner { .. } => (Code::Permission, Some("see safe.directory in git's settings")),
        GitError::Corrupt { .. } => (Code::Io, Some("`git fsck` says more")),
        GitError::Locked { .. } => (
            Code::Conflict,
            Some("wait for it; if no git process runs, the person may delete the .lock file"),
        ),
        GitError::NotFound { .. } => (Code::NoMatch, None),
        GitError::Ambiguous { .. } => (Code::Ambiguous, Some("write more of the name")),
        GitError::Invalid { .. } => (Code::InvalidParams, None),
        GitError::Conflict { .. } => (Code::Conflict, None),
        GitError::Exists { .. } => (Code::Exists, None),
        GitError::TooLarge { .. } => (Code::TooLarge, None),
        GitError::NoIdentity => (
            Code::Unavailable,
            Some("git config user.name \"…\" and git config user.email \"…\" set them"),
        ),
        GitError::Timeout { .. } => (Code::Timeout, Some("ask for less: a path, fewer commits")),
        GitError::Cancelled => (Code::Cancelled, None),
        GitError::Panicked => (Code::Internal, None),
        GitError::Io { what } => (Code::Io, tools::error::space_hint(what)),
        GitError::Other { .. } => (Code::Io, None),
    };
    let made = ToolError::new(code, format!("{tool}: {error}"));
    match hint {
        Some(hint) => made.hint(hint),
        None => made,
    }
}
