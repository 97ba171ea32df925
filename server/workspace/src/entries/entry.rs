//! One entry of a folder: what it is, and what it says.

use std::sync::atomic::AtomicBool;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::listing;
use crate::platform::{Errno, Handle, Opening, Stat, link_target, stat};
use crate::root::READ_LIMIT;
use crate::{EntryKind, FileError, FileKind, FilePath, Hash, Snapshot, Stamp};

/// What stands at a place: a file, a link itself, a folder.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where.
    pub path: FilePath,
    /// What.
    pub kind: FileKind,
    pub(crate) stat: EntryStat,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct EntryStat {
    pub(crate) node: Node,
    pub(crate) stamp: Stamp,
}

/// Which file it is, wherever it is renamed to. Of a regular file also its content's state: what
/// somebody has written to is not ours to take away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    device: u64,
    inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl Node {
    pub(crate) fn of(stat: &Stat) -> Self {
        let (size, modified) = match stat.kind() {
            EntryKind::File => (stat.size(), stat.modified()),
            _ => (0, (0, 0)),
        };
        Self { device: stat.device(), inode: stat.inode(), size, modified }
    }

    /// Which file it is, whatever it holds.
    pub(crate) fn id(&self) -> [u64; 6] {
        [self.device, self.inode, 0, 0, 0, 0]
    }

    /// Whether it is the same file, whatever it holds.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Snapshot {
    /// What stands at `path`.
    ///
    /// # Errors
    /// `NotFound` where nothing does.
    pub fn entry(&self, path: &FilePath) -> Result<Entry, FileError> {
        let found = path
            .root
            .stat(&path.relative)
            .map_err(|errno| FileError::from_errno(&path.shown(), "looking up", errno))?;
        let stat = EntryStat { node: Node::of(&found), stamp: Stamp::of(&found) };
        Ok(Entry { path: path.clone(), kind: found.kind().into(), stat })
    }

    /// How many names (hard links) the file at `path` has; 0 where nothing stands.
    #[must_use]
    pub fn hard_links(&self, path: &FilePath) -> u64 {
        path.root.stat(&path.relative).map_or(0, |found| found.hard_links())
    }

    /// What tells the content at `path` from any other: the hash of an open document's text, or of
    /// a file's bytes; of a folder that of the paths, kinds, sizes and times below it. `None` where
    /// nothing stands.
    ///
    /// # Errors
    /// When it cannot be looked at.
    pub fn content_hash(&self, path: &FilePath) -> Result<Option<Hash>, FileError> {
        if let Some(document) = self.open_document(path) {
            return Ok(Some(Hash::of(document.text().to_string().as_bytes())));
        }
        match self.read_bytes(path) {
            Ok(file) => Ok(Some(file.hash)),
            Err(FileError::NotFound { .. }) => Ok(None),
            Err(_) => Ok(print(path)?.map(|print| Hash::of(print.as_bytes()))),
        }
    }

    /// The places below the folder at `path` whose names make programs run what is written there,
    /// as they are once the folder is at `to`: they come and go with it. The first twenty.
    ///
    /// # Errors
    /// When the folder cannot be looked through, and once `interrupt` is set.
    pub fn guarded_below(
        &self,
        path: &FilePath,
        to: &FilePath,
        interrupt: &AtomicBool,
    ) -> Result<Vec<FilePath>, FileError> {
        let found = super::guarded_below(path, interrupt)
            .map_err(|errno| FileError::from_errno(&path.shown(), "looking through", errno))?;
        Ok(found.into_iter().map(|below| to.join(below)).collect())
    }
}

/// What tells the content at `path` from any other: a file's SHA-256 (size and time, where it is
/// too large to be read at once), a link's target, and of a folder the digest of everything below
/// it by path, kind, size and time. `None` where nothing stands there.
pub(crate) fn print(path: &FilePath) -> Result<Option<String>, FileError> {
    let failed = |errno| FileError::from_errno(&path.shown(), "looking up", errno);
    let entry = match path.root.open_at(&path.relative, Opening::Look) {
        Ok(entry) => entry,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(errno) => return Err(failed(errno)),
    };
    let stat = stat(&entry).map_err(failed)?;
    Ok(Some(match stat.kind() {
        EntryKind::File if stat.size() > READ_LIMIT => format!("large:{}", size_and_time(&stat)),
        EntryKind::File => {
            let (bytes, _) = path.root.read(&path.relative, &path.shown())?;
            Hash::of(&bytes).to_string()
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

fn digest(top: &Handle) -> Result<String, Errno> {
    let mut all = Vec::new();
    listing(top, &AtomicBool::new(false), |_, below| {
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

/// What a print is called in a message.
pub(crate) fn shown_print(print: Option<&str>) -> String {
    print.map_or_else(|| "nothing".to_owned(), str::to_owned)
}
