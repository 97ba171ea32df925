//! `HEAD`: the current branch and an operation in progress.

use git2::{Oid, RepositoryState};

use crate::{GitError, Repo};

/// The current branch, commit and upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The short name of the branch; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// The current commit; `None` on a branch without commits.
    pub commit: Option<Oid>,
    /// The short name of the upstream branch.
    pub upstream: Option<String>,
    /// Commits that the upstream lacks; `None` without an upstream.
    pub ahead: Option<usize>,
    /// Commits that only the upstream has.
    pub behind: Option<usize>,
}

impl Repo {
    /// The current branch, commit and upstream.
    ///
    /// # Errors
    /// When its references cannot be read.
    pub fn head(&self) -> Result<Head, GitError> {
        let head = self.git.find_reference("HEAD")?;
        let mut result =
            Head { branch: None, commit: None, upstream: None, ahead: None, behind: None };
        let Some(name) = head.symbolic_target_bytes() else {
            result.commit = head.target();
            return Ok(result);
        };
        result.branch = Some(short(name));
        let reference = match head.resolve() {
            Ok(reference) => reference,
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(result),
            Err(error) => return Err(error.into()),
        };
        result.commit = reference.target();
        let Ok(name) = reference.name() else { return Ok(result) };
        let Ok(upstream) = self.git.branch_upstream_name(name) else { return Ok(result) };
        result.upstream = Some(short(&upstream));
        let upstream = upstream.as_str().ok().and_then(|name| self.git.refname_to_id(name).ok());
        if let (Some(local), Some(upstream)) = (result.commit, upstream) {
            let (ahead, behind) = self.git.graph_ahead_behind(local, upstream)?;
            (result.ahead, result.behind) = (Some(ahead), Some(behind));
        }
        Ok(result)
    }

    /// The operation in progress (`merge`, `rebase`, …), under git's name.
    #[must_use]
    pub fn operation(&self) -> Option<&'static str> {
        Some(match self.git.state() {
            RepositoryState::Clean => return None,
            RepositoryState::Merge => "merge",
            RepositoryState::Revert | RepositoryState::RevertSequence => "revert",
            RepositoryState::CherryPick | RepositoryState::CherryPickSequence => "cherry-pick",
            RepositoryState::Bisect => "bisect",
            RepositoryState::Rebase
            | RepositoryState::RebaseInteractive
            | RepositoryState::RebaseMerge => "rebase",
            RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => "am",
        })
    }
}

/// A reference's name without `refs/heads/`, `refs/tags/` or `refs/remotes/`.
pub(crate) fn short(name: &[u8]) -> String {
    let prefixes: [&[u8]; 4] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/", b"refs/"];
    let name = prefixes.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name);
    String::from_utf8_lossy(name).into_owned()
}
