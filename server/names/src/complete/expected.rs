//! The type and the name that the place of a name expects: those of a parameter, of what is
//! assigned, returned or compared.

use super::Typing;
use super::usage::Usages;
use crate::expression::Value;
use crate::facts::{Facts, NONE, Ref, Role, Site};
use crate::index::FileId;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, ScopeKind};

/// What a place expects.
#[derive(Debug, Default)]
pub(super) struct Expected {
    ty: Option<Head>,
    /// The name of the parameter, of what is assigned, or of the function that returns.
    pub(super) name: String,
}

/// What a type is, its arguments aside.
#[derive(Debug, Clone, PartialEq)]
enum Head {
    Defined(DefId),
    Named(std::rc::Rc<str>),
    Array,
    Tuple,
}

impl Head {
    fn of(ty: &Ty) -> Option<Self> {
        match ty {
            Ty::Instance(id, _) => Some(Self::Defined(*id)),
            Ty::Named(name, _) => Some(Self::Named(name.clone())),
            Ty::Array(_) => Some(Self::Array),
            Ty::Tuple(_) => Some(Self::Tuple),
            _ => None,
        }
    }
}

impl Expected {
    pub(super) fn new(
        resolver: &Resolver<'_>,
        typing: &Typing<'_>,
        own: &Ref,
        usages: &Usages,
    ) -> Self {
        let (file, facts) = (typing.file, typing.facts);
        resolver.refresh();
        if let Some(call) = usages.call {
            let name = parameter_name(resolver, file, facts, call.callee, call.position);
            let ty = resolver.argument(file, call.callee, call.position as u32);
            return Self { ty: Head::of(&ty.instance()), name: name.unwrap_or_default() };
        }
        let before = typing.before.trim_end();
        if before.ends_with("return") {
            let Some(owner) = function_around(facts, own) else { return Self::default() };
            let id = DefId { file, def: owner };
            let name = facts.strings.text(facts.definitions[owner as usize].name).to_owned();
            return Self { ty: Head::of(&resolver.returned(id).instance()), name };
        }
        let ends = |signs: &[&str]| signs.iter().any(|sign| before.ends_with(sign));
        let compared =
            ends(&["==", "!=", "<", ">", "<=", ">="]) && !ends(&["->", "=>", "<<", ">>"]);
        let assigned = before.ends_with('=') && !ends(&["==", "!=", "<=", ">=", "=>"]);
        let line = own.start.saturating_sub(typing.before.len() as u32);
        let last = usages.last.map(|r| (r, facts.references[r as usize]));
        let last = last.filter(|(_, r)| r.start >= line && r.start < own.start);
        if compared && let Some((r, reference)) = last {
            let ty = resolver.eval(file, Value::reference(r)).instance();
            let name = facts.strings.text(reference.name).to_owned();
            return Self { ty: Head::of(&ty), name };
        }
        if assigned {
            let target = target_before(facts, own.start, line);
            return match (target, last) {
                (Some(d), _)
                    if last.is_none_or(|(_, r)| {
                        r.start <= facts.definitions[d as usize].name_start
                            || facts.definitions[d as usize].value.is_some()
                    }) =>
                {
                    let def = &facts.definitions[d as usize];
                    let ty = resolver.eval(file, def.value).instance();
                    Self { ty: Head::of(&ty), name: facts.strings.text(def.name).to_owned() }
                }
                (_, Some((r, reference))) => {
                    let ty = resolver.eval(file, Value::reference(r)).instance();
                    Self { ty: Head::of(&ty), name: facts.strings.text(reference.name).to_owned() }
                }
                _ => Self::default(),
            };
        }
        if own.role == Role::Plain && ends(&[":"]) {
            // A field's value.
            let name = last.map(|(_, r)| facts.strings.text(r.name).to_owned());
            return Self { ty: None, name: name.unwrap_or_default() };
        }
        Self::default()
    }

    /// Whether what a candidate stands for is of the expected type; `None` where either is unknown.
    pub(super) fn fits(&self, resolver: &Resolver<'_>, id: DefId) -> Option<bool> {
        let wanted = self.ty.as_ref()?;
        let def = resolver.def(id);
        resolver.refresh();
        let ty = match def.kind {
            DefinitionKind::Function | DefinitionKind::Method => resolver.returned(id),
            DefinitionKind::Constructor => return None,
            kind if kind.is_type() => {
                // A new object of it, or a name in it.
                return Some(*wanted == Head::Defined(id));
            }
            _ => resolver.value_type(id),
        };
        Some(Head::of(&ty.instance())? == *wanted)
    }

    pub(super) fn is_typed(&self) -> bool {
        self.ty.is_some()
    }
}

/// The name of the parameter that an argument of a call is for.
fn parameter_name(
    resolver: &Resolver<'_>,
    file: FileId,
    facts: &Facts,
    callee: Value,
    position: usize,
) -> Option<String> {
    let r = callee.as_reference()?;
    let called = resolver.callables(file, Site::Reference(r));
    let function = called.chosen.or_else(|| called.all.first().map(|c| c.id()))?;
    let mut all = resolver.parameters(function);
    let own = |id: &DefId| facts_name(resolver, *id);
    if called.bound && all.first().is_some_and(|p| matches!(own(p), "self" | "cls")) {
        all.remove(0);
    }
    let _ = facts;
    all.get(position).map(|p| own(p).to_owned())
}

fn facts_name<'i>(resolver: &Resolver<'i>, id: DefId) -> &'i str {
    resolver.facts(id.file).strings.text(resolver.def(id).name)
}

/// The definition on the line before a place that is named last.
fn target_before(facts: &Facts, at: u32, line: u32) -> Option<u32> {
    let end = facts.by_place.partition_point(|&d| facts.definitions[d as usize].name_start < at);
    let last = *facts.by_place[..end].last()?;
    (facts.definitions[last as usize].name_start >= line && last != 0).then_some(last)
}

/// The function around a reference.
fn function_around(facts: &Facts, own: &Ref) -> Option<u32> {
    let mut at = own.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Function {
            return (scope.owner != NONE && scope.owner != 0).then_some(scope.owner);
        }
        at = scope.parent;
    }
    None
}
