//! The types of calls, and the types that callees expect of their arguments.

use std::rc::Rc;

use super::type_variables::has_variable;
use super::{DefId, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::index::FileId;
use crate::library;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// The type of a call of a value.
    pub(super) fn call_type(&self, file: FileId, function: &Ty, list: u32) -> Ty {
        match function {
            Ty::Type(id, args) => Ty::Instance(*id, args.clone()),
            Ty::Instance(id, _) if self.def(*id).kind == DefinitionKind::Enum => function.clone(),
            Ty::Instance(id, _) if self.def(*id).kind == DefinitionKind::TypeAlias => {
                let inner = self.type_of_value(id.file, self.def(*id).value);
                self.call_type(file, &inner, list)
            }
            Ty::Instance(..) => {
                let found = self.members_named(function, "__call__", Namespace::ANY);
                found.first().map_or(Ty::Unknown, |f| self.return_type(f.id))
            }
            Ty::Function(id) => {
                let returned = self.return_type(*id);
                self.infer_type_arguments(file, *id, list, &returned)
            }
            Ty::Lambda(other, scope) => self.scope_return_type(*other, *scope),
            Ty::Signature(returns, _) => (**returns).clone(),
            Ty::Parameter(_) => self.signature(function, 4).map_or(Ty::Unknown, |s| (*s.0).clone()),
            Ty::Union(all) => {
                Ty::union(all.iter().map(|t| self.call_type(file, t, list)).collect())
            }
            Ty::Named(name, _) => self.builtin_call_type(file, name, list),
            Ty::External => Ty::External,
            _ => Ty::Unknown,
        }
    }

    /// The type of a call of a builtin function.
    fn builtin_call_type(&self, file: FileId, name: &str, list: u32) -> Ty {
        let first = || self.facts(file).list(list).first().map(|&v| self.type_of_value(file, v));
        match library::builtin_result(self.language(file), name) {
            Some(library::BuiltinResult::ValueOfType) => {
                first().map_or(Ty::Unknown, |ty| ty.instance())
            }
            Some(library::BuiltinResult::TypeOfValue) if self.facts(file).list(list).len() == 1 => {
                first().map_or(Ty::Unknown, |ty| ty.class())
            }
            Some(library::BuiltinResult::TypeOfValue) => Ty::External,
            Some(library::BuiltinResult::SameAsFirst) => first().unwrap_or(Ty::Unknown),
            Some(library::BuiltinResult::Element) => {
                first().map_or(Ty::Unknown, |ty| self.element_type(&ty))
            }
            Some(library::BuiltinResult::Sequence) => {
                let element = first().map_or(Ty::Unknown, |ty| self.element_type(&ty));
                library::sequence(name, element)
            }
            Some(library::BuiltinResult::Numbered) => {
                let element = first().map_or(Ty::Unknown, |ty| self.element_type(&ty));
                Ty::Array(Rc::new(Ty::Tuple(Rc::new([Ty::External, element]))))
            }
            Some(library::BuiltinResult::Together) => {
                let all = self.facts(file).list(list).iter();
                let all = all.map(|&v| self.element_type(&self.type_of_value(file, v)));
                Ty::Array(Rc::new(Ty::Tuple(all.collect())))
            }
            Some(library::BuiltinResult::Returned) => match first() {
                Some(Ty::Function(id)) => self.return_type(id),
                _ => Ty::External,
            },
            Some(library::BuiltinResult::Variable) => {
                let all = self.facts(file).list(list).iter().skip(1);
                let all = all.map(|&v| self.type_of_value(file, v));
                let all = all.filter(|t| matches!(t, Ty::Type(..) | Ty::Instance(..)));
                let bound = Ty::union(all.collect());
                Ty::Named(super::type_variables::TYPE_VARIABLE.into(), [bound].into())
            }
            Some(library::BuiltinResult::Holding(of, n)) => {
                let mut own = vec![Ty::Unknown; n];
                own.push(first().map_or(Ty::Unknown, |ty| ty.instance()));
                Ty::Named(of.into(), own.into())
            }
            // A builtin class.
            None if library::members::has_type(self.language(file), name) => {
                Ty::Named(name.into(), Ty::no_arguments())
            }
            None => Ty::External,
        }
    }

    /// The return type of a function: declared, or the union of its `return`s.
    pub(crate) fn return_type(&self, id: DefId) -> Ty {
        let def = self.def(id);
        if def.kind == DefinitionKind::Constructor {
            let facts = self.facts(id.file);
            let owner = facts.scopes[def.scope as usize].owner;
            if owner != NONE {
                return Ty::Instance(DefId { file: id.file, def: owner }, Ty::no_arguments());
            }
        }
        if def.value.is_some() {
            let ty = self.type_of_value(id.file, def.value);
            if !ty.is_unknown() {
                return ty;
            }
        }
        if def.body == NONE { Ty::Unknown } else { self.scope_return_type(id.file, def.body) }
    }

    pub(super) fn scope_return_type(&self, file: FileId, scope: u32) -> Ty {
        let facts = self.facts(file);
        let own = facts.returns.iter().filter(|r| r.0 == scope);
        Ty::union(own.map(|r| self.type_of_value(file, r.1)).collect())
    }

    /// Infers a generic function's type arguments from the arguments of a call and substitutes them
    /// in its return type.
    pub(super) fn infer_type_arguments(
        &self,
        file: FileId,
        id: DefId,
        list: u32,
        returned: &Ty,
    ) -> Ty {
        let parameters = self.type_parameters(id);
        let variables = self.language(id.file) == "python" && has_variable(returned, 4);
        if parameters.is_empty() && !variables {
            return returned.clone();
        }
        let arguments = self.facts(file).list(list);
        let declared = self.parameters(id);
        let mut bound = Vec::new();
        for (parameter, &argument) in declared.iter().zip(arguments) {
            let wanted = self.type_of_definition(*parameter);
            let given = self.to_signature(&self.type_of_value(file, argument));
            if !matches!(wanted, Ty::Signature(..))
                && let Ty::Signature(returns, _) = &given
                && !returns.is_unknown()
                && let Some((asked, _)) = self.signature(&wanted, 4)
            {
                bind_type_parameters(&asked, returns, &mut bound, 4);
                continue;
            }
            bind_type_parameters(&wanted, &given, &mut bound, 4);
        }
        substitute(returned, &bound)
    }

    /// A function or lambda as a function type; other types as they are.
    fn to_signature(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Lambda(file, scope) => {
                let returned = self.scope_return_type(*file, *scope);
                Ty::Signature(Rc::new(returned), Ty::no_arguments())
            }
            Ty::Function(id) => {
                let parameters =
                    self.parameters(*id).into_iter().map(|p| self.type_of_definition(p));
                Ty::Signature(Rc::new(self.return_type(*id)), parameters.collect())
            }
            other => other.clone(),
        }
    }

    /// The parameters of a function in order, without the receiver.
    pub(crate) fn parameters(&self, id: DefId) -> Vec<DefId> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        if def.body == NONE {
            return Vec::new();
        }
        let mut all: Vec<u32> = facts
            .all_in_scope(def.body)
            .iter()
            .copied()
            .filter(|&d| {
                let d = &facts.definitions[d as usize];
                // Go's receiver is a parameter, too, but stands before the name.
                d.kind == DefinitionKind::Parameter
                    && !d.flags.has(Flags::SELF)
                    && (d.name_start > def.name_start || facts.language.id() != "go")
            })
            .collect();
        all.sort_by_key(|&d| facts.definitions[d as usize].name_start);
        all.into_iter().map(|def| DefId { file: id.file, def }).collect()
    }

    /// The type of a lambda's n-th parameter: what the callee that the lambda is passed to
    /// declares.
    pub(super) fn lambda_parameter_type(&self, file: FileId, scope: u32, n: u32) -> Ty {
        let facts = self.facts(file);
        if let Some(own) = rules(facts.language.id()).lambda_parameter(self, file, scope, n) {
            return own;
        }
        let subject = facts.scopes[scope as usize].subject;
        let call = subject.as_expression().and_then(|e| facts.expressions.get(e as usize));
        let (callee, list, new) = match call {
            Some(&Expression::Call(callee, list)) => (callee, list, false),
            Some(&Expression::New(class, list)) => (class, list, true),
            _ => return Ty::Unknown,
        };
        let is_this = |v: &Value| {
            let e = v.as_expression().and_then(|e| facts.expressions.get(e as usize));
            e == Some(&Expression::Lambda(scope))
        };
        let Some(position) = facts.list(list).iter().position(is_this) else { return Ty::Unknown };
        let mut functions = self.value_targets(file, callee);
        if new {
            functions = self.constructor_definitions(&self.type_of_value(file, callee));
        }
        for found in functions {
            if !self.def(found.id).kind.is_callable() {
                continue;
            }
            if let Some(parameter) = self.parameters(found.id).get(position) {
                let wanted = self.type_of_definition(*parameter);
                let wanted = match callee.as_reference() {
                    Some(r) if facts.references[r as usize].role == ReferenceRole::Member => {
                        let receiver =
                            self.type_of_value(file, facts.references[r as usize].receiver);
                        self.seen_from(&receiver, found.id, &wanted)
                    }
                    _ => wanted,
                };
                if let Some((_, parameters)) = self.signature(&wanted, 4)
                    && let Some(ty) = parameters.get(n as usize)
                {
                    let bound = match callee.as_reference() {
                        Some(r) if facts.references[r as usize].role == ReferenceRole::Member => {
                            let receiver =
                                self.type_of_value(file, facts.references[r as usize].receiver);
                            self.bindings(&receiver, found.id)
                        }
                        _ => Vec::new(),
                    };
                    return substitute(ty, &bound);
                }
            }
        }
        if let Some(r) = callee.as_reference()
            && let Some(ty) = self.library_closure(file, &facts.references[r as usize], n)
        {
            return ty;
        }
        if let Some(r) = callee.as_reference()
            && facts.references[r as usize].receiver.is_some()
            && facts.language.id() == "java"
            && let Ty::Named(of, arguments) =
                self.type_of_value(file, facts.references[r as usize].receiver)
            && library::java::is_subtype(&of, "Map")
        {
            // A lambda over the entries of a map takes a key and a value.
            return arguments.get(n as usize).cloned().unwrap_or(Ty::Unknown);
        }
        if let Some(r) = callee.as_reference()
            && facts.references[r as usize].receiver.is_some()
            && n == 0
        {
            return match self.type_of_value(file, facts.references[r as usize].receiver) {
                Ty::Array(element) => (*element).clone(),
                Ty::Named(name, args) => library::element(&name, &args),
                _ => Ty::Unknown,
            };
        }
        Ty::Unknown
    }

    /// The function type that a type is, or is bounded by: its return type and parameter types.
    pub(super) fn signature(&self, ty: &Ty, depth: u32) -> Option<(Rc<Ty>, Rc<[Ty]>)> {
        match ty {
            Ty::Signature(returns, parameters) => Some((returns.clone(), parameters.clone())),
            Ty::Parameter(id) if depth > 0 => {
                let bound = self.type_of_value(id.file, self.def(*id).value);
                self.signature(&bound, depth - 1)
            }
            Ty::Union(all) if depth > 0 => all.iter().find_map(|ty| self.signature(ty, depth - 1)),
            Ty::Named(name, arguments) => {
                library::java::function(name, arguments).map(|f| (Rc::new(f.0), f.1))
            }
            _ => None,
        }
    }

    pub(super) fn constructor_definitions(&self, class: &Ty) -> Vec<super::Resolution> {
        ["constructor", "__init__"]
            .iter()
            .map(|name| self.members_named(class, name, Namespace::ANY))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    /// The type that a callee expects of its n-th argument.
    pub(crate) fn expected_argument_type(&self, file: FileId, callee: Value, n: u32) -> Ty {
        let class = self.type_of_value(file, callee);
        let functions = match &class {
            Ty::Type(..) => self.constructor_definitions(&class),
            Ty::Signature(_, parameters) => {
                return parameters.get(n as usize).cloned().unwrap_or(Ty::Unknown);
            }
            Ty::External | Ty::Named(..) => return Ty::External,
            Ty::Super(id) => {
                let above = self.supertypes(*id);
                above
                    .iter()
                    .map(|t| self.constructor_definitions(t))
                    .find(|f| !f.is_empty())
                    .unwrap_or_default()
            }
            _ => self.value_targets(file, callee),
        };
        let wanted = functions.iter().filter_map(|f| {
            let parameter = *self.parameters(f.id).get(n as usize)?;
            Some(self.type_of_definition(parameter))
        });
        Ty::union(wanted.collect())
    }
}

/// Binds type parameters so that `wanted` matches `given`. The first binding of a parameter stays.
pub(crate) fn bind_type_parameters(
    wanted: &Ty,
    given: &Ty,
    bound: &mut Vec<(DefId, Ty)>,
    depth: u32,
) {
    if depth == 0 {
        return;
    }
    match (wanted, given) {
        (_, Ty::Unknown) => {}
        (Ty::Parameter(p), given) if !bound.iter().any(|b| b.0 == *p) => {
            bound.push((*p, given.clone()));
        }
        (Ty::Array(w), Ty::Array(g)) => bind_type_parameters(w, g, bound, depth - 1),
        (Ty::Instance(a, w), Ty::Instance(b, g)) if a == b => {
            w.iter().zip(g.iter()).for_each(|(w, g)| bind_type_parameters(w, g, bound, depth - 1));
        }
        (Ty::Named(_, w), Ty::Named(_, g)) | (Ty::Tuple(w), Ty::Tuple(g)) => {
            w.iter().zip(g.iter()).for_each(|(w, g)| bind_type_parameters(w, g, bound, depth - 1));
        }
        (Ty::Signature(w, wanted), Ty::Signature(g, given)) => {
            bind_type_parameters(w, g, bound, depth - 1);
            wanted
                .iter()
                .zip(given.iter())
                .for_each(|(w, g)| bind_type_parameters(w, g, bound, depth - 1));
        }
        // Calling a class constructs an instance.
        (Ty::Signature(w, _), Ty::Type(..)) => {
            bind_type_parameters(w, &given.instance(), bound, depth - 1)
        }
        (Ty::Union(w), g) => w.iter().for_each(|w| bind_type_parameters(w, g, bound, depth - 1)),
        _ => {}
    }
}

/// Replaces type parameters with their bound types.
pub(crate) fn substitute(ty: &Ty, bound: &[(DefId, Ty)]) -> Ty {
    if bound.is_empty() {
        return ty.clone();
    }
    let all = |list: &Rc<[Ty]>| list.iter().map(|t| substitute(t, bound)).collect::<Rc<[Ty]>>();
    match ty {
        Ty::Parameter(p) => {
            bound.iter().find(|b| b.0 == *p).map_or_else(|| ty.clone(), |b| b.1.clone())
        }
        Ty::Type(id, args) => Ty::Type(*id, all(args)),
        Ty::Instance(id, args) => Ty::Instance(*id, all(args)),
        Ty::Named(name, args) => Ty::Named(name.clone(), all(args)),
        Ty::Tuple(list) => Ty::Tuple(all(list)),
        Ty::Union(list) => Ty::Union(all(list)),
        Ty::Array(element) => Ty::Array(Rc::new(substitute(element, bound))),
        Ty::Signature(returns, list) => {
            Ty::Signature(Rc::new(substitute(returns, bound)), all(list))
        }
        other => other.clone(),
    }
}
