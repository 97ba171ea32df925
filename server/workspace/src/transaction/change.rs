//! The changes of a transaction.

use std::ops::Range;

use crate::entries::Entry;
use crate::{FileBytes, FileKind, FilePath, FileText};

/// A change of one file, link or folder.
#[derive(Debug, Clone)]
pub enum Change {
    /// Edits the text of a file.
    Edit {
        /// The file as it was read.
        file: FileText,
        /// Byte spans of its text with their replacements: sorted and disjoint.
        edits: Vec<(Range<usize>, String)>,
        /// The text with all of `edits` applied.
        after: String,
    },
    /// Replaces the content of a file that is not text.
    Bytes {
        /// The file as it was read.
        file: FileBytes,
        /// Its bytes afterwards.
        after: Vec<u8>,
    },
    /// Creates a text file and its parent folders.
    Create {
        /// Its path, which must not exist.
        path: FilePath,
        /// Its text, written as UTF-8.
        text: String,
    },
    /// Creates a file with these bytes and its parent folders.
    CreateBinary {
        /// Its path, which must not exist.
        path: FilePath,
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it is executable.
        executable: bool,
    },
    /// Moves a file to the trash.
    Delete {
        /// The file as it was read.
        file: FileText,
    },
    /// Moves a file, and changes its text.
    Move {
        /// The file as it was read.
        file: FileText,
        /// Its new path, which must not exist.
        to: FilePath,
        /// Its text afterwards.
        after: String,
    },
    /// Moves an entry to the trash: a file, a link itself, or a folder with its contents.
    Remove {
        /// The entry as it was seen.
        entry: Entry,
    },
    /// Moves an entry and creates the parent folders.
    Rename {
        /// The entry as it was seen.
        entry: Entry,
        /// Its new path.
        to: FilePath,
        /// The existing entry at the new path, which goes to the trash; if `None`, there must be
        /// none.
        over: Option<Entry>,
    },
    /// Copies an entry and creates the parent folders.
    Copy {
        /// The entry as it was seen.
        entry: Entry,
        /// The copy's path.
        to: FilePath,
        /// The existing entry at that path, which goes to the trash; if `None`, there must be none.
        over: Option<Entry>,
    },
    /// Creates a folder and its parent folders.
    Folder {
        /// Its path, which must not exist.
        path: FilePath,
    },
    /// Restores an entry from the trash.
    Restore {
        /// Its name in the trash.
        trash: String,
        /// Its new path, which must not exist.
        to: FilePath,
    },
    /// Removes a folder if it is empty after the other changes.
    RemoveFolderIfEmpty {
        /// The folder.
        path: FilePath,
    },
}

impl Change {
    /// The paths that are written or removed.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &FilePath> {
        let (from, to) = match self {
            Self::Edit { file, .. } | Self::Delete { file } => (Some(&file.path), None),
            Self::Bytes { file, .. } => (Some(&file.path), None),
            Self::Create { path, .. }
            | Self::CreateBinary { path, .. }
            | Self::Folder { path }
            | Self::RemoveFolderIfEmpty { path } => (None, Some(path)),
            Self::Move { file, to, .. } => (Some(&file.path), Some(to)),
            Self::Remove { entry } => (Some(&entry.path), None),
            Self::Rename { entry, to, .. } => (Some(&entry.path), Some(to)),
            Self::Copy { to, .. } | Self::Restore { to, .. } => (None, Some(to)),
        };
        from.into_iter().chain(to)
    }

    /// The folder that is moved.
    pub(crate) fn moved_folder(&self) -> Option<&FilePath> {
        match self {
            Self::Rename { entry, .. } if entry.kind == FileKind::Directory => Some(&entry.path),
            _ => None,
        }
    }

    /// The file that is edited in place.
    pub(crate) fn edited_file(&self) -> Option<&FilePath> {
        match self {
            Self::Edit { file, .. } => Some(&file.path),
            Self::Bytes { file, .. } => Some(&file.path),
            _ => None,
        }
    }

    /// Whether it may add, remove or move a whole folder.
    pub(crate) fn is_of_folder(&self) -> bool {
        match self {
            Self::Remove { entry } | Self::Rename { entry, .. } | Self::Copy { entry, .. } => {
                entry.kind == FileKind::Directory
            }
            Self::Restore { .. } => true,
            _ => false,
        }
    }
}
