//! An immutable snapshot of the workspace, for one query.

use std::path::Path;
use std::sync::Arc;

use rpds::HashTrieMapSync;
use syntax::Language;
use text::{FileEncoding, Text, decode, encode};

use crate::editor_state::EditorState;
use crate::entries::GuardedTracker;
use crate::indexer::{Indexer, QueryDeadline};
use crate::locate::{is_absolute, locate, locate_absolute, locate_entry};
use crate::uri::normal_uri;
use crate::{ContentHash, Document, EntryKind, FileError, FilePath, Root, Stamp};

/// The open documents and roots at one moment. Immutable and cheap to clone.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) roots: Arc<[Arc<Root>]>,
    pub(crate) documents: HashTrieMapSync<Arc<str>, Arc<Document>>,
    pub(crate) editor: Arc<EditorState>,
    pub(crate) indexer: Arc<Indexer>,
    pub(crate) guarded: Arc<GuardedTracker>,
    /// The deadline for queries to wait for the index; `None` without a limit.
    pub(crate) query_deadline: Option<Arc<QueryDeadline>>,
}

/// Number of bytes of a text from which its language is detected.
const LANGUAGE_DETECTION_BYTES: usize = 64 << 10;

/// A file's bytes, in any encoding.
#[derive(Debug, Clone)]
pub struct FileBytes {
    /// The file.
    pub path: FilePath,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The hash of those bytes.
    pub hash: ContentHash,
    pub(crate) stamp: Stamp,
}

/// The source of a text.
#[derive(Debug, Clone)]
pub enum Source {
    /// An open document: the editor's text takes precedence.
    Open(Arc<Document>),
    /// The file on disk with this stamp.
    Disk(Stamp),
}

/// A file's text, with what is needed to write it back losslessly.
#[derive(Debug, Clone)]
pub struct FileText {
    /// The file.
    pub path: FilePath,
    /// The text, without the byte order mark of a file.
    pub text: Text,
    /// The encoding.
    pub encoding: FileEncoding,
    /// The source of the text.
    pub source: Source,
    /// The number of encoded bytes.
    pub size: usize,
    /// The hash of those bytes.
    pub hash: ContentHash,
}

impl FileText {
    /// Its language.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        match &self.source {
            Source::Open(document) => document.language(),
            Source::Disk(_) => {
                let head = self.text.slice(0..LANGUAGE_DETECTION_BYTES);
                Language::detect(&self.path.file_name().to_string_lossy(), &head)
            }
        }
    }

    /// Encodes `text` in this file's encoding.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u8> {
        encode(text, self.encoding)
    }
}

impl Snapshot {
    /// The revision, which increases by one with every change that a client reports.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The workspace folders. Relative paths refer to the first one.
    #[must_use]
    pub fn roots(&self) -> &[Arc<Root>] {
        &self.roots
    }

    /// The open document with this URI.
    #[must_use]
    pub fn document(&self, uri: &str) -> Option<&Arc<Document>> {
        self.documents.get(uri).or_else(|| self.documents.get(normal_uri(uri).as_str()))
    }

    /// The document with this URI, open or read from disk. `None` if it cannot be read.
    #[must_use]
    pub fn document_or_file(&self, uri: &str) -> Option<Arc<Document>> {
        if let Some(document) = self.document(uri) {
            return Some(document.clone());
        }
        let file = self.read(&self.locate_to_read(uri).ok()?).ok()?;
        Some(match &file.source {
            Source::Open(document) => document.clone(),
            Source::Disk(stamp) => Arc::new(Document::on_disk(&file, *stamp)),
        })
    }

    /// All open documents.
    pub fn documents(&self) -> impl Iterator<Item = &Arc<Document>> {
        self.documents.values()
    }

    /// Resolves a path or URI as callers write it; see the contract on paths.
    ///
    /// # Errors
    /// When it is not a path, or escapes the roots.
    pub fn locate(&self, written: &str) -> Result<FilePath, FileError> {
        locate(&self.roots, written)
    }

    /// Resolves an absolute path with arbitrary bytes.
    ///
    /// # Errors
    /// When it escapes the roots.
    pub fn locate_absolute(&self, path: &Path) -> Result<FilePath, FileError> {
        locate_absolute(&self.roots, path)
    }

    /// Resolves a path or URI for reading: as [`Snapshot::locate`], and also in folders of
    /// dependencies outside the roots.
    ///
    /// # Errors
    /// When it is not a path, or escapes the roots and those folders.
    pub fn locate_to_read(&self, written: &str) -> Result<FilePath, FileError> {
        match locate(&self.roots, written) {
            Err(error @ FileError::Forbidden { .. }) if is_absolute(written) => {
                let libraries: Vec<_> = self.libraries().outside(&self.roots).cloned().collect();
                // Report the error about the workspace.
                locate(&libraries, written).map_err(|_| error)
            }
            found => found,
        }
    }

    /// The display path of the file with this URI: relative to its root, or to the folder of its
    /// dependency.
    #[must_use]
    pub fn display_path_of_uri(&self, uri: &str) -> String {
        let Ok(path) = self.locate_to_read(uri) else {
            return uri.rsplit('/').next().unwrap_or(uri).to_owned();
        };
        let path = self.libraries().locate(&path.absolute()).unwrap_or(path);
        path.relative.to_string_lossy().into_owned()
    }

    /// # Errors
    /// When the path is in a folder of dependencies, which is read-only.
    pub(crate) fn check_writable(&self, path: &FilePath) -> Result<(), FileError> {
        let in_library = |path: FilePath| !path.is_root();
        if path.is_in_library() || self.libraries().locate(&path.absolute()).is_some_and(in_library)
        {
            let reason = "is in a folder of dependencies, which is read-only";
            return Err(FileError::Forbidden { path: path.display_path(), reason });
        }
        Ok(())
    }

    /// Resolves a path as [`Snapshot::locate`], but a link as the last name is not followed. To
    /// delete, move and inspect entries.
    ///
    /// # Errors
    /// When it is not a path, or its folder is outside the roots.
    pub fn locate_entry(&self, written: &str) -> Result<FilePath, FileError> {
        locate_entry(&self.roots, written)
    }

    /// Whether `written` is the path of a link.
    #[must_use]
    pub fn is_link(&self, written: &str) -> bool {
        let trimmed = written.trim_end_matches('/');
        let (parent, name) = trimmed.rsplit_once('/').unwrap_or((".", trimmed));
        let parent = if parent.is_empty() { "/" } else { parent };
        locate(&self.roots, parent).is_ok_and(|parent| {
            let entry = parent.root.stat(&parent.relative.join(name));
            entry.is_ok_and(|entry| entry.kind() == EntryKind::Link)
        })
    }

    /// The open document of the file at `path`.
    #[must_use]
    pub fn open_document(&self, path: &FilePath) -> Option<&Arc<Document>> {
        self.documents.values().find(|document| document.is_at(path, &self.roots))
    }

    /// The open documents in the roots with unsaved changes, each with the bytes that saving would
    /// write, in the encoding of the existing file.
    #[must_use]
    pub fn unsaved(&self) -> Vec<(FilePath, Vec<u8>)> {
        let unsaved = self.documents.values().filter_map(|document| {
            let (path, bytes, is_saved) = self.file_and_bytes(document)?;
            (!is_saved).then_some((path, bytes))
        });
        unsaved.collect()
    }

    /// The open documents in the roots, each with its file and whether it is saved.
    #[must_use]
    pub fn open_files(&self) -> Vec<(&Document, FilePath, bool)> {
        let files = self.documents.values().filter_map(|document| {
            let (path, _, is_saved) = self.file_and_bytes(document)?;
            Some((&**document, path, is_saved))
        });
        files.collect()
    }

    /// The file of an open document, and the bytes that saving would write; `None` outside the
    /// roots.
    #[must_use]
    pub fn bytes_to_save(&self, document: &Document) -> Option<(FilePath, Vec<u8>)> {
        self.file_and_bytes(document).map(|(path, bytes, _)| (path, bytes))
    }

    /// As [`Snapshot::bytes_to_save`], and whether the file already has that text.
    fn file_and_bytes(&self, document: &Document) -> Option<(FilePath, Vec<u8>, bool)> {
        let path = document.path(&self.roots)?;
        let text = document.text().to_string();
        let disk = path.root.read(&path.relative, &path.display_path()).ok();
        let Some(disk) = disk.and_then(|(bytes, _)| decode(bytes).ok()) else {
            return Some((path, text.into_bytes(), false));
        };
        // Some clients keep the byte order mark in the text.
        let own = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_saved = disk.text == own;
        Some((path, encode(own, disk.encoding), is_saved))
    }

    /// The text of the file at `path`: of the open document, else from disk.
    ///
    /// # Errors
    /// When there is no such regular file, it is too large, or in an unknown encoding.
    pub fn read(&self, path: &FilePath) -> Result<FileText, FileError> {
        if let Some(document) = self.open_document(path) {
            let bytes = document.text().to_string().into_bytes();
            return Ok(FileText {
                path: path.clone(),
                text: document.text().clone(),
                encoding: FileEncoding::Utf8,
                source: Source::Open(document.clone()),
                size: bytes.len(),
                hash: ContentHash::digest(&bytes),
            });
        }
        self.read_disk(path)
    }

    /// The bytes on disk of the file at `path`.
    ///
    /// # Errors
    /// When there is no such regular file, or it is too large.
    pub fn read_bytes(&self, path: &FilePath) -> Result<FileBytes, FileError> {
        let (bytes, stat) = path.root.read(&path.relative, &path.display_path())?;
        let hash = ContentHash::digest(&bytes);
        Ok(FileBytes { path: path.clone(), bytes, hash, stamp: Stamp::from_stat(&stat) })
    }

    /// The stamp of the file on disk at `path`; `None` if there is none. Texts that were read from disk have
    /// theirs in [`Source::Disk`].
    #[must_use]
    pub fn disk_stamp(&self, path: &FilePath) -> Option<Stamp> {
        path.root.stat(&path.relative).ok().map(|stat| Stamp::from_stat(&stat))
    }

    /// The text on disk of the file at `path`, also if it is open.
    ///
    /// # Errors
    /// When there is no such regular file, it is too large, or in an unknown encoding.
    pub fn read_disk(&self, path: &FilePath) -> Result<FileText, FileError> {
        let (bytes, stat) = path.root.read(&path.relative, &path.display_path())?;
        let (size, hash) = (bytes.len(), ContentHash::digest(&bytes));
        let decoded = decode(bytes)
            .map_err(|source| FileError::Encoding { path: path.display_path(), source })?;
        Ok(FileText {
            path: path.clone(),
            text: Text::new(&decoded.text),
            encoding: decoded.encoding,
            source: Source::Disk(Stamp::from_stat(&stat)),
            size,
            hash,
        })
    }
}
