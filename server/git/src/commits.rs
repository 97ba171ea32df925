//! Commits: which one is meant, what it says.

use git2::{Commit, ObjectType, Oid};
use rustc_hash::FxHashSet;

use crate::{GitError, Repo};

/// What a commit says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its name.
    pub id: Oid,
    /// Its parents' names.
    pub parents: Vec<Oid>,
    /// Who wrote it, and when.
    pub author: Person,
    /// Who committed it, and when.
    pub committer: Person,
    /// Its message, bytes that are no text replaced.
    pub message: String,
}

/// Somebody, at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// The name.
    pub name: String,
    /// The address.
    pub email: String,
    /// Seconds since 1970.
    pub seconds: i64,
    /// Minutes east of UTC.
    pub offset: i32,
}

impl Person {
    pub(crate) fn of(signature: &git2::Signature<'_>) -> Self {
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
    pub(crate) fn of(commit: &Commit<'_>) -> Self {
        Self {
            id: commit.id(),
            parents: commit.parent_ids().collect(),
            author: Person::of(&commit.author()),
            committer: Person::of(&commit.committer()),
            message: String::from_utf8_lossy(commit.message_bytes()).into_owned(),
        }
    }
}

/// Longest name of a commit, in bytes.
const LONGEST: usize = 1_000;

impl Repo {
    /// The object that a name stands for: a branch, a tag, a commit's name or its beginning,
    /// `HEAD~2`, and so on.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn resolve(&self, name: &str) -> Result<Oid, GitError> {
        let not_found =
            || GitError::NotFound { what: format!("`{name:.200}` names no commit or object here") };
        // What searches through messages takes any pattern, and any time.
        if name.is_empty()
            || name.len() > LONGEST
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
                    let what = format!("`{name:.200}` is the beginning of several names");
                    Err(GitError::Ambiguous { what })
                }
                git2::ErrorCode::NotFound
                | git2::ErrorCode::InvalidSpec
                | git2::ErrorCode::Peel => Err(not_found()),
                _ => Err(error.into()),
            },
        }
    }

    /// The commit that a name stands for.
    ///
    /// # Errors
    /// As [`Repo::resolve`], and where it is no commit.
    pub fn resolve_commit(&self, name: &str) -> Result<Oid, GitError> {
        let object = self.git.find_object(self.resolve(name)?, None)?;
        let commit = object
            .peel(ObjectType::Commit)
            .map_err(|_| GitError::NotFound { what: format!("`{name:.200}` is no commit") })?;
        Ok(commit.id())
    }

    /// The two ends of `A..B` and `A...B`; `None` where a name is neither.
    ///
    /// # Errors
    /// As [`Repo::resolve_commit`].
    pub fn range(&self, written: &str) -> Result<Option<(Oid, Oid)>, GitError> {
        let end = |name: &str| self.resolve_commit(if name.is_empty() { "HEAD" } else { name });
        if let Some((from, to)) = written.split_once("...") {
            let (from, to) = (end(from)?, end(to)?);
            let base = self.git.merge_base(from, to).map_err(|_| GitError::NotFound {
                what: format!("`{written:.200}`: the two have no commit in common"),
            })?;
            return Ok(Some((base, to)));
        }
        match written.split_once("..") {
            Some((from, to)) => Ok(Some((end(from)?, end(to)?))),
            None => Ok(None),
        }
    }

    /// The commits that all branches and tags stand at.
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

    /// The commits that a list names, one a line; what follows a `#` is a comment. What names none
    /// is passed over.
    #[must_use]
    pub fn ignored_commits(&self, list: &str) -> FxHashSet<Oid> {
        let names = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let whole = names.filter(|name| name.len() == 40);
        whole.filter_map(|name| Oid::from_str(name).ok()).collect()
    }

    /// What the commit `id` says.
    ///
    /// # Errors
    /// When it is none, or damaged.
    pub fn commit_info(&self, id: Oid) -> Result<CommitInfo, GitError> {
        Ok(CommitInfo::of(&self.git.find_commit(id)?))
    }

    /// The first of a commit's parents; `None` of a first commit.
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
