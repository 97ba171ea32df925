//! The type and the name expected at the cursor. They come from the parameter, from the assignment's
//! target, from the function's return type, or from the other side of a comparison.

use super::CompletionRequest;
use super::usage::Usages;
use crate::expression::Value;
use crate::facts::{Facts, NONE, NameSite, Ref, ReferenceRole};
use crate::index::FileId;
use crate::resolve::{DefId, Resolver, Ty};
use crate::vocabulary::{DefinitionKind, ScopeKind};

/// What is expected at the cursor.
#[derive(Debug, Default)]
pub(super) struct Expected {
    ty: Option<TypeHead>,
    /// The name of the parameter, the assigned variable, or the returning function.
    pub(super) name: String,
}

/// A type without its type arguments.
#[derive(Debug, Clone, PartialEq)]
enum TypeHead {
    Defined(DefId),
    Named(std::rc::Rc<str>),
    Array,
    Tuple,
}

impl TypeHead {
    fn from_type(ty: &Ty) -> Option<Self> {
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
        typing: &CompletionRequest<'_>,
        cursor: &Ref,
        usages: &Usages,
    ) -> Self {
        let (file, facts) = (typing.file, typing.facts);
        resolver.reset_steps();
        if let Some(call) = usages.call {
            let name = parameter_name(resolver, file, facts, call.callee, call.position);
            let ty = resolver.expected_argument_type(file, call.callee, call.position as u32);
            return Self {
                ty: TypeHead::from_type(&ty.instance()),
                name: name.unwrap_or_default(),
            };
        }
        let before = typing.before.trim_end();
        if before.ends_with("return") {
            let Some(owner) = function_around(facts, cursor) else { return Self::default() };
            let id = DefId { file, def: owner };
            let name = facts.strings.text(facts.definitions[owner as usize].name).to_owned();
            return Self { ty: TypeHead::from_type(&resolver.return_type(id).instance()), name };
        }
        let ends = |signs: &[&str]| signs.iter().any(|sign| before.ends_with(sign));
        let compared =
            ends(&["==", "!=", "<", ">", "<=", ">="]) && !ends(&["->", "=>", "<<", ">>"]);
        let assigned = before.ends_with('=') && !ends(&["==", "!=", "<=", ">=", "=>"]);
        let line = cursor.start.saturating_sub(typing.before.len() as u32);
        let last = usages.last.map(|r| (r, facts.references[r as usize]));
        let last = last.filter(|(_, r)| r.start >= line && r.start < cursor.start);
        if compared && let Some((r, reference)) = last {
            let ty = resolver.type_of_value(file, Value::reference(r)).instance();
            let name = facts.strings.text(reference.name).to_owned();
            return Self { ty: TypeHead::from_type(&ty), name };
        }
        if assigned {
            let target = target_before(facts, cursor.start, line);
            return match (target, last) {
                (Some(d), _)
                    if last.is_none_or(|(_, r)| {
                        r.start <= facts.definitions[d as usize].name_start
                            || facts.definitions[d as usize].value.is_some()
                    }) =>
                {
                    let def = &facts.definitions[d as usize];
                    let ty = resolver.type_of_value(file, def.value).instance();
                    Self {
                        ty: TypeHead::from_type(&ty),
                        name: facts.strings.text(def.name).to_owned(),
                    }
                }
                (_, Some((r, reference))) => {
                    let ty = resolver.type_of_value(file, Value::reference(r)).instance();
                    Self {
                        ty: TypeHead::from_type(&ty),
                        name: facts.strings.text(reference.name).to_owned(),
                    }
                }
                _ => Self::default(),
            };
        }
        if cursor.role == ReferenceRole::Plain && ends(&[":"]) {
            // The value of a field: `name: |`.
            let name = last.map(|(_, r)| facts.strings.text(r.name).to_owned());
            return Self { ty: None, name: name.unwrap_or_default() };
        }
        Self::default()
    }

    /// Whether a candidate's definition has the expected type; `None` if either type is unknown.
    pub(super) fn fits(&self, resolver: &Resolver<'_>, id: DefId) -> Option<bool> {
        let expected = self.ty.as_ref()?;
        let def = resolver.def(id);
        resolver.reset_steps();
        let ty = match def.kind {
            DefinitionKind::Function | DefinitionKind::Method => resolver.return_type(id),
            DefinitionKind::Constructor => return None,
            kind if kind.is_type() => {
                // Either a constructor call or a path into the type.
                return Some(*expected == TypeHead::Defined(id));
            }
            _ => resolver.type_of_definition(id),
        };
        Some(TypeHead::from_type(&ty.instance())? == *expected)
    }

    pub(super) fn is_typed(&self) -> bool {
        self.ty.is_some()
    }
}

/// The name of the parameter at a position of a call.
fn parameter_name(
    resolver: &Resolver<'_>,
    file: FileId,
    facts: &Facts,
    callee: Value,
    position: usize,
) -> Option<String> {
    let r = callee.as_reference()?;
    let called = resolver.callables(file, NameSite::Reference(r));
    let function = called.chosen.or_else(|| called.candidates.first().map(|c| c.id()))?;
    let mut all = resolver.parameters(function);
    let name_of = |id: &DefId| definition_name(resolver, *id);
    if called.bound && all.first().is_some_and(|p| matches!(name_of(p), "self" | "cls")) {
        all.remove(0);
    }
    let _ = facts;
    all.get(position).map(|p| name_of(p).to_owned())
}

fn definition_name<'i>(resolver: &Resolver<'i>, id: DefId) -> &'i str {
    resolver.facts(id.file).strings.text(resolver.def(id).name)
}

/// The last definition named between `line`, where the line starts, and `at`.
fn target_before(facts: &Facts, at: u32, line: u32) -> Option<u32> {
    let end = facts.by_place.partition_point(|&d| facts.definitions[d as usize].name_start < at);
    let last = *facts.by_place[..end].last()?;
    (facts.definitions[last as usize].name_start >= line && last != 0).then_some(last)
}

/// The function that contains a reference.
fn function_around(facts: &Facts, cursor: &Ref) -> Option<u32> {
    let mut at = cursor.scope;
    while let Some(scope) = facts.scopes.get(at as usize) {
        if scope.kind == ScopeKind::Function {
            return (scope.owner != NONE && scope.owner != 0).then_some(scope.owner);
        }
        at = scope.parent;
    }
    None
}
