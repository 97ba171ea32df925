//! The part of the index that covers dependencies: filled on demand, and dropped again.

use crate::facts::Facts;
use crate::index::{FileId, Index, IndexEntry};
use crate::project::{ComposerPackages, DependencyFolder, is_library, parent};

impl Index {
    /// Sets the folders that imports of dependencies resolve to, in order of precedence. Everything
    /// known of dependencies is dropped.
    pub fn set_dependency_folders(&mut self, folders: Vec<DependencyFolder>) {
        self.drop_dependencies();
        self.project.composer = ComposerPackages::new(&folders);
        self.project.libraries = folders;
    }

    /// Records that a folder of a dependency exists.
    pub fn insert_library_folder(&mut self, path: &str) {
        self.project.library_folders.insert(path.into());
    }

    /// Records which file a module name resolves to, for all files in the folder of `from`.
    pub fn link_module(&mut self, from: FileId, name: &str, to: FileId) {
        let folder = parent(self.project.path(from)).into();
        self.project.linked.insert((folder, name.into()), to);
    }

    /// Drops all files of dependencies. O(files).
    pub fn drop_dependencies(&mut self) {
        let libraries = self.files.iter().filter(|(_, entry)| is_library(&entry.path));
        let libraries: Vec<FileId> = libraries.map(|(file, _)| *file).collect();
        libraries.into_iter().for_each(|file| self.remove(file));
        self.project.library_folders.clear();
        self.project.linked.clear();
        self.extended.clear();
    }

    /// Whether a file belongs to a dependency.
    #[must_use]
    pub fn is_dependency(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(|entry| is_library(&entry.path))
    }

    pub(crate) fn insert_library(&mut self, file: FileId, entry: IndexEntry) {
        self.library_bytes += entry.bytes();
        for name in extended(self.unpacked(&entry)) {
            self.extended.entry(name.into()).or_default().push(file);
        }
        for name in entry.facts().0.deprecated_names() {
            self.names.count_deprecated(name);
        }
        self.project.insert(file, &entry.path, entry.language.id(), None);
        self.files.insert(file, entry);
    }

    pub(crate) fn remove_library(&mut self, file: FileId, entry: &IndexEntry) {
        self.library_bytes -= entry.bytes();
        for name in extended(entry.facts().0) {
            if let Some(files) = self.extended.get_mut(name) {
                files.retain(|f| *f != file);
            }
        }
        for name in entry.facts().0.deprecated_names() {
            self.names.uncount_deprecated(name);
        }
        self.project.remove(file, &entry.path, entry.language.id(), None);
    }

    /// The files of dependencies that may extend a type of a dependency.
    pub(crate) fn extending_in_library(&self, file: FileId, ty: &str) -> &[FileId] {
        let known = self.extended.get(ty).filter(|_| self.is_dependency(file));
        known.map_or(&[], |files| files)
    }

    /// The approximate memory of the files of dependencies, in bytes.
    #[must_use]
    pub fn library_bytes(&self) -> usize {
        self.library_bytes
    }
}

/// The names of the types that a file extends, each once.
fn extended(facts: &Facts) -> Vec<&str> {
    let mut numbers: Vec<u32> = facts.extensions.iter().map(|e| e.name).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(|number| facts.strings.text(number)).collect()
}
