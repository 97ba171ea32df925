//! Java packages, by the name that files declare.

use super::{Module, Project, join_normalized};
use crate::index::FileId;

impl Project {
    pub(super) fn java(&self, name: &str) -> Option<Module> {
        self.is_package(name).then(|| Module::Package(name.into()))
    }

    /// Whether the library's sources are installed.
    pub(crate) fn has_java_sources(&self) -> bool {
        self.libraries.iter().any(|l| l.language == "java")
    }

    /// The library file of an outermost type, by its path: `java/util/List`.
    pub(crate) fn java_source(&self, path: &str) -> Option<FileId> {
        let mut folders = self.libraries.iter().filter(|l| l.language == "java");
        folders.find_map(|l| self.file(&format!("{}.java", join_normalized(&l.path, path)?)))
    }
}
