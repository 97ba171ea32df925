//! One state of the workspace, as a question sees it.

use std::path::Path;
use std::sync::Arc;

use rpds::HashTrieMapSync;
use syntax::Language;
use text::{FileEncoding, Text, decode, encode};

use crate::editor_state::EditorState;
use crate::entries::GuardedTracker;
use crate::indexer::{Indexer, Patience};
use crate::path::{is_absolute, locate, locate_absolute, locate_entry};
use crate::uri::normal_uri;
use crate::{Document, EntryKind, FileError, FilePath, Hash, Root, Stamp};

/// The open documents and roots at one moment. Cheap to clone; never changes.
#[derive(Clone)]
pub struct Snapshot {
    pub(crate) revision: u64,
    pub(crate) roots: Arc<[Arc<Root>]>,
    pub(crate) documents: HashTrieMapSync<Arc<str>, Arc<Document>>,
    pub(crate) editor: Arc<EditorState>,
    pub(crate) indexer: Arc<Indexer>,
    pub(crate) guarded: Arc<GuardedTracker>,
    /// How long queries wait for the index; without a limit where there is none.
    pub(crate) patience: Option<Arc<Patience>>,
}

/// How much of a text is looked at for its language, in bytes.
const HEAD: usize = 64 << 10;

/// A file's bytes, whatever they spell.
#[derive(Debug, Clone)]
pub struct FileBytes {
    /// The file.
    pub path: FilePath,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The hash of those bytes.
    pub hash: Hash,
    pub(crate) stamp: Stamp,
}

/// Where a text came from.
#[derive(Debug, Clone)]
pub enum Source {
    /// An open document: the editor's text is the truth.
    Open(Arc<Document>),
    /// The file on disk, in this state.
    Disk(Stamp),
}

/// A file's text, and what is needed to write it back unharmed.
#[derive(Debug, Clone)]
pub struct FileText {
    /// The file.
    pub path: FilePath,
    /// Its text, a file's byte-order mark set aside.
    pub text: Text,
    /// How its bytes spell the text.
    pub encoding: FileEncoding,
    /// Where the text came from.
    pub source: Source,
    /// Number of bytes that the text is spelled with.
    pub size: usize,
    /// The hash of those bytes.
    pub hash: Hash,
}

impl FileText {
    /// Its language.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        match &self.source {
            Source::Open(document) => document.language(),
            Source::Disk(_) => {
                let head = self.text.slice(0..HEAD);
                Language::detect(&self.path.file_name().to_string_lossy(), &head)
            }
        }
    }

    /// The bytes that spell `text` in this file's encoding.
    #[must_use]
    pub fn spell(&self, text: &str) -> Vec<u8> {
        encode(text, self.encoding)
    }
}

impl Snapshot {
    /// Grows by one with every change that a client reports.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The workspace folders, the first one being where relative paths start.
    #[must_use]
    pub fn roots(&self) -> &[Arc<Root>] {
        &self.roots
    }

    /// The open document that a client calls `uri`.
    #[must_use]
    pub fn document(&self, uri: &str) -> Option<&Arc<Document>> {
        self.documents.get(uri).or_else(|| self.documents.get(normal_uri(uri).as_str()))
    }

    /// The document that a client calls `uri`, open or not. `None` where nothing can be read.
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

    /// The file that `written` means; see the contract on paths.
    ///
    /// # Errors
    /// When it is no path, or leads out of the roots.
    pub fn locate(&self, written: &str) -> Result<FilePath, FileError> {
        locate(&self.roots, written)
    }

    /// The place that an absolute path means, whose bytes need not be text.
    ///
    /// # Errors
    /// When it leads out of the roots.
    pub fn locate_absolute(&self, path: &Path) -> Result<FilePath, FileError> {
        locate_absolute(&self.roots, path)
    }

    /// The file that `written` means, which is only to be read: as [`Snapshot::locate`], and in the
    /// folders of dependencies outside of the roots as well.
    ///
    /// # Errors
    /// When it is no path, or leads out of the roots and those folders.
    pub fn locate_to_read(&self, written: &str) -> Result<FilePath, FileError> {
        match locate(&self.roots, written) {
            Err(error @ FileError::Forbidden { .. }) if is_absolute(written) => {
                let libraries: Vec<_> = self.libraries().outside(&self.roots).cloned().collect();
                // The message speaks of the workspace.
                locate(&libraries, written).map_err(|_| error)
            }
            found => found,
        }
    }

    /// Where the file that a client calls `uri` lies, for people: below its root, or below the
    /// folder that its dependency is in.
    #[must_use]
    pub fn shown_place(&self, uri: &str) -> String {
        let Ok(path) = self.locate_to_read(uri) else {
            return uri.rsplit('/').next().unwrap_or(uri).to_owned();
        };
        let path = self.libraries().place(&path.absolute()).unwrap_or(path);
        path.relative.to_string_lossy().into_owned()
    }

    /// # Errors
    /// When the place lies in a folder of dependencies: those are only read.
    pub(crate) fn check_writable(&self, path: &FilePath) -> Result<(), FileError> {
        let in_library = |path: FilePath| !path.is_root();
        if path.is_in_library() || self.libraries().place(&path.absolute()).is_some_and(in_library)
        {
            let reason = "is in a folder of dependencies, which is only read";
            return Err(FileError::Forbidden { path: path.shown(), reason });
        }
        Ok(())
    }

    /// The entry that `written` means: as [`Snapshot::locate`], but where the last name is a link,
    /// the link itself, wherever it leads. To delete, move and look at.
    ///
    /// # Errors
    /// When it is no path, or its folder lies outside the roots.
    pub fn locate_entry(&self, written: &str) -> Result<FilePath, FileError> {
        locate_entry(&self.roots, written)
    }

    /// Whether `written` names a link itself, wherever it leads.
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

    /// The open document that stands for the file at `path`.
    #[must_use]
    pub fn open_document(&self, path: &FilePath) -> Option<&Arc<Document>> {
        self.documents.values().find(|document| document.is_at(path, &self.roots))
    }

    /// The open documents in the roots whose text is not the disk's, each with the bytes that saving
    /// it would write: in the encoding that the file has, where there is one.
    #[must_use]
    pub fn unsaved(&self) -> Vec<(FilePath, Vec<u8>)> {
        let unsaved = self.documents.values().filter_map(|document| {
            let (path, bytes, is_saved) = self.saving(document)?;
            (!is_saved).then_some((path, bytes))
        });
        unsaved.collect()
    }

    /// The open documents in the roots: the file of each, and whether that has its text.
    #[must_use]
    pub fn open_files(&self) -> Vec<(&Document, FilePath, bool)> {
        let files = self.documents.values().filter_map(|document| {
            let (path, _, is_saved) = self.saving(document)?;
            Some((&**document, path, is_saved))
        });
        files.collect()
    }

    /// The file of an open document, and the bytes that saving it would write; `None` outside the
    /// roots.
    #[must_use]
    pub fn bytes_to_save(&self, document: &Document) -> Option<(FilePath, Vec<u8>)> {
        self.saving(document).map(|(path, bytes, _)| (path, bytes))
    }

    /// As [`Snapshot::bytes_to_save`], and whether the file has that text.
    fn saving(&self, document: &Document) -> Option<(FilePath, Vec<u8>, bool)> {
        let path = document.path(&self.roots)?;
        let text = document.text().to_string();
        let disk = path.root.read(&path.relative, &path.shown()).ok();
        let Some(disk) = disk.and_then(|(bytes, _)| decode(bytes).ok()) else {
            return Some((path, text.into_bytes(), false));
        };
        // Where the client has kept a byte-order mark, it is part of the text.
        let own = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_saved = disk.text == own;
        Some((path, encode(own, disk.encoding), is_saved))
    }

    /// The text of the file at `path`: the open document's, else the disk's.
    ///
    /// # Errors
    /// When there is no such regular file, it is too large, or in no known encoding.
    pub fn read(&self, path: &FilePath) -> Result<FileText, FileError> {
        if let Some(document) = self.open_document(path) {
            let bytes = document.text().to_string().into_bytes();
            return Ok(FileText {
                path: path.clone(),
                text: document.text().clone(),
                encoding: FileEncoding::Utf8,
                source: Source::Open(document.clone()),
                size: bytes.len(),
                hash: Hash::of(&bytes),
            });
        }
        self.read_disk(path)
    }

    /// The bytes on disk of the file at `path`.
    ///
    /// # Errors
    /// When there is no such regular file, or it is too large.
    pub fn read_bytes(&self, path: &FilePath) -> Result<FileBytes, FileError> {
        let (bytes, stat) = path.root.read(&path.relative, &path.shown())?;
        let hash = Hash::of(&bytes);
        Ok(FileBytes { path: path.clone(), bytes, hash, stamp: Stamp::of(&stat) })
    }

    pub(crate) fn read_disk(&self, path: &FilePath) -> Result<FileText, FileError> {
        let (bytes, stat) = path.root.read(&path.relative, &path.shown())?;
        let (size, hash) = (bytes.len(), Hash::of(&bytes));
        let decoded =
            decode(bytes).map_err(|source| FileError::Encoding { path: path.shown(), source })?;
        Ok(FileText {
            path: path.clone(),
            text: Text::new(&decoded.text),
            encoding: decoded.encoding,
            source: Source::Disk(Stamp::of(&stat)),
            size,
            hash,
        })
    }
}
