//! A file as it was at some point, for editors that show it beside another.

use git2::Oid;

use crate::{GitError, Repo, RepoPath};

/// A point at which a file is looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// A commit, by whatever names it.
    Commit(String),
    /// The index: 0 is what is staged; of a file that a merge has left open 1 is the common
    /// ancestor, 2 ours, 3 theirs.
    Index(u16),
}

impl At {
    /// Of what is written: `:0` to `:3` are the index's, everything else names a commit.
    #[must_use]
    pub fn of(written: &str) -> Self {
        match written {
            ":" | ":0" => Self::Index(0),
            ":1" => Self::Index(1),
            ":2" => Self::Index(2),
            ":3" => Self::Index(3),
            name => Self::Commit(name.to_owned()),
        }
    }
}

impl Repo {
    /// The bytes that checking a file out from there would write.
    ///
    /// # Errors
    /// When there is no such point or file, or it is longer than `limit` bytes.
    pub fn checked_out(&self, at: &At, path: &RepoPath, limit: usize) -> Result<Vec<u8>, GitError> {
        let id = match at {
            At::Commit(name) => self.file_in(self.resolve_commit(name)?, path)?,
            At::Index(stage) => {
                let index = self.index()?;
                let entry = index.get_path(path.path(), i32::from(*stage));
                let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
                entry.filter(|entry| is_file(entry.mode)).map(|entry| entry.id)
            }
        };
        let id = id.ok_or_else(|| GitError::NotFound {
            what: format!("{}: there is no such file there", path.shown()),
        })?;
        let (size, _) = self.git.odb()?.read_header(id)?;
        if size > limit {
            let what = format!("{}: is {size} bytes long, more than {limit}", path.shown());
            return Err(GitError::TooLarge { what });
        }
        self.in_work_tree(path, id)
    }

    fn file_in(&self, commit: Oid, path: &RepoPath) -> Result<Option<Oid>, GitError> {
        match self.tree(commit)?.get_path(path.path()) {
            Ok(entry) => Ok((entry.filemode() & 0o170_000 == 0o100_000).then(|| entry.id())),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_told_from_commits() {
        assert_eq!(At::of(":2"), At::Index(2));
        for name in [":4", "HEAD", "2", ""] {
            assert_eq!(At::of(name), At::Commit(name.to_owned()));
        }
    }
}
