//! Errors of transactions.

use thiserror::Error;

use crate::{EditorError, FileError};

/// Why a transaction failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum CommitError {
    #[error("{path}: the document has changed since it was read")]
    DocumentChanged { path: String },
    #[error("{path}: is open in the editor and must be closed first")]
    Open { path: String },
    #[error("{path}: is open in the editor with unsaved changes")]
    Unsaved { path: String },
    #[error("cancelled; nothing was changed")]
    Cancelled,
    #[error("{path}: already exists")]
    Exists { path: String },
    #[error("{path}: cannot be moved or copied into itself")]
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
        "{path}: another program wrote to it at the same time; one of its two texts is in place, \
         and the other is kept in {}",
        kept.join(", ")
    )]
    Raced { path: String, kept: Vec<String> },
    #[error("{path}: could not be reverted after a failure elsewhere: {source} (first: {first})")]
    RevertFailed { path: String, source: FileError, first: FileError },
}
