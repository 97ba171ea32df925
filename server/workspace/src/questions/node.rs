//! Node's packages, found by the rules of TypeScript and Node: `exports`, `types`, `@types`, `main`.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use oxc_resolver::{FileMetadata, FileSystem, ResolveError, ResolveOptions, ResolverGeneric};

use crate::libraries::LONGEST;
use crate::platform::{Opening, link_target};
use crate::{EntryKind, FileError, FilePath, Snapshot};

impl Snapshot {
    /// The file that a module's name means for a file, its declarations where it has them.
    pub(super) fn node_module(&self, from: &FilePath, name: &str) -> Option<FilePath> {
        let options = ResolveOptions {
            condition_names: ["types", "import", "require", "node"].map(Into::into).into(),
            // Links are followed by what reads.
            symlinks: false,
            node_path: false,
            ..ResolveOptions::default()
        };
        let files = Files(Some(self.clone()));
        let resolver = ResolverGeneric::new_with_file_system(files, options);
        let resolve = |name: &str| {
            let found = resolver.resolve_dts(from.absolute(), name).ok()?;
            let found = self.locate_to_read(found.path().to_str()?).ok()?;
            // A package may name files that it does not have.
            let is_file = found.root.stat(&found.relative).ok()?.kind() == EntryKind::File;
            is_file.then_some(found)
        };
        // What a package's `exports` name is taken as it is, even where only another package has
        // types for it.
        let found = resolve(name);
        let typed = || types_of(name).and_then(|name| resolve(&name));
        let found = match found {
            Some(found) if !is_typed(&found) => typed().filter(is_typed).unwrap_or(found),
            Some(found) => found,
            None => typed()?,
        };
        let own = self.libraries().place(&found.absolute());
        Some(own.unwrap_or(found))
    }
}

/// Whether a file says what types its names have.
fn is_typed(path: &FilePath) -> bool {
    let ending = path.relative.extension().and_then(|e| e.to_str());
    matches!(ending, Some("ts" | "tsx" | "mts" | "cts"))
}

/// The name of a module in the package that only has types for a package: `@types/scope__name`.
fn types_of(name: &str) -> Option<String> {
    if name.starts_with(['.', '/', '#']) || name.starts_with("@types/") || name.contains(':') {
        return None;
    }
    Some(match name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((scope, rest)) => format!("@types/{scope}__{rest}"),
        None => format!("@types/{name}"),
    })
}

/// What a snapshot lets a resolver see of the disk.
struct Files(Option<Snapshot>);

impl Files {
    fn find(&self, path: &Path) -> io::Result<(&Snapshot, FilePath)> {
        let none = || io::Error::from(io::ErrorKind::NotFound);
        let snapshot = self.0.as_ref().ok_or_else(none)?;
        let written = path.to_str().ok_or_else(none)?;
        Ok((snapshot, snapshot.locate_to_read(written).map_err(of_file)?))
    }
}

fn of_file(error: FileError) -> io::Error {
    io::Error::new(io::ErrorKind::NotFound, error)
}

impl FileSystem for Files {
    fn new() -> Self {
        Self(None)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let (_, path) = self.find(path)?;
        let (_, stat) = path.root.open_file(&path.relative, &path.shown()).map_err(of_file)?;
        if stat.size() > LONGEST {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let (bytes, _) = path.root.read(&path.relative, &path.shown()).map_err(of_file)?;
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
        // Links have been followed before they are seen.
        self.metadata(path)
    }

    fn read_link(&self, path: &Path) -> Result<PathBuf, ResolveError> {
        let (_, path) = self.find(path)?;
        let link = path.root.open_at(&path.relative, Opening::Look).map_err(io::Error::from)?;
        let target = link_target(&link).map_err(io::Error::from)?;
        Ok(PathBuf::from(OsString::from_vec(target)))
    }

    fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(self.find(path)?.1.absolute())
    }
}
