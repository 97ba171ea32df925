//! Where the names of other files lead.

use std::ops::Range;

use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::project::Module;
use crate::resolve::{Resolver, Ty};
use crate::vocabulary::DefinitionKind;

impl Index {
    /// The file that an import leads to whose name for it has these bytes; `None` where it is not
    /// known.
    #[must_use]
    pub fn linked(&self, file: FileId, span: &Range<usize>) -> Option<FileId> {
        // The last part of a path names the file, the whole of a text does.
        let named = [span.end, span.start].into_iter().find_map(|at| {
            let targets = self.definition(file, at);
            let known = targets.iter().find(|t| t.origin != Origin::Outside && t.file != file);
            known.map(|t| t.file)
        });
        named.or_else(|| self.in_package(file, span))
    }

    /// The folders of the index in which a file's includes are looked for, as far as project files
    /// say.
    #[must_use]
    pub fn include_folders(&self, file: FileId) -> Vec<String> {
        self.project.include_folders(file).iter().map(|folder| folder.to_string()).collect()
    }

    /// The first file, by its path, of the folder that an import leads to.
    fn in_package(&self, file: FileId, span: &Range<usize>) -> Option<FileId> {
        let facts = self.facts(file)?;
        let resolver = Resolver::new(self);
        let imports = facts.definitions.iter().filter(|def| {
            let inside = def.start as usize <= span.end && span.start <= def.end as usize;
            def.kind == DefinitionKind::Import && inside
        });
        let folder = imports.into_iter().find_map(|def| match resolver.eval(file, def.value) {
            Ty::Folder(module) => Some(module),
            _ => None,
        })?;
        let Module::Folder(folder) = &*folder else { return None };
        let path = |file: &FileId| self.files.get(file).map_or("", |entry| &*entry.path);
        let all = self.project.in_folder(folder).iter().copied();
        all.filter(|id| !path(id).ends_with("_test.go")).min_by(|a, b| path(a).cmp(path(b)))
    }
}
