//! Call and type hierarchies.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{DefinitionKind, FileId, HierarchyItem, Index, with_missing_dependencies};
use rustc_hash::FxHashMap;
use text::Text;

use super::{MAX_RETRIES, QueryError};
use crate::{Document, Snapshot};

/// A function or type in a hierarchy.
#[derive(Debug, Clone)]
pub struct HierarchyMember {
    /// Its name; the file's name for code outside functions.
    pub name: String,
    /// Its kind.
    pub kind: DefinitionKind,
    /// The enclosing type, namespace or function.
    pub container: Option<String>,
    /// The URI of its file.
    pub uri: Arc<str>,
    /// The text that the spans refer to.
    pub text: Text,
    /// The byte range of its definition.
    pub span: Range<usize>,
    /// The byte range of its name.
    pub name_span: Range<usize>,
    /// The call sites; empty in a type hierarchy.
    pub calls: Vec<Range<usize>>,
}

/// The kind of hierarchy query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HierarchyQuery {
    /// The function that a name refers to.
    Function,
    /// The callers of a function.
    Incoming,
    /// The callees of a function.
    Outgoing,
    /// The type that a name refers to.
    Type,
    /// The supertypes of a type.
    Supertypes,
    /// The subtypes of a type.
    Subtypes,
}

impl Snapshot {
    /// The hierarchy items of the name at `offset`. Waits for the index.
    ///
    /// # Errors
    /// When interrupted, or when a document has changed.
    pub fn hierarchy(
        &self,
        document: &Document,
        offset: usize,
        wanted: HierarchyQuery,
        interrupt: &AtomicBool,
    ) -> Result<Vec<HierarchyMember>, QueryError> {
        // The definition may be in a dependency, which this indexes; callers are in the workspace.
        self.definition(document, offset, interrupt)?;
        let plain = |items: Vec<HierarchyItem>| {
            items.into_iter().map(|item| (item, Vec::new())).collect::<Vec<_>>()
        };
        let query = |index: &Index, file: FileId| match wanted {
            HierarchyQuery::Function => plain(index.callables_at(file, offset)),
            HierarchyQuery::Incoming => {
                with_missing_dependencies(|| index.incoming_calls(file, offset)).0
            }
            HierarchyQuery::Outgoing => index.outgoing_calls(file, offset),
            HierarchyQuery::Type => plain(index.types_at(file, offset)),
            HierarchyQuery::Supertypes => plain(index.supertypes(file, offset)),
            HierarchyQuery::Subtypes => {
                plain(with_missing_dependencies(|| index.subtypes(file, offset)).0)
            }
        };
        for _ in 0..MAX_RETRIES {
            let found = self.query_index_early(
                document,
                offset,
                interrupt,
                query,
                |_, _| false,
                Some(&|_| true),
            )?;
            let Some(found) = found else { return Ok(Vec::new()) };
            if let Some(members) = self.members(found, interrupt) {
                return Ok(members);
            }
        }
        Err(QueryError::DocumentChanged)
    }

    /// Resolves items to URIs and texts, as [`Snapshot::locations`].
    fn members(
        &self,
        found: Vec<(HierarchyItem, Vec<Range<usize>>)>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<HierarchyMember>> {
        let mut texts: FxHashMap<FileId, (Arc<str>, Text)> = FxHashMap::default();
        let mut members = Vec::with_capacity(found.len());
        for (item, calls) in found {
            let (uri, text) = match texts.get(&item.file) {
                Some(known) => known.clone(),
                None => {
                    let known = self.text_of(item.file, interrupt)?;
                    texts.insert(item.file, known.clone());
                    known
                }
            };
            let name = match item.name.is_empty() {
                true => uri.rsplit('/').next().unwrap_or(&uri).to_owned(),
                false => item.name,
            };
            let HierarchyItem { kind, container, span, name_span, .. } = item;
            members.push(HierarchyMember {
                name,
                kind,
                container,
                uri,
                text,
                span,
                name_span,
                calls,
            });
        }
        Some(members)
    }
}
