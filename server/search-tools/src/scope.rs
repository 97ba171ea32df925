//! Where a search starts: folders of the roots, or one file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;

use workspace::{
    Document, FileError, FileKind, FilePath, Folder, WalkOptions, is_excluded_from_walk,
};

use super::globs::FilePattern;
use tools::{Code, Context, Effect, ToolError};

/// A folder or file to search.
#[derive(Debug, Clone)]
pub(super) struct SearchRoot {
    /// The number of its root.
    pub(super) root: usize,
    pub(super) path: FilePath,
}

impl SearchRoot {
    /// Whether `files` includes the file `name` at `path` below the root.
    pub(super) fn includes(&self, files: Option<&FilePattern>, name: &[u8], path: &[u8]) -> bool {
        files.is_none_or(|files| files.wants(name, || self.below(path)))
    }

    /// The same for an entry of a folder that is walked; its path is put into `path` only if it is needed.
    pub(super) fn includes_entry(
        &self,
        files: Option<&FilePattern>,
        folder: &Folder,
        name: &[u8],
        path: &mut Vec<u8>,
    ) -> bool {
        let Some(files) = files else { return true };
        files.wants(name, || {
            folder.path_of(name, path);
            self.below(path)
        })
    }

    /// A path below the root as one below the start.
    fn below<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        let start = self.path.relative().as_os_str().as_bytes();
        path.strip_prefix(start).map_or(path, |below| below.strip_prefix(b"/").unwrap_or(below))
    }

    /// The folder of the start if that is a single file; `None` if it is a folder, or missing.
    ///
    /// # Errors
    /// If it is neither.
    pub(super) fn folder_of_single_file(&self) -> Result<Option<Folder>, ToolError> {
        let Some(parent) = self.path.parent() else { return Ok(None) };
        let Ok(folder) = Folder::open(&parent) else { return Ok(None) };
        match folder.kind(self.path.file_name()) {
            Some(FileKind::File) => Ok(Some(folder)),
            Some(FileKind::Special) => Err(not_regular(&self.path)),
            _ => Ok(None),
        }
    }

    /// The open documents below the start that are not on disk: a walk does not visit them.
    pub(super) fn unsaved<'d>(
        &self,
        open: &'d OpenDocuments,
        options: WalkOptions,
    ) -> impl Iterator<Item = (&'d [u8], &'d FilePath, &'d Document)> {
        let is_unsaved = move |path: &FilePath| {
            let below = path.relative_to(&self.path);
            below.is_some_and(|below| !below.as_os_str().is_empty())
                && kind_of(path) != Some(FileKind::File)
                && !is_excluded_from_walk(path, &self.path, options)
        };
        open.iter()
            .filter(move |(_, (path, _))| is_unsaved(path))
            .map(|(relative, (path, document))| (relative.as_slice(), path, &**document))
    }
}

/// The starts for a path parameter: the given folder or file, or every root.
pub(super) fn search_roots(
    context: &Context<'_>,
    path: Option<&str>,
) -> Result<Vec<SearchRoot>, ToolError> {
    let snapshot = &context.snapshot;
    if let Some(path) = path.filter(|path| !matches!(*path, "" | ".")) {
        let path = snapshot.locate(path)?;
        let root = snapshot.root_of(&path).unwrap_or_default();
        return Ok(vec![SearchRoot { root, path }]);
    }
    if snapshot.roots().is_empty() {
        snapshot.locate(".")?;
    }
    let all = snapshot.roots().iter().map(FilePath::from_root).enumerate();
    Ok(all.map(|(root, path)| SearchRoot { root, path }).collect())
}

/// The single folder for a path parameter; the first root by default.
pub(super) fn single_root(
    context: &Context<'_>,
    path: Option<&str>,
) -> Result<SearchRoot, ToolError> {
    let path = context.snapshot.locate(path.filter(|path| !path.is_empty()).unwrap_or("."))?;
    Ok(SearchRoot { root: context.snapshot.root_of(&path).unwrap_or_default(), path })
}

/// The effects of reading what a path parameter names.
pub fn effects(context: &Context<'_>, path: Option<&str>) -> Result<Vec<Effect>, ToolError> {
    let search_roots = search_roots(context, path)?;
    Ok(search_roots.iter().map(|start| Effect::read_tree(&start.path)).collect())
}

/// Opens the folder at `path`.
pub(super) fn folder(tool: &str, path: &FilePath) -> Result<Folder, ToolError> {
    Folder::open(path).map_err(|error| not_found(tool, path, error))
}

/// The error for a folder that cannot be walked.
pub(super) fn not_found(tool: &str, path: &FilePath, error: FileError) -> ToolError {
    if !matches!(error, FileError::NotFound { .. }) {
        return error.into();
    }
    let displayed = path.display_path();
    let what = match kind_of(path) {
        Some(_) => "is no folder",
        None => "no such folder",
    };
    ToolError::new(Code::DirNotFound, format!("{tool}: {displayed}: {what}"))
}

/// The error for a search of files that cannot begin at `path`: nothing is there, or what is neither file nor
/// folder.
pub(super) fn not_searched(tool: &str, path: &FilePath, error: FileError) -> ToolError {
    let FileError::NotFound { path: displayed } = &error else { return error.into() };
    match kind_of(path) {
        None => {
            let message = format!("{tool}: {displayed}: no such file or folder");
            ToolError::new(Code::PathNotFound, message)
        }
        Some(_) => not_regular(path),
    }
}

/// The error for a device, a pipe or a socket.
pub(super) fn not_regular(path: &FilePath) -> ToolError {
    let message = format!("{}: is no regular file", path.display_path());
    ToolError::new(Code::Unsupported, message)
}

/// The kind of the entry at `path`; a link is not followed.
pub(super) fn kind_of(path: &FilePath) -> Option<FileKind> {
    let Some(parent) = path.parent() else { return Some(FileKind::Directory) };
    let folder = Folder::open(&parent).ok()?;
    folder.kind(path.file_name())
}

/// A path for results: relative to the first root, absolute in others.
pub(super) fn display_path(context: &Context<'_>, root: usize, path: &[u8]) -> String {
    let relative = OsStr::from_bytes(path);
    match context.snapshot.roots().get(root) {
        Some(other) if root > 0 => other.path().join(relative).to_string_lossy().into_owned(),
        _ if path.is_empty() => ".".to_owned(),
        _ => relative.to_string_lossy().into_owned(),
    }
}

/// The file at `path` below a root.
pub fn file_path(context: &Context<'_>, root: usize, path: &[u8]) -> Option<FilePath> {
    let root = FilePath::from_root(context.snapshot.roots().get(root)?);
    Some(root.descendant(OsStr::from_bytes(path)))
}

/// Whether the rules let this call read the file at `path` below a root.
pub(super) fn may_read(context: &Context<'_>, root: usize, path: &[u8]) -> bool {
    !context.hides_files()
        || file_path(context, root, path).is_some_and(|file| context.may_read(&file))
}

/// Open documents by their paths below a root.
pub(super) type OpenDocuments = HashMap<Vec<u8>, (FilePath, Arc<Document>)>;

/// Open documents below a root: their text replaces the file's.
pub(super) fn open_documents(context: &Context<'_>, start: &SearchRoot) -> OpenDocuments {
    let snapshot = &context.snapshot;
    let Some(root) = snapshot.roots().get(start.root) else { return HashMap::new() };
    let root = FilePath::from_root(root);
    let place = |document: &Arc<Document>| {
        let path = snapshot.path_of(document)?;
        let relative = path.relative_to(&root)?.as_os_str().as_bytes().to_vec();
        Some((relative, (path, document.clone())))
    };
    snapshot.documents().filter_map(place).collect()
}
