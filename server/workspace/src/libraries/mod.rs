//! Dependencies on disk: folders that are read for their names and never written to.
//!
//! They are found by looking, and no program is run for it. What a project says of itself cannot
//! name a folder: only folders of the well-known shapes count, in the project itself, never through
//! a link, or in the places where the user's own tools keep such things.

mod archive;
mod c;
mod environment;
mod go;
mod java;
mod node;
mod python;
mod rust;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use names::{LIBRARY, LibraryFolder};

pub(crate) use environment::Environment;

use archive::Archive;

use crate::platform::{Opening, names_in};
use crate::{FilePath, Root};

/// The dependencies of the workspace of some roots.
#[derive(Debug, Default)]
pub(crate) struct Libraries {
    all: Vec<Library>,
    folders: Vec<LibraryFolder>,
    /// The virtual environments of Python, those of the project first.
    environments: Vec<PythonEnvironment>,
}

/// A virtual environment of Python.
#[derive(Debug, Clone)]
pub(crate) struct PythonEnvironment {
    /// Its folder, as a person would name it.
    pub(crate) label: String,
    /// It is a folder of the project, not one that the user's shell happens to have active.
    pub(crate) is_own: bool,
    /// Where its packages are.
    pub(crate) packages: Arc<Root>,
}

/// A folder with dependencies in it.
#[derive(Debug)]
struct Library {
    root: Arc<Root>,
    holds: Holds,
    /// What its files are unpacked from.
    archive: Option<Archive>,
    /// The roots in it, whose files are the project's own: a person opened them.
    own: Vec<PathBuf>,
}

/// What of a folder counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    All,
    /// What is below a folder `node_modules`.
    NodeModules,
}

/// Most names of a folder that is looked through.
const MOST_NAMES: usize = 20_000;
/// The longest file that is read to find dependencies, in bytes.
pub(crate) const LONGEST: u64 = 8 << 20;

impl Libraries {
    /// Looks for the dependencies of the project in `roots`.
    pub(crate) fn find(roots: &[&Root], environment: &Environment) -> Self {
        let mut found = Self::default();
        if roots.is_empty() {
            return found;
        }
        for look in [python::look, node::look, rust::look, go::look, java::look, c::look] {
            look(roots, environment, &mut found);
        }
        found.leave_out(roots);
        found
    }

    /// The virtual environments of Python, those of the project first.
    pub(crate) fn environments(&self) -> &[PythonEnvironment] {
        &self.environments
    }

    /// The folder of dependencies with a path in the index.
    fn root_of(&self, indexed: &str) -> Option<Arc<Root>> {
        let number = indexed.strip_prefix(LIBRARY)?.parse::<usize>().ok()?;
        Some(self.all.get(number)?.root.clone())
    }

    /// Gives up what of the dependencies was opened as the project, as a package of the registry or
    /// the standard library can be.
    fn leave_out(&mut self, roots: &[&Root]) {
        for library in self.all.iter_mut().filter(|l| l.holds == Holds::All) {
            let within = |root: &&&Root| root.path().starts_with(library.root.path());
            library.own = roots.iter().filter(within).map(|r| r.path().to_owned()).collect();
        }
        let mut folders = std::mem::take(&mut self.folders);
        folders.retain(|folder| {
            let Some(rest) = folder.path.strip_prefix(LIBRARY) else { return true };
            let (number, rest) = rest.split_once('/').unwrap_or((rest, ""));
            let library = number.parse().ok().and_then(|number: usize| self.all.get(number));
            !library.is_some_and(|l| l.is_own(&l.root.path().join(rest)))
        });
        self.folders = folders;
    }

    /// Takes a folder in; answers its path in the index. A folder comes in once.
    fn take(&mut self, root: Root, holds: Holds) -> String {
        let known = |l: &Library| l.root.path() == root.path() && l.holds == holds;
        let number = self.all.iter().position(known).unwrap_or_else(|| {
            let number = self.all.len();
            let root = Arc::new(root.of_library(u32::try_from(number).unwrap_or(u32::MAX)));
            self.all.push(Library { root, holds, archive: None, own: Vec::new() });
            number
        });
        format!("{LIBRARY}{number}")
    }

    /// Takes a folder in that an archive is unpacked into; answers its path in the index.
    fn take_archive(&mut self, root: Root, holds: Holds, archive: Archive) -> String {
        let path = self.take(root, holds);
        if let Some(last) = self.all.last_mut() {
            last.archive = Some(archive);
        }
        path
    }

    /// Has a file of a dependency there that is still in its archive.
    pub(crate) fn unpack(&self, path: &FilePath) {
        let library = path.root.library().and_then(|number| self.all.get(number as usize));
        if let Some(archive) = library.and_then(|library| library.archive.as_ref()) {
            archive.unpack(&path.relative);
        }
    }

    /// Says where imports of a language lead that begin with `name`.
    fn lead(&mut self, language: &'static str, name: &str, path: String) {
        let folder = LibraryFolder { language, name: name.into(), path: path.into() };
        if !self.folders.contains(&folder) {
            self.folders.push(folder);
        }
    }

    /// Where imports lead, for the index.
    pub(crate) fn folders(&self) -> &[LibraryFolder] {
        &self.folders
    }

    /// The folders that lie outside of the roots.
    pub(crate) fn outside<R: AsRef<Root>>(&self, roots: &[R]) -> impl Iterator<Item = &Arc<Root>> {
        let is_outside = |root: &&Arc<Root>| !is_inside(root, roots);
        self.all.iter().map(|library| &library.root).filter(is_outside)
    }

    /// The place of an absolute path, free of links, in the innermost folder of dependencies that
    /// holds it.
    pub(crate) fn place(&self, absolute: &Path) -> Option<FilePath> {
        let inside = self.all.iter().filter_map(|library| {
            let rest = library.root.strip(absolute)?;
            (library.holds(rest) && !library.is_own(absolute)).then_some((library, rest))
        });
        let (library, rest) = inside.min_by_key(|(_, rest)| rest.as_os_str().len())?;
        let plain = rest.components().all(|c| matches!(c, std::path::Component::Normal(_)));
        plain.then(|| FilePath::new(&library.root, rest.to_owned()))
    }

    /// The place that a path in the index means, before any link is followed.
    pub(crate) fn place_of(&self, indexed: &str) -> Option<FilePath> {
        let (number, rest) = indexed.strip_prefix(LIBRARY)?.split_once('/')?;
        let library = self.all.get(number.parse::<usize>().ok()?)?;
        let rest = Path::new(rest);
        library.holds(rest).then(|| FilePath::new(&library.root, rest.to_owned()))
    }
}

impl Library {
    fn is_own(&self, absolute: &Path) -> bool {
        self.own.iter().any(|own| absolute.starts_with(own))
    }

    fn holds(&self, rest: &Path) -> bool {
        let name = OsStr::new("node_modules");
        match self.holds {
            Holds::All => true,
            Holds::NodeModules => {
                rest.parent().is_some_and(|above| above.iter().any(|n| n == name))
            }
        }
    }
}

/// Whether a folder of dependencies lies in one of the roots.
pub(crate) fn is_inside<R: AsRef<Root>>(library: &Root, roots: &[R]) -> bool {
    roots.iter().any(|root| library.path().starts_with(root.as_ref().path()))
}

/// The path in the index of a place in a folder of dependencies.
pub(crate) fn indexed(path: &FilePath) -> Option<String> {
    let number = path.root.library()?;
    Some(format!("{LIBRARY}{number}/{}", path.relative.to_string_lossy()))
}

/// The folder at an absolute path that the user's own environment names.
fn outside(path: &Path) -> Option<Root> {
    if !path.is_absolute() { None } else { Root::open(path).ok() }
}

/// The names in the folder `below` a root, in order.
pub(crate) fn names_below(root: &Root, below: impl AsRef<Path>) -> Vec<String> {
    let Ok(dir) = root.open_at(below.as_ref(), Opening::Folder) else { return Vec::new() };
    let Ok(names) = names_in(&dir) else { return Vec::new() };
    let names = names.filter_map(|name| name.ok()?.into_string().ok());
    let mut names: Vec<_> = names.take(MOST_NAMES).collect();
    names.sort_unstable();
    names
}

/// The text of a file below a root.
pub(crate) fn text_below(root: &Root, below: impl AsRef<Path>) -> Option<String> {
    let below = below.as_ref();
    let (_, stat) = root.open_file(below, "").ok()?;
    if stat.size() > LONGEST {
        return None;
    }
    let (bytes, _) = root.read(below, "").ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a regular file, which is no link, stands below a root.
pub(crate) fn is_file(root: &Root, below: impl AsRef<Path>) -> bool {
    root.stat(below.as_ref()).is_ok_and(|stat| stat.kind() == crate::EntryKind::File)
}

/// Numbers within a name, to bring versions into order.
fn version(name: &str) -> Vec<u32> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse().ok()).collect()
}

/// A home of tools: in the folder that `variable` names, by default `below` the user's home.
fn tool_home(environment: &Environment, variable: &str, below: &str) -> Option<PathBuf> {
    environment.folder(variable).or_else(|| Some(environment.home()?.join(below)))
}
