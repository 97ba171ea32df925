//! What a change of definitions may affect.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use names::{DefinitionKind, FileId, HierarchyItem, ImpactLimits, ImpactOrigin};
use rustc_hash::FxHashMap;
use text::Text;

use super::{MAX_RETRIES, QueryError};
use crate::{Document, Snapshot};

/// A definition that a change may affect.
#[derive(Debug, Clone)]
pub struct AffectedMember {
    /// Its name; empty for a file's top-level code.
    pub name: String,
    /// Its kind.
    pub kind: DefinitionKind,
    /// The enclosing type, namespace or function.
    pub container: Option<String>,
    /// The URI of its file.
    pub uri: Arc<str>,
    /// The text that the spans refer to.
    pub text: Text,
    /// The byte range of its name.
    pub name_span: Range<usize>,
    /// The first use in it.
    pub use_span: Range<usize>,
    /// The number of uses in it.
    pub uses: usize,
    /// Steps from the changed definition.
    pub depth: usize,
    /// What it uses.
    pub through: ImpactOrigin,
    /// The confidence of the whole way, up to 1.
    pub confidence: f32,
}

/// What a change may affect.
#[derive(Debug, Clone, Default)]
pub struct ImpactOfChange {
    /// The affected definitions, the nearest first.
    pub affected: Vec<AffectedMember>,
    /// Definitions that nothing would use if the changed ones went away, with their confidence.
    pub left_unused: Vec<(AffectedMember, f32)>,
    /// For each changed definition: whether other files can use it.
    pub is_exported: Vec<bool>,
    /// Whether a limit was reached.
    pub is_truncated: bool,
}

impl Snapshot {
    /// What uses the definitions at these offsets of a document, and what uses that, and so on; and what
    /// only they use. Stops after `time`. Waits for the index.
    ///
    /// # Errors
    /// When interrupted, or when documents keep changing.
    pub fn impact(
        &self,
        document: &Document,
        offsets: &[usize],
        limits: ImpactLimits,
        time: Duration,
        interrupt: &AtomicBool,
    ) -> Result<ImpactOfChange, QueryError> {
        for _ in 0..MAX_RETRIES {
            self.prepare_index(interrupt)?;
            let Some(id) = self.index_document(document, interrupt) else {
                return match interrupt.load(Ordering::Relaxed) {
                    true => Err(QueryError::Interrupted),
                    false => Ok(ImpactOfChange::default()),
                };
            };
            let changed: Vec<_> = offsets.iter().map(|offset| (id, *offset)).collect();
            let deadline = Instant::now() + time;
            let stop = || interrupt.load(Ordering::Relaxed) || Instant::now() > deadline;
            let index = self.indexer.index.read();
            let impact = index.impact(&changed, limits, &stop);
            let unused = index.left_unused(&changed, &stop);
            drop(index);
            let mut texts = FxHashMap::default();
            let affected = impact.affected.iter().map(|node| {
                let member = self.member(&mut texts, &node.item, interrupt)?;
                Some(AffectedMember {
                    use_span: node.use_span.clone(),
                    uses: node.uses,
                    depth: node.depth,
                    through: node.through,
                    confidence: node.confidence,
                    ..member
                })
            });
            let affected: Option<Vec<_>> = affected.collect();
            let unused = unused.iter().map(|(item, confidence)| {
                Some((self.member(&mut texts, item, interrupt)?, *confidence))
            });
            let unused: Option<Vec<_>> = unused.collect();
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            if let (Some(affected), Some(left_unused)) = (affected, unused) {
                let is_exported = impact.is_exported;
                let is_truncated = impact.is_truncated;
                return Ok(ImpactOfChange { affected, left_unused, is_exported, is_truncated });
            }
        }
        Err(QueryError::DocumentChanged)
    }

    /// An item with its text; `None` if its file has changed since.
    fn member(
        &self,
        texts: &mut FxHashMap<FileId, (Arc<str>, Text)>,
        item: &HierarchyItem,
        interrupt: &AtomicBool,
    ) -> Option<AffectedMember> {
        let (uri, text) = match texts.get(&item.file) {
            Some(known) => known.clone(),
            None => {
                let known = self.text_of(item.file, interrupt)?;
                texts.insert(item.file, known.clone());
                known
            }
        };
        Some(AffectedMember {
            name: item.name.clone(),
            kind: item.kind,
            container: item.container.clone(),
            uri,
            text,
            name_span: item.name_span.clone(),
            use_span: item.name_span.clone(),
            uses: 0,
            depth: 0,
            through: ImpactOrigin::Changed(0),
            confidence: 1.0,
        })
    }
}
