//! What is known of the value of an expression.

use std::rc::Rc;

use super::{DefId, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Role};
use crate::index::FileId;
use crate::library;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Resolver<'_> {
    /// What is known of a value of a file.
    pub(super) fn eval(&self, file: FileId, value: Value) -> Ty {
        if value.is_none() {
            return Ty::Unknown;
        }
        if let Some(known) = self.values.borrow().get(&(file, value.0)) {
            return known.clone();
        }
        let key = (file, value.0, 2);
        if self.enter(key).is_none() {
            return Ty::Unknown;
        }
        let ty = match value.as_reference() {
            Some(r) => self.reference_type(file, r),
            None => self.expression_type(file, value.0),
        };
        self.leave(key);
        self.values.borrow_mut().insert((file, value.0), ty.clone());
        ty
    }

    fn reference_type(&self, file: FileId, r: u32) -> Ty {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        let name = facts.strings.text(reference.name);
        let found = self.reference(file, r);
        let Some(first) = found.first() else {
            return match reference.role {
                Role::Plain => match self.path_root(file, name) {
                    Ty::Unknown | Ty::Outside => Ty::Named(name.into(), Ty::no_arguments()),
                    known => known,
                },
                Role::Member => self.unseen_member(file, reference.receiver, name),
                _ => Ty::Unknown,
            };
        };
        if first.origin == Origin::Outside {
            return match self.path_root(file, name) {
                Ty::Module(file, scope) => Ty::Module(file, scope),
                _ => Ty::Named(name.into(), Ty::no_arguments()),
            };
        }
        let ty = self.value_type(first.id);
        if reference.role == Role::Member {
            let receiver = self.eval(file, reference.receiver);
            return self.seen_from(&receiver, first.id, &ty);
        }
        ty
    }

    /// What a member that is not here gives, where the language's library is known to say so.
    fn unseen_member(&self, file: FileId, receiver: Value, name: &str) -> Ty {
        match self.eval(file, receiver) {
            Ty::Folder(module) => match self.index.project.submodule(self.language(file), &module, name) {
                Some(crate::project::Module::File(found)) => Ty::Module(found, 0),
                Some(folder) => Ty::Folder(folder.into()),
                None => Ty::Outside,
            },
            Ty::Array(element) => library::array_member(name, &element),
            Ty::Named(of, arguments) => library::member(&of, &arguments, name),
            Ty::Outside | Ty::Module(..) => Ty::Named(name.into(), Ty::no_arguments()),
            receiver @ (Ty::Instance(..) | Ty::Type(..)) if library::keeps(name) => receiver.instance(),
            _ => Ty::Unknown,
        }
    }

    fn expression_type(&self, file: FileId, e: u32) -> Ty {
        let facts = self.facts(file);
        let Some(&expression) = facts.expressions.get(e as usize) else { return Ty::Unknown };
        match expression {
            Expression::Same(inner) => self.eval(file, inner),
            Expression::Typed(ty) => self.eval(file, ty).instance(),
            Expression::Call(callee, list) => {
                let function = self.eval(file, callee);
                self.call(file, &function, list)
            }
            Expression::New(ty, list) => match self.eval(file, ty) {
                Ty::Function(id) => Ty::Instance(id, Ty::no_arguments()),
                Ty::Type(id, args) if args.is_empty() => {
                    let args = facts.list(list).iter().map(|&a| self.eval(file, a));
                    let _ = args;
                    Ty::Instance(id, Ty::no_arguments())
                }
                ty => ty.instance(),
            },
            Expression::Field(object, name) => {
                let object = self.eval(file, object);
                self.member_type(&object, facts.strings.text(name))
            }
            Expression::Part(whole, n) => self.part(&self.eval(file, whole), n),
            Expression::Case(variant, source, n) => self.case(file, variant, source, n),
            Expression::Index(of) => self.indexed(&self.eval(file, of)),
            Expression::Slice(of) => self.eval(file, of),
            Expression::Element(of) => {
                let element = self.element(&self.eval(file, of));
                if facts.language.id() == "go" {
                    return Ty::Tuple(Rc::new([Ty::Unknown, element]));
                }
                element
            }
            Expression::Enter(of) => self.entered(&self.eval(file, of)),
            Expression::Await(of) => self.awaited(&self.eval(file, of)),
            Expression::Tuple(list) => {
                Ty::Tuple(facts.list(list).iter().map(|&v| self.eval(file, v).instance()).collect())
            }
            Expression::Array(of) => Ty::Array(Rc::new(self.eval(file, of).instance())),
            Expression::Map(list) => {
                let value = facts.list(list).first().map_or(Ty::Unknown, |&v| self.eval(file, v));
                Ty::Named("dict".into(), Rc::new([Ty::Unknown, value.instance()]))
            }
            Expression::Generic(base, list) => self.generic(file, base, list),
            Expression::Union(list) => {
                Ty::union(facts.list(list).iter().map(|&v| self.eval(file, v)).collect())
            }
            Expression::Object(scope) => Ty::Object(file, scope),
            Expression::Lambda(scope) => Ty::Lambda(file, scope),
            Expression::Function(returns, list) => {
                let parameters = facts.list(list).iter().map(|&p| self.eval(file, p).instance());
                Ty::Signature(Rc::new(self.eval(file, returns).instance()), parameters.collect())
            }
            Expression::Text => Ty::Named("str".into(), Ty::no_arguments()),
            Expression::Number => Ty::Named("int".into(), Ty::no_arguments()),
            Expression::Boolean => Ty::Named("bool".into(), Ty::no_arguments()),
            Expression::Nothing | Expression::Binding(..) => Ty::Unknown,
            Expression::This(scope) => self.this(file, scope).instance(),
            Expression::ThisType(scope) => self.this(file, scope),
            Expression::Super(scope) => match self.this(file, scope) {
                Ty::Type(id, _) | Ty::Instance(id, _) => Ty::Above(id),
                _ => Ty::Unknown,
            },
            Expression::Module(name, up) => self.module(file, facts.strings.text(name), up),
            Expression::LambdaParameter(scope, n) => self.lambda_parameter(file, scope, n),
            Expression::Root => self.crate_root(file),
            Expression::Parent(scope) => self.parent_module(file, scope),
            Expression::Defined(def) => self.value_type(DefId { file, def }),
        }
    }

    /// The type that a scope's members belong to.
    pub(super) fn this(&self, file: FileId, scope: u32) -> Ty {
        let facts = self.facts(file);
        let at = &facts.scopes[scope as usize];
        if at.subject.is_some() && at.kind != ScopeKind::Function {
            return match self.eval(file, at.subject) {
                Ty::Type(id, args) if at.kind == ScopeKind::Open && at.owner == NONE => {
                    // A class without a name, or a member defined apart from its class.
                    Ty::Type(id, args)
                }
                ty => ty,
            };
        }
        if at.owner == NONE {
            return if at.kind == ScopeKind::Members { Ty::Object(file, scope) } else { Ty::Unknown };
        }
        let id = DefId { file, def: at.owner };
        let parameters = self.type_parameters(id);
        Ty::Type(id, parameters.into_iter().map(Ty::Parameter).collect())
    }

    pub(super) fn scope_type(&self, file: FileId, scope: u32) -> Ty {
        self.this(file, scope).instance()
    }

    /// The type parameters of a type, in order.
    pub(super) fn type_parameters(&self, id: DefId) -> Vec<DefId> {
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
            let template = facts.scopes[scope as usize].kind == ScopeKind::Template || scope == def.body;
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

    /// What a definition is, used as a value.
    pub(super) fn value_type(&self, id: DefId) -> Ty {
        let def = self.def(id);
        match def.kind {
            DefinitionKind::Module | DefinitionKind::Namespace => self.module_of_definition(id),
            DefinitionKind::TypeAlias if self.language(id.file) == "go" => {
                Ty::Type(id, Ty::no_arguments())
            }
            DefinitionKind::TypeAlias if def.value.is_some() => self.eval(id.file, def.value),
            DefinitionKind::TypeParameter => Ty::Parameter(id),
            kind if kind.is_type() => Ty::Type(id, Ty::no_arguments()),
            DefinitionKind::Function | DefinitionKind::Method | DefinitionKind::Constructor => {
                if def.flags.has(Flags::PROPERTY) { self.returned(id) } else { Ty::Function(id) }
            }
            DefinitionKind::EnumMember => self.enum_member(id),
            DefinitionKind::Import => {
                let found = self.follow(super::Found { id, origin: Origin::SameFile });
                match found.first() {
                    Some(f) if f.id != id => self.value_type(f.id),
                    Some(_) => {
                        let ty = self.eval(id.file, def.value);
                        let name = self.facts(id.file).strings.text(def.name);
                        if ty.is_unknown() { Ty::Named(name.into(), Ty::no_arguments()) } else { ty }
                    }
                    None => Ty::Unknown,
                }
            }
            DefinitionKind::Macro | DefinitionKind::Label => Ty::Unknown,
            _ => {
                let ty = self.eval(id.file, def.value);
                if def.flags.has(Flags::VARIADIC) { Ty::Array(Rc::new(ty)) } else { ty }
            }
        }
    }

    /// An enum's member is a value of the enum.
    fn enum_member(&self, id: DefId) -> Ty {
        let facts = self.facts(id.file);
        let owner = facts.scopes[self.def(id).scope as usize].owner;
        if owner == NONE || owner == 0 {
            return Ty::Unknown;
        }
        Ty::Instance(DefId { file: id.file, def: owner }, Ty::no_arguments())
    }

    /// What calling something gives.
    pub(super) fn call(&self, file: FileId, function: &Ty, list: u32) -> Ty {
        match function {
            Ty::Type(id, args) => Ty::Instance(*id, args.clone()),
            Ty::Instance(id, _) if self.def(*id).kind == DefinitionKind::Enum => function.clone(),
            Ty::Instance(id, _) if self.def(*id).kind == DefinitionKind::TypeAlias => {
                let inner = self.eval(id.file, self.def(*id).value);
                self.call(file, &inner, list)
            }
            Ty::Instance(..) => {
                let found = self.members(function, "__call__", Namespace::ANY);
                found.first().map_or(Ty::Unknown, |f| self.returned(f.id))
            }
            Ty::Function(id) => {
                let returned = self.returned(*id);
                self.inferred(file, *id, list, &returned)
            }
            Ty::Lambda(other, scope) => self.returned_by_scope(*other, *scope),
            Ty::Signature(returns, _) => (**returns).clone(),
            Ty::Object(other, scope) => self.called_object(*other, *scope),
            Ty::Named(name, args) => library::called(name, args),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.call(file, t, list)).collect()),
            Ty::Outside => Ty::Outside,
            _ => Ty::Unknown,
        }
    }

    fn called_object(&self, _file: FileId, _scope: u32) -> Ty {
        Ty::Unknown
    }

    /// What a function returns, as declared, or as its returns tell.
    pub(super) fn returned(&self, id: DefId) -> Ty {
        let def = self.def(id);
        if def.kind == DefinitionKind::Constructor {
            let facts = self.facts(id.file);
            let owner = facts.scopes[def.scope as usize].owner;
            if owner != NONE {
                return Ty::Instance(DefId { file: id.file, def: owner }, Ty::no_arguments());
            }
        }
        if def.value.is_some() {
            let ty = self.eval(id.file, def.value);
            if !ty.is_unknown() {
                return ty;
            }
        }
        if def.body == NONE { Ty::Unknown } else { self.returned_by_scope(id.file, def.body) }
    }

    fn returned_by_scope(&self, file: FileId, scope: u32) -> Ty {
        let facts = self.facts(file);
        let own = facts.returns.iter().filter(|r| r.0 == scope);
        Ty::union(own.map(|r| self.eval(file, r.1)).collect())
    }

    /// Fills in a function's own type parameters from the arguments of a call.
    fn inferred(&self, file: FileId, id: DefId, list: u32, returned: &Ty) -> Ty {
        let parameters = self.type_parameters(id);
        if parameters.is_empty() {
            return returned.clone();
        }
        let arguments = self.facts(file).list(list);
        let declared = self.parameters(id);
        let mut bound = Vec::new();
        for (parameter, &argument) in declared.iter().zip(arguments) {
            let wanted = self.value_type(*parameter);
            let given = self.eval(file, argument);
            unify(&wanted, &given, &mut bound, 4);
        }
        substitute(returned, &bound)
    }

    /// A function's parameters, in order, without the object it is called on.
    pub(super) fn parameters(&self, id: DefId) -> Vec<DefId> {
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
                d.kind == DefinitionKind::Parameter && !d.flags.has(Flags::SELF)
            })
            .collect();
        all.sort_by_key(|&d| facts.definitions[d as usize].name_start);
        all.into_iter().map(|def| DefId { file: id.file, def }).collect()
    }

    fn generic(&self, file: FileId, base: Value, list: u32) -> Ty {
        let facts = self.facts(file);
        let arguments: Rc<[Ty]> =
            facts.list(list).iter().map(|&v| self.eval(file, v).instance()).collect();
        if let Some(r) = base.as_reference() {
            let found = self.reference(file, r);
            if let Some(first) = found.first()
                && self.def(first.id).kind == DefinitionKind::TypeAlias
                && first.origin != Origin::Outside
                && self.language(first.id.file) != "go"
            {
                let parameters = self.type_parameters(first.id);
                let bound: Vec<_> = parameters.into_iter().zip(arguments.iter().cloned()).collect();
                return substitute(&self.value_type(first.id), &bound);
            }
        }
        match self.eval(file, base) {
            Ty::Type(id, _) => Ty::Type(id, arguments),
            Ty::Named(name, _) => library::generic(&name, arguments),
            Ty::Function(id) => Ty::Function(id),
            other => other,
        }
    }

    fn part(&self, whole: &Ty, n: u32) -> Ty {
        match whole {
            Ty::Tuple(parts) => parts.get(n as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Array(element) => (**element).clone(),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.part(t, n)).collect()),
            Ty::Named(_, args) if args.len() > 1 => args.get(n as usize).cloned().unwrap_or(Ty::Unknown),
            Ty::Named(..) => Ty::Outside,
            other if n == 0 => other.clone(),
            _ => Ty::Unknown,
        }
    }

    /// A part of a value that matched a variant.
    fn case(&self, file: FileId, variant: Value, source: Value, n: u32) -> Ty {
        let targets = self.value_targets(file, variant);
        if let Some(first) = targets.first().filter(|f| f.origin != Origin::Outside) {
            let def = self.def(first.id);
            if def.body != NONE {
                let name = n.to_string();
                let found =
                    self.in_scope_named(first.id.file, def.body, &name, Namespace::ANY, Origin::Member);
                if let Some(field) = found.first() {
                    let ty = self.value_type(field.id);
                    let receiver = self.eval(file, source);
                    return self.seen_from(&receiver, first.id, &ty);
                }
            }
        }
        let facts = self.facts(file);
        let name = variant.as_reference().map(|r| facts.strings.text(facts.references[r as usize].name));
        match self.eval(file, source) {
            Ty::Named(_, args) if name == Some("Err") => args.get(1).cloned().unwrap_or(Ty::Unknown),
            Ty::Named(_, args) => args.first().cloned().unwrap_or(Ty::Unknown),
            _ => Ty::Unknown,
        }
    }

    fn indexed(&self, of: &Ty) -> Ty {
        match of {
            Ty::Array(element) => (**element).clone(),
            Ty::Tuple(parts) => Ty::union(parts.to_vec()),
            Ty::Named(_, args) => args.last().cloned().unwrap_or(Ty::Outside),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.indexed(t)).collect()),
            Ty::Instance(id, args) => {
                if let Some(under) = self.underlying(*id) {
                    return self.indexed(&under);
                }
                for operator in ["__getitem__", "operator[]", "index"] {
                    let found = self.members(of, operator, Namespace::ANY);
                    if let Some(f) = found.first() {
                        return self.seen_from(of, f.id, &self.returned(f.id));
                    }
                }
                let _ = args;
                if matches!(self.language(id.file), "c" | "cpp" | "go") { of.clone() } else { Ty::Unknown }
            }
            Ty::Type(..) => of.clone(),
            _ => Ty::Unknown,
        }
    }

    /// What a type that is only a name for another stands for.
    fn underlying(&self, id: DefId) -> Option<Ty> {
        let def = self.def(id);
        let alias = def.kind == DefinitionKind::TypeAlias && def.value.is_some();
        alias.then(|| self.eval(id.file, def.value).instance())
    }

    fn element(&self, of: &Ty) -> Ty {
        match of {
            Ty::Array(element) => (**element).clone(),
            Ty::Tuple(parts) => Ty::union(parts.to_vec()),
            Ty::Named(name, args) => library::element(name, args),
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.element(t)).collect()),
            Ty::Instance(id, _) => {
                if let Some(under) = self.underlying(*id) {
                    return self.element(&under);
                }
                for iterator in ["__iter__", "iter", "begin", "iterator"] {
                    let found = self.members(of, iterator, Namespace::ANY);
                    if let Some(f) = found.first() {
                        let given = self.seen_from(of, f.id, &self.returned(f.id));
                        return match &given {
                            Ty::Instance(..) => given,
                            given => self.element(given),
                        };
                    }
                }
                // A type that inherits from a sequence of something.
                self.inherited_element(*id)
            }
            _ => Ty::Unknown,
        }
    }

    fn inherited_element(&self, id: DefId) -> Ty {
        let facts = self.facts(id.file);
        for &above in facts.list(self.def(id).supers) {
            match self.eval(id.file, above) {
                Ty::Named(name, args) if !args.is_empty() => return library::element(&name, &args),
                Ty::Array(element) => return (*element).clone(),
                _ => {}
            }
        }
        Ty::Unknown
    }

    fn entered(&self, of: &Ty) -> Ty {
        match of {
            Ty::Instance(..) => {
                let found = self.members(of, "__enter__", Namespace::ANY);
                match found.first().map(|f| self.returned(f.id)) {
                    Some(ty @ Ty::Instance(..)) => ty,
                    _ => of.clone(),
                }
            }
            Ty::Named(name, args) => match args.first() {
                Some(first) => first.clone(),
                None => Ty::Named(name.clone(), args.clone()),
            },
            other => other.clone(),
        }
    }

    fn awaited(&self, of: &Ty) -> Ty {
        match of {
            Ty::Named(name, args) => match args.first() {
                Some(first) => first.clone(),
                None => Ty::Named(name.clone(), args.clone()),
            },
            Ty::Union(all) => Ty::union(all.iter().map(|t| self.awaited(t)).collect()),
            other => other.clone(),
        }
    }

    /// A lambda's parameter is what the function that it is given to says.
    fn lambda_parameter(&self, file: FileId, scope: u32, n: u32) -> Ty {
        let facts = self.facts(file);
        let subject = facts.scopes[scope as usize].subject;
        let call = subject.as_expression().and_then(|e| facts.expressions.get(e as usize));
        let Some(&Expression::Call(callee, list)) = call else { return Ty::Unknown };
        let is_this = |v: &Value| {
            let e = v.as_expression().and_then(|e| facts.expressions.get(e as usize));
            e == Some(&Expression::Lambda(scope))
        };
        let Some(position) = facts.list(list).iter().position(is_this) else { return Ty::Unknown };
        for found in self.value_targets(file, callee) {
            if !self.def(found.id).kind.is_callable() {
                continue;
            }
            if let Some(parameter) = self.parameters(found.id).get(position) {
                let wanted = self.value_type(*parameter);
                let wanted = match callee.as_reference() {
                    Some(r) if facts.references[r as usize].role == Role::Member => {
                        let receiver = self.eval(file, facts.references[r as usize].receiver);
                        self.seen_from(&receiver, found.id, &wanted)
                    }
                    _ => wanted,
                };
                if let Ty::Signature(_, parameters) = wanted
                    && let Some(ty) = parameters.get(n as usize)
                {
                    return ty.clone();
                }
            }
        }
        if let Some(r) = callee.as_reference()
            && facts.references[r as usize].receiver.is_some()
            && n == 0
        {
            return match self.eval(file, facts.references[r as usize].receiver) {
                Ty::Array(element) => (*element).clone(),
                Ty::Named(name, args) => library::element(&name, &args),
                _ => Ty::Unknown,
            };
        }
        Ty::Unknown
    }
}

/// Finds what type parameters stand for, so that `wanted` is `given`.
fn unify(wanted: &Ty, given: &Ty, bound: &mut Vec<(DefId, Ty)>, depth: u32) {
    if depth == 0 {
        return;
    }
    match (wanted, given) {
        (_, Ty::Unknown) => {}
        (Ty::Parameter(p), given) if !bound.iter().any(|b| b.0 == *p) => {
            bound.push((*p, given.clone()));
        }
        (Ty::Array(w), Ty::Array(g)) => unify(w, g, bound, depth - 1),
        (Ty::Instance(a, w), Ty::Instance(b, g)) if a == b => {
            w.iter().zip(g.iter()).for_each(|(w, g)| unify(w, g, bound, depth - 1));
        }
        (Ty::Named(_, w), Ty::Named(_, g)) | (Ty::Tuple(w), Ty::Tuple(g)) => {
            w.iter().zip(g.iter()).for_each(|(w, g)| unify(w, g, bound, depth - 1));
        }
        (Ty::Union(w), g) => w.iter().for_each(|w| unify(w, g, bound, depth - 1)),
        _ => {}
    }
}

/// Puts types in the place of type parameters.
pub(super) fn substitute(ty: &Ty, bound: &[(DefId, Ty)]) -> Ty {
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
