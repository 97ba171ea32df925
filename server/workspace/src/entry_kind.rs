//! The kinds of directory entries.

/// The kind of a directory entry.
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
