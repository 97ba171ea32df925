//! What a change of definitions may affect: the code that uses them, directly and through others.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Facts;
use crate::hierarchy::{FunctionSpans, HierarchyItem};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit for definitions that would be unused.
const MAX_UNUSED: usize = 50;
/// Minimum confidence of the definition that a name refers to.
const MIN_CONFIDENCE: f32 = 0.7;

/// Limits of one query.
#[derive(Debug, Clone, Copy)]
pub struct ImpactLimits {
    /// Steps from the changed definitions.
    pub depth: usize,
    /// Affected definitions.
    pub nodes: usize,
}

/// A definition that a change may affect.
#[derive(Debug, Clone, PartialEq)]
pub struct AffectedItem {
    /// The function around the uses; a file's top-level code if it has no name.
    pub item: HierarchyItem,
    /// Steps from the changed definition: 1 uses it itself.
    pub depth: usize,
    /// The definition that it uses: one of the changed ones, or an item of `affected`.
    pub through: ImpactOrigin,
    /// The first use, in bytes.
    pub use_span: Range<usize>,
    /// The number of uses in it.
    pub uses: usize,
    /// The confidence of the whole way, up to 1.
    pub confidence: f32,
}

/// What an affected definition uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImpactOrigin {
    /// The changed definition with this number.
    Changed(usize),
    /// The affected item with this number.
    Affected(usize),
}

/// What a change may affect.
#[derive(Debug, Clone, Default)]
pub struct Impact {
    /// The affected definitions, the nearest first.
    pub affected: Vec<AffectedItem>,
    /// Whether a limit was reached: there may be more.
    pub is_truncated: bool,
    /// For each changed definition: whether other files can use it.
    pub is_exported: Vec<bool>,
}

impl Index {
    /// What uses the definitions at these byte offsets of files, and what uses that, and so on. Stops once
    /// `stop` returns true; what was found until then is the result.
    #[must_use]
    pub fn impact(
        &self,
        changed: &[(FileId, usize)],
        limits: ImpactLimits,
        stop: &dyn Fn() -> bool,
    ) -> Impact {
        let mut impact = Impact::default();
        let mut seen: FxHashSet<DefId> = FxHashSet::default();
        let mut functions: FxHashMap<FileId, FunctionSpans> = FxHashMap::default();
        let mut frontier: Vec<(FxHashSet<DefId>, ImpactOrigin, f32)> = Vec::new();
        for (number, (file, offset)) in changed.iter().enumerate() {
            let site = self.facts(*file).and_then(|facts| facts.site_at(*offset));
            let symbol = site.map(|site| Resolver::new(self).symbol_definitions(*file, site));
            let symbol = symbol.unwrap_or_default();
            impact.is_exported.push(symbol.iter().any(|id| self.is_exported(*id)));
            seen.extend(&symbol);
            frontier.push((symbol, ImpactOrigin::Changed(number), 1.0));
        }
        for depth in 1..=limits.depth {
            for (symbol, through, confidence) in std::mem::take(&mut frontier) {
                if stop() || impact.affected.len() >= limits.nodes {
                    impact.is_truncated = true;
                    return impact;
                }
                let first = impact.affected.len();
                self.add_users(&mut impact, &symbol, &mut functions, |item, span, own| {
                    AffectedItem {
                        item,
                        depth,
                        through,
                        use_span: span,
                        uses: 1,
                        confidence: confidence * own,
                    }
                });
                // Keep those that were not reached before; a user of itself is no new one.
                let mut at = first;
                while at < impact.affected.len() {
                    let item = &impact.affected[at].item;
                    let id = self.definition_at(item.file, &item.name_span);
                    if id.is_none_or(|id| !seen.insert(id)) {
                        impact.affected.remove(at);
                    } else {
                        at += 1;
                    }
                }
                if impact.affected.len() > limits.nodes {
                    impact.affected.truncate(limits.nodes);
                    impact.is_truncated = true;
                }
                for number in first..impact.affected.len() {
                    let node = &impact.affected[number];
                    // Nothing calls a file's top-level code by name.
                    let id = self.definition_at(node.item.file, &node.item.name_span);
                    if let Some(id) = id.filter(|id| id.def != 0) {
                        let symbol = FxHashSet::from_iter([id]);
                        frontier.push((symbol, ImpactOrigin::Affected(number), node.confidence));
                    }
                }
            }
            if frontier.is_empty() {
                break;
            }
            impact.is_truncated = depth == limits.depth;
        }
        impact
    }

    /// Adds the functions that use a symbol, once each.
    fn add_users(
        &self,
        impact: &mut Impact,
        symbol: &FxHashSet<DefId>,
        functions: &mut FxHashMap<FileId, FunctionSpans>,
        node: impl Fn(HierarchyItem, Range<usize>, f32) -> AffectedItem,
    ) {
        let resolver = Resolver::new(self);
        let mut known: FxHashMap<DefId, usize> = FxHashMap::default();
        for target in self.symbol_references(&resolver, symbol, false) {
            let Some(facts) = self.facts(target.file) else { continue };
            let start = target.name_span.start;
            if is_import(facts, start) {
                continue;
            }
            let spans = functions.entry(target.file).or_insert_with(|| FunctionSpans::new(facts));
            let id = DefId { file: target.file, def: spans.innermost(start) };
            match known.get(&id) {
                Some(at) => {
                    let known = &mut impact.affected[*at];
                    known.uses += 1;
                    known.confidence = known.confidence.max(target.confidence);
                }
                None => {
                    known.insert(id, impact.affected.len());
                    let node = node(self.item(id), target.name_span, target.confidence);
                    impact.affected.push(node);
                }
            }
        }
    }

    /// The definitions that only the code of the definitions at these offsets uses: nothing would use them
    /// if that code went away. Each with its confidence. Stops once `stop` returns true.
    #[must_use]
    pub fn left_unused(
        &self,
        changed: &[(FileId, usize)],
        stop: &dyn Fn() -> bool,
    ) -> Vec<(HierarchyItem, f32)> {
        let definition = |(file, offset): &(FileId, usize)| {
            let facts = self.facts(*file)?;
            let name = facts.name_at(*offset)?.span;
            let id = self.definition_at(*file, &name)?;
            Some((*file, self.item(id).span))
        };
        let gone: Vec<(FileId, Range<usize>)> = changed.iter().filter_map(definition).collect();
        let is_gone = |file: FileId, at: usize| {
            gone.iter().any(|(other, span)| *other == file && span.contains(&at))
        };
        let mut seen: FxHashSet<DefId> = FxHashSet::default();
        let mut unused = Vec::new();
        for (file, span) in &gone {
            let Some(facts) = self.facts(*file) else { continue };
            let inside = facts.references.iter().map(|r| r.start as usize);
            for start in inside.filter(|start| span.contains(start)) {
                if stop() || unused.len() >= MAX_UNUSED {
                    return unused;
                }
                let targets = self.definition(*file, start);
                let [target] = targets.as_slice() else { continue };
                let own = target.origin != Origin::External
                    && target.confidence >= MIN_CONFIDENCE
                    && !is_gone(target.file, target.name_span.start);
                let id = self.definition_at(target.file, &target.name_span).filter(|_| own);
                let Some(id) = id.filter(|id| id.def != 0 && seen.insert(*id)) else { continue };
                let item = self.item(id);
                if !is_declaration(item.kind) {
                    continue;
                }
                let uses = self.references(target.file, target.name_span.start, false);
                let is_own_use =
                    |at: usize, file: FileId| file == id.file && item.span.contains(&at);
                let is_left = uses.iter().any(|one| {
                    let at = one.name_span.start;
                    let is_import = self.facts(one.file).is_some_and(|facts| is_import(facts, at));
                    !is_gone(one.file, at) && !is_own_use(at, one.file) && !is_import
                });
                if !is_left {
                    unused.push((item, if self.is_exported(id) { 0.6 } else { 0.9 }));
                }
            }
        }
        unused
    }

    /// Whether other files can use a definition.
    fn is_exported(&self, id: DefId) -> bool {
        let Some(facts) = self.facts(id.file) else { return false };
        let def = &facts.definitions[id.def as usize];
        def.flags.has(Flags::EXPORTED) || facts.is_outermost(id.def)
    }
}

/// Whether it is a definition that someone would delete by itself.
fn is_declaration(kind: DefinitionKind) -> bool {
    kind.is_callable()
        || kind.is_type() && kind != DefinitionKind::TypeParameter
        || matches!(kind, DefinitionKind::Constant | DefinitionKind::Macro)
}

/// Whether the name at an offset is that of an import: it uses nothing itself.
fn is_import(facts: &Facts, start: usize) -> bool {
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    let first = facts.by_place.partition_point(|d| facts.definitions[*d as usize].name_start < at);
    let here = facts.by_place[first..].iter().map(|d| &facts.definitions[*d as usize]);
    let mut here = here.take_while(|def| def.name_start == at);
    here.any(|def| def.kind == DefinitionKind::Import)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use syntax::{Language, Syntax};
    use text::Text;

    use super::*;

    fn index(files: &[(&str, &str)]) -> Index {
        let never = AtomicBool::new(false);
        let language = Language::by_id("python").unwrap();
        let mut index = Index::new();
        for (number, (path, source)) in files.iter().enumerate() {
            let syntax = Syntax::parse(language, &Text::new(source), None, &never).unwrap();
            let facts = Facts::lower(&syntax, &never).unwrap();
            index.insert(FileId(number as u32), path, Arc::new(facts));
        }
        index
    }

    #[test]
    fn callers_are_followed_until_a_limit() {
        let files = [
            ("a.py", "def base():\n    pass\n\ndef one():\n    base()\n    base()\n"),
            (
                "b.py",
                "from a import one\n\ndef two():\n    return one()\n\ndef own():\n    return own()\n",
            ),
            ("test_b.py", "from b import two\n\ndef test_two():\n    assert two()\n\ntwo()\n"),
        ];
        let index = index(&files);
        let limits = ImpactLimits { depth: 10, nodes: 100 };
        let run = |limits, stop: &dyn Fn() -> bool| index.impact(&[(FileId(0), 4)], limits, stop);
        let impact = run(limits, &|| false);
        let found: Vec<_> = impact
            .affected
            .iter()
            .map(|node| (node.item.name.as_str(), node.depth, node.uses, node.through))
            .collect();
        use ImpactOrigin::{Affected, Changed};
        assert_eq!(
            found,
            [
                ("one", 1, 2, Changed(0)),
                ("two", 2, 1, Affected(0)),
                ("test_two", 3, 1, Affected(1)),
                ("", 3, 1, Affected(1)),
            ]
        );
        assert!(!impact.is_truncated && impact.is_exported == [true]);
        assert!(impact.affected.iter().all(|node| node.confidence > 0.5));
        let impact = run(ImpactLimits { depth: 1, ..limits }, &|| false);
        assert!(impact.affected.len() == 1 && impact.is_truncated);
        let impact = run(ImpactLimits { nodes: 2, ..limits }, &|| false);
        assert!(impact.affected.len() == 2 && impact.is_truncated);
        assert!(run(limits, &|| true).is_truncated);
        // What only `two` uses would be unused without it; `base` and `two` have other users.
        let at = files[1].1.find("two").unwrap();
        let unused = index.left_unused(&[(FileId(1), at)], &|| false);
        let names: Vec<_> = unused.iter().map(|(item, _)| item.name.as_str()).collect();
        assert_eq!(names, ["one"]);
        // A function that only calls itself affects nothing else.
        let at = files[1].1.find("own").unwrap();
        assert!(index.impact(&[(FileId(1), at)], limits, &|| false).affected.is_empty());
    }
}
