//! Hierarchies of calls and types, with the texts that they are in.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use names::{DefinitionKind, FileId, HierarchyItem, Index, noting};
use rustc_hash::FxHashMap;
use text::Text;

use super::{QueryError, ROUNDS};
use crate::{Document, Snapshot};

/// A function or type of a hierarchy.
#[derive(Debug, Clone)]
pub struct Member {
    /// Its name; the file's own for code that stands in no function.
    pub name: String,
    /// What it is.
    pub kind: DefinitionKind,
    /// The type, namespace or function it stands in.
    pub container: Option<String>,
    /// The URI of its file.
    pub uri: Arc<str>,
    /// The text that the spans are of.
    pub text: Text,
    /// The bytes of its definition.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// Where it calls, or is called; nothing in a hierarchy of types.
    pub calls: Vec<Range<usize>>,
}

/// What is asked of a hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hierarchy {
    /// The function that a name means.
    Function,
    /// Who calls a function.
    Incoming,
    /// Whom a function calls.
    Outgoing,
    /// The type that a name means.
    Type,
    /// What is above a type.
    Supertypes,
    /// What is below a type.
    Subtypes,
}

impl Snapshot {
    /// What stands next to the name at `offset` in a hierarchy. Waits for the index.
    ///
    /// # Errors
    /// When interrupted, or when a document has moved on.
    pub fn hierarchy(
        &self,
        document: &Document,
        offset: usize,
        wanted: Hierarchy,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Member>, QueryError> {
        // What the name means may lead into dependencies; who uses it does not.
        self.definition(document, offset, interrupt)?;
        let plain = |items: Vec<HierarchyItem>| {
            items.into_iter().map(|item| (item, Vec::new())).collect::<Vec<_>>()
        };
        let ask = |index: &Index, file: FileId| match wanted {
            Hierarchy::Function => plain(index.callables_at(file, offset)),
            Hierarchy::Incoming => noting(|| index.incoming_calls(file, offset)).0,
            Hierarchy::Outgoing => index.outgoing_calls(file, offset),
            Hierarchy::Type => plain(index.types_at(file, offset)),
            Hierarchy::Supertypes => plain(index.supertypes(file, offset)),
            Hierarchy::Subtypes => plain(noting(|| index.subtypes(file, offset)).0),
        };
        for _ in 0..ROUNDS {
            let found =
                self.ask_soon(document, offset, interrupt, ask, |_, _| false, Some(&|_| true))?;
            let Some(found) = found else { return Ok(Vec::new()) };
            if let Some(members) = self.members(found, interrupt) {
                return Ok(members);
            }
        }
        Err(QueryError::Moved)
    }

    /// The items with the texts that their spans are of; as [`Snapshot::locations`].
    fn members(
        &self,
        found: Vec<(HierarchyItem, Vec<Range<usize>>)>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Member>> {
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
            members.push(Member { name, kind, container, uri, text, span, name_span, calls });
        }
        Some(members)
    }
}
