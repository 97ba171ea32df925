//! Symbols of the whole workspace.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use names::{DefinitionKind, FileSymbol};
use rustc_hash::{FxHashMap, FxHashSet};
use text::Text;

use super::QueryError;
use crate::{Document, Snapshot};

/// A definition that answers to a search.
#[derive(Debug, Clone)]
pub struct FoundSymbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// The type, namespace or function it stands in.
    pub container: Option<String>,
    /// The URI of its file.
    pub uri: Arc<str>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// The bytes of its name in the text that the index knows.
    pub name_span: Range<usize>,
}

impl Snapshot {
    /// Definitions that answer to a few letters, the best first. Never waits: what the index knows
    /// by now is enough.
    ///
    /// # Errors
    /// When interrupted.
    pub fn symbols(
        &self,
        query: &str,
        limit: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<FoundSymbol>, QueryError> {
        if self.indexer.on_demand.load(Ordering::Relaxed) {
            self.wait_for_index(interrupt)?;
        }
        self.catch_up(interrupt);
        for document in self.documents() {
            self.index_document(document, interrupt);
        }
        let found = self.indexer.index.read().symbols(query, limit);
        let found = found.into_iter().map(|symbol| FoundSymbol {
            uri: self.indexer.entry(symbol.file).uri,
            name: symbol.name,
            kind: symbol.kind,
            container: symbol.container,
            deprecated: symbol.deprecated,
            name_span: symbol.name_span,
        });
        Ok(found.collect())
    }

    /// The text of a symbol's file, that its span is of. `None` where the file is no longer there
    /// or has changed so that the name is elsewhere.
    #[must_use]
    pub fn symbol_text(&self, uri: &str, name: &str, span: &Range<usize>) -> Option<Text> {
        let text = match self.document(uri) {
            Some(document) => document.text().clone(),
            None => self.read_disk(&self.locate(uri).ok()?).ok()?.text,
        };
        (text.slice(span.clone()) == name).then_some(text)
    }

    /// Of each symbol of a document, whether its name stands anywhere else: what does not has no
    /// use. All do while files are still being read. O(text). Never waits.
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
        // A name that is no plain word is not found as one.
        let here = |name: &str| here.get(name).is_none_or(|count| *count > 1);
        symbols.iter().map(|s| here(&s.name) || elsewhere(&s.name)).collect()
    }
}
