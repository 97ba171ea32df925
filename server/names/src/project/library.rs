//! Dependencies: folders outside of the project that its imports lead into.
//!
//! Their files have paths that begin with [`LIBRARY`], which no file of the project can have. What
//! is missing of them is noted; see [`crate::wanted`].

use super::{Module, Project, join, last, parent};
use crate::index::FileId;
use crate::wanted::{Wanted, note};

/// What the path in the index of every file of a dependency begins with.
pub const LIBRARY: &str = "\0";

/// A folder of dependencies, as imports of a language come to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryFolder {
    /// The languages whose imports lead there, by one of them.
    pub language: &'static str,
    /// What an import begins with that leads there; empty where every one may.
    pub name: Box<str>,
    /// Its path in the index, which begins with [`LIBRARY`].
    pub path: Box<str>,
}

/// Whether a path in the index is of a dependency.
pub(crate) fn is_library(path: &str) -> bool {
    path.starts_with(LIBRARY)
}

impl Project {
    pub(super) fn note_file(&self, path: &str) {
        if is_library(path) {
            note(|| Wanted::File(path.into()));
        }
    }

    /// Whether a folder of a dependency is known to be there.
    pub(super) fn is_library_folder(&self, path: &str) -> bool {
        is_library(path)
            && (self.library_folders.contains(path) || {
                note(|| Wanted::Folder(path.into()));
                false
            })
    }

    fn libraries(&self, language: &str) -> impl Iterator<Item = &super::LibraryFolder> {
        let family = family(language);
        self.libraries.iter().filter(move |l| family == l.language)
    }

    /// What the name of a module leads to in the dependencies.
    pub(super) fn library_module(
        &self,
        file: FileId,
        language: &str,
        name: &str,
    ) -> Option<Module> {
        match family(language) {
            "python" => {
                let tail = name.replace('.', "/");
                self.libraries(language).find_map(|l| self.python_at(&join(&l.path, &tail)?))
            }
            "javascript" => {
                let key = (Box::from(parent(self.path(file))), Box::from(name));
                match self.linked.get(&key) {
                    Some(found) => Some(Module::File(*found)),
                    None if name.starts_with(['.', '/']) => None,
                    None => {
                        note(|| Wanted::Module { from: file, name: name.into() });
                        None
                    }
                }
            }
            "go" => self.libraries(language).find_map(|l| {
                let rest = name.strip_prefix(&*l.name)?;
                let whole = l.name.is_empty() || rest.is_empty() || rest.starts_with('/');
                let folder = join(&l.path, rest).filter(|_| whole)?;
                let known = !self.in_folder(&folder).is_empty();
                (known || self.is_library_folder(&folder)).then(|| Module::Folder(folder.into()))
            }),
            "c" => {
                let known = |path: String| self.file(&path).map(Module::File);
                self.libraries(language).find_map(|l| join(&l.path, name).and_then(known))
            }
            _ => None,
        }
    }

    /// What a name in a dependency's own file leads to: never into the project.
    pub(super) fn module_of_library(
        &self,
        file: FileId,
        language: &str,
        name: &str,
        up: u32,
    ) -> Option<Module> {
        let beside = match family(language) {
            "python" if up > 0 => return self.python(file, name, up),
            "javascript" if name.starts_with('.') => {
                return self.beside(&join(parent(self.path(file)), name)?).map(Module::File);
            }
            "c" => join(parent(self.path(file)), name).and_then(|p| self.file(&p)),
            _ => None,
        };
        beside.map(Module::File).or_else(|| self.library_module(file, language, name))
    }

    /// The file that a relative name means in a package of Node's, its declarations first.
    fn beside(&self, path: &str) -> Option<FileId> {
        const ENDINGS: [&str; 6] = [".d.ts", ".ts", ".d.mts", ".js", ".mjs", ".cjs"];
        let declared = [(".js", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")];
        let stems = declared.iter().filter_map(|(e, d)| Some((path.strip_suffix(e)?, d)));
        let as_declared = stems.map(|(stem, ending)| format!("{stem}{ending}"));
        let with_ending = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
        let inside = ENDINGS.iter().map(|ending| format!("{path}/index{ending}"));
        let mut all = as_declared.chain([path.to_owned()]).chain(with_ending).chain(inside);
        // A name that ends in no known ending is no file.
        all.find_map(|path| self.file(&path))
    }

    /// The root file of a crate of the dependencies.
    pub(crate) fn library_crate(&self, name: &str) -> Option<FileId> {
        let mut roots = self.libraries("rust").filter(|l| *l.name == *name);
        roots.find_map(|l| self.file(&l.path))
    }

    /// Where in its dependency a file is, to be shown.
    pub(crate) fn place_in_library(path: &str) -> &str {
        path.split_once('/').map_or_else(|| last(path), |(_, rest)| rest)
    }
}

fn family(language: &str) -> &str {
    match language {
        "typescript" | "tsx" => "javascript",
        "cpp" => "c",
        other => other,
    }
}
