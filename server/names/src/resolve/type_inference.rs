//! The types of values and expressions. Types are inferred only as far as name resolution needs
//! them: what has members, what a call returns, what an iteration yields. An unknown type is
//! `Ty::Unknown`, never a guess.

use std::rc::Rc;

use super::call_types::substitute;
use super::java_primitives::arithmetic;
use super::{DefId, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, ReferenceRole};
use crate::index::FileId;
use crate::library;
use crate::origin::Origin;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Length limit of a chain of members and calls, in links.
const MAX_CHAIN: usize = 1_000;

/// Chains up to this length are evaluated by plain recursion.
const MAX_RECURSIVE_CHAIN: usize = 12;

impl Resolver<'_> {
    /// The type of a value of a file; memoised.
    pub(crate) fn type_of_value(&self, file: FileId, value: Value) -> Ty {
        if value.is_none() {
            return Ty::Unknown;
        }
        if let Some(known) = self.type_cache.borrow().get(&(file, value.0)) {
            return known.clone();
        }
        let key = (file, value.0, 2);
        if self.begin_step(key).is_none() {
            return Ty::Unknown;
        }
        let ty = match value.as_reference() {
            Some(r) => self.reference_type(file, r),
            None => self.expression_type(file, value.0),
        };
        self.end_step(key);
        self.type_cache.borrow_mut().insert((file, value.0), ty.clone());
        ty
    }

    /// Evaluates a long chain of members and calls (`a.b().c()…`) from its start, so that each link
    /// finds the type of the one before it memoised. Otherwise a builder chain would exceed the
    /// depth limit.
    pub(super) fn evaluate_chain(&self, file: FileId, end: Value) {
        let facts = self.facts(file);
        let (mut chain, mut at) = (Vec::new(), end);
        while chain.len() < MAX_CHAIN && !self.type_cache.borrow().contains_key(&(file, at.0)) {
            let next = match at.as_reference() {
                Some(r) => facts.references[r as usize].receiver,
                None => match at.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                    Some(Expression::Call(next, _) | Expression::Same(next)) => *next,
                    _ => break,
                },
            };
            chain.push(at);
            at = next;
        }
        if chain.len() > MAX_RECURSIVE_CHAIN {
            for &value in chain.iter().rev() {
                self.type_of_value(file, value);
            }
        }
    }

    /// The type of a reference: narrowed by a test, else by what it resolves to, else by the
    /// library tables.
    fn reference_type(&self, file: FileId, r: u32) -> Ty {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        let name = facts.strings.text(reference.name);
        if reference.role == ReferenceRole::Plain
            && let Some(narrowed) = self.narrowed_type(file, reference.name, reference.start)
        {
            return narrowed;
        }
        let found = self.definitions_of_reference(file, r);
        let Some(first) = found.first() else {
            return match reference.role {
                ReferenceRole::Plain => match self.path_root(file, name) {
                    Ty::Unknown | Ty::External => Ty::Named(name.into(), Ty::no_arguments()),
                    known => known,
                },
                ReferenceRole::Member => self
                    .library_method(file, reference, name)
                    .or_else(|| self.python_self_type(file, reference.scope, name))
                    .unwrap_or_else(|| self.library_member_type(file, reference.receiver, name)),
                _ => Ty::Unknown,
            };
        };
        if self.index.is_dependency(first.id.file)
            && !self.index.is_dependency(file)
            && library::is_known(facts.language.id(), name)
        {
            return Ty::Named(name.into(), Ty::no_arguments());
        }
        if first.origin == Origin::External {
            if let Some(own) = self.python_self_type(file, reference.scope, name) {
                return own;
            }
            return match self.path_root(file, name) {
                Ty::Module(file, scope) => Ty::Module(file, scope),
                _ => Ty::Named(name.into(), Ty::no_arguments()),
            };
        }
        if let Some(any) = self.any_module(&found) {
            return any;
        }
        let ty = self.type_of_definition(first.id);
        if reference.role == ReferenceRole::Member {
            let receiver = self.type_of_value(file, reference.receiver);
            if let Some(given) = self.implemented_associated_type(&receiver, first.id, name) {
                return given;
            }
            return self.seen_from(&receiver, first.id, &ty);
        }
        ty
    }

    /// The type that an `impl` gives for a trait's associated type, seen from a receiver of a known
    /// type.
    fn implemented_associated_type(
        &self,
        receiver: &Ty,
        demanded: DefId,
        name: &str,
    ) -> Option<Ty> {
        let def = self.def(demanded);
        if def.kind != DefinitionKind::TypeAlias || self.language(demanded.file) != "rust" {
            return None;
        }
        self.associated_type(receiver, name)
    }

    /// An associated type of a type by name: `type Item = T` in one of its `impl`s.
    pub(super) fn associated_type(&self, receiver: &Ty, name: &str) -> Option<Ty> {
        let (Ty::Type(id, _) | Ty::Instance(id, _)) = receiver else { return None };
        let mut found = None;
        self.each_extension(*id, &mut |file, extension| {
            if extension.interface.is_none() || found.is_some() {
                return;
            }
            let own = self.scope_definitions(
                file,
                extension.scope,
                name,
                Namespace::TYPE,
                Origin::Member,
            );
            let alias = own.first().map(|f| self.def(f.id).value).filter(|v| v.is_some());
            found = alias.map(|value| (file, extension.scope, value));
        });
        let (file, scope, value) = found?;
        let ty = self.type_of_value(file, value);
        let facts = self.facts(file);
        // Inside of the `impl` the type parameters have names of their own: bind those to the
        // receiver's arguments.
        let (Ty::Type(_, own), Ty::Type(_, args) | Ty::Instance(_, args)) =
            (self.type_of_value(file, facts.scopes[scope as usize].subject), receiver)
        else {
            return Some(ty);
        };
        let bound: Vec<_> = own
            .iter()
            .zip(args.iter())
            .filter_map(|(own, arg)| match own {
                Ty::Parameter(p) => Some((*p, arg.clone())),
                _ => None,
            })
            .collect();
        Some(substitute(&ty, &bound))
    }

    /// The type that a test (`isinstance`, `instanceof`) established for a name before an offset.
    fn narrowed_type(&self, file: FileId, name: u32, at: u32) -> Option<Ty> {
        let facts = self.facts(file);
        let holds = |n: &&crate::facts::Narrowing| n.name == name && n.start <= at && at < n.end;
        let narrowing = facts.narrowings.iter().rev().find(holds)?;
        let ty = match self.type_of_value(file, narrowing.ty) {
            Ty::Tuple(all) => Ty::union(all.to_vec()),
            ty => ty,
        };
        match ty.instance() {
            ty @ (Ty::Instance(..) | Ty::Union(_)) => Some(ty),
            ty if rules(facts.language.id()).narrows_to_any_type() && !ty.is_unknown() => Some(ty),
            _ => None,
        }
    }

    /// The type of a member that has no definition in the index, if the library tables know it.
    fn library_member_type(&self, file: FileId, receiver: Value, name: &str) -> Ty {
        if self.language(file) == "java"
            && let Some(given) = self.java_member_type(&self.type_of_value(file, receiver), name)
        {
            return given;
        }
        let receiver = self.type_of_value(file, receiver);
        if let Some(given) = rules(self.language(file)).library_member(&receiver, name) {
            return given;
        }
        if let Some(given) = library::members::member_type(self.language(file), &receiver, name) {
            return given;
        }
        match receiver {
            Ty::Folder(module) => {
                match self.index.project.submodule(self.language(file), &module, name) {
                    Some(crate::project::Module::File(found)) => Ty::Module(found, 0),
                    Some(folder) => Ty::Folder(folder.into()),
                    None => Ty::External,
                }
            }
            value @ (Ty::Instance(..) | Ty::Union(_) | Ty::Parameter(_))
                if name == "__class__" && self.language(file) == "python" =>
            {
                value.class()
            }
            Ty::Array(element) => library::array_member(name, &element),
            Ty::Named(of, arguments) if !arguments.is_empty() => {
                library::member(&of, &arguments, name)
            }
            // A package below an external package is external, too.
            Ty::External
                if self.language(file) == "java" && name.starts_with(char::is_lowercase) =>
            {
                Ty::External
            }
            Ty::External | Ty::Module(..) | Ty::Named(..) => {
                Ty::Named(name.into(), Ty::no_arguments())
            }
            receiver @ Ty::Type(..)
                if library::constructs_type(name) && self.language(file) == "rust" =>
            {
                Ty::Signature(Rc::new(receiver.instance()), Rc::new([]))
            }
            receiver @ (Ty::Instance(..) | Ty::Type(..))
                if library::returns_receiver_type(name) =>
            {
                receiver.instance()
            }
            _ => Ty::Unknown,
        }
    }

    /// The type of an expression.
    fn expression_type(&self, file: FileId, e: u32) -> Ty {
        let facts = self.facts(file);
        let Some(&expression) = facts.expressions.get(e as usize) else { return Ty::Unknown };
        match expression {
            Expression::Same(inner) => self.type_of_value(file, inner),
            Expression::Typed(ty) => match self.variant_fields(file, ty) {
                Some(fields) => fields,
                None if self.is_class_type(file, ty) => self.type_of_value(file, ty),
                None => self.type_of_value(file, ty).instance(),
            },
            Expression::Call(callee, list) => {
                if let Some(above) = self.python_super_call(file, callee) {
                    return above;
                }
                let function = self.type_of_value(file, callee);
                if !matches!(function, Ty::Function(_) | Ty::Type(..))
                    && let Some(known) =
                        rules(facts.language.id()).library_call(self, file, callee, list)
                {
                    return known;
                }
                if matches!(function, Ty::Named(..))
                    && let Some(kept) = self.returned_argument_type(file, callee, list)
                {
                    return kept;
                }
                self.call_type(file, &function, list)
            }
            Expression::New(ty, _) => match self.type_of_value(file, ty) {
                Ty::Function(id) => Ty::Instance(id, Ty::no_arguments()),
                ty => ty.instance(),
            },
            Expression::Field(object, name) => {
                let object = self.type_of_value(file, object);
                self.member_type(&object, facts.strings.text(name))
            }
            Expression::Part(whole, n) => self.part_type(&self.type_of_value(file, whole), n),
            Expression::Case(variant, source, n) => {
                self.matched_field_type(file, variant, source, n)
            }
            Expression::Index(of) => self.index_type(&self.type_of_value(file, of)),
            Expression::Slice(of) => self.type_of_value(file, of),
            Expression::Element(of) => {
                let of = self.type_of_value(file, of);
                if facts.language.id() == "go" {
                    return Ty::Tuple(self.range_types(&of));
                }
                self.element_type(&of)
            }
            Expression::Enter(of) => self.context_value_type(&self.type_of_value(file, of)),
            Expression::Await(of) => self.awaited_type(&self.type_of_value(file, of)),
            Expression::Tuple(list) => Ty::Tuple(
                facts.list(list).iter().map(|&v| self.type_of_value(file, v).instance()).collect(),
            ),
            Expression::Array(of) => Ty::Array(Rc::new(self.type_of_value(file, of).instance())),
            Expression::Map(list) => {
                let part = |n: usize| {
                    let part = facts.list(list).get(n);
                    part.map_or(Ty::Unknown, |&v| self.type_of_value(file, v).instance())
                };
                if facts.language.id() == "go" && facts.list(list).len() == 1 {
                    return Ty::Named("chan".into(), Rc::new([part(0)]));
                }
                Ty::Named("dict".into(), Rc::new([part(1), part(0)]))
            }
            Expression::Generic(base, list) => self.instantiate_generic(file, base, list),
            Expression::Union(list) => {
                Ty::union(facts.list(list).iter().map(|&v| self.type_of_value(file, v)).collect())
            }
            Expression::Object(scope) => Ty::Object(file, scope),
            Expression::Lambda(scope) => Ty::Lambda(file, scope),
            Expression::Function(returns, list) => {
                let parameters =
                    facts.list(list).iter().map(|&p| self.type_of_value(file, p).instance());
                Ty::Signature(
                    Rc::new(self.type_of_value(file, returns).instance()),
                    parameters.collect(),
                )
            }
            Expression::Text => Ty::Named("str".into(), Ty::no_arguments()),
            Expression::Number => Ty::Named("int".into(), Ty::no_arguments()),
            Expression::Boolean => Ty::Named("bool".into(), Ty::no_arguments()),
            Expression::Binding(_, ty) => self.type_of_value(file, ty),
            Expression::Argument(callee, n) => self.expected_argument_type(file, callee, n),
            Expression::Nothing => Ty::Unknown,
            Expression::This(scope) => self.this_type(file, scope).instance(),
            Expression::ThisType(scope) => self.this_type(file, scope),
            Expression::Super(scope) => match self.this_type(file, scope) {
                Ty::Type(id, _) | Ty::Instance(id, _) => Ty::Super(id),
                _ => Ty::Unknown,
            },
            Expression::Module(name, up) => self.module(file, facts.strings.text(name), up),
            Expression::LambdaParameter(scope, n) => self.lambda_parameter_type(file, scope, n),
            Expression::Root => self.crate_root(file),
            Expression::Parent(scope) => self.parent_module(file, scope),
            Expression::Defined(def) => self.type_of_definition(DefId { file, def }),
            Expression::Named(name) => {
                Ty::Named(facts.strings.text(name).into(), Ty::no_arguments())
            }
            Expression::Arithmetic(list) => {
                let all: Vec<Ty> = facts
                    .list(list)
                    .iter()
                    .map(|&v| self.type_of_value(file, v).instance())
                    .collect();
                arithmetic(&all)
            }
        }
    }

    /// Whether a type annotation is `type[C]`: its values are the class `C` or a subclass, not
    /// instances.
    fn is_class_type(&self, file: FileId, ty: Value) -> bool {
        if self.language(file) != "python" {
            return false;
        }
        let Some(Expression::Generic(base, _)) = self.expression(file, ty) else { return false };
        let named = matches!(self.type_of_value(file, base), Ty::Named(name, _) if matches!(&*name, "type" | "Type"));
        named && matches!(self.type_of_value(file, ty), Ty::Type(..))
    }

    /// The type of `this` in a scope.
    pub(super) fn this_type(&self, file: FileId, scope: u32) -> Ty {
        let facts = self.facts(file);
        if let Some(own) = rules(facts.language.id()).this_type(self, file, scope) {
            return own;
        }
        let at = &facts.scopes[scope as usize];
        let ecma = matches!(facts.language.id(), "typescript" | "tsx" | "javascript");
        // A spread (`{ ...base }`) sets the subject of an object's scope, but it is not the
        // object's type.
        let spread = ecma && at.kind == ScopeKind::Object;
        let function = matches!(at.kind, ScopeKind::Function | ScopeKind::Lambda);
        if at.subject.is_some() && !function && !spread {
            return match self.type_of_value(file, at.subject) {
                Ty::Type(id, args) if at.kind == ScopeKind::Open && at.owner == NONE => {
                    // An anonymous class, or a member defined out of line: `int A::f()`.
                    Ty::Type(id, args)
                }
                ty => ty,
            };
        }
        if at.owner == NONE {
            return if matches!(at.kind, ScopeKind::Members | ScopeKind::Object) {
                Ty::Object(file, scope)
            } else {
                Ty::Unknown
            };
        }
        let id = DefId { file, def: at.owner };
        let parameters = self.type_parameters(id);
        Ty::Type(id, parameters.into_iter().map(Ty::Parameter).collect())
    }

    pub(crate) fn scope_type(&self, file: FileId, scope: u32) -> Ty {
        self.this_type(file, scope).instance()
    }

    /// The type parameters of a definition, in order.
    pub(crate) fn type_parameters(&self, id: DefId) -> Vec<DefId> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let mut scopes = vec![def.body];
        if let Some(at) = facts.scopes.get(def.scope as usize)
            && at.kind == ScopeKind::Template
        {
            scopes.push(def.scope);
        }
        let around = facts.scopes.get(def.body as usize).map_or(NONE, |s| s.parent);
        scopes.push(around);
        let mut found: Vec<u32> = Vec::new();
        for scope in scopes.into_iter().filter(|s| *s != NONE) {
            let template =
                facts.scopes[scope as usize].kind == ScopeKind::Template || scope == def.body;
            if template {
                let all = facts.all_in_scope(scope).iter().copied();
                found.extend(all.filter(|&d| {
                    facts.definitions[d as usize].kind == DefinitionKind::TypeParameter
                }));
            }
        }
        found.sort_by_key(|&d| facts.definitions[d as usize].name_start);
        found.dedup();
        found.into_iter().map(|def| DefId { file: id.file, def }).collect()
    }

    /// The type of a definition used as a value.
    pub(crate) fn type_of_definition(&self, id: DefId) -> Ty {
        let def = self.def(id);
        match def.kind {
            DefinitionKind::Module | DefinitionKind::Namespace => self.module_of_definition(id),
            DefinitionKind::TypeAlias if self.language(id.file) == "go" => {
                Ty::Type(id, Ty::no_arguments())
            }
            DefinitionKind::TypeAlias if def.value.is_some() => {
                self.type_of_value(id.file, def.value)
            }
            DefinitionKind::TypeParameter => Ty::Parameter(id),
            kind if kind.is_type() => Ty::Type(id, Ty::no_arguments()),
            DefinitionKind::Function | DefinitionKind::Method | DefinitionKind::Constructor => {
                if def.flags.has(Flags::PROPERTY) {
                    self.return_type(id)
                } else {
                    Ty::Function(id)
                }
            }
            DefinitionKind::EnumMember => self.enum_member(id),
            DefinitionKind::Import => {
                let found = self.follow_import(super::Resolution { id, origin: Origin::Import });
                match found.first() {
                    Some(f) if f.id != id => self.type_of_definition(f.id),
                    Some(_) => {
                        let ty = self.type_of_value(id.file, def.value);
                        let name = self.facts(id.file).strings.text(def.name);
                        if ty.is_unknown() {
                            Ty::Named(name.into(), Ty::no_arguments())
                        } else {
                            ty
                        }
                    }
                    None => Ty::Unknown,
                }
            }
            DefinitionKind::Macro if def.body != NONE => Ty::Type(id, Ty::no_arguments()),
            DefinitionKind::Macro | DefinitionKind::Label => Ty::Unknown,
            _ => {
                let mut ty = self.type_of_value(id.file, def.value);
                if self.language(id.file) == "python" {
                    ty = self.python_variable_type(id, ty);
                }
                if def.flags.has(Flags::VARIADIC) { Ty::Array(Rc::new(ty)) } else { ty }
            }
        }
    }

    /// The type of a library function that returns its arguments: `Object.freeze(x)`.
    fn returned_argument_type(&self, file: FileId, callee: Value, list: u32) -> Option<Ty> {
        let facts = self.facts(file);
        let reference = &facts.references[callee.as_reference()? as usize];
        let of = &facts.references[reference.receiver.as_reference()? as usize];
        let name = |name: u32| facts.strings.text(name);
        let all = library::returned_argument(name(of.name), name(reference.name))?;
        let given = facts.list(list).iter().take(if all { 8 } else { 1 });
        Some(Ty::union(given.map(|&v| self.type_of_value(file, v)).collect()))
    }

    /// Python's `super()`.
    fn python_super_call(&self, file: FileId, callee: Value) -> Option<Ty> {
        let facts = self.facts(file);
        let reference = &facts.references[callee.as_reference()? as usize];
        let is = facts.language.id() == "python"
            && reference.role == ReferenceRole::Plain
            && facts.strings.text(reference.name) == "super";
        let own = is.then(|| self.enclosing_type(file, reference.scope))?;
        own.first().map(|f| Ty::Super(f.id))
    }

    /// The type of an enum member: its enum.
    fn enum_member(&self, id: DefId) -> Ty {
        let facts = self.facts(id.file);
        let owner = facts.scopes[self.def(id).scope as usize].owner;
        if owner == NONE || owner == 0 {
            return Ty::Unknown;
        }
        Ty::Instance(DefId { file: id.file, def: owner }, Ty::no_arguments())
    }

    /// The type `base<arguments>`.
    fn instantiate_generic(&self, file: FileId, base: Value, list: u32) -> Ty {
        let facts = self.facts(file);
        let arguments: Rc<[Ty]> =
            facts.list(list).iter().map(|&v| self.type_of_value(file, v).instance()).collect();
        if let Some(r) = base.as_reference() {
            let found = self.definitions_of_reference(file, r);
            if let Some(first) = found.first()
                && self.def(first.id).kind == DefinitionKind::TypeAlias
                && first.origin != Origin::External
                && self.language(first.id.file) != "go"
            {
                let parameters = self.type_parameters(first.id);
                let bound: Vec<_> = parameters.into_iter().zip(arguments.iter().cloned()).collect();
                return substitute(&self.type_of_definition(first.id), &bound);
            }
        }
        match self.type_of_value(file, base) {
            Ty::Type(id, _) => Ty::Type(id, arguments),
            Ty::Named(name, _) if rules(facts.language.id()).is_predefined_generic() => {
                Ty::Named(name, arguments)
            }
            Ty::Named(name, _) => library::generic(&name, arguments),
            Ty::Function(id) if self.language(id.file) == "go" => {
                let parameters = self.type_parameters(id);
                let bound: Vec<_> = parameters.into_iter().zip(arguments.iter().cloned()).collect();
                Ty::Signature(
                    Rc::new(substitute(&self.return_type(id), &bound)),
                    Ty::no_arguments(),
                )
            }
            Ty::Function(id) => Ty::Function(id),
            // `m[K]` parses as a type with arguments even where `m` is a value and `K` an index.
            map @ (Ty::Array(_) | Ty::Instance(..)) if facts.language.id() == "go" => {
                self.index_type(&map)
            }
            other => other,
        }
    }
}
