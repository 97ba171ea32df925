//! What brings a name of another file into one that wants to use it.

use std::sync::atomic::AtomicBool;

use names::{DefinitionId, ImportEdit, Importing};

use super::QueryError;
use crate::{Document, Snapshot};

impl Snapshot {
    /// The edits by which a document imports what another file defines: the name at `start` of the
    /// document, which may be half typed, is to become `name`; from `module` where that is one of the
    /// ways. `None` where it cannot be imported,
    /// or that is not sure.
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
        self.catch_up(interrupt);
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
        let Some(theirs) = self.indexer.number_of(uri) else { return Ok(None) };
        let span = super::complete::name_from(document.text(), start);
        let into = Importing { file, syntax: &syntax, facts: &facts, span };
        let definition = DefinitionId { file: theirs, number: definition };
        // In Go it is the package that is imported, which its own name is said after.
        let own = name.rsplit('.').next().unwrap_or(name);
        let index = self.indexer.index.read();
        let found = index.import_by(&into, own, definition, module, interrupt);
        Ok(found.filter(|edit| edit.name == name))
    }

    /// The edits by which a document imports a name from a package that is known to offer it.
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
        let into = Importing { file, syntax: &syntax, facts: &facts, span };
        let index = self.indexer.index.read();
        Ok(index.import_from_package(&into, name, module))
    }
}
