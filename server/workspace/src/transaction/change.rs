//! What a transaction is asked to do.

use std::ops::Range;

use crate::entries::Entry;
use crate::{FileBytes, FileKind, FilePath, FileText};

/// What is to become of one file, link or folder.
#[derive(Debug, Clone)]
pub enum Change {
    /// Its text is edited.
    Edit {
        /// The file as it was read.
        file: FileText,
        /// Byte spans of its text and what replaces them: sorted, disjoint.
        edits: Vec<(Range<usize>, String)>,
        /// The text with all of `edits` applied.
        after: String,
    },
    /// A file that is no text is given other bytes.
    Bytes {
        /// The file as it was read.
        file: FileBytes,
        /// Its bytes afterwards.
        after: Vec<u8>,
    },
    /// A new file with this text; folders on the way are created.
    Create {
        /// Where nothing may stand yet.
        path: FilePath,
        /// Its text, written as UTF-8.
        text: String,
    },
    /// A new file with these bytes; folders on the way are created.
    Put {
        /// Where nothing may stand yet.
        path: FilePath,
        /// Its bytes.
        bytes: Vec<u8>,
        /// Whether it can be run.
        executable: bool,
    },
    /// The file goes to the trash.
    Delete {
        /// The file as it was read.
        file: FileText,
    },
    /// The file gets another path, and perhaps another text.
    Move {
        /// The file as it was read.
        file: FileText,
        /// Where nothing may stand yet.
        to: FilePath,
        /// Its text afterwards.
        after: String,
    },
    /// What stands there goes to the trash: a file, a link itself, a folder with all in it.
    Remove {
        /// As it was seen.
        entry: Entry,
    },
    /// It gets another path; folders on the way are created.
    Rename {
        /// As it was seen.
        entry: Entry,
        /// Its path afterwards.
        to: FilePath,
        /// What stands there and goes to the trash; `None` where nothing may.
        over: Option<Entry>,
    },
    /// A copy of it comes; folders on the way are created.
    Copy {
        /// As it was seen.
        entry: Entry,
        /// The copy's path.
        to: FilePath,
        /// What stands there and goes to the trash; `None` where nothing may.
        over: Option<Entry>,
    },
    /// A folder comes, and those on the way to it.
    Folder {
        /// Where nothing may stand yet.
        path: FilePath,
    },
    /// What lies in the trash comes back.
    Restore {
        /// Its name in the trash.
        trash: String,
        /// Where nothing may stand.
        to: FilePath,
    },
    /// The folder goes, if it is empty by then.
    Tidy {
        /// The folder.
        path: FilePath,
    },
}

impl Change {
    /// The places where something comes, goes or is changed.
    pub(crate) fn places(&self) -> impl Iterator<Item = &FilePath> {
        let (from, to) = match self {
            Self::Edit { file, .. } | Self::Delete { file } => (Some(&file.path), None),
            Self::Bytes { file, .. } => (Some(&file.path), None),
            Self::Create { path, .. }
            | Self::Put { path, .. }
            | Self::Folder { path }
            | Self::Tidy { path } => (None, Some(path)),
            Self::Move { file, to, .. } => (Some(&file.path), Some(to)),
            Self::Remove { entry } => (Some(&entry.path), None),
            Self::Rename { entry, to, .. } => (Some(&entry.path), Some(to)),
            Self::Copy { to, .. } | Self::Restore { to, .. } => (None, Some(to)),
        };
        from.into_iter().chain(to)
    }

    /// The folder that gets another path.
    pub(crate) fn moved_folder(&self) -> Option<&FilePath> {
        match self {
            Self::Rename { entry, .. } if entry.kind == FileKind::Directory => Some(&entry.path),
            _ => None,
        }
    }

    /// The file that is edited where it is.
    pub(crate) fn edited(&self) -> Option<&FilePath> {
        match self {
            Self::Edit { file, .. } => Some(&file.path),
            Self::Bytes { file, .. } => Some(&file.path),
            _ => None,
        }
    }

    /// Whether a whole folder may come, go or move.
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
