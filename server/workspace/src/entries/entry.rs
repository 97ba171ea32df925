//! One file, folder or link: its kind, identity and content fingerprint.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::visit_tree;
use crate::platform::{Errno, Handle, Opening, Stat, link_target, stat};
use crate::root::MAX_READ_BYTES;
use crate::{ContentHash, EntryKind, FileError, FileKind, FilePath, Snapshot, Stamp};

/// A file, a folder or a link itself (not its target).
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its path.
    pub path: FilePath,
    /// Its kind.
    pub kind: FileKind,
    pub(crate) stat: EntryStat,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryStat {
    pub(crate) node: InodeState,
    pub(crate) stamp: Stamp,
}

/// The identity of an inode, stable across renames. For a regular file it includes size and time of
/// modification, so that a file that was written to meanwhile is not removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InodeState {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl InodeState {
    pub(crate) fn from_stat(stat: &Stat) -> Self {
        let (size, modified) = match stat.kind() {
            EntryKind::File => (stat.size(), stat.modified()),
            _ => (0, (0, 0)),
        };
        Self { device: stat.device(), inode: stat.inode(), size, modified }
    }

    /// The identity without the content's state.
    pub(crate) fn id(&self) -> [u64; 6] {
        [self.device, self.inode, 0, 0, 0, 0]
    }

    /// Whether it is the same file, whatever its content.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Snapshot {
    /// The entry at `path`.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub fn entry(&self, path: &FilePath) -> Result<Entry, FileError> {
        let found = path
            .root
            .stat(&path.relative)
            .map_err(|errno| FileError::from_errno(&path.display_path(), "looking up", errno))?;
        let stat =
            EntryStat { node: InodeState::from_stat(&found), stamp: Stamp::from_stat(&found) };
        Ok(Entry { path: path.clone(), kind: found.kind().into(), stat })
    }

    /// The number of hard links of the file at `path`; 0 if there is none.
    #[must_use]
    pub fn hard_links(&self, path: &FilePath) -> u64 {
        path.root.stat(&path.relative).map_or(0, |found| found.hard_links())
    }

    /// A hash of the content at `path`: of an open document's text, of a file's bytes, or of the
    /// paths, kinds, sizes and times below a folder. `None` if there is nothing.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn content_hash(&self, path: &FilePath) -> Result<Option<ContentHash>, FileError> {
        if let Some(document) = self.open_document(path) {
            return Ok(Some(ContentHash::digest(document.text().to_string().as_bytes())));
        }
        match self.read_bytes(path) {
            Ok(file) => Ok(Some(file.hash)),
            Err(FileError::NotFound { .. }) => Ok(None),
            Err(_) => Ok(fingerprint_of(path)?.map(|print| ContentHash::digest(print.as_bytes()))),
        }
    }

    /// The first twenty guarded paths (configuration that makes programs run code) below the folder
    /// at `path`, as they will be once it is moved to `to`.
    ///
    /// # Errors
    /// When the folder cannot be listed, and once `interrupt` is set.
    pub fn guarded_below(
        &self,
        path: &FilePath,
        to: &FilePath,
        interrupt: &AtomicBool,
    ) -> Result<Vec<FilePath>, FileError> {
        let found = super::guarded_below(path, interrupt)
            .map_err(|errno| FileError::from_errno(&path.display_path(), "listing", errno))?;
        Ok(found.into_iter().map(|below| to.join(below)).collect())
    }
}

/// The fingerprint of the content at `path`: a file's SHA-256 (size and time if it is too large to
/// be read at once), a link's target, or a digest of path, kind, size and time of everything below
/// a folder. `None` if there is nothing. Fingerprints are stored in the history.
pub(crate) fn fingerprint_of(path: &FilePath) -> Result<Option<String>, FileError> {
    let failed = |errno| FileError::from_errno(&path.display_path(), "looking up", errno);
    let entry = match path.root.open_at(&path.relative, Opening::Inspect) {
        Ok(entry) => entry,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    let stat = stat(&entry).map_err(failed)?;
    Ok(Some(match stat.kind() {
        EntryKind::File if stat.size() > MAX_READ_BYTES => {
            format!("large:{}", size_and_time(&stat))
        }
        EntryKind::File => {
            let (bytes, _) = path.root.read(&path.relative, &path.display_path())?;
            ContentHash::digest(&bytes).to_string()
        }
        EntryKind::Link => {
            let target = link_target(&entry).map_err(failed)?;
            format!("link:{}", String::from_utf8_lossy(&target))
        }
        EntryKind::Directory => {
            let top = path.root.open_at(&path.relative, Opening::Folder).map_err(failed)?;
            format!("folder:{}", digest(&top).map_err(failed)?)
        }
        _ => format!("special:{}:{}", stat.device(), stat.inode()),
    }))
}

fn size_and_time(stat: &Stat) -> String {
    let (seconds, nanoseconds) = stat.modified();
    format!("{}:{seconds}.{nanoseconds}", stat.size())
}

/// A digest of path, kind, size and time of everything below a folder.
fn digest(top: &Handle) -> Result<String, Errno> {
    let mut all = Vec::new();
    visit_tree(top, &AtomicBool::new(false), |_, below| {
        let kind = below.kind();
        let state = match kind {
            EntryKind::File => size_and_time(&below.stat),
            _ => String::new(),
        };
        all.push((below.path, format!("{kind:?}:{state}"), below.target.unwrap_or_default()));
        Ok(true)
    })?;
    all.sort();
    let mut hasher = Sha256::new();
    for (path, state, target) in all {
        for part in [path.as_os_str().as_encoded_bytes(), state.as_bytes(), &target] {
            hasher.update((part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
    }
    let digest: [u8; 32] = hasher.finalize().into();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The fingerprint as a message shows it.
pub(crate) fn display_fingerprint(print: Option<&str>) -> String {
    print.map_or_else(|| "nothing".to_owned(), str::to_owned)
}
