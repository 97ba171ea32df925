//! Python modules: files, and folders with or without `__init__`.

use super::{Module, Project, ancestors, join_normalized, parent};
use crate::index::FileId;
use crate::library::is_python_module;

impl Project {
    /// Resolves a Python module name.
    pub(super) fn python(&self, file: FileId, name: &str, up: u32) -> Option<Module> {
        let path = self.path(file);
        let tail = name.replace('.', "/");
        if up > 0 {
            let mut folder = parent(path);
            for _ in 1..up {
                if folder.is_empty() {
                    break;
                }
                folder = parent(folder);
            }
            return self.python_at(&join_normalized(folder, &tail)?);
        }
        // Import roots are folders that are not packages.
        let roots = ancestors(path).filter(|f| !self.is_python_package(f));
        for root in roots {
            if let Some(found) = self.python_at(&join_normalized(root, &tail)?) {
                return Some(found);
            }
        }
        self.python_elsewhere(&tail)
    }

    /// A module under a source folder that does not contain the file, if there is only one.
    fn python_elsewhere(&self, tail: &str) -> Option<Module> {
        // A file named like a standard module does not shadow it, unless it is where Python
        // searches first.
        if is_python_module(tail.split('/').next().unwrap_or(tail)) {
            return None;
        }
        let mut found = Vec::new();
        for ending in [format!("{tail}.py"), format!("{tail}/__init__.py"), format!("{tail}.pyi")] {
            for file in self.ending(&ending) {
                let path = self.path(file);
                let root = path[..path.len() - ending.len()].trim_end_matches('/');
                if !self.is_python_package(root) {
                    found.push(file);
                }
            }
        }
        match found[..] {
            [one] => Some(Module::File(one)),
            _ => None,
        }
    }

    fn is_python_package(&self, folder: &str) -> bool {
        ["__init__.py", "__init__.pyi"]
            .iter()
            .any(|init| join_normalized(folder, init).is_some_and(|p| self.file(&p).is_some()))
    }

    pub(super) fn python_at(&self, path: &str) -> Option<Module> {
        for ending in ["/__init__.py", ".py", ".pyi", "/__init__.pyi"] {
            let full = format!("{path}{ending}");
            if let Some(file) = self.file(full.trim_start_matches('/')) {
                return Some(Module::File(file));
            }
        }
        let folder = !self.in_folder(path).is_empty() && !path.is_empty();
        (folder || self.is_library_folder(path)).then(|| Module::Folder(path.into()))
    }

    pub(super) fn python_in(&self, folder: &str, name: &str) -> Option<Module> {
        self.python_at(&join_normalized(folder, name)?)
    }

    /// The module `name` of the package whose `__init__` is `file`.
    pub(crate) fn python_child(&self, file: FileId, name: &str) -> Option<Module> {
        let path = self.path(file);
        let init = path.ends_with("__init__.py") || path.ends_with("__init__.pyi");
        if init { self.python_in(parent(path), name) } else { None }
    }
}
