//! Import edits.

use std::sync::atomic::AtomicBool;

use names::{DefinitionId, ImportEdit, ImportRequest};

use super::QueryError;
use crate::{Document, Snapshot};

impl Snapshot {
    /// The edit that imports a definition of another file: the name at `start` of the document,
    /// which may be partly typed, becomes `name`; imported from `module` if given. `None` if it
    /// cannot be imported or this is uncertain.
    ///
    /// # Errors
    /// When interrupted.
    pub fn import_edit(
        &self,
        document: &Document,
        start: usize,
        name: &str,
        (uri, definition): (&str, u32),
        module: Option<&str>,
        interrupt: &AtomicBool,
    ) -> Result<Option<ImportEdit>, QueryError> {
        self.apply_file_changes(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
        let (Some(file), Some(syntax), Some(facts)) = (
            self.index_document(document, interrupt),
            document.syntax(interrupt),
            document.facts(interrupt),
        ) else {
            return Err(QueryError::Interrupted);
        };
        let Some(target) = self.indexer.file_id(uri) else { return Ok(None) };
        let span = super::complete::name_from(document.text(), start);
        let into = ImportRequest { file, syntax: &syntax, facts: &facts, span };
        let definition = DefinitionId { file: target, number: definition };
        // In Go the package is imported, and the name is written after it: `package.Name`.
        let own = name.rsplit('.').next().unwrap_or(name);
        let index = self.indexer.index.read();
        let found = index.plan_import_from(&into, own, definition, module, interrupt);
        Ok(found.filter(|edit| edit.name == name))
    }

    /// The edit that imports a name from a package that is known to export it.
    ///
    /// # Errors
    /// When interrupted.
    pub fn import_edit_of_package(
        &self,
        document: &Document,
        start: usize,
        name: &str,
        module: &str,
        interrupt: &AtomicBool,
    ) -> Result<Option<ImportEdit>, QueryError> {
        let (Some(file), Some(syntax), Some(facts)) = (
            self.index_document(document, interrupt),
            document.syntax(interrupt),
            document.facts(interrupt),
        ) else {
            return Err(QueryError::Interrupted);
        };
        let span = super::complete::name_from(document.text(), start);
        let into = ImportRequest { file, syntax: &syntax, facts: &facts, span };
        let index = self.indexer.index.read();
        Ok(index.import_from_package(&into, name, module))
    }
}
