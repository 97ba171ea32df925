//! A folder held by its handle, and its entries.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use std::sync::Arc;

use super::ignore_rules::IgnoreRules;
use crate::platform::{
    Errno, Handle, ListingBuffer, Opening, link_target_at, rewind, stat, stat_at,
};
use crate::root::FileKind;
use crate::{EntryKind, FileError, FilePath, Root};

/// Maximum number of listed entries of one folder: more is an attack, or not a folder for people.
const MAX_ENTRIES: usize = 1_000_000;

/// A folder below a root, held by its handle: what is opened through it is inside it, even if it is
/// renamed meanwhile.
#[derive(Debug)]
pub struct Folder {
    root: Arc<Root>,
    handle: Handle,
    /// The path below the root, names joined by `/`; empty for the root itself.
    relative: Vec<u8>,
    depth: usize,
    pub(super) rules: Option<Arc<IgnoreRules>>,
}

/// An entry of a folder.
#[derive(Debug, Clone)]
pub struct FolderEntry {
    /// Its name.
    pub name: OsString,
    /// Its kind; links are not followed.
    pub kind: FileKind,
}

/// The entries of one folder in the order of the file system. Reused for the next folder.
pub(super) struct Listing {
    buffer: ListingBuffer,
    names: Vec<u8>,
    entries: Vec<(usize, usize, FileKind)>,
}

impl Listing {
    pub(super) fn new() -> Self {
        Self { buffer: ListingBuffer::new(), names: Vec::new(), entries: Vec::new() }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (&[u8], FileKind)> {
        self.entries.iter().map(|&(start, end, kind)| (&self.names[start..end], kind))
    }
}

impl Folder {
    /// Opens the folder at `path`, with the rules of the ignore files in its parent folders.
    ///
    /// # Errors
    /// When there is no such folder, or it is not readable.
    pub fn open(path: &FilePath) -> Result<Self, FileError> {
        let rules = IgnoreRules::above(&path.root, &path.relative);
        Self::open_under(path, rules)
    }

    pub(super) fn open_under(
        path: &FilePath,
        rules: Option<Arc<IgnoreRules>>,
    ) -> Result<Self, FileError> {
        let failed =
            |errno| FileError::from_errno(&path.display_path(), "opening the folder", errno);
        let handle = path.root.open_at(&path.relative, Opening::Folder).map_err(failed)?;
        let relative = path.relative.as_os_str().as_bytes().to_vec();
        Ok(Self { root: path.root.clone(), handle, relative, depth: 0, rules })
    }

    /// Opens a subfolder. `path` is its path below the root.
    pub(super) fn child(&self, path: &[u8]) -> Result<Self, Errno> {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        let handle = self.open_in(name, Opening::Folder)?;
        Ok(Self {
            root: self.root.clone(),
            handle,
            relative: path.to_vec(),
            depth: self.depth + 1,
            rules: self.rules.clone(),
        })
    }

    /// Opens the subfolder `name`.
    ///
    /// # Errors
    /// When it is not a folder, a link, or not readable.
    pub fn folder(&self, name: &OsStr) -> Result<Self, FileError> {
        let path = self.entry(name);
        self.child(path.relative.as_os_str().as_bytes()).map_err(|errno| {
            FileError::from_errno(&path.display_path(), "opening the folder", errno)
        })
    }

    /// The path of `name` in this folder.
    #[must_use]
    pub fn entry(&self, name: &OsStr) -> FilePath {
        let mut path = Vec::with_capacity(self.relative.len() + 1 + name.len());
        self.path_of(name.as_bytes(), &mut path);
        FilePath::new(&self.root, PathBuf::from(OsString::from_vec(path)))
    }

    /// The path of this folder.
    #[must_use]
    pub fn path(&self) -> FilePath {
        let relative = PathBuf::from(OsStr::from_bytes(&self.relative));
        FilePath::new(&self.root, relative)
    }

    /// The path below the root, names joined by `/`; empty for the root itself.
    #[must_use]
    pub fn relative(&self) -> &[u8] {
        &self.relative
    }

    /// The depth below the folder where the walk began.
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

    /// All its entries, sorted by name, including hidden and ignored ones.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn entries(&self) -> Result<Vec<FolderEntry>, FileError> {
        let mut listing = Listing::new();
        self.relist(&mut listing).map_err(|errno| {
            FileError::from_errno(&self.path().display_path(), "listing the folder", errno)
        })?;
        let owned = |(name, kind): (&[u8], FileKind)| FolderEntry {
            name: OsStr::from_bytes(name).to_owned(),
            kind,
        };
        let mut entries: Vec<_> = listing.entries().map(owned).collect();
        entries.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        Ok(entries)
    }

    /// Opens the regular file `name` for reading, and returns its size. A FIFO or device that has
    /// replaced it does not block, but is refused.
    ///
    /// # Errors
    /// When it is not a regular file, or not readable.
    pub fn open_file(&self, name: &OsStr) -> Result<(File, u64), FileError> {
        self.open_regular(name.as_bytes()).map_err(|errno| {
            FileError::from_errno(&self.entry(name).display_path(), "opening", errno)
        })
    }

    pub(super) fn open_regular(&self, name: &[u8]) -> Result<(File, u64), Errno> {
        let file = self.open_in(name, Opening::Read)?;
        let stat = stat(&file)?;
        if stat.kind() != EntryKind::File {
            return Err(Errno::LOOP);
        }
        Ok((File::from(file), stat.size()))
    }

    /// The kind of `name`; links are not followed. `None` if there is none.
    #[must_use]
    pub fn kind(&self, name: &OsStr) -> Option<FileKind> {
        Some(stat_at(&self.handle, name).ok()?.kind().into())
    }

    /// The size of the file `name`, in bytes.
    #[must_use]
    pub fn size(&self, name: &OsStr) -> Option<u64> {
        Some(stat_at(&self.handle, name).ok()?.size())
    }

    /// The target of the link `name`, as stored in it.
    #[must_use]
    pub fn link_target(&self, name: &OsStr) -> Option<PathBuf> {
        let target = link_target_at(&self.handle, name).ok()?;
        Some(OsString::from_vec(target).into())
    }

    /// Whether ignore files exclude `name`. Call [`Folder::heed`] first.
    #[must_use]
    pub fn ignores(&self, name: &OsStr, kind: FileKind) -> bool {
        let Some(rules) = &self.rules else { return false };
        rules.ignore(&self.entry(name).relative, kind == FileKind::Directory)
    }

    /// Reads the ignore files in this folder, so that they apply in and below it.
    pub fn load_ignore_rules(&mut self) {
        let mut listing = Listing::new();
        if self.relist(&mut listing).is_ok() {
            self.rules = IgnoreRules::for_folder(self, &listing);
        }
    }

    /// Lists the entries, even if the handle was listed before.
    fn relist(&self, listing: &mut Listing) -> Result<(), Errno> {
        rewind(&self.handle)?;
        self.list(listing)
    }

    /// Lists the entries; a handle is listed only once.
    pub(super) fn list(&self, listing: &mut Listing) -> Result<(), Errno> {
        let Listing { buffer, names, entries } = listing;
        names.clear();
        entries.clear();
        buffer.list(&self.handle, |name, kind, _| {
            let start = names.len();
            names.extend_from_slice(name);
            entries.push((start, names.len(), kind.map_or(FileKind::Special, FileKind::from)));
            entries.len() < MAX_ENTRIES
        })
    }

    fn open_in(&self, name: &[u8], opening: Opening) -> Result<Handle, Errno> {
        self.root.open_in(&self.handle, OsStr::from_bytes(name), opening)
    }
}
