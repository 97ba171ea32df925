//! What is known of a file without its content.

use crate::platform::{Opening, link_target, stat};
use crate::{FileError, FilePath, Snapshot};

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum EntryKind {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    Device,
}

impl EntryKind {
    /// The name used in results.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Link => "link",
            Self::Fifo => "fifo",
            Self::Socket => "socket",
            Self::Device => "device",
        }
    }
}

/// What is known of an entry without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: EntryKind,
    /// Its size in bytes; what that means for others than files is the file system's choice.
    pub size: u64,
    /// When its content was last changed: seconds and nanoseconds since 1970.
    pub modified: (i64, i64),
    /// Its permission bits, with the set-id and sticky bits.
    pub mode: u32,
    /// The number of names that it has.
    pub hard_links: u64,
    /// What a link says, as it stands there.
    pub link_target: Option<String>,
}

impl Snapshot {
    /// What is known of what stands at `path`: of a link, not of what it leads to. Nothing is
    /// opened for reading, so that a FIFO or device is safe to ask about.
    ///
    /// # Errors
    /// When nothing is there, or it cannot be looked at.
    pub fn metadata(&self, path: &FilePath) -> Result<Metadata, FileError> {
        let shown = path.shown();
        let failed = |errno| FileError::from_errno(&shown, "looking up", errno);
        let entry = path.root.open_at(&path.relative, Opening::Look).map_err(failed)?;
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
