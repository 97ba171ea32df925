//! Module resolution: which file or folder a module name refers to, from paths, packages and
//! project files.

mod c;
mod composer;
mod ecma;
mod go;
mod java;
mod java_peers;
mod kotlin;
mod library;
mod php;
mod python;
mod rust;

pub(crate) use go::{is_for_other_platform, is_go_test, is_this_platform};

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::dependency_tracking::record_package;
use crate::index::FileId;

pub(crate) use composer::ComposerPackages;
pub(crate) use library::is_library;
pub use library::{DEPENDENCY_PREFIX, DependencyFolder};

/// The target of a module name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Module {
    File(FileId),
    /// A folder of files that form one package, or a folder of packages.
    Folder(Box<str>),
    /// A package by name.
    Package(Box<str>),
    /// A namespace of PHP by its name, as `App\Models`.
    Namespace(Box<str>),
}

/// The files by path, and the contents of project files.
#[derive(Debug, Default)]
pub(crate) struct Project {
    paths: FxHashMap<Arc<str>, FileId>,
    files: FxHashMap<FileId, Arc<str>>,
    folders: FxHashMap<Box<str>, Vec<FileId>>,
    /// Files by the last part of their path.
    by_name: FxHashMap<Box<str>, Vec<FileId>>,
    /// Files by the package that they declare.
    packages: FxHashMap<Box<str>, Vec<FileId>>,
    go: Vec<go::GoModule>,
    crates: Vec<rust::CargoManifest>,
    modules: ecma::EcmaModules,
    /// Folders for imports that the project does not resolve, in order of search.
    pub(crate) libraries: Vec<DependencyFolder>,
    /// Folders of dependencies that exist, whether or not a file in them is indexed.
    pub(crate) library_folders: FxHashSet<Box<str>>,
    /// Modules of dependencies, by importing folder and name.
    pub(crate) linked: FxHashMap<(Box<str>, Box<str>), FileId>,
    pub(crate) composer: composer::ComposerPackages,
    compilation: c::CompilationDatabases,
    /// Types that Java code may name and that no Java file defines.
    pub(crate) java_peers: java_peers::JavaPeers,
}

impl Project {
    /// Adds a file.
    pub(crate) fn insert(
        &mut self,
        file: FileId,
        path: &Arc<str>,
        language: &str,
        package: Option<&str>,
    ) {
        self.paths.insert(path.clone(), file);
        self.files.insert(file, path.clone());
        self.folders.entry(parent(path).into()).or_default().push(file);
        if is_library(path) {
            return;
        }
        if is_ecma(language) {
            self.modules.insert(path);
        }
        self.by_name.entry(last(path).into()).or_default().push(file);
        if let Some(package) = package {
            self.packages.entry(package.into()).or_default().push(file);
        }
    }

    /// Removes a file.
    pub(crate) fn remove(
        &mut self,
        file: FileId,
        path: &str,
        language: &str,
        package: Option<&str>,
    ) {
        self.paths.remove(path);
        self.files.remove(&file);
        remove_from_map(&mut self.folders, parent(path), file);
        if is_library(path) {
            return;
        }
        if is_ecma(language) {
            self.modules.remove(path);
        }
        remove_from_map(&mut self.by_name, last(path), file);
        if let Some(package) = package {
            remove_from_map(&mut self.packages, package, file);
        }
    }

    /// Reads a project file; returns whether it is one.
    pub(crate) fn configure(&mut self, path: &str, text: &str) -> bool {
        match last(path) {
            "go.mod" | "go.work" => replace(&mut self.go, go::GoModule::read(parent(path), text)),
            "Cargo.toml" => {
                // An invalid manifest changes nothing: it is probably being edited.
                if let Some(read) = rust::CargoManifest::read(parent(path), text) {
                    replace(&mut self.crates, read);
                }
            }
            name if ecma::is_configuration(name) => self.modules.configure(path, text),
            "compile_commands.json" | "compile_flags.txt" => self.compilation.read(path, text),
            name if java_peers::is_peer(name) => self.java_peers.read(path, text),
            _ => return false,
        }
        true
    }

    /// Sets the absolute path of the workspace, which project files may refer to.
    pub(crate) fn set_root(&mut self, path: &str) {
        self.compilation.root = Some(path.trim_end_matches('/').into());
    }

    pub(crate) fn path(&self, file: FileId) -> &str {
        self.files.get(&file).map_or("", |p| p)
    }

    pub(crate) fn file(&self, path: &str) -> Option<FileId> {
        let found = self.paths.get(path).copied();
        if found.is_none() {
            self.record_missing_file(path);
        }
        found
    }

    pub(crate) fn in_folder(&self, folder: &str) -> &[FileId] {
        self.folders.get(folder).map_or(&[], |f| f)
    }

    /// The names of Go packages that start with `typed`, ignoring case. O(packages).
    pub(crate) fn packages_like<'p>(&'p self, typed: &'p str) -> impl Iterator<Item = &'p str> {
        let begins =
            |name: &str| name.get(..typed.len()).is_some_and(|b| b.eq_ignore_ascii_case(typed));
        let all = self.packages.keys().map(|name| &**name);
        all.filter(move |name| !name.contains('.') && begins(name)).take(64)
    }

    /// The modules or packages of a name in the workspace, each by one of its files. O(files).
    pub(crate) fn modules_named(&self, language: &str, name: &str) -> Vec<FileId> {
        let mut found: Vec<FileId> = Vec::new();
        match language {
            "python" => {
                let by_name = |key: String| self.by_name.get(&*key).into_iter().flatten().copied();
                found.extend(by_name(format!("{name}.py")));
                let inits = by_name("__init__.py".to_owned());
                found.extend(inits.filter(|f| last(parent(self.path(*f))) == name));
            }
            "go" => {
                let all = self.packages.get(name).into_iter().flatten().copied();
                let mut seen: FxHashSet<&str> = FxHashSet::default();
                let plain = all.filter(|f| self.path(*f).ends_with(".go"));
                found.extend(plain.filter(|f| seen.insert(parent(self.path(*f)))));
            }
            _ => {}
        }
        found
    }

    /// The names of the direct subfolders of a folder that contain files. O(folders).
    pub(crate) fn folders_in<'p>(&'p self, folder: &str) -> impl Iterator<Item = &'p str> {
        self.folders.keys().filter_map(move |f| {
            let rest = f.strip_prefix(folder)?;
            let rest = if folder.is_empty() { rest } else { rest.strip_prefix('/')? };
            (!rest.is_empty() && !rest.contains('/')).then_some(rest)
        })
    }

    /// Whether a folder of a name contains files, directly or not. O(folders).
    pub(crate) fn has_folder(&self, name: &str) -> bool {
        let own = |folder: &str| !is_library(folder);
        self.folders.keys().any(|f| own(f) && f.split('/').any(|part| part == name))
    }

    pub(crate) fn in_package(&self, package: &str) -> &[FileId] {
        record_package(|| format!("package {package};"));
        self.packages.get(package).map_or(&[], |f| f)
    }

    /// Whether a package, or one below it, is known.
    fn is_package(&self, package: &str) -> bool {
        let is_below = |p: &str| p.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
        let known =
            self.packages.contains_key(package) || self.packages.keys().any(|p| is_below(p));
        if !known {
            record_package(|| format!("package {package}"));
        }
        known
    }

    /// Files whose path ends with `suffix`, in whole parts.
    fn ending(&self, suffix: &str) -> impl Iterator<Item = FileId> {
        let files = self.by_name.get(last(suffix)).map_or(&[][..], |f| f);
        files.iter().copied().filter(move |f| {
            let path = self.path(*f);
            path.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        })
    }

    /// Resolves a module name from a file. `up` is the number of leading dots.
    pub(crate) fn module(
        &self,
        file: FileId,
        language: &str,
        name: &str,
        up: u32,
    ) -> Option<Module> {
        if is_library(self.path(file)) {
            return self.module_of_library(file, language, name, up);
        }
        let own = match language {
            "python" => self.python(file, name, up),
            language if is_ecma(language) => self.ecma(file, name),
            "go" => self.go(file, name),
            "c" | "cpp" => self.include(file, name),
            "java" => self.java(name),
            "kotlin" => self.kotlin_package(name),
            "php" => self.php_namespace(name.trim_start_matches('\\')),
            _ => None,
        };
        own.or_else(|| if up > 0 { None } else { self.library_module(file, language, name) })
    }

    /// Resolves a name inside of a folder or package.
    pub(crate) fn submodule(&self, language: &str, folder: &Module, name: &str) -> Option<Module> {
        match (language, folder) {
            ("python", Module::Folder(folder)) => self.python_in(folder, name),
            ("java", Module::Package(package)) => self.java(&format!("{package}.{name}")),
            ("kotlin", Module::Package(package)) => self.package_below(package, name),
            ("php", Module::Namespace(outer)) if outer.is_empty() => self.php_namespace(name),
            ("php", Module::Namespace(outer)) => self.php_namespace(&format!("{outer}\\{name}")),
            _ => None,
        }
    }
}

fn replace<T: Located>(list: &mut Vec<T>, new: T) {
    list.retain(|old| old.folder() != new.folder() || old.kind() != new.kind());
    list.push(new);
    // The deepest folder first.
    list.sort_by_key(|t| std::cmp::Reverse(t.folder().len()));
}

trait Located {
    fn folder(&self) -> &str;

    /// Distinguishes two kinds of files that may be in one folder.
    fn kind(&self) -> bool {
        false
    }
}

fn is_ecma(language: &str) -> bool {
    matches!(language, "javascript" | "typescript" | "tsx")
}

/// Whether a file of this name configures module resolution.
#[must_use]
pub fn is_project_file(name: &str) -> bool {
    matches!(name, "go.mod" | "go.work" | "Cargo.toml" | "compile_commands.json")
        || ecma::is_configuration(name)
        || java_peers::is_peer(name)
}

fn remove_from_map(map: &mut FxHashMap<Box<str>, Vec<FileId>>, key: &str, file: FileId) {
    if let Some(files) = map.get_mut(key) {
        files.retain(|f| *f != file);
        if files.is_empty() {
            map.remove(key);
        }
    }
}

/// The folder of a path; empty for the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The last part of a path.
pub(crate) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Joins `path` to `folder` and resolves `.` and `..`; `None` if it escapes the root.
pub(crate) fn join_normalized(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The folders that contain a path, from the nearest to the root.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(parent(path));
    std::iter::from_fn(move || {
        let folder = rest?;
        rest = (!folder.is_empty()).then(|| parent(folder));
        Some(folder)
    })
}
