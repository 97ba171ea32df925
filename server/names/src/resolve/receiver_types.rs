//! Member types seen from a receiver: its type arguments are substituted.

use std::rc::Rc;

use super::call_types::substitute;
use super::{DefId, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// The type of a member of a value.
    pub(super) fn member_type(&self, of: &Ty, name: &str) -> Ty {
        let found = self.members_named(of, name, Namespace::ANY);
        match found.first() {
            Some(first) => {
                let found = self.follow_import(*first);
                let id = found.first().map_or(first.id, |f| f.id);
                self.seen_from(of, id, &self.type_of_definition(id))
            }
            None => match of {
                Ty::Tuple(parts) => name
                    .parse::<usize>()
                    .ok()
                    .and_then(|n| parts.get(n).cloned())
                    .unwrap_or(Ty::Unknown),
                Ty::Array(element) => (**element).clone(),
                Ty::External | Ty::Named(..) => Ty::External,
                _ => Ty::Unknown,
            },
        }
    }

    /// A member's type with the receiver's type arguments substituted.
    pub(super) fn seen_from(&self, receiver: &Ty, member: DefId, ty: &Ty) -> Ty {
        let ty = match ty {
            Ty::Function(id) => {
                let mut bound = self.bindings(receiver, *id);
                if let Some(variable) = self.receiver_type_variable(*id) {
                    bound.push((variable, receiver.instance()));
                }
                let returned = self.return_type(*id);
                let own_self = self.replaces_self(receiver, *id, &returned);
                if let Some(own) = own_self {
                    return Ty::Signature(Rc::new(own), Rc::new([]));
                }
                if bound.is_empty() {
                    return ty.clone();
                }
                let filled = substitute(&returned, &bound);
                return Ty::Signature(Rc::new(filled), Rc::new([]));
            }
            ty => ty,
        };
        substitute(ty, &self.bindings(receiver, member))
    }

    /// The receiver's type, if an inherited method returns its own object: builder methods keep the
    /// subtype.
    pub(super) fn replaces_self(
        &self,
        receiver: &Ty,
        function: DefId,
        returned: &Ty,
    ) -> Option<Ty> {
        let (Ty::Instance(at, _), Ty::Instance(to, _) | Ty::Type(to, _)) = (returned, receiver)
        else {
            return None;
        };
        let facts = self.facts(function.file);
        let owner = facts.scopes[self.def(function).scope as usize].owner;
        let container = DefId { file: function.file, def: owner };
        if owner == NONE || *at != container || at == to {
            return None;
        }
        let trait_like = self.def(container).kind == DefinitionKind::Trait;
        let this = self.returns_this(function);
        (trait_like || this).then(|| receiver.instance())
    }

    /// Whether a function returns the object it is called on.
    pub(super) fn returns_this(&self, function: DefId) -> bool {
        let facts = self.facts(function.file);
        let is_this = |v: Value| {
            let mut v = v;
            for _ in 0..4 {
                match v.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                    Some(Expression::This(_) | Expression::ThisType(_)) => return true,
                    Some(Expression::Typed(inner) | Expression::Same(inner)) => v = *inner,
                    _ => break,
                }
            }
            match v.as_reference() {
                Some(r) => {
                    let found = self.definitions_of_reference(function.file, r);
                    found.first().is_some_and(|f| self.def(f.id).flags.has(Flags::SELF))
                }
                None => false,
            }
        };
        let def = self.def(function);
        if def.value.is_some() {
            return is_this(def.value);
        }
        let mut own = facts.returns.iter().filter(|r| r.0 == def.body).peekable();
        own.peek().is_some() && own.all(|r| is_this(r.1))
    }

    /// Binds the type parameters in scope at a member to the receiver's type arguments.
    pub(super) fn bindings(&self, receiver: &Ty, member: DefId) -> Vec<(DefId, Ty)> {
        let (Ty::Instance(id, args) | Ty::Type(id, args)) = receiver else { return Vec::new() };
        let facts = self.facts(member.file);
        let Some(scope) = facts.scopes.get(self.def(member).scope as usize) else {
            return Vec::new();
        };
        if scope.subject.is_some() {
            // A member of an extension: `impl<T> Of<T>`.
            let Ty::Type(target, own) = self.type_of_value(member.file, scope.subject) else {
                return Vec::new();
            };
            let args = if target == *id {
                Some(args.clone())
            } else {
                self.arguments_above(*id, args, target, 6)
            };
            let Some(args) = args else { return Vec::new() };
            let pairs = own.iter().zip(args.iter());
            return pairs
                .filter_map(|(own, arg)| match own {
                    Ty::Parameter(p) => Some((*p, arg.clone())),
                    _ => None,
                })
                .collect();
        }
        if scope.owner == NONE {
            return Vec::new();
        }
        let container = DefId { file: member.file, def: scope.owner };
        let Some(args) = self.arguments_above(*id, args, container, 6) else { return Vec::new() };
        // An argument that is not known (`*`) leaves the parameter with its bound.
        let known = |(_, arg): &(DefId, Ty)| !arg.is_unknown();
        self.type_parameters(container)
            .into_iter()
            .zip(args.iter().cloned())
            .filter(known)
            .collect()
    }

    /// The type arguments with which a type inherits from `wanted`.
    pub(super) fn arguments_above(
        &self,
        id: DefId,
        args: &Rc<[Ty]>,
        wanted: DefId,
        depth: u32,
    ) -> Option<Rc<[Ty]>> {
        if id == wanted {
            return Some(args.clone());
        }
        if depth == 0 {
            return None;
        }
        let bound: Vec<_> =
            self.type_parameters(id).into_iter().zip(args.iter().cloned()).collect();
        let mut above = self.supertypes(id);
        if matches!(self.language(id.file), "rust") {
            self.each_extension(id, &mut |file, extension| {
                if extension.interface.is_some() {
                    above.push(self.type_of_value(file, extension.interface));
                }
            });
        }
        above.iter().find_map(|ty| match ty {
            Ty::Type(above, own) => {
                let own: Rc<[Ty]> = own.iter().map(|t| substitute(t, &bound)).collect();
                self.arguments_above(*above, &own, wanted, depth - 1)
            }
            _ => None,
        })
    }
}
