//! Metadata of files, folders and links.

use crate::entry_kind::EntryKind;
use crate::platform::{Opening, link_target, stat};
use crate::{FileError, FilePath, Snapshot};

/// The metadata of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Its kind.
    pub kind: EntryKind,
    /// Its size in bytes; for entries other than files it depends on the file system.
    pub size: u64,
    /// The modification time: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    /// Its permission bits with the set-id and sticky bits.
    pub mode: u32,
    /// Its number of hard links.
    pub hard_links: u64,
    /// The target of a link as stored in it.
    pub link_target: Option<String>,
}

impl Snapshot {
    /// The metadata of the entry at `path`; of a link itself, not of its target. The entry is not
    /// opened for reading, so this is safe for FIFOs and devices.
    ///
    /// # Errors
    /// When there is nothing, or it is not accessible.
    pub fn metadata(&self, path: &FilePath) -> Result<Metadata, FileError> {
        let shown = path.display_path();
        let failed = |errno| FileError::from_errno(&shown, "looking up", errno);
        let entry = path.root.open_at(&path.relative, Opening::Inspect).map_err(failed)?;
        let stat = stat(&entry).map_err(failed)?;
        let link_target = match stat.kind() {
            EntryKind::Link => {
                let target = link_target(&entry).map_err(failed)?;
                Some(String::from_utf8_lossy(&target).into_owned())
            }
            _ => None,
        };
        Ok(Metadata {
            kind: stat.kind(),
            size: stat.size(),
            modified: stat.modified(),
            mode: stat.mode(),
            hard_links: stat.hard_links(),
            link_target,
        })
    }
}
