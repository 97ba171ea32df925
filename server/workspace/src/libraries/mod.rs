//! Finds dependencies on disk: folders that are indexed and never written to.
//!
//! No program is run to find them. A project cannot name a folder of its choice: only folders of
//! well-known layouts count, in the project itself and never through a link, or where the user's
//! own tools keep dependencies.

mod archive;
mod c;
mod environment;
mod go;
mod java;
mod node;
mod php;
mod python;
mod rust;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use names::{DEPENDENCY_PREFIX, DependencyFolder};

pub(crate) use environment::Environment;

use archive::Archive;

use crate::platform::{Opening, names_in};
use crate::{FilePath, Root};

/// The dependencies of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Libraries {
    all: Vec<Library>,
    folders: Vec<DependencyFolder>,
    /// Python virtual environments, those of the project first.
    environments: Vec<PythonEnvironment>,
}

/// A Python virtual environment.
#[derive(Debug, Clone)]
pub(crate) struct PythonEnvironment {
    /// Its folder, for display.
    pub(crate) label: String,
    /// Whether it is a folder of the project, not one activated in the user's shell.
    pub(crate) is_own: bool,
    /// The folder of its packages.
    pub(crate) packages: Arc<Root>,
}

/// A folder that contains dependencies.
#[derive(Debug)]
struct Library {
    root: Arc<Root>,
    scope: LibraryScope,
    /// The archive that its files are unpacked from.
    archive: Option<Archive>,
    /// Roots inside it: their files belong to the project, because a person opened them.
    own: Vec<PathBuf>,
}

/// Which part of a folder contains dependencies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LibraryScope {
    All,
    /// Everything below folders named `node_modules`.
    NodeModules,
}

/// Maximum number of names that are read of a folder.
const MAX_NAMES: usize = 20_000;
/// Size limit of a file that is read to find dependencies.
pub(crate) const MAX_FILE_BYTES: u64 = 8 << 20;

impl Libraries {
    /// Finds the dependencies of the project in `roots`.
    pub(crate) fn find(roots: &[&Root], environment: &Environment) -> Self {
        let mut found = Self::default();
        if roots.is_empty() {
            return found;
        }
        for find in [python::find, node::find, rust::find, go::find, java::find, c::find, php::find]
        {
            find(roots, environment, &mut found);
        }
        found.exclude_roots(roots);
        found
    }

    /// Python virtual environments, those of the project first.
    pub(crate) fn environments(&self) -> &[PythonEnvironment] {
        &self.environments
    }

    /// The folder of dependencies with this index path.
    fn root_of(&self, indexed: &str) -> Option<Arc<Root>> {
        let number = indexed.strip_prefix(DEPENDENCY_PREFIX)?.parse::<usize>().ok()?;
        Some(self.all.get(number)?.root.clone())
    }

    /// Excludes dependencies that are opened as project roots, such as a package of the registry or
    /// the standard library.
    fn exclude_roots(&mut self, roots: &[&Root]) {
        for library in self.all.iter_mut().filter(|l| l.scope == LibraryScope::All) {
            let within = |root: &&&Root| root.path().starts_with(library.root.path());
            library.own = roots.iter().filter(within).map(|r| r.path().to_owned()).collect();
        }
        let mut folders = std::mem::take(&mut self.folders);
        folders.retain(|folder| {
            let Some(rest) = folder.path.strip_prefix(DEPENDENCY_PREFIX) else { return true };
            let (number, rest) = rest.split_once('/').unwrap_or((rest, ""));
            let library = number.parse().ok().and_then(|number: usize| self.all.get(number));
            !library.is_some_and(|l| l.is_own(&l.root.path().join(rest)))
        });
        self.folders = folders;
    }

    /// Adds a folder if it is new; returns its index path.
    fn add_folder(&mut self, root: Root, scope: LibraryScope) -> String {
        let known = |l: &Library| l.root.path() == root.path() && l.scope == scope;
        let number = self.all.iter().position(known).unwrap_or_else(|| {
            let number = self.all.len();
            let root = Arc::new(root.as_library(u32::try_from(number).unwrap_or(u32::MAX)));
            self.all.push(Library { root, scope, archive: None, own: Vec::new() });
            number
        });
        format!("{DEPENDENCY_PREFIX}{number}")
    }

    /// Adds the folder that an archive is unpacked into; returns its index path.
    fn add_archive(&mut self, root: Root, scope: LibraryScope, archive: Archive) -> String {
        let path = self.add_folder(root, scope);
        if let Some(last) = self.all.last_mut() {
            last.archive = Some(archive);
        }
        path
    }

    /// Unpacks a file of a dependency that is still in its archive.
    pub(crate) fn unpack(&self, path: &FilePath) {
        let library = path.root.library().and_then(|number| self.all.get(number as usize));
        if let Some(archive) = library.and_then(|library| library.archive.as_ref()) {
            archive.unpack(&path.relative);
        }
    }

    /// Resolves imports of a language that begin with `name` to `path`.
    fn resolve_imports_to(&mut self, language: &'static str, name: &str, path: String) {
        let folder = DependencyFolder { language, name: name.into(), path: path.into() };
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
        }
    }

    /// As [`resolve_imports_to`](Self::resolve_imports_to), for one that is known to be new. O(1).
    fn add_import(&mut self, language: &'static str, name: &str, path: String) {
        self.folders.push(DependencyFolder { language, name: name.into(), path: path.into() });
    }

    /// The folders that imports resolve to, for the index.
    pub(crate) fn folders(&self) -> &[DependencyFolder] {
        &self.folders
    }

    /// The folders outside the roots.
    pub(crate) fn outside<R: AsRef<Root>>(&self, roots: &[R]) -> impl Iterator<Item = &Arc<Root>> {
        let is_outside = |root: &&Arc<Root>| !is_inside(root, roots);
        self.all.iter().map(|library| &library.root).filter(is_outside)
    }

    /// The path in the innermost folder of dependencies that contains `absolute`, which has no
    /// links.
    pub(crate) fn locate(&self, absolute: &Path) -> Option<FilePath> {
        let inside = self.all.iter().filter_map(|library| {
            let rest = library.root.strip(absolute)?;
            (library.contains(rest) && !library.is_own(absolute)).then_some((library, rest))
        });
        let (library, rest) = inside.min_by_key(|(_, rest)| rest.as_os_str().len())?;
        let plain = rest.components().all(|c| matches!(c, std::path::Component::Normal(_)));
        plain.then(|| FilePath::new(&library.root, rest.to_owned()))
    }

    /// The path of an index path, without resolving links.
    pub(crate) fn locate_indexed(&self, indexed: &str) -> Option<FilePath> {
        let (number, rest) = indexed.strip_prefix(DEPENDENCY_PREFIX)?.split_once('/')?;
        let library = self.all.get(number.parse::<usize>().ok()?)?;
        let rest = Path::new(rest);
        library.contains(rest).then(|| FilePath::new(&library.root, rest.to_owned()))
    }
}

impl Library {
    fn is_own(&self, absolute: &Path) -> bool {
        self.own.iter().any(|own| absolute.starts_with(own))
    }

    fn contains(&self, rest: &Path) -> bool {
        let name = OsStr::new("node_modules");
        match self.scope {
            LibraryScope::All => true,
            LibraryScope::NodeModules => {
                rest.parent().is_some_and(|above| above.iter().any(|n| n == name))
            }
        }
    }
}

/// Whether a folder of dependencies is inside one of the roots.
pub(crate) fn is_inside<R: AsRef<Root>>(library: &Root, roots: &[R]) -> bool {
    roots.iter().any(|root| library.path().starts_with(root.as_ref().path()))
}

/// The index path of a path in a folder of dependencies.
pub(crate) fn indexed_path(path: &FilePath) -> Option<String> {
    let number = path.root.library()?;
    Some(format!("{DEPENDENCY_PREFIX}{number}/{}", path.relative.to_string_lossy()))
}

/// Opens the folder at an absolute path, which comes from the user's own environment.
fn open_outside(path: &Path) -> Option<Root> {
    if !path.is_absolute() { None } else { Root::open(path).ok() }
}

/// The sorted names in the folder `below` a root.
pub(crate) fn names_below(root: &Root, below: impl AsRef<Path>) -> Vec<String> {
    let Ok(dir) = root.open_at(below.as_ref(), Opening::Folder) else { return Vec::new() };
    let Ok(names) = names_in(&dir) else { return Vec::new() };
    let names = names.filter_map(|name| name.ok()?.into_string().ok());
    let mut names: Vec<_> = names.take(MAX_NAMES).collect();
    names.sort_unstable();
    names
}

/// The text of a file below a root.
pub(crate) fn text_below(root: &Root, below: impl AsRef<Path>) -> Option<String> {
    let below = below.as_ref();
    let (_, stat) = root.open_file(below, "").ok()?;
    if stat.size() > MAX_FILE_BYTES {
        return None;
    }
    let (bytes, _) = root.read(below, "").ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether there is a regular file (not a link) below a root.
pub(crate) fn is_file(root: &Root, below: impl AsRef<Path>) -> bool {
    root.stat(below.as_ref()).is_ok_and(|stat| stat.kind() == crate::EntryKind::File)
}

/// The numbers in a name, to sort by version.
fn version(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

/// The home folder of a tool: the one that `variable` names, by default `below` the user's home.
fn tool_home(environment: &Environment, variable: &str, below: &str) -> Option<PathBuf> {
    environment.folder(variable).or_else(|| Some(environment.home()?.join(below)))
}
