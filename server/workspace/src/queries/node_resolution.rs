//! Resolves modules by the rules of Node and TypeScript: `exports`, `types`, `@types`, `main`.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use oxc_resolver::{FileMetadata, FileSystem, ResolveError, ResolveOptions, ResolverGeneric};

use crate::libraries::MAX_FILE_BYTES;
use crate::platform::{Opening, link_target};
use crate::{EntryKind, FileError, FilePath, Snapshot};

impl Snapshot {
    /// The file that a module name resolves to from a file; its type declarations if there are any.
    pub(super) fn node_module(&self, from: &FilePath, name: &str) -> Option<FilePath> {
        let options = ResolveOptions {
            condition_names: ["types", "import", "require", "node"].map(Into::into).into(),
            // The file system below follows links.
            symlinks: false,
            node_path: false,
            ..ResolveOptions::default()
        };
        let files = SnapshotFileSystem(Some(self.clone()));
        let resolver = ResolverGeneric::new_with_file_system(files, options);
        let resolve = |name: &str| {
            let found = resolver.resolve_dts(from.absolute(), name).ok()?;
            let found = self.locate_to_read(found.path().to_str()?).ok()?;
            // A package may refer to missing files.
            let is_file = found.root.stat(&found.relative).ok()?.kind() == EntryKind::File;
            is_file.then_some(found)
        };
        // If a package's `exports` resolve to a file without types, the separate package of types
        // is preferred.
        let found = resolve(name);
        let typed = || types_of(name).and_then(|name| resolve(&name));
        let found = match found {
            Some(found) if !is_typed(&found) => typed().filter(is_typed).unwrap_or(found),
            Some(found) => found,
            None => typed()?,
        };
        let own = self.libraries().locate(&found.absolute());
        Some(own.unwrap_or(found))
    }
}

/// Whether a file contains type annotations.
fn is_typed(path: &FilePath) -> bool {
    let ending = path.relative.extension().and_then(|e| e.to_str());
    matches!(ending, Some("ts" | "tsx" | "mts" | "cts"))
}

/// The name of a module in the separate package of types: `@types/scope__name`.
fn types_of(name: &str) -> Option<String> {
    if name.starts_with(['.', '/', '#']) || name.starts_with("@types/") || name.contains(':') {
        return None;
    }
    Some(match name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((scope, rest)) => format!("@types/{scope}__{rest}"),
        None => format!("@types/{name}"),
    })
}

/// The file system of a snapshot, for the resolver.
struct SnapshotFileSystem(Option<Snapshot>);

impl SnapshotFileSystem {
    fn find(&self, path: &Path) -> io::Result<(&Snapshot, FilePath)> {
        let none = || io::Error::from(io::ErrorKind::NotFound);
        let snapshot = self.0.as_ref().ok_or_else(none)?;
        let written = path.to_str().ok_or_else(none)?;
        Ok((snapshot, snapshot.locate_to_read(written).map_err(not_found)?))
    }
}

fn not_found(error: FileError) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, error)
}

impl FileSystem for SnapshotFileSystem {
    fn new() -> Self {
        Self(None)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let (_, path) = self.find(path)?;
        let (_, stat) =
            path.root.open_file(&path.relative, &path.display_path()).map_err(not_found)?;
        if stat.size() > MAX_FILE_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let (bytes, _) = path.root.read(&path.relative, &path.display_path()).map_err(not_found)?;
        Ok(bytes)
    }

    fn read_to_string(&self, path: &Path) -> io::Result<String> {
        String::from_utf8(self.read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
    }

    fn metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        let (_, path) = self.find(path)?;
        let kind = path.root.stat(&path.relative)?.kind();
        let (file, folder) = (kind == EntryKind::File, kind == EntryKind::Directory);
        Ok(FileMetadata::new(file, folder, false))
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<FileMetadata> {
        // Paths are resolved, so there are no links.
        self.metadata(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        let (_, path) = self.find(path)?;
        let link = path.root.open_at(&path.relative, Opening::Inspect).map_err(io::Error::from)?;
        let target = link_target(&link).map_err(io::Error::from)?;
        Ok(PathBuf::from(OsString::from_vec(target)))
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.find(path)?.1.absolute())
    }
}
