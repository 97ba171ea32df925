//! Where a repository stands: its branch, and what is under way.

use git2::{Oid, RepositoryState};

use crate::{GitError, Repo};

/// Where a repository stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The short name of the branch; `None` where a commit is checked out by itself.
    pub branch: Option<String>,
    /// The commit; `None` on a branch without one.
    pub commit: Option<Oid>,
    /// The short name of the branch that it follows.
    pub upstream: Option<String>,
    /// Commits that the upstream has not; `None` without one.
    pub ahead: Option<usize>,
    /// Commits that only the upstream has.
    pub behind: Option<usize>,
}

impl Repo {
    /// Where it stands.
    ///
    /// # Errors
    /// When its references cannot be read.
    pub fn head(&self) -> Result<Head, GitError> {
        let head = self.git.find_reference("HEAD")?;
        let mut standing =
            Head { branch: None, commit: None, upstream: None, ahead: None, behind: None };
        let Some(name) = head.symbolic_target_bytes() else {
            standing.commit = head.target();
            return Ok(standing);
        };
        standing.branch = Some(short(name));
        let reference = match head.resolve() {
            Ok(reference) => reference,
            Err(error) if error.code() == git2::ErrorCode::NotFound => return Ok(standing),
            Err(error) => return Err(error.into()),
        };
        standing.commit = reference.target();
        let Ok(name) = reference.name() else { return Ok(standing) };
        let Ok(upstream) = self.git.branch_upstream_name(name) else { return Ok(standing) };
        standing.upstream = Some(short(&upstream));
        let upstream = upstream.as_str().ok().and_then(|name| self.git.refname_to_id(name).ok());
        if let (Some(local), Some(upstream)) = (standing.commit, upstream) {
            let (ahead, behind) = self.git.graph_ahead_behind(local, upstream)?;
            (standing.ahead, standing.behind) = (Some(ahead), Some(behind));
        }
        Ok(standing)
    }

    /// What is under way and not yet ended, as git calls it.
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

/// A reference's name without the folders that say what it is.
pub(crate) fn short(name: &[u8]) -> String {
    let prefixes: [&[u8]; 4] = [b"refs/heads/", b"refs/tags/", b"refs/remotes/", b"refs/"];
    let name = prefixes.iter().find_map(|prefix| name.strip_prefix(*prefix)).unwrap_or(name);
    String::from_utf8_lossy(name).into_owned()
}
