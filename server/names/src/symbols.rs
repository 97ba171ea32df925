//! Workspace symbols: fuzzy search over the definitions that other files can refer to.
//!
//! The name table has a row per name with a bit mask of its letters. A search first filters by the
//! masks, 8 bytes per name, and scores the remaining names.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use crate::fuzzy::{FuzzyPattern, Scorer};
use crate::index::{FileId, Index};
use crate::postings::NamePostings;
use crate::vocabulary::{DefinitionKind, Flags};

/// A search result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSymbol {
    /// Its name.
    pub name: String,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// The file.
    pub file: FileId,
    /// The bytes of the whole definition.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
    /// The type, namespace or function that contains it.
    pub container: Option<String>,
    /// Whether it is deprecated.
    pub deprecated: bool,
    /// How well it matches; comparable only within one search.
    pub score: i32,
}

impl NamePostings {
    /// Names that match a pattern, the best first.
    pub(crate) fn names_matching(&self, pattern: &FuzzyPattern, limit: usize) -> Vec<&str> {
        let found = self.search(pattern, limit);
        found.into_iter().map(|(_, row)| self.name(row as usize)).collect()
    }

    /// Scores and rows of the matching names, the best first.
    fn search(&self, pattern: &FuzzyPattern, limit: usize) -> Vec<(i32, u32)> {
        // Names with the same first letter are considered first; they suffice if there are many.
        let first = pattern.first_letter_mask();
        let (mut rows, mut others) = (Vec::new(), Vec::new());
        for (row, &mask) in self.masks().iter().enumerate() {
            if mask != 0 && pattern.may_match(mask) {
                let of = if first != 0 && mask & first != 0 { &mut rows } else { &mut others };
                if of.len() < MAX_SCORED {
                    of.push(row as u32);
                }
            }
        }
        others.truncate(MAX_SCORED - rows.len());
        rows.append(&mut others);
        let best = |rows: &[u32]| self.best(pattern, rows, limit);
        let mut found = if rows.len() < MIN_NAMES_FOR_TWO_THREADS {
            best(&rows)
        } else {
            let (here, there) = rows.split_at(rows.len() / 2);
            std::thread::scope(|scope| {
                let there = scope.spawn(|| best(there));
                let mut found = best(here);
                found.extend(there.join().unwrap_or_default());
                found
            })
        };
        found.sort_unstable_by_key(|&(score, row)| (Reverse(score), row));
        found.truncate(limit);
        found
    }

    /// The best of the given rows, unordered.
    fn best(&self, pattern: &FuzzyPattern, rows: &[u32], limit: usize) -> Vec<(i32, u32)> {
        let mut scorer = pattern.scorer();
        let mut best: BinaryHeap<Reverse<(i32, Reverse<u32>)>> = BinaryHeap::with_capacity(limit);
        for &row in rows {
            let Some(score) = scorer.score(self.name(row as usize)) else { continue };
            if best.len() < limit {
                best.push(Reverse((score, Reverse(row))));
            } else if let Some(mut worst) = best.peek_mut()
                && worst.0.0 < score
            {
                *worst = Reverse((score, Reverse(row)));
            }
        }
        best.into_iter().map(|Reverse((score, Reverse(row)))| (score, row)).collect()
    }
}

/// From this many names on, two threads score them.
const MIN_NAMES_FOR_TWO_THREADS: usize = 4_000;
/// Limit for the names that are scored. It bounds searches that match nearly everything.
const MAX_SCORED: usize = 60_000;

impl Index {
    /// Definitions that match a query, the best first: everything that other files can refer to.
    /// `a.b` searches for `b` in containers that match `a`. An empty query lists some. O(names) for
    /// the masks; the number of scored names is bounded.
    #[must_use]
    pub fn workspace_symbols(&self, query: &str, limit: usize) -> Vec<WorkspaceSymbol> {
        let (container, name) = match query.rsplit_once(['.', ':', '#', '/']) {
            Some((container, name)) if !name.is_empty() => (Some(container), name),
            _ => (None, query),
        };
        let container = container.map(|c| c.trim_end_matches([':', '.']));
        let pattern = FuzzyPattern::new(name);
        let container_name = container.and_then(|c| c.rsplit(['.', ':', '#', '/']).next());
        let container_pattern = container_name.map(FuzzyPattern::new);
        let mut container_scorer = container_pattern.as_ref().map(FuzzyPattern::scorer);
        let mut symbols = Vec::new();
        // Search for more names than needed, because some define no symbols.
        for (score, row) in self.names.search(&pattern, limit.saturating_mul(2).max(64)) {
            if symbols.len() >= limit {
                break;
            }
            self.symbols_named(
                self.names.name(row as usize),
                score,
                limit,
                container_scorer.as_mut(),
                &mut symbols,
            );
        }
        symbols.sort_by(|a: &WorkspaceSymbol, b: &WorkspaceSymbol| {
            (b.score, &a.name, a.file, a.name_span.start).cmp(&(
                a.score,
                &b.name,
                b.file,
                b.name_span.start,
            ))
        });
        symbols.truncate(limit);
        symbols
    }

    fn symbols_named(
        &self,
        name: &str,
        score: i32,
        limit: usize,
        mut container: Option<&mut Scorer<'_>>,
        out: &mut Vec<WorkspaceSymbol>,
    ) {
        let Some(postings) = self.names.get(name) else { return };
        for &file in &postings.defined {
            let facts = self.indexed_facts(file);
            let Some(number) = facts.strings.find(name) else { continue };
            for &d in facts.definitions_named(number) {
                if out.len() >= limit * 2 {
                    return;
                }
                let def = &facts.definitions[d as usize];
                if !is_symbol(def.kind)
                    || def.flags.has(Flags::HIDDEN)
                    || def.name_start == def.name_end
                    || !facts.is_outermost(d)
                {
                    continue;
                }
                let definition = facts.definition(d);
                if let Some(scorer) = &mut container
                    && definition.container.is_none_or(|c| scorer.score(c).is_none())
                {
                    continue;
                }
                out.push(WorkspaceSymbol {
                    name: name.to_owned(),
                    kind: def.kind,
                    file,
                    span: definition.span,
                    name_span: definition.name_span,
                    container: definition.container.map(str::to_owned),
                    deprecated: facts.is_deprecated(d),
                    score: score * 4 + weight(def.kind),
                });
            }
        }
    }
}

fn is_symbol(kind: DefinitionKind) -> bool {
    use DefinitionKind as K;
    !matches!(kind, K::Import | K::Parameter | K::TypeParameter | K::Label)
}

/// Ranks equal matches: types before functions before values.
fn weight(kind: DefinitionKind) -> i32 {
    use DefinitionKind as K;
    match kind {
        kind if kind.is_type() => 3,
        K::Function | K::Method | K::Macro | K::Module | K::Namespace => 2,
        K::Constant | K::Constructor | K::EnumMember => 1,
        _ => 0,
    }
}
