//! Text that stands in editors and not yet on disk.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid};

use crate::{GitError, Repo, RepoPath};

/// The bytes that saving each unsaved document would write, by path.
#[derive(Debug, Clone, Default)]
pub struct Unsaved(BTreeMap<RepoPath, Vec<u8>>);

impl FromIterator<(RepoPath, Vec<u8>)> for Unsaved {
    fn from_iter<I: IntoIterator<Item = (RepoPath, Vec<u8>)>>(documents: I) -> Self {
        Self(documents.into_iter().collect())
    }
}

impl Unsaved {
    /// Each document's path and bytes, in order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path, bytes.as_slice()))
    }

    /// The bytes of the document at `path`.
    #[must_use]
    pub fn get(&self, path: &RepoPath) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Repo {
    /// What git would keep of a file with these bytes.
    ///
    /// # Errors
    /// When the attributes cannot be read.
    pub fn as_kept(&self, path: &RepoPath, bytes: &[u8]) -> Result<Vec<u8>, GitError> {
        let kept = self.index()?.get_path(path.path(), 0).map(|entry| entry.id);
        Ok(self.kept_of(path, bytes, kept)?.0)
    }

    /// What git would keep of a file with these bytes, and its object name. `kept`: the object that
    /// it keeps so far.
    pub(crate) fn kept_of(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        kept: Option<Oid>,
    ) -> Result<(Vec<u8>, Oid), GitError> {
        let kept = kept.and_then(|id| self.find_blob(id).ok());
        let conversion = self.conversion(path)?;
        let bytes = conversion.to_git(bytes, kept.as_ref().map(git2::Blob::content));
        let id = Oid::hash_object(ObjectType::Blob, &bytes)?;
        Ok((bytes, id))
    }
}
