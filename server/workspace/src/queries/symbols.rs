//! Workspace symbols.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{DefinitionKind, FileSymbol};
use rustc_hash::{FxHashMap, FxHashSet};
use text::Text;

use super::QueryError;
use crate::{Document, Snapshot};

/// A definition that matches a workspace symbol query.
#[derive(Debug, Clone)]
pub struct SymbolMatch {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: DefinitionKind,
    /// The enclosing type, namespace or function.
    pub container: Option<String>,
    /// The URI of its file.
    pub uri: Arc<str>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// The byte range of its name in the indexed text.
    pub name_span: Range<usize>,
}

impl Snapshot {
    /// Definitions that match a query, best first. Does not wait for the index.
    ///
    /// # Errors
    /// When interrupted.
    pub fn symbols(
        &self,
        query: &str,
        limit: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<SymbolMatch>, QueryError> {
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.apply_file_changes(interrupt);
        for document in self.documents() {
            self.index_document(document, interrupt);
        }
        let found = self.indexer.index.read().workspace_symbols(query, limit);
        let found = found.into_iter().map(|symbol| SymbolMatch {
            uri: self.indexer.entry(symbol.file).uri,
            name: symbol.name,
            kind: symbol.kind,
            container: symbol.container,
            deprecated: symbol.deprecated,
            name_span: symbol.name_span,
        });
        Ok(found.collect())
    }

    /// The text of a symbol's file. `None` if the file no longer exists, or if `name` is no longer
    /// at `span`.
    #[must_use]
    pub fn symbol_text(&self, uri: &str, name: &str, span: &Range<usize>) -> Option<Text> {
        let text = match self.document(uri) {
            Some(document) => document.text().clone(),
            None => self.read_disk(&self.locate(uri).ok()?).ok()?.text,
        };
        (text.slice(span.clone()) == name).then_some(text)
    }

    /// For each symbol of a document, whether its name occurs anywhere else; if not, it is unused.
    /// All true while indexing is incomplete. O(text). Does not wait for the index.
    #[must_use]
    pub fn named_elsewhere(
        &self,
        document: &Document,
        symbols: &[FileSymbol],
        interrupt: &AtomicBool,
    ) -> Vec<bool> {
        if !self.index_progress().complete {
            return vec![true; symbols.len()];
        }
        let text = document.text();
        let text = text.slice(0..text.len());
        let names: FxHashSet<&str> = symbols.iter().map(|s| s.name.as_str()).collect();
        let mut here: FxHashMap<&str, usize> = FxHashMap::default();
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')) {
            if names.contains(word) {
                *here.entry(word).or_default() += 1;
            }
        }
        let own = self.index_document(document, interrupt);
        let index = self.indexer.index.read();
        let elsewhere = |name: &str| index.files_naming(name).any(|file| Some(file) != own);
        // A name that is not a plain word is not counted above; assume that it occurs.
        let here = |name: &str| here.get(name).is_none_or(|count| *count > 1);
        symbols.iter().map(|s| here(&s.name) || elsewhere(&s.name)).collect()
    }
}
