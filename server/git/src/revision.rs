//! A file as of a commit or an index stage, for editors that show it beside another version.

use git2::Oid;

use crate::{GitError, Repo, RepoPath};

/// The version of a file to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Revision {
    /// A commit, by any name that git resolves.
    Commit(String),
    /// An index stage: 0 is the staged file; in a conflict 1 is the common ancestor, 2 ours and 3
    /// theirs.
    Index(u16),
}

impl Revision {
    /// Parses a revision: `:0` to `:3` are index stages, everything else names a commit.
    #[must_use]
    pub fn parse(written: &str) -> Self {
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
    /// The bytes that checking out this version of a file would write.
    ///
    /// # Errors
    /// When there is no such version or file, or it is longer than `limit` bytes.
    pub fn content_at_revision(
        &self,
        at: &Revision,
        path: &RepoPath,
        limit: usize,
    ) -> Result<Vec<u8>, GitError> {
        let id = match at {
            Revision::Commit(name) => self.blob_in_commit(self.resolve_commit(name)?, path)?,
            Revision::Index(stage) => {
                let index = self.index()?;
                let entry = index.get_path(path.as_path(), i32::from(*stage));
                let is_file = |mode: u32| mode & 0o170_000 == 0o100_000;
                entry.filter(|entry| is_file(entry.mode)).map(|entry| entry.id)
            }
        };
        let id = id.ok_or_else(|| GitError::NotFound {
            what: format!("{}: that version has no such file", path.to_string_lossy()),
        })?;
        let (size, _) = self.git.odb()?.read_header(id)?;
        if size > limit {
            let what =
                format!("{}: is {size} bytes long, more than {limit}", path.to_string_lossy());
            return Err(GitError::TooLarge { what });
        }
        self.to_work_tree_bytes(path, id)
    }

    fn blob_in_commit(&self, commit: Oid, path: &RepoPath) -> Result<Option<Oid>, GitError> {
        match self.tree(commit)?.get_path(path.as_path()) {
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
    fn index_stages_are_distinguished_from_commits() {
        assert_eq!(Revision::parse(":2"), Revision::Index(2));
        for name in [":4", "HEAD", "2", ""] {
            assert_eq!(Revision::parse(name), Revision::Commit(name.to_owned()));
        }
    }
}
