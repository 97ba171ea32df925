//! A workspace folder, and access to the files below it by handle.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::platform::{
    Confinement, Errno, Handle, Opening, Stat, errno_of, link_target, open_outside, stat,
    stat_outside,
};
use crate::{EntryKind, FileError};

/// A workspace folder. All access goes through its handle, and the platform confines it below: no
/// path, link or race escapes.
#[derive(Debug)]
pub struct Root {
    dir: Handle,
    confinement: Confinement,
    path: PathBuf,
    /// The path as the client spelled it, before links were resolved.
    client_path: PathBuf,
    /// Its number if it is a folder of dependencies, which is read-only.
    library: Option<u32>,
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum FileKind {
    File,
    Directory,
    Link,
    Special,
}

impl From<EntryKind> for FileKind {
    fn from(kind: EntryKind) -> Self {
        match kind {
            EntryKind::File => Self::File,
            EntryKind::Directory => Self::Directory,
            EntryKind::Link => Self::Link,
            EntryKind::Fifo | EntryKind::Socket | EntryKind::Device => Self::Special,
        }
    }
}

/// Identifies a state of a file without reading its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub(crate) fn from_stat(stat: &Stat) -> Self {
        Self {
            inode: stat.inode(),
            size: stat.size(),
            modified: stat.modified(),
            changed: stat.changed(),
        }
    }
}

impl Stamp {
    /// Whether the file changed after `time`, as far as the file system's clock is exact.
    #[must_use]
    pub fn has_changed_since(self, time: SystemTime) -> bool {
        self.changed > moment(time)
    }

    /// Encodes the stamp for storage.
    pub(crate) fn to_words(self) -> [u64; 6] {
        let (modified, changed) = (self.modified, self.changed);
        let times = [modified.0, modified.1, changed.0, changed.1].map(i64::cast_unsigned);
        [self.inode, self.size, times[0], times[1], times[2], times[3]]
    }

    /// Decodes [`Stamp::to_words`].
    pub(crate) fn from_words([inode, size, times @ ..]: [u64; 6]) -> Self {
        let [modified, modified_nanos, changed, changed_nanos] = times.map(u64::cast_signed);
        let (modified, changed) = ((modified, modified_nanos), (changed, changed_nanos));
        Self { inode, size, modified, changed }
    }

    /// Whether the last change of the file was before `time`.
    pub(crate) fn changed_before(&self, time: SystemTime) -> bool {
        let limit = moment(time);
        self.changed < limit && self.modified < limit
    }
}

/// A time as seconds and nanoseconds, as in a file's status.
fn moment(time: SystemTime) -> (i64, i64) {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or(i64::MAX);
    (seconds, i64::from(since.subsec_nanos()))
}

/// Size limit of a file that is read.
pub(crate) const MAX_READ_BYTES: u64 = 64 << 20;

impl AsRef<Root> for Root {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Root {
    /// Opens the folder at `path`.
    ///
    /// # Errors
    /// When it is not a readable folder.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let shown = path.to_string_lossy();
        let failed = |errno| FileError::from_errno(&shown, "opening the folder", errno);
        let canonical = path.canonicalize().map_err(|e| failed(errno_of(&e)))?;
        let dir = open_outside(&canonical, Opening::Folder).map_err(failed)?;
        let confinement = Confinement::detect(&dir);
        Ok(Self { dir, confinement, path: canonical, client_path: path.to_owned(), library: None })
    }

    /// Opens the folder at `path`, whose parents are not links; fails if it is a link itself.
    pub(crate) fn open_no_follow(path: &Path) -> Result<Self, Errno> {
        let dir = open_outside(path, Opening::Folder)?;
        let confinement = Confinement::detect(&dir);
        let path = path.to_owned();
        Ok(Self { dir, confinement, client_path: path.clone(), path, library: None })
    }

    /// Opens the folder `below` this one without following links.
    pub(crate) fn beneath(&self, below: &Path) -> Result<Self, Errno> {
        let dir = self.open_at(below, Opening::Folder)?;
        let (path, client_path) = match below.as_os_str().is_empty() {
            true => (self.path.clone(), self.client_path.clone()),
            false => (self.path.join(below), self.client_path.join(below)),
        };
        Ok(Self { dir, confinement: self.confinement, path, client_path, library: None })
    }

    /// Marks it as a read-only folder of dependencies.
    pub(crate) fn as_library(self, number: u32) -> Self {
        Self { library: Some(number), ..self }
    }

    /// Its number, if it is a folder of dependencies.
    pub(crate) fn library(&self) -> Option<u32> {
        self.library
    }

    /// The same folder with the confinement for kernels without `openat2`.
    #[cfg(test)]
    pub(crate) fn confined_name_by_name(self) -> Self {
        Self { confinement: Confinement::NameByName, ..self }
    }

    /// Whether the kernel confines each access in one system call; otherwise paths are opened name
    /// by name.
    #[must_use]
    pub fn is_confined_by_kernel(&self) -> bool {
        self.confinement == Confinement::Kernel
    }

    /// The absolute path without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether `path` is this folder, in either spelling.
    #[must_use]
    pub fn is_at(&self, path: &Path) -> bool {
        path == self.path || path == self.client_path
    }

    /// Whether this folder is still at its path: it may have been moved or deleted, and another one
    /// created in its place.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let same = |a: Stat, b: Stat| (a.device(), a.inode()) == (b.device(), b.inode());
        let own = stat(&self.dir).ok();
        own.zip(stat_outside(&self.path).ok()).is_some_and(|(own, now)| same(own, now))
    }

    /// The path relative to this root, in either spelling of the root.
    pub(crate) fn strip<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        path.strip_prefix(&self.path).or_else(|_| path.strip_prefix(&self.client_path)).ok()
    }

    /// The kind of the entry `below` this folder; `None` if there is none. No link is followed, not
    /// even the last one.
    ///
    /// # Errors
    /// When it is not accessible.
    pub fn kind_below(&self, below: &Path) -> Result<Option<FileKind>, FileError> {
        match self.stat(below) {
            Ok(stat) => Ok(Some(stat.kind().into())),
            // A path through a link is not below this folder.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(errno) => Err(FileError::from_errno(&below.to_string_lossy(), "looking up", errno)),
        }
    }

    /// The bytes of the regular file `below` this folder, at most `limit`; `None` if there is none.
    /// No link is followed.
    ///
    /// # Errors
    /// When it is not a regular file, larger, or not readable.
    pub fn read_below(&self, below: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        let shown = below.to_string_lossy();
        let (file, stat) = match self.open_file(below, &shown) {
            Ok(opened) => opened,
            Err(FileError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| FileError::from_errno(&shown, "reading", errno_of(&e)))?;
        if bytes.len() as u64 > limit {
            let size = stat.size().max(bytes.len() as u64);
            return Err(FileError::TooLarge { path: shown.into_owned(), size, limit });
        }
        Ok(Some(bytes))
    }

    /// Whether the file `below` this folder is executable for its owner.
    ///
    /// # Errors
    /// When it is not accessible.
    pub fn is_executable_below(&self, below: &Path) -> Result<bool, FileError> {
        match self.stat(below) {
            Ok(stat) => Ok(stat.mode() & 0o100 != 0),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(false),
            Err(errno) => Err(FileError::from_errno(&below.to_string_lossy(), "looking up", errno)),
        }
    }

    /// Whether the entry `below` this folder belongs to the effective user.
    ///
    /// # Errors
    /// When it is not accessible.
    pub fn is_own_below(&self, below: &Path) -> Result<bool, FileError> {
        let failed = |errno| FileError::from_errno(&below.to_string_lossy(), "looking up", errno);
        self.stat(below).map(|stat| stat.is_ours()).map_err(failed)
    }

    /// The target of the link `below` this folder; `None` if it is not a link.
    ///
    /// # Errors
    /// When it is not accessible.
    pub fn link_below(&self, below: &Path) -> Result<Option<Vec<u8>>, FileError> {
        if self.kind_below(below)? != Some(FileKind::Link) {
            return Ok(None);
        }
        let failed = |errno| FileError::from_errno(&below.to_string_lossy(), "looking up", errno);
        let link = self.open_at(below, Opening::Inspect).map_err(failed)?;
        link_target(&link).map(Some).map_err(failed)
    }

    /// Opens `path`, which contains no links, below the root.
    pub(crate) fn open_at(&self, path: &Path, opening: Opening) -> Result<Handle, Errno> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        self.confinement.open(&self.dir, path, opening)
    }

    /// Opens the single name `name` in `folder`, a handle of a folder below this root.
    pub(crate) fn open_in(
        &self,
        folder: &Handle,
        name: &OsStr,
        opening: Opening,
    ) -> Result<Handle, Errno> {
        self.confinement.open(folder, Path::new(name), opening)
    }

    /// The metadata of the entry at `path`.
    pub(crate) fn stat(&self, path: &Path) -> Result<Stat, Errno> {
        stat(self.open_at(path, Opening::Inspect)?)
    }

    /// Opens the regular file at `path` for reading. A FIFO, device or socket is never opened.
    pub(crate) fn open_file(&self, path: &Path, shown: &str) -> Result<(File, Stat), FileError> {
        let failed = |errno| FileError::from_errno(shown, "opening", errno);
        let special = |what| FileError::NotRegular { path: shown.to_owned(), what };
        match self.stat(path).map_err(failed)?.kind() {
            EntryKind::File => {}
            EntryKind::Directory => {
                return Err(FileError::IsDirectory { path: shown.to_owned() });
            }
            EntryKind::Link => return Err(failed(Errno::LOOP)),
            EntryKind::Fifo => return Err(special("a FIFO")),
            EntryKind::Socket => return Err(special("a socket")),
            EntryKind::Device => return Err(special("a device")),
        }
        let file = self.open_at(path, Opening::Read).map_err(failed)?;
        let stat = stat(&file).map_err(failed)?;
        if stat.kind() != EntryKind::File {
            return Err(failed(Errno::LOOP));
        }
        Ok((File::from(file), stat))
    }

    /// The bytes of the regular file at `path`, and its metadata when it was read.
    pub(crate) fn read(&self, path: &Path, shown: &str) -> Result<(Vec<u8>, Stat), FileError> {
        self.read_within(path, shown, MAX_READ_BYTES)
    }

    /// As [`Root::read`] for a file of at most `limit` bytes.
    pub(crate) fn read_within(
        &self,
        path: &Path,
        shown: &str,
        limit: u64,
    ) -> Result<(Vec<u8>, Stat), FileError> {
        let (file, stat) = self.open_file(path, shown)?;
        let size = stat.size();
        let too_large = |size| FileError::TooLarge { path: shown.to_owned(), size, limit };
        if size > limit {
            return Err(too_large(size));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        // The file may grow during the read.
        file.take(limit + 1)
            .read_to_end(&mut bytes)
            .map_err(|e| FileError::from_errno(shown, "reading", errno_of(&e)))?;
        if bytes.len() as u64 > limit {
            return Err(too_large(bytes.len() as u64));
        }
        Ok((bytes, stat))
    }
}
