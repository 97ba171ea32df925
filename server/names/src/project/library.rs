//! Dependencies: folders outside of the project that imports resolve to.
//!
//! The paths of their files start with [`LIBRARY`], which no project file can have. Missing ones
//! are recorded; see [`crate::missing_dependencies`].

use super::{Module, Project, join_normalized, last, parent};
use crate::index::FileId;
use crate::missing_dependencies::{MissingDependency, record_missing};

/// The prefix of the path of every dependency file.
pub const DEPENDENCY_PREFIX: &str = "\0";

/// A folder of dependencies, and the imports that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyFolder {
    /// The language family of the imports, by one of its languages.
    pub language: &'static str,
    /// The prefix of the imports; empty for all imports.
    pub name: Box<str>,
    /// Its path in the index, which starts with [`LIBRARY`].
    pub path: Box<str>,
}

/// Whether a path belongs to a dependency.
pub(crate) fn is_library(path: &str) -> bool {
    path.starts_with(DEPENDENCY_PREFIX)
}

impl Project {
    pub(super) fn record_missing_file(&self, path: &str) {
        if is_library(path) {
            record_missing(|| MissingDependency::File(path.into()));
        }
    }

    /// Whether a dependency folder is known to exist.
    pub(super) fn is_library_folder(&self, path: &str) -> bool {
        is_library(path)
            && (self.library_folders.contains(path) || {
                record_missing(|| MissingDependency::Folder(path.into()));
                false
            })
    }

    fn libraries(&self, language: &str) -> impl Iterator<Item = &super::DependencyFolder> {
        let family = family(language);
        self.libraries.iter().filter(move |l| family == l.language)
    }

    /// Resolves a module name in the dependencies.
    pub(super) fn library_module(
        &self,
        file: FileId,
        language: &str,
        name: &str,
    ) -> Option<Module> {
        match family(language) {
            "python" => {
                let tail = name.replace('.', "/");
                self.libraries(language)
                    .find_map(|l| self.python_at(&join_normalized(&l.path, &tail)?))
            }
            "javascript" => {
                let key = (Box::from(parent(self.path(file))), Box::from(name));
                match self.linked.get(&key) {
                    Some(found) => Some(Module::File(*found)),
                    None if name.starts_with(['.', '/']) => None,
                    None => {
                        record_missing(|| MissingDependency::Module {
                            from: file,
                            name: name.into(),
                        });
                        None
                    }
                }
            }
            "go" => self.libraries(language).find_map(|l| {
                let rest = name.strip_prefix(&*l.name)?;
                let whole = l.name.is_empty() || rest.is_empty() || rest.starts_with('/');
                let folder = join_normalized(&l.path, rest).filter(|_| whole)?;
                let known = !self.in_folder(&folder).is_empty();
                (known || self.is_library_folder(&folder)).then(|| Module::Folder(folder.into()))
            }),
            "php" => self.php_namespace(name.trim_start_matches('\\')),
            "c" => {
                let known = |path: String| self.file(&path).map(Module::File);
                self.libraries(language)
                    .find_map(|l| join_normalized(&l.path, name).and_then(known))
            }
            _ => None,
        }
    }

    /// Resolves a module name in a dependency's own file: never into the project.
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
                return self
                    .beside(&join_normalized(parent(self.path(file)), name)?)
                    .map(Module::File);
            }
            "c" => join_normalized(parent(self.path(file)), name).and_then(|p| self.file(&p)),
            _ => None,
        };
        beside.map(Module::File).or_else(|| self.library_module(file, language, name))
    }

    /// The file that a relative name refers to in a Node package; declarations come first.
    fn beside(&self, path: &str) -> Option<FileId> {
        const ENDINGS: [&str; 6] = [".d.ts", ".ts", ".d.mts", ".js", ".mjs", ".cjs"];
        let declared = [(".js", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")];
        let stems = declared.iter().filter_map(|(e, d)| Some((path.strip_suffix(e)?, d)));
        let as_declared = stems.map(|(stem, ending)| format!("{stem}{ending}"));
        let with_ending = ENDINGS.iter().map(|ending| format!("{path}{ending}"));
        let inside = ENDINGS.iter().map(|ending| format!("{path}/index{ending}"));
        let mut all = as_declared.chain([path.to_owned()]).chain(with_ending).chain(inside);
        // A name without a known extension is not a file.
        all.find_map(|path| self.file(&path))
    }

    /// The root file of a dependency crate.
    pub(crate) fn library_crate(&self, name: &str) -> Option<FileId> {
        let mut roots = self.libraries("rust").filter(|l| *l.name == *name);
        roots.find_map(|l| self.file(&l.path))
    }

    /// The path of a file within its dependency, for display.
    pub(crate) fn path_in_dependency(path: &str) -> &str {
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
