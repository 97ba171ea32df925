//! The files and folders that a path may go on with, as they stand in the workspace's folders.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use names::FileId;

use super::Completed;
use super::written::{Purpose, Written};
use crate::{Document, FileKind, FilePath, Folder, Snapshot, WalkOptions, is_left_out};

/// Most paths of one answer.
const MOST: usize = 200;

/// Most includes that are looked at for where others come from.
const INCLUDES: usize = 60;

/// Most folders that one include may start from.
const FOLDERS: usize = 20;

/// Endings of what is included.
const HEADERS: [&str; 12] =
    ["h", "hh", "hpp", "hxx", "h++", "inc", "inl", "ipp", "tcc", "tpp", "def", "cuh"];

/// Endings of what is imported by itself, in JavaScript and TypeScript.
const SOURCES: [&str; 9] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json"];

/// Files that are a folder's own module in Rust, or a program's.
const OWN: [&str; 4] = ["mod", "lib", "main", "build"];

/// Folders each of whose files is a program in Rust.
const PROGRAMS: [&str; 4] = ["bin", "tests", "examples", "benches"];

/// A file or folder that a path may go on with.
#[derive(Debug, Clone)]
pub struct OfferedPath {
    /// What is written for it.
    pub name: String,
    /// Whether it is a folder, behind whose name the path goes on.
    pub folder: bool,
    /// Where it is; `None` for the ways up and down.
    pub path: Option<FilePath>,
}

impl Snapshot {
    /// What a path in a document may go on with.
    pub(super) fn complete_path(
        &self,
        document: &Document,
        file: FileId,
        written: &Written,
        interrupt: &AtomicBool,
    ) -> Completed {
        let mut paths = match self.indexer.entry(file).path {
            Some(own) => self.paths(document, (file, &own), written, interrupt),
            None => Vec::new(),
        };
        let complete = paths.len() <= MOST;
        paths.truncate(MOST);
        for path in paths.iter_mut().filter(|p| p.folder && !written.slash) {
            path.name.push('/');
        }
        Completed {
            candidates: Vec::new(),
            paths,
            naming: false,
            visible: 0,
            phrases: Vec::new(),
            complete,
            span: written.span.clone(),
            whole: written.whole,
        }
    }

    fn paths(
        &self,
        document: &Document,
        (file, own): (FileId, &FilePath),
        written: &Written,
        interrupt: &AtomicBool,
    ) -> Vec<OfferedPath> {
        let Written { folder, typed, .. } = written;
        let beside = FilePath::new(&own.root, parent(&own.relative));
        let mut found = match &written.purpose {
            Purpose::Import => self.imported(document, (file, beside), written, interrupt),
            Purpose::Include { beside: is_beside } => {
                let mut from = self.include_folders(document, file, interrupt);
                if *is_beside {
                    from.insert(0, beside);
                }
                let is_header = |kind: FileKind, name: &str| {
                    kind == FileKind::Directory || HEADERS.contains(&ending(name))
                };
                let mut found: Vec<OfferedPath> = Vec::new();
                for base in from.iter().take(FOLDERS) {
                    for path in self.list(base, folder, typed, is_header) {
                        if !found.iter().any(|f| f.name == path.name) {
                            found.push(path);
                        }
                    }
                }
                found
            }
            Purpose::Module(around) => {
                let declared = declared(document, written, interrupt);
                let mut found = self.modules(own, &beside, around, typed);
                found.retain(|p| !declared.contains(&p.name));
                found
            }
            Purpose::Literal => {
                let found = self.list(&beside, folder, typed, |_, _| true);
                if !found.is_empty() {
                    return found;
                }
                let top = FilePath::new(&own.root, PathBuf::new());
                self.list(&top, folder, typed, |_, _| true)
            }
        };
        found.retain(|p| p.path.as_ref() != Some(own));
        found
    }

    /// Modules of JavaScript and TypeScript, spelled as the file's other imports are.
    fn imported(
        &self,
        document: &Document,
        (file, beside): (FileId, FilePath),
        written: &Written,
        interrupt: &AtomicBool,
    ) -> Vec<OfferedPath> {
        let Written { folder, typed, .. } = written;
        if folder.is_empty() {
            return ways(typed);
        }
        let Some(facts) = document.facts(interrupt) else { return Vec::new() };
        let spelling = self.indexer.index.read().import_spelling(file, &facts);
        let from = if folder.starts_with("./") || folder.starts_with("../") {
            Some((beside, &**folder))
        } else {
            let stands_for = spelling.folder(folder);
            stands_for.and_then(|(at, inside)| Some((self.folder_of(at)?, inside)))
        };
        let Some((from, inside)) = from else { return Vec::new() };
        let own = self.indexer.entry(file).path;
        let mut found = self.list(&from, inside, typed, |_, _| true);
        found.retain(|p| p.path != own);
        found.sort_by_key(|p| !p.folder && !SOURCES.contains(&ending(&p.name)));
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

    /// Files that may be modules of a file of Rust.
    fn modules(
        &self,
        own: &FilePath,
        beside: &FilePath,
        around: &[String],
        typed: &str,
    ) -> Vec<OfferedPath> {
        let stem = own.relative.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        let within = beside.relative.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let mut inside = String::new();
        if !OWN.contains(&stem) && !PROGRAMS.contains(&within) {
            inside = format!("{stem}/");
        }
        around.iter().for_each(|name| inside.extend([name, "/"]));
        let mut found = self.list(beside, &inside, typed, |kind, name| {
            kind == FileKind::Directory || ending(name) == "rs"
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
        found.retain(|p| p.name.chars().all(is_name) && !OWN.contains(&&*p.name));
        found
    }

    /// What stands in the folder `inside` of another and begins with what is typed, by name: nothing
    /// that is outside of the workspace, ignored, or hidden unless that is asked for.
    fn list(
        &self,
        from: &FilePath,
        inside: &str,
        typed: &str,
        wanted: impl Fn(FileKind, &str) -> bool,
    ) -> Vec<OfferedPath> {
        let begins =
            |name: &str| name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let place = self.locate_absolute(&from.absolute().join(inside)).ok();
        let Some(place) = place.filter(|place| !place.is_in_library()) else { return Vec::new() };
        let top = FilePath::new(&place.root, PathBuf::new());
        let options = WalkOptions { hidden: true, ..WalkOptions::default() };
        if is_left_out(&place.join("x"), &top, options) {
            return Vec::new();
        }
        let Ok(mut folder) = Folder::open(&place) else { return Vec::new() };
        folder.heed();
        let mut found = Vec::new();
        for entry in folder.entries().unwrap_or_default() {
            let Some(name) = entry.name.to_str().filter(|name| begins(name)) else { continue };
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
            found.push(OfferedPath { name: name.to_owned(), folder: is_folder, path });
            if found.len() > MOST {
                break;
            }
        }
        found
    }

    /// The folders that a file's includes are looked for in: those that the project says, and those
    /// that its other includes start from.
    fn include_folders(
        &self,
        document: &Document,
        file: FileId,
        interrupt: &AtomicBool,
    ) -> Vec<FilePath> {
        let links = document.syntax(interrupt).and_then(|s| s.links(interrupt)).unwrap_or_default();
        // The disk is not to be waited for while the index is held.
        let (said, led): (_, Vec<_>) = {
            let index = self.indexer.index.read();
            let led = |span: std::ops::Range<usize>| (index.linked(file, &span), span);
            (index.include_folders(file), links.into_iter().take(INCLUDES).map(led).collect())
        };
        let mut found: Vec<FilePath> = said.iter().filter_map(|at| self.folder_of(at)).collect();
        for (led, span) in led {
            let led = led.and_then(|id| self.indexer.entry(id).path);
            let Some(path) = led.filter(|path| !path.is_in_library()) else { continue };
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
            let place = at.absolute();
            !seen.contains(&place) && (seen.push(place), true).1
        });
        found
    }

    /// The folder that has a name in the index.
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

/// How a relative name may start.
fn ways(typed: &str) -> Vec<OfferedPath> {
    let all = [".", ".."].into_iter().filter(|way| way.starts_with(typed));
    all.map(|way| OfferedPath { name: way.to_owned(), folder: true, path: None }).collect()
}

/// The modules that a document declares elsewhere.
fn declared(document: &Document, written: &Written, interrupt: &AtomicBool) -> Vec<String> {
    let links = document.syntax(interrupt).and_then(|s| s.links(interrupt)).unwrap_or_default();
    let others = links.into_iter().filter(|span| span.start != written.span.start);
    others.map(|span| document.text().slice(span).to_string()).collect()
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

fn ending(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}
