//! Call hierarchy and type hierarchy.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::expression::{Expression, Value};
use crate::facts::{Facts, NONE};
use crate::index::{FileId, Index};
use crate::origin::Origin;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit for the callers, callees or types of one answer.
const MAX_ITEMS: usize = 1_000;
/// Minimum confidence of a resolved callee.
const MIN_CONFIDENCE: f32 = 0.7;

/// A function or type of a hierarchy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyItem {
    /// Its file.
    pub file: FileId,
    /// Its name; empty for a file's top-level code.
    pub name: String,
    /// The kind of definition.
    pub kind: DefinitionKind,
    /// The type, namespace or function that contains it.
    pub container: Option<String>,
    /// The bytes of its definition.
    pub span: Range<usize>,
    /// The bytes of its name.
    pub name_span: Range<usize>,
}

/// A caller or callee, with the bytes of the callee's names in the calls.
pub type CallHierarchyCall = (HierarchyItem, Vec<Range<usize>>);

impl Index {
    /// The functions that the name at a byte offset refers to.
    #[must_use]
    pub fn callables_at(&self, file: FileId, offset: usize) -> Vec<HierarchyItem> {
        let holds_function =
            |id: DefId| self.facts(id.file).is_some_and(|facts| is_function(facts, id.def));
        self.items_at(file, offset, holds_function)
    }

    /// The types that the name at a byte offset refers to.
    #[must_use]
    pub fn types_at(&self, file: FileId, offset: usize) -> Vec<HierarchyItem> {
        self.items_at(file, offset, |id| {
            let kind = self.indexed_facts(id.file).definitions[id.def as usize].kind;
            kind.is_type() && kind != DefinitionKind::TypeParameter
        })
    }

    fn items_at(
        &self,
        file: FileId,
        offset: usize,
        is_wanted: impl Fn(DefId) -> bool,
    ) -> Vec<HierarchyItem> {
        let targets = self.definition(file, offset);
        let known = targets.iter().filter(|t| t.origin != Origin::External);
        let ids = known.filter_map(|t| self.definition_at(t.file, &t.name_span));
        ids.filter(|id| id.def != 0 && is_wanted(*id)).map(|id| self.item(id)).collect()
    }

    pub(crate) fn item(&self, id: DefId) -> HierarchyItem {
        let facts = self.indexed_facts(id.file);
        let def = &facts.definitions[id.def as usize];
        if id.def == 0 {
            let len = facts.text_len();
            return HierarchyItem {
                file: id.file,
                name: String::new(),
                kind: DefinitionKind::Module,
                container: None,
                span: 0..len,
                name_span: 0..0,
            };
        }
        let definition = facts.definition(id.def);
        HierarchyItem {
            file: id.file,
            name: definition.name.to_owned(),
            kind: def.kind,
            container: definition.container.filter(|c| !c.is_empty()).map(str::to_owned),
            span: definition.span.start.min(definition.name_span.start)
                ..definition.span.end.max(definition.name_span.end),
            name_span: definition.name_span,
        }
    }

    /// The callers of the function at a byte offset, in order of file and position.
    #[must_use]
    pub fn incoming_calls(&self, file: FileId, offset: usize) -> Vec<CallHierarchyCall> {
        let mut order: Vec<DefId> = Vec::new();
        let mut spans: FxHashMap<DefId, Vec<Range<usize>>> = FxHashMap::default();
        let mut spans_by_file: FxHashMap<FileId, FunctionSpans> = FxHashMap::default();
        for target in self.references(file, offset, false) {
            let Some(facts) = self.facts(target.file) else { continue };
            if !is_called(facts, target.name_span.start) {
                continue;
            }
            let functions =
                spans_by_file.entry(target.file).or_insert_with(|| FunctionSpans::new(facts));
            let id = DefId { file: target.file, def: functions.innermost(target.name_span.start) };
            if !spans.contains_key(&id) {
                if order.len() == MAX_ITEMS {
                    continue;
                }
                order.push(id);
            }
            spans.entry(id).or_default().push(target.name_span);
        }
        let calls =
            order.into_iter().map(|id| (self.item(id), spans.remove(&id).unwrap_or_default()));
        calls.collect()
    }

    /// The functions that the function at a byte offset calls, in order of position.
    #[must_use]
    pub fn outgoing_calls(&self, file: FileId, offset: usize) -> Vec<CallHierarchyCall> {
        let Some(facts) = self.facts(file) else { return Vec::new() };
        let own = facts.by_place.iter().copied().find(|&d| {
            let def = &facts.definitions[d as usize];
            d != 0 && def.name_start as usize <= offset && offset < def.name_end as usize
        });
        let own = own.unwrap_or(0);
        let functions = FunctionSpans::new(facts);
        let mut order: Vec<DefId> = Vec::new();
        let mut spans: FxHashMap<DefId, Vec<Range<usize>>> = FxHashMap::default();
        let def = &facts.definitions[own as usize];
        let inside = facts
            .references
            .iter()
            .filter(|r| r.call != NONE && (own == 0 || def.start <= r.start && r.end <= def.end));
        for reference in inside {
            let start = reference.start as usize;
            if functions.innermost(start) != own || order.len() > MAX_ITEMS {
                continue;
            }
            let targets = self.definition(file, start);
            let Some(best) = targets.first() else { continue };
            if best.origin == Origin::External
                || best.confidence < MIN_CONFIDENCE && targets.len() == 1
            {
                continue;
            }
            let Some(id) = self.definition_at(best.file, &best.name_span) else { continue };
            let kind = self.indexed_facts(id.file).definitions[id.def as usize].kind;
            let callable = kind.is_callable() || kind.is_type() || kind == DefinitionKind::Macro;
            let holds_function = is_function(self.indexed_facts(id.file), id.def);
            if id.def == 0 || !callable && !holds_function {
                continue;
            }
            if !spans.contains_key(&id) {
                order.push(id);
            }
            spans.entry(id).or_default().push(start..reference.end as usize);
        }
        let calls =
            order.into_iter().map(|id| (self.item(id), spans.remove(&id).unwrap_or_default()));
        calls.collect()
    }

    /// The types that the type at a byte offset inherits from or implements by its own declaration.
    #[must_use]
    pub fn supertypes(&self, file: FileId, offset: usize) -> Vec<HierarchyItem> {
        self.related_types(file, offset, |resolver, id| resolver.direct_supertypes(id))
    }

    /// The types that declare that they inherit from the type at a byte offset or implement it.
    #[must_use]
    pub fn subtypes(&self, file: FileId, offset: usize) -> Vec<HierarchyItem> {
        self.related_types(file, offset, |resolver, id| resolver.direct_subtypes(id))
    }

    fn related_types(
        &self,
        file: FileId,
        offset: usize,
        related: impl Fn(&Resolver<'_>, DefId) -> Vec<DefId>,
    ) -> Vec<HierarchyItem> {
        let resolver = Resolver::new(self);
        let mut all: Vec<DefId> = Vec::new();
        for item in self.types_at(file, offset) {
            let Some(id) = self.definition_at(item.file, &item.name_span) else { continue };
            for other in related(&resolver, id) {
                if other != id && !all.contains(&other) && all.len() < MAX_ITEMS {
                    all.push(other);
                }
            }
        }
        all.into_iter().map(|id| self.item(id)).collect()
    }
}

impl Resolver<'_> {
    /// The direct supertypes of a type.
    fn direct_supertypes(&self, id: DefId) -> Vec<DefId> {
        self.reset_steps();
        let mut all = Vec::new();
        let mut add = |ty: &Ty| {
            if let Ty::Type(above, _) | Ty::Instance(above, _) = ty {
                all.push(*above);
            }
        };
        self.supertypes(id).iter().for_each(&mut add);
        if self.language(id.file) == "rust" {
            self.each_extension(id, &mut |file, extension| {
                if extension.interface.is_some() {
                    self.reset_steps();
                    add(&self.type_of_value(file, extension.interface));
                }
            });
        }
        all
    }
}

/// Whether the name at an offset is called there.
fn is_called(facts: &Facts, start: usize) -> bool {
    let at = u32::try_from(start).unwrap_or(u32::MAX);
    let near = facts.references.iter().filter(|r| r.start == at);
    near.into_iter().any(|r| r.call != NONE)
}

/// Whether a definition is a function, or a variable that holds one.
fn is_function(facts: &Facts, d: u32) -> bool {
    let def = &facts.definitions[d as usize];
    def.kind.is_callable() || def.kind == DefinitionKind::Macro || held_lambda(facts, d).is_some()
}

/// The scope of the anonymous function that a variable holds.
fn held_lambda(facts: &Facts, d: u32) -> Option<u32> {
    use DefinitionKind as K;
    let def = &facts.definitions[d as usize];
    let variable = matches!(def.kind, K::Variable | K::Constant | K::Field | K::Import);
    let mut value = def.value;
    for _ in 0..4 {
        let e = Some(value).filter(|_| variable && !def.flags.has(Flags::PROPERTY))?;
        match facts.expressions.get(Value::as_expression(e)? as usize)? {
            Expression::Same(inner) => value = *inner,
            Expression::Lambda(scope) => return Some(*scope),
            _ => return None,
        }
    }
    None
}

/// The functions of a file, by position.
pub(crate) struct FunctionSpans(Vec<(u32, u32, u32)>);

impl FunctionSpans {
    pub(crate) fn new(facts: &Facts) -> Self {
        let spans = (1..facts.definitions.len() as u32).filter_map(|d| {
            let def = &facts.definitions[d as usize];
            if def.kind.is_callable() && def.start < def.end {
                return Some((def.start, def.end, d));
            }
            let scope = &facts.scopes[held_lambda(facts, d)? as usize];
            Some((scope.start, scope.end, d))
        });
        let mut all: Vec<_> = spans.collect();
        all.sort_unstable();
        Self(all)
    }

    /// The innermost function around an offset; 0, the file, if there is none. O(functions).
    pub(crate) fn innermost(&self, at: usize) -> u32 {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let before = self.0.partition_point(|f| f.0 <= at);
        let inside = self.0[..before].iter().filter(|f| at < f.1);
        inside.min_by_key(|f| f.1 - f.0).map_or(0, |f| f.2)
    }
}
