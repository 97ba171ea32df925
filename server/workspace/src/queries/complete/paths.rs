//! Completes paths with the files and folders of the workspace.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use names::FileId;

use super::CompletionResult;
use super::typed_path::{PathKind, TypedPath};
use crate::{Document, FileKind, FilePath, Folder, Snapshot, WalkOptions, is_excluded_from_walk};

/// Maximum number of paths.
const MAX_PATHS: usize = 200;

/// Maximum number of existing includes from which include folders are derived.
const MAX_INCLUDES: usize = 60;

/// Maximum number of include folders.
const MAX_FOLDERS: usize = 20;

/// Extensions of header files.
const HEADER_EXTENSIONS: [&str; 12] =
    ["h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp", "def", "cuh"];

/// Extensions of modules in JavaScript and TypeScript.
const SOURCE_EXTENSIONS: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];

/// Stems of Rust files whose submodules are in the same folder.
const FOLDER_MODULES: [&str; 4] = ["mod", "lib", "main", "build"];

/// Folders in which each Rust file is a separate program.
const PROGRAM_FOLDERS: [&str; 4] = ["bin", "tests", "examples", "benches"];

/// A file or folder that continues a path.
#[derive(Debug, Clone)]
pub struct PathCompletion {
    /// The text to insert.
    pub name: String,
    /// Whether it is a folder, so that the path continues.
    pub folder: bool,
    /// Its path; `None` for `.` and `..`.
    pub path: Option<FilePath>,
}

impl Snapshot {
    /// Completes a path in a document.
    pub(super) fn complete_path(
        &self,
        document: &Document,
        file: FileId,
        typed_path: &TypedPath,
        interrupt: &AtomicBool,
    ) -> CompletionResult {
        let mut paths = match self.indexer.entry(file).path {
            Some(own) => self.paths(document, (file, &own), typed_path, interrupt),
            None => Vec::new(),
        };
        let complete = paths.len() <= MAX_PATHS;
        paths.truncate(MAX_PATHS);
        for path in paths.iter_mut().filter(|p| p.folder && !typed_path.slash) {
            path.name.push('/');
        }
        CompletionResult {
            candidates: Vec::new(),
            paths,
            naming: false,
            visible: 0,
            phrases: Vec::new(),
            complete,
            span: typed_path.span.clone(),
            whole: typed_path.whole,
        }
    }

    /// Lists the paths by kind of path.
    fn paths(
        &self,
        document: &Document,
        (file, own): (FileId, &FilePath),
        typed_path: &TypedPath,
        interrupt: &AtomicBool,
    ) -> Vec<PathCompletion> {
        let TypedPath { folder, typed, .. } = typed_path;
        let beside = FilePath::new(&own.root, parent(&own.relative));
        let mut found = match &typed_path.kind {
            PathKind::Import => self.imported(document, (file, beside), typed_path, interrupt),
            PathKind::Include { beside: is_beside } => {
                let mut from = self.include_folders(document, file, interrupt);
                if *is_beside {
                    from.insert(0, beside);
                }
                let is_header = |kind: FileKind, name: &str| {
                    kind == FileKind::Directory || HEADER_EXTENSIONS.contains(&extension(name))
                };
                let mut found: Vec<PathCompletion> = Vec::new();
                for base in from.iter().take(MAX_FOLDERS) {
                    for path in self.list_entries(base, folder, typed, is_header) {
                        if !found.iter().any(|f| f.name == path.name) {
                            found.push(path);
                        }
                    }
                }
                found
            }
            PathKind::Module(around) => {
                let declared = declared(document, typed_path, interrupt);
                let mut found = self.modules(own, &beside, around, typed);
                found.retain(|p| !declared.contains(&p.name));
                found
            }
            PathKind::Literal => {
                let found = self.list_entries(&beside, folder, typed, |_, _| true);
                if !found.is_empty() {
                    return found;
                }
                let top = FilePath::new(&own.root, PathBuf::new());
                self.list_entries(&top, folder, typed, |_, _| true)
            }
        };
        found.retain(|p| p.path.as_ref() != Some(own));
        found
    }

    /// Modules of JavaScript and TypeScript, spelled like the other imports of the file.
    fn imported(
        &self,
        document: &Document,
        (file, beside): (FileId, FilePath),
        typed_path: &TypedPath,
        interrupt: &AtomicBool,
    ) -> Vec<PathCompletion> {
        let TypedPath { folder, typed, .. } = typed_path;
        if folder.is_empty() {
            return relative_starts(typed);
        }
        let Some(facts) = document.facts(interrupt) else { return Vec::new() };
        let spelling = self.indexer.index.read().import_spelling(file, &facts);
        let from = if folder.starts_with("./") || folder.starts_with("../") {
            Some((beside, &**folder))
        } else {
            let alias = spelling.folder(folder);
            alias.and_then(|(at, inside)| Some((self.folder_of(at)?, inside)))
        };
        let Some((from, inside)) = from else { return Vec::new() };
        let own = self.indexer.entry(file).path;
        let mut found = self.list_entries(&from, inside, typed, |_, _| true);
        found.retain(|p| p.path != own);
        found.sort_by_key(|p| !p.folder && !SOURCE_EXTENSIONS.contains(&extension(&p.name)));
        let mut seen = Vec::new();
        for path in found.iter_mut().filter(|p| !p.folder) {
            path.name = spelling.file(&path.name);
        }
        found.retain(|p| {
            let known = seen.contains(&(p.folder, p.name.clone()));
            seen.push((p.folder, p.name.clone()));
            !known
        });
        found
    }

    /// Files that may be submodules of a Rust file.
    fn modules(
        &self,
        own: &FilePath,
        beside: &FilePath,
        around: &[String],
        typed: &str,
    ) -> Vec<PathCompletion> {
        let stem = own.relative.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let within = beside.relative.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let mut inside = String::new();
        if !FOLDER_MODULES.contains(&stem) && !PROGRAM_FOLDERS.contains(&within) {
            inside = format!("{stem}/");
        }
        around.iter().for_each(|name| inside.extend([name, "/"]));
        let mut found = self.list_entries(beside, &inside, typed, |kind, name| {
            kind == FileKind::Directory || extension(name) == "rs"
        });
        found.retain(|p| {
            let holds = |at: &FilePath| {
                Folder::open(at).is_ok_and(|f| f.kind(OsStr::new("mod.rs")).is_some())
            };
            !p.folder || p.path.as_ref().is_some_and(holds)
        });
        for path in &mut found {
            path.folder = false;
            path.name.truncate(path.name.strip_suffix(".rs").unwrap_or(&path.name).len());
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        found.retain(|p| p.name.chars().all(is_name) && !FOLDER_MODULES.contains(&&*p.name));
        found
    }

    /// The entries of the folder `inside` another that start with `typed`. Entries outside the
    /// workspace and ignored ones are excluded, and hidden ones unless typed.
    fn list_entries(
        &self,
        from: &FilePath,
        inside: &str,
        typed: &str,
        wanted: impl Fn(FileKind, &str) -> bool,
    ) -> Vec<PathCompletion> {
        let starts_with_typed =
            |name: &str| name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let folder_path = self.locate_absolute(&from.absolute().join(inside)).ok();
        let Some(folder_path) = folder_path.filter(|folder_path| !folder_path.is_in_library())
        else {
            return Vec::new();
        };
        let top = FilePath::new(&folder_path.root, PathBuf::new());
        let options = WalkOptions { hidden: true, ..WalkOptions::default() };
        if is_excluded_from_walk(&folder_path.join("x"), &top, options) {
            return Vec::new();
        }
        let Ok(mut folder) = Folder::open(&folder_path) else { return Vec::new() };
        folder.load_ignore_rules();
        let mut found = Vec::new();
        for entry in folder.entries().unwrap_or_default() {
            let Some(name) = entry.name.to_str().filter(|name| starts_with_typed(name)) else {
                continue;
            };
            let is_folder = entry.kind == FileKind::Directory;
            if !is_folder && entry.kind != FileKind::File
                || name.starts_with('.') && (typed.is_empty() || name == ".git")
                || name.contains(|c: char| c.is_control() || "\"'`\\".contains(c))
                || !wanted(entry.kind, name)
                || folder.ignores(&entry.name, entry.kind)
            {
                continue;
            }
            let path = Some(folder.entry(&entry.name));
            found.push(PathCompletion { name: name.to_owned(), folder: is_folder, path });
            if found.len() > MAX_PATHS {
                break;
            }
        }
        found
    }

    /// The include folders of a file: those of the project's configuration, and those that its
    /// other includes resolve from.
    fn include_folders(
        &self,
        document: &Document,
        file: FileId,
        interrupt: &AtomicBool,
    ) -> Vec<FilePath> {
        let links = document.syntax(interrupt).and_then(|s| s.links(interrupt)).unwrap_or_default();
        // Do not wait for the disk while the index is locked.
        let (configured, resolved): (_, Vec<_>) = {
            let index = self.indexer.index.read();
            let resolved = |span: std::ops::Range<usize>| (index.imported_file(file, &span), span);
            (
                index.include_folders(file),
                links.into_iter().take(MAX_INCLUDES).map(resolved).collect(),
            )
        };
        let mut found: Vec<FilePath> =
            configured.iter().filter_map(|at| self.folder_of(at)).collect();
        for (resolved, span) in resolved {
            let resolved = resolved.and_then(|id| self.indexer.entry(id).path);
            let Some(path) = resolved.filter(|path| !path.is_in_library()) else { continue };
            let name = document.text().slice(span);
            let shown = path.relative.to_string_lossy();
            let base = shown.strip_suffix(&*name).filter(|b| b.is_empty() || b.ends_with('/'));
            if let Some(base) = base.filter(|_| !name.starts_with('.')) {
                let base = PathBuf::from(base.trim_end_matches('/'));
                found.push(FilePath::new(&path.root, base));
            }
        }
        if let Some(own) = self.indexer.entry(file).path {
            let around = own.relative.ancestors().skip(1).map(|at| at.join("include"));
            found.extend(around.map(|at| FilePath::new(&own.root, at)));
        }
        let mut seen: Vec<PathBuf> = Vec::new();
        found.retain(|at| {
            let path = at.absolute();
            !seen.contains(&path) && (seen.push(path), true).1
        });
        found
    }

    /// The folder with this index path.
    fn folder_of(&self, name: &str) -> Option<FilePath> {
        let (root, below) = match name.strip_prefix("//") {
            None => (0, name),
            Some(rest) => {
                let (root, below) = rest.split_once('/').unwrap_or((rest, ""));
                (root.parse::<usize>().ok()?, below)
            }
        };
        Some(FilePath::new(self.roots.get(root)?, PathBuf::from(below)))
    }
}

/// The starts of a relative path.
fn relative_starts(typed: &str) -> Vec<PathCompletion> {
    let all = [".", ".."].into_iter().filter(|start| start.starts_with(typed));
    all.map(|start| PathCompletion { name: start.to_owned(), folder: true, path: None }).collect()
}

/// The modules that the document already declares.
fn declared(document: &Document, typed_path: &TypedPath, interrupt: &AtomicBool) -> Vec<String> {
    let links = document.syntax(interrupt).and_then(|s| s.links(interrupt)).unwrap_or_default();
    let others = links.into_iter().filter(|span| span.start != typed_path.span.start);
    others.map(|span| document.text().slice(span).to_string()).collect()
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}
