//! A folder, held by its handle, and what stands in it.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, SeekFrom, fstat, readlinkat, seek, statat,
};
use rustix::io::Errno;

use super::rules::Rules;
use crate::root::FileKind;
use crate::{FileError, FilePath, Root};

/// Size of the buffer that a folder is listed into, in bytes.
const LISTING: usize = 64 << 10;
/// Most entries of one folder that are listed: more is an attack, or no folder for a person.
const MOST_ENTRIES: usize = 1_000_000;

/// A folder below a root, held by its handle: what is opened in it is in it, whatever is renamed
/// around it meanwhile.
#[derive(Debug)]
pub struct Folder {
    root: Arc<Root>,
    handle: OwnedFd,
    /// Below the root, names joined by `/`; empty for the root itself.
    relative: Vec<u8>,
    depth: usize,
    pub(super) rules: Option<Arc<Rules>>,
}

/// What stands in a folder.
#[derive(Debug, Clone)]
pub struct FolderEntry {
    /// Its name.
    pub name: OsString,
    /// What it is; a link is a link, wherever it leads.
    pub kind: FileKind,
}

/// The entries of one folder, in the order of the file system. Used again for the next folder.
pub(super) struct Listing {
    buffer: Box<[MaybeUninit<u8>]>,
    names: Vec<u8>,
    entries: Vec<(usize, usize, FileKind)>,
}

impl Listing {
    pub(super) fn new() -> Self {
        let buffer = vec![MaybeUninit::uninit(); LISTING].into_boxed_slice();
        Self { buffer, names: Vec::new(), entries: Vec::new() }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|&(start, end, kind)| (&self.names[start..end], kind))
    }
}

impl Folder {
    /// Opens the folder at `path`; the rules of the ignore files above it hold in it.
    ///
    /// # Errors
    /// When there is no such folder, or it may not be read.
    pub fn open(path: &FilePath) -> Result<Self, FileError> {
        let rules = Rules::above(&path.root, &path.relative);
        Self::open_under(path, rules)
    }

    pub(super) fn open_under(
        path: &FilePath,
        rules: Option<Arc<Rules>>,
    ) -> Result<Self, FileError> {
        let failed = |errno| FileError::from_errno(&path.shown(), "opening the folder", errno);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let handle = path.root.open_at(&path.relative, flags, Mode::empty()).map_err(failed)?;
        let relative = path.relative.as_os_str().as_bytes().to_vec();
        Ok(Self { root: path.root.clone(), handle, relative, depth: 0, rules })
    }

    /// Opens a folder in this one. `path` is its path below the root.
    pub(super) fn child(&self, path: &[u8]) -> Result<Self, Errno> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        let handle = self.open_in(name, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Self {
            root: self.root.clone(),
            handle,
            relative: path.to_vec(),
            depth: self.depth + 1,
            rules: self.rules.clone(),
        })
    }

    /// Opens the folder `name` in this one.
    ///
    /// # Errors
    /// When it is none, a link, or may not be read.
    pub fn folder(&self, name: &OsStr) -> Result<Self, FileError> {
        let path = self.entry(name);
        self.child(path.relative.as_os_str().as_bytes())
            .map_err(|errno| FileError::from_errno(&path.shown(), "opening the folder", errno))
    }

    /// The place of `name` in this folder.
    #[must_use]
    pub fn entry(&self, name: &OsStr) -> FilePath {
        let mut path = Vec::with_capacity(self.relative.len() + 1 + name.len());
        self.path_of(name.as_bytes(), &mut path);
        FilePath { root: self.root.clone(), relative: PathBuf::from(OsString::from_vec(path)) }
    }

    /// Its own place.
    #[must_use]
    pub fn path(&self) -> FilePath {
        let relative = PathBuf::from(OsStr::from_bytes(&self.relative));
        FilePath { root: self.root.clone(), relative }
    }

    /// Its path below the root, names joined by `/`; empty for the root itself.
    #[must_use]
    pub fn relative(&self) -> &[u8] {
        &self.relative
    }

    /// How many folders it lies below the one that a walk began at.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Writes the path of `name` below the root into `path`.
    pub fn path_of(&self, name: &[u8], path: &mut Vec<u8>) {
        path.clear();
        if !self.relative.is_empty() {
            path.extend_from_slice(&self.relative);
            path.push(b'/');
        }
        path.extend_from_slice(name);
    }

    /// What stands in it, by name. Everything: hidden and ignored entries too.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn entries(&self) -> Result<Vec<FolderEntry>, FileError> {
        let mut listing = Listing::new();
        self.list_again(&mut listing).map_err(|errno| {
            FileError::from_errno(&self.path().shown(), "listing the folder", errno)
        })?;
        let owned = |(name, kind): (&[u8], FileKind)| FolderEntry {
            name: OsStr::from_bytes(name).to_owned(),
            kind,
        };
        let mut entries: Vec<_> = listing.entries().map(owned).collect();
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// Opens the regular file `name` for reading, and tells its size. A FIFO or device that has
    /// come into its place is never waited for, and refused.
    ///
    /// # Errors
    /// When it is none, or may not be read.
    pub fn open_file(&self, name: &OsStr) -> Result<(File, u64), FileError> {
        self.open_regular(name.as_bytes())
            .map_err(|errno| FileError::from_errno(&self.entry(name).shown(), "opening", errno))
    }

    pub(super) fn open_regular(&self, name: &[u8]) -> Result<(File, u64), Errno> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = self.open_in(name, flags)?;
        let stat = fstat(&file)?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Errno::LOOP);
        }
        Ok((File::from(file), u64::try_from(stat.st_size).unwrap_or(0)))
    }

    /// What `name` is, a link being a link. `None` where there is nothing.
    #[must_use]
    pub fn kind(&self, name: &OsStr) -> Option<FileKind> {
        let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(kind_of(FileType::from_raw_mode(stat.st_mode)))
    }

    /// The size of the file `name`, in bytes.
    #[must_use]
    pub fn size(&self, name: &OsStr) -> Option<u64> {
        let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        u64::try_from(stat.st_size).ok()
    }

    /// Where the link `name` says that it leads, as written in it.
    #[must_use]
    pub fn link_target(&self, name: &OsStr) -> Option<PathBuf> {
        let target = readlinkat(&self.handle, name, Vec::new()).ok()?;
        Some(OsString::from_vec(target.into_bytes()).into())
    }

    /// Whether ignore files leave out `name`. True only where [`Folder::heed`] was called.
    #[must_use]
    pub fn ignores(&self, name: &OsStr, kind: FileKind) -> bool {
        let Some(rules) = &self.rules else { return false };
        rules.ignore(&self.entry(name).relative, kind == FileKind::Directory)
    }

    /// Reads the ignore files that stand in this folder, so that they hold in it and below it.
    pub fn heed(&mut self) {
        let mut listing = Listing::new();
        if self.list_again(&mut listing).is_ok() {
            self.rules = Rules::of(self, &listing);
        }
    }

    /// Lists what stands in it, also where the handle has been listed before.
    fn list_again(&self, listing: &mut Listing) -> Result<(), Errno> {
        seek(&self.handle, SeekFrom::Start(0))?;
        self.list(listing)
    }

    /// Lists what stands in it; a handle is listed once.
    pub(super) fn list(&self, listing: &mut Listing) -> Result<(), Errno> {
        listing.names.clear();
        listing.entries.clear();
        let mut raw = RawDir::new(&self.handle, &mut listing.buffer);
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not tell.
                FileType::Unknown => {
                    let stat = statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW);
                    stat.map_or(FileKind::Special, |stat| {
                        kind_of(FileType::from_raw_mode(stat.st_mode))
                    })
                }
                told => kind_of(told),
            };
            let start = listing.names.len();
            listing.names.extend_from_slice(name.to_bytes());
            listing.entries.push((start, listing.names.len(), kind));
            if listing.entries.len() >= MOST_ENTRIES {
                break;
            }
        }
        Ok(())
    }

    fn open_in(&self, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        self.root.open_in(&self.handle, OsStr::from_bytes(name), flags)
    }
}

fn kind_of(file_type: FileType) -> FileKind {
    match file_type {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        _ => FileKind::Special,
    }
}
