//! Unsaved text of open documents.

use std::collections::BTreeMap;

use git2::{ObjectType, Oid};

use crate::{GitError, Repo, RepoPath};

/// Unsaved documents by path, as the bytes that saving them would write.
#[derive(Debug, Clone, Default)]
pub struct UnsavedFiles(BTreeMap<RepoPath, Vec<u8>>);

impl FromIterator<(RepoPath, Vec<u8>)> for UnsavedFiles {
    fn from_iter<I: IntoIterator<Item = (RepoPath, Vec<u8>)>>(documents: I) -> Self {
        Self(documents.into_iter().collect())
    }
}

impl UnsavedFiles {
    /// Each document's path and bytes, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &[u8])> {
        self.0.iter().map(|(path, bytes)| (path, bytes.as_slice()))
    }

    /// The bytes of the document at `path`.
    #[must_use]
    pub fn get(&self, path: &RepoPath) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    /// Whether no document is unsaved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Repo {
    /// The blob content that git would store for a file with these bytes.
    ///
    /// # Errors
    /// When the attributes cannot be read.
    pub fn to_git_bytes(&self, path: &RepoPath, bytes: &[u8]) -> Result<Vec<u8>, GitError> {
        let indexed = self.index()?.get_path(path.as_path(), 0).map(|entry| entry.id);
        Ok(self.to_git_blob(path, bytes, indexed)?.0)
    }

    /// The blob content that git would store for a file with these bytes, and its object id.
    /// `indexed` is the blob the index has: it decides about CRLF.
    pub(crate) fn to_git_blob(
        &self,
        path: &RepoPath,
        bytes: &[u8],
        indexed: Option<Oid>,
    ) -> Result<(Vec<u8>, Oid), GitError> {
        let indexed = indexed.and_then(|id| self.find_blob(id).ok());
        let conversion = self.conversion(path)?;
        let bytes = conversion.to_git(bytes, indexed.as_ref().map(git2::Blob::content));
        let id = Oid::hash_object(ObjectType::Blob, &bytes)?;
        Ok((bytes, id))
    }
}
