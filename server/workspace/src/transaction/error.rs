//! Why a transaction was not carried out.

use thiserror::Error;

use crate::{EditorError, FileError};

/// Why nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommitError {
    #[error("{path}: the document has changed since it was read")]
    Moved { path: String },
    #[error("{path}: is open in the editor, which must close it first")]
    Open { path: String },
    #[error("{path}: is open in the editor with changes that are not saved")]
    Unsaved { path: String },
    #[error("cancelled; nothing was changed")]
    Cancelled,
    #[error("{path}: exists already")]
    Exists { path: String },
    #[error("{path}: is to go into itself")]
    IntoItself { path: String },
    #[error("{}: {source}", paths.join(", "))]
    Editor { paths: Vec<String>, source: EditorError },
    #[error(transparent)]
    File(#[from] FileError),
    #[error(
        "the history could not be written, so this could not be undone: {0}; nothing was changed"
    )]
    Journal(String),
    #[error(
        "{path}: another program wrote to it while it was being changed; one of the two texts of that \
         moment is there, and the other is kept in {}",
        kept.join(", ")
    )]
    Raced { path: String, kept: Vec<String> },
    #[error("{path}: could not be put back after a failure elsewhere: {source} (first: {first})")]
    Torn { path: String, source: FileError, first: FileError },
}
