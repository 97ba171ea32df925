//! What is known of a file without its content.

use rustix::fs::{FileType, Mode, OFlags, fstat, readlinkat};

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
        let entry =
            path.root.open_at(&path.relative, OFlags::PATH, Mode::empty()).map_err(failed)?;
        let stat = fstat(&entry).map_err(failed)?;
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => EntryKind::File,
            FileType::Directory => EntryKind::Directory,
            FileType::Symlink => EntryKind::Link,
            FileType::Fifo => EntryKind::Fifo,
            FileType::Socket => EntryKind::Socket,
            _ => EntryKind::Device,
        };
        let link_target = match kind {
            EntryKind::Link => {
                let target = readlinkat(&entry, "", Vec::new()).map_err(failed)?;
                Some(target.to_string_lossy().into_owned())
            }
            _ => None,
        };
        // The fields' types differ between architectures.
        #[allow(clippy::unnecessary_cast, clippy::useless_conversion)]
        Ok(Metadata {
            kind,
            size: u64::try_from(stat.st_size).unwrap_or(0),
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            mode: stat.st_mode & 0o7777,
            hard_links: stat.st_nlink as u64,
            link_target,
        })
    }
}
