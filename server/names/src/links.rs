//! Document links: the files that imports refer to.

use std::ops::Range;

use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::project::Module;
use crate::resolve::{Resolver, Ty};
use crate::vocabulary::DefinitionKind;

impl Index {
    /// The file that an import refers to. `span` are the bytes of the imported name.
    #[must_use]
    pub fn imported_file(&self, file: FileId, span: &Range<usize>) -> Option<FileId> {
        // A dotted path resolves at its last component, a quoted path at its start.
        let imported_file = [span.end, span.start].into_iter().find_map(|at| {
            let targets = self.definition(file, at);
            let known = targets.iter().find(|t| t.origin != Origin::External && t.file != file);
            known.map(|t| t.file)
        });
        imported_file.or_else(|| self.first_file_of_package(file, span))
    }

    /// The include folders of a file, as far as project files configure them.
    #[must_use]
    pub fn include_folders(&self, file: FileId) -> Vec<String> {
        self.project.include_folders(file).iter().map(|folder| folder.to_string()).collect()
    }

    /// The first file, by path, of the folder that an import refers to.
    fn first_file_of_package(&self, file: FileId, span: &Range<usize>) -> Option<FileId> {
        let facts = self.facts(file)?;
        let resolver = Resolver::new(self);
        let imports = facts.definitions.iter().filter(|def| {
            let inside = def.start as usize <= span.end && span.start <= def.end as usize;
            def.kind == DefinitionKind::Import && inside
        });
        let folder =
            imports.into_iter().find_map(|def| match resolver.type_of_value(file, def.value) {
                Ty::Folder(module) => Some(module),
                _ => None,
            })?;
        let Module::Folder(folder) = &*folder else { return None };
        let path = |file: &FileId| self.files.get(file).map_or("", |entry| &*entry.path);
        let files = self.project.in_folder(folder).iter().copied();
        files.filter(|id| !path(id).ends_with("_test.go")).min_by(|a, b| path(a).cmp(path(b)))
    }
}
