//! The one truth: open documents over files on disk.
//!
//! This is the only crate that touches the files of a workspace. Every one of them is reached
//! through a [`Root`]'s directory handle, so that the kernel keeps every access inside.
//!
//! It knows nothing of protocols, tools or async: a front end applies what its client says to a
//! [`Workspace`], takes a [`Snapshot`] for each question, and lends an [`Editor`] where open
//! documents are to be changed.

mod awaited;
mod document;
mod editor;
mod error;
mod hash;
mod indexer;
mod journal;
mod path;
mod questions;
mod replace;
mod resolve;
mod root;
mod snapshot;
mod transaction;
mod uri;
mod walk;
mod workspace;

pub use document::Document;
pub use editor::{Answer, DocumentEdit, Editor, EditorError, Headless, Question, Shown};
pub use error::FileError;
pub use hash::Hash;
pub use indexer::IndexProgress;
pub use path::FilePath;
pub use questions::{Location, QueryError};
pub use root::{FileKind, Root, Stamp};
pub use snapshot::{FileBytes, FileText, Snapshot, Source};
pub use transaction::{Change, CommitError};
pub use uri::{path_of_uri, uri_of_path};
pub use walk::source_files;
pub use workspace::{Changed, Turn, Workspace};
