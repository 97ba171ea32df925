//! Resolves revisions and reads commits.

use git2::{Commit, ObjectType, Oid};
use rustc_hash::FxHashSet;

use crate::limits::MAX_REVISION_LENGTH;
use crate::{GitError, Repo};

/// A commit's metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Object id.
    pub id: Oid,
    /// Object ids of the parents.
    pub parents: Vec<Oid>,
    /// Author and author date.
    pub author: Person,
    /// Committer and commit date.
    pub committer: Person,
    /// Message; invalid UTF-8 is replaced.
    pub message: String,
}

/// A name and address with a date: git's signature line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The mail address.
    pub email: String,
    /// Seconds since 1970.
    pub seconds: i64,
    /// Minutes east of UTC.
    pub offset: i32,
}

impl Person {
    pub(crate) fn from_signature(signature: &git2::Signature<'_>) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let when = signature.when();
        Self {
            name: text(signature.name_bytes()),
            email: text(signature.email_bytes()),
            seconds: when.seconds(),
            offset: when.offset_minutes(),
        }
    }
}

impl CommitInfo {
    pub(crate) fn from_commit(commit: &Commit<'_>) -> Self {
        Self {
            id: commit.id(),
            parents: commit.parent_ids().collect(),
            author: Person::from_signature(&commit.author()),
            committer: Person::from_signature(&commit.committer()),
            message: String::from_utf8_lossy(commit.message_bytes()).into_owned(),
        }
    }
}

impl Repo {
    /// Resolves a revision: a branch, a tag, an abbreviated object id, `HEAD~2` and so on.
    ///
    /// # Errors
    /// When it matches no object, or several.
    pub fn resolve(&self, name: &str) -> Result<Oid, GitError> {
        let not_found =
            || GitError::NotFound { what: format!("`{name:.200}` names no commit or object here") };
        // Message searches (`:/…`, `^{/…}`) take any pattern and may walk all of history.
        if name.is_empty()
            || name.len() > MAX_REVISION_LENGTH
            || name.contains('\0')
            || name.contains(":/")
            || name.contains("^{/")
            || name.starts_with('-')
        {
            return Err(not_found());
        }
        match self.git.revparse_single(name) {
            Ok(object) => Ok(object.id()),
            Err(error) => match error.code() {
                git2::ErrorCode::Ambiguous => {
                    let what = format!("`{name:.200}` is ambiguous: several objects match");
                    Err(GitError::Ambiguous { what })
                }
                git2::ErrorCode::NotFound
                | git2::ErrorCode::InvalidSpec
                | git2::ErrorCode::Peel => Err(not_found()),
                _ => Err(error.into()),
            },
        }
    }

    /// Resolves a revision to a commit.
    ///
    /// # Errors
    /// As [`Repo::resolve`], and if the object is no commit.
    pub fn resolve_commit(&self, name: &str) -> Result<Oid, GitError> {
        let object = self.git.find_object(self.resolve(name)?, None)?;
        let commit = object
            .peel(ObjectType::Commit)
            .map_err(|_| GitError::NotFound { what: format!("`{name:.200}` is not a commit") })?;
        Ok(commit.id())
    }

    /// The two ends of `A..B` and `A...B`; `None` if `written` is no range. `A...B` starts at the
    /// merge base.
    ///
    /// # Errors
    /// As [`Repo::resolve_commit`].
    pub fn range(&self, written: &str) -> Result<Option<(Oid, Oid)>, GitError> {
        let end = |name: &str| self.resolve_commit(if name.is_empty() { "HEAD" } else { name });
        if let Some((from, to)) = written.split_once("...") {
            let (from, to) = (end(from)?, end(to)?);
            let base = self.git.merge_base(from, to).map_err(|_| GitError::NotFound {
                what: format!("`{written:.200}`: the two have no common ancestor"),
            })?;
            return Ok(Some((base, to)));
        }
        match written.split_once("..") {
            Some((from, to)) => Ok(Some((end(from)?, end(to)?))),
            None => Ok(None),
        }
    }

    /// The commits of HEAD and all branches and tags.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn tips(&self) -> Result<Vec<Oid>, GitError> {
        let mut tips: Vec<Oid> = self.head()?.commit.into_iter().collect();
        for glob in ["refs/heads/*", "refs/remotes/*", "refs/tags/*"] {
            for reference in self.git.references_glob(glob)? {
                let Ok(commit) = reference.and_then(|reference| reference.peel_to_commit()) else {
                    continue;
                };
                tips.push(commit.id());
            }
        }
        tips.sort_unstable();
        tips.dedup();
        Ok(tips)
    }

    /// Parses a list of commits to ignore in a blame: one full object id a line, `#` starts a
    /// comment. Other lines are skipped.
    #[must_use]
    pub fn ignored_commits(&self, list: &str) -> FxHashSet<Oid> {
        let names = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let whole = names.filter(|name| name.len() == 40);
        whole.filter_map(|name| Oid::from_str(name).ok()).collect()
    }

    /// The metadata of the commit `id`.
    ///
    /// # Errors
    /// When it is no commit, or damaged.
    pub fn commit_info(&self, id: Oid) -> Result<CommitInfo, GitError> {
        Ok(CommitInfo::from_commit(&self.git.find_commit(id)?))
    }

    /// A commit's first parent; `None` for a root commit.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn parent(&self, id: Oid) -> Result<Option<Oid>, GitError> {
        Ok(self.git.find_commit(id)?.parent_id(0).ok())
    }

    /// The best common ancestors of commits.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn merge_bases(&self, commits: &[Oid]) -> Result<Vec<Oid>, GitError> {
        let bases = match commits {
            [one, other] => self.git.merge_bases(*one, *other),
            _ => self.git.merge_bases_many(commits),
        };
        match bases {
            Ok(bases) => Ok(bases.iter().copied().collect()),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.into()),
        }
    }
}
