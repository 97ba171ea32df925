//! Members of types, with inheritance, embedding, extensions and type arguments.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::types::substitute;
use super::{DefId, Found, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{Extension, NONE, Ref};
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Resolver<'_> {
    pub(super) fn member_reference(&self, file: FileId, reference: &Ref, name: &str) -> Vec<Found> {
        let ty = self.eval(file, reference.receiver);
        let found = self.members(&ty, name, reference.namespace);
        if !found.is_empty() {
            return found;
        }
        match ty {
            Ty::Unknown => self.unique_member(file, name, reference),
            _ => Vec::new(),
        }
    }

    /// The members of that name.
    pub(super) fn members(&self, ty: &Ty, name: &str, namespace: Namespace) -> Vec<Found> {
        match ty {
            Ty::Module(file, scope) => self.module_members(*file, *scope, name, namespace, 0),
            Ty::Folder(module) => self.folder_members(module, None, name, namespace, Origin::Import),
            Ty::Type(id, _) | Ty::Instance(id, _) | Ty::Function(id) => {
                let mut seen = FxHashSet::default();
                self.type_members(*id, name, namespace, &mut seen)
            }
            Ty::Object(file, scope) => self.object_members(*file, *scope, name, namespace),
            Ty::Parameter(id) => {
                let bound = self.eval(id.file, self.def(*id).value).instance();
                match bound {
                    Ty::Parameter(_) => Vec::new(),
                    bound => self.members(&bound, name, namespace),
                }
            }
            Ty::Union(all) => {
                let mut found: Vec<Found> = Vec::new();
                for ty in all.iter() {
                    for f in self.members(ty, name, namespace) {
                        if !found.iter().any(|o| o.id == f.id) {
                            found.push(f);
                        }
                    }
                }
                found
            }
            Ty::Above(id) => {
                let mut seen = FxHashSet::default();
                seen.insert(*id);
                self.inherited(*id, name, namespace, &mut seen)
            }
            _ => Vec::new(),
        }
    }

    fn object_members(&self, file: FileId, scope: u32, name: &str, namespace: Namespace) -> Vec<Found> {
        let own = self.in_scope_named(file, scope, name, namespace, Origin::TypedMember);
        if !own.is_empty() {
            return own;
        }
        let subject = self.facts(file).scopes[scope as usize].subject;
        if subject.is_some() { self.members(&self.eval(file, subject), name, namespace) } else { own }
    }

    /// Members of a type: its own, those added elsewhere, those it inherits.
    fn type_members(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
        seen: &mut FxHashSet<DefId>,
    ) -> Vec<Found> {
        if seen.len() > 200 || !seen.insert(id) {
            return Vec::new();
        }
        let facts = self.facts(id.file);
        let def = self.def(id);
        let mut own = Vec::new();
        if def.body != NONE {
            own = self.in_scope_named(id.file, def.body, name, namespace, Origin::TypedMember);
            own.retain(|f| {
                let member = self.def(f.id);
                !matches!(member.kind, DefinitionKind::TypeParameter | DefinitionKind::Import)
                    && (!def.kind.is_callable() || member.flags.has(Flags::INSTANCE))
            });
            own = self.declared_first(own);
        }
        if own.is_empty() && def.kind == DefinitionKind::Enum && matches!(facts.language.id(), "c" | "cpp") {
            own = self.in_scope_named(id.file, def.scope, name, namespace, Origin::TypedMember);
            own.retain(|f| self.def(f.id).kind == DefinitionKind::EnumMember);
        }
        if own.is_empty() || facts.language.id() == "java" {
            own.extend(self.extended(id, name, namespace));
        }
        if own.is_empty() && def.kind.is_type() {
            own = self.merged(id, name, namespace);
        }
        if !own.is_empty() && !(facts.language.id() == "java" && own.iter().all(|f| self.def(f.id).kind == DefinitionKind::Method)) {
            return own;
        }
        if def.kind == DefinitionKind::TypeAlias && def.value.is_some() {
            let under = self.eval(id.file, def.value).instance();
            let found = match &under {
                Ty::Type(other, _) | Ty::Instance(other, _) => {
                    self.type_members(*other, name, namespace, seen)
                }
                under => self.members(under, name, namespace),
            };
            if !found.is_empty() {
                return found;
            }
        }
        let above = self.inherited(id, name, namespace, seen);
        self.with_overloads(own, above)
    }

    /// Java's overloads may stand in different classes; what is overridden stays out.
    fn with_overloads(&self, own: Vec<Found>, above: Vec<Found>) -> Vec<Found> {
        if own.is_empty() {
            return above;
        }
        let arity = |f: &Found| self.parameters(f.id).len();
        let mut all = own;
        for f in above {
            if !all.iter().any(|o| arity(o) == arity(&f)) {
                all.push(f);
            }
        }
        all
    }

    /// Of several definitions of an attribute, the one that declares its type, else the first one;
    /// functions stay together.
    fn declared_first(&self, own: Vec<Found>) -> Vec<Found> {
        if own.len() < 2 || own.iter().all(|f| self.def(f.id).kind.is_callable()) {
            if own.iter().any(|f| self.def(f.id).flags.has(Flags::PROPERTY)) && own.len() > 1 {
                return own.into_iter().take(1).collect();
            }
            return own;
        }
        let typed = |f: &&Found| {
            let value = self.def(f.id).value;
            let facts = self.facts(f.id.file);
            let mut value = value;
            for _ in 0..3 {
                match value.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                    Some(Expression::Typed(_)) => return true,
                    Some(Expression::Same(inner)) => value = *inner,
                    _ => return false,
                }
            }
            false
        };
        let in_class = |f: &&Found| !self.def(f.id).flags.has(Flags::INSTANCE);
        let chosen = own
            .iter()
            .find(|f| typed(f))
            .or_else(|| own.iter().find(|f| in_class(f)))
            .or(own.first())
            .copied();
        chosen.into_iter().collect()
    }

    /// Members added to a type where it is only named.
    fn extended(&self, id: DefId, name: &str, namespace: Namespace) -> Vec<Found> {
        let mut found = Vec::new();
        let mut defaults = Vec::new();
        self.each_extension(id, &mut |file, extension| {
            found.extend(self.in_scope_named(file, extension.scope, name, namespace, Origin::TypedMember));
            if extension.interface.is_some() {
                defaults.push((file, extension.interface));
            }
        });
        found.retain(|f| self.def(f.id).kind != DefinitionKind::TypeParameter);
        if !found.is_empty() || name.is_empty() {
            // An inherent member hides those of traits.
            let inherent = |f: &Found| !self.is_trait_member(f.id);
            if found.iter().any(inherent) {
                found.retain(inherent);
            }
            return found;
        }
        for (file, interface) in defaults {
            let ty = self.eval(file, interface);
            if let Ty::Type(above, _) = ty {
                let mut seen = FxHashSet::default();
                seen.insert(id);
                found = self.type_members(above, name, namespace, &mut seen);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        found
    }

    fn is_trait_member(&self, id: DefId) -> bool {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        facts.extensions.iter().any(|e| e.scope == scope && e.interface.is_some())
    }

    /// Every extension of a type, in any file that writes the type's name.
    pub(super) fn each_extension(&self, id: DefId, visit: &mut dyn FnMut(FileId, &Extension)) {
        let facts = self.facts(id.file);
        let own = facts.strings.text(self.def(id).name);
        let Some(postings) = self.index.names.get(own) else { return };
        for &file in postings.defined.iter().chain(&postings.used) {
            let other = self.facts(file);
            if other.extensions.is_empty() || !same_family(other.language.id(), facts.language.id()) {
                continue;
            }
            let Some(number) = other.strings.find(own) else { continue };
            for extension in other.extensions.iter().filter(|e| e.name == number) {
                let is_this = match self.eval(file, extension.target) {
                    Ty::Type(target, _) | Ty::Instance(target, _) | Ty::Function(target) => target == id,
                    _ => false,
                };
                if is_this {
                    visit(file, extension);
                }
            }
        }
    }

    /// Members of other declarations of the same type: interfaces that merge, a class and its
    /// namespace.
    fn merged(&self, id: DefId, name: &str, namespace: Namespace) -> Vec<Found> {
        let facts = self.facts(id.file);
        if !matches!(facts.language.id(), "typescript" | "tsx") {
            return Vec::new();
        }
        let def = self.def(id);
        let mut found = Vec::new();
        for &other in facts.in_scope(def.scope, def.name) {
            let body = facts.definitions[other as usize].body;
            if other != id.def && body != NONE {
                found.extend(self.in_scope_named(id.file, body, name, namespace, Origin::TypedMember));
            }
        }
        found
    }

    /// Members of the types above a type, the nearest first.
    fn inherited(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
        seen: &mut FxHashSet<DefId>,
    ) -> Vec<Found> {
        let mut outside = false;
        for above in self.supers(id) {
            let found = match &above {
                Ty::Type(above, _) | Ty::Instance(above, _) | Ty::Function(above) => {
                    self.type_members(*above, name, namespace, seen)
                }
                Ty::Unknown | Ty::Named(..) | Ty::Outside => {
                    outside = true;
                    Vec::new()
                }
                other => self.members(other, name, namespace),
            };
            if !found.is_empty() {
                return found;
            }
        }
        let _ = outside;
        Vec::new()
    }

    /// The types that a type is declared to inherit from.
    pub(super) fn supers(&self, id: DefId) -> Vec<Ty> {
        let facts = self.facts(id.file);
        let mut all = Vec::new();
        for &above in facts.list(self.def(id).supers) {
            match self.eval(id.file, above) {
                Ty::Union(inner) => all.extend(inner.iter().cloned()),
                ty => all.push(ty),
            }
        }
        all
    }

    /// The type of a member of a value.
    pub(super) fn member_type(&self, of: &Ty, name: &str) -> Ty {
        let found = self.members(of, name, Namespace::ANY);
        match found.first() {
            Some(first) => {
                let found = self.follow(*first);
                let id = found.first().map_or(first.id, |f| f.id);
                self.seen_from(of, id, &self.value_type(id))
            }
            None => match of {
                Ty::Tuple(parts) => name.parse::<usize>().ok().and_then(|n| parts.get(n).cloned()).unwrap_or(Ty::Unknown),
                Ty::Array(element) => (**element).clone(),
                Ty::Outside | Ty::Named(..) => Ty::Outside,
                _ => Ty::Unknown,
            },
        }
    }

    /// A member's type with the type arguments of the value it is a member of.
    pub(super) fn seen_from(&self, receiver: &Ty, member: DefId, ty: &Ty) -> Ty {
        let ty = match ty {
            Ty::Function(id) => {
                let bound = self.bindings(receiver, *id);
                let returned = self.returned(*id);
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

    /// A member of a type above that returns its own type returns the receiver's.
    fn replaces_self(&self, receiver: &Ty, function: DefId, returned: &Ty) -> Option<Ty> {
        let (Ty::Instance(at, _), Ty::Instance(to, _) | Ty::Type(to, _)) = (returned, receiver) else {
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

    /// Whether a function returns the object it was called on.
    fn returns_this(&self, function: DefId) -> bool {
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
                    let found = self.reference(function.file, r);
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

    /// What the type parameters around a member stand for in a value's type.
    fn bindings(&self, receiver: &Ty, member: DefId) -> Vec<(DefId, Ty)> {
        let (Ty::Instance(id, args) | Ty::Type(id, args)) = receiver else { return Vec::new() };
        let facts = self.facts(member.file);
        let Some(scope) = facts.scopes.get(self.def(member).scope as usize) else {
            return Vec::new();
        };
        if scope.subject.is_some() {
            // A member of an extension: `impl<T> Of<T>`.
            let Ty::Type(target, own) = self.eval(member.file, scope.subject) else {
                return Vec::new();
            };
            let args = if target == *id { Some(args.clone()) } else { self.arguments_above(*id, args, target, 6) };
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
        self.type_parameters(container).into_iter().zip(args.iter().cloned()).collect()
    }

    /// The arguments with which a type inherits from another.
    fn arguments_above(&self, id: DefId, args: &Rc<[Ty]>, wanted: DefId, depth: u32) -> Option<Rc<[Ty]>> {
        if id == wanted {
            return Some(args.clone());
        }
        if depth == 0 {
            return None;
        }
        let bound: Vec<_> = self.type_parameters(id).into_iter().zip(args.iter().cloned()).collect();
        let mut above = self.supers(id);
        if matches!(self.language(id.file), "rust") {
            self.each_extension(id, &mut |file, extension| {
                if extension.interface.is_some() {
                    above.push(self.eval(file, extension.interface));
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

    /// The only member of that name anywhere, where nothing is known of the receiver.
    fn unique_member(&self, file: FileId, name: &str, reference: &Ref) -> Vec<Found> {
        let family = self.language(file);
        let fits = |id: &DefId| {
            let facts = self.facts(id.file);
            let def = self.def(*id);
            let Some(scope) = facts.scopes.get(def.scope as usize) else { return false };
            same_family(facts.language.id(), family)
                && def.namespace.has(reference.namespace)
                && !def.flags.has(Flags::HIDDEN)
                && matches!(
                    scope.kind,
                    ScopeKind::Members | ScopeKind::Body | ScopeKind::Open | ScopeKind::Extension
                )
                && def.kind != DefinitionKind::TypeParameter
                && def.kind != DefinitionKind::Parameter
        };
        let mut all: Vec<DefId> = self.index.defined(name).filter(fits).collect();
        all.dedup();
        match all[..] {
            [id] if !is_common(name) => vec![Found { id, origin: Origin::UniqueName }],
            _ => Vec::new(),
        }
    }

    /// A parameter by name, of what is called.
    pub(super) fn keyword(&self, file: FileId, reference: &Ref, name: &str) -> Vec<Found> {
        let mut functions = Vec::new();
        for found in self.value_targets(file, reference.receiver) {
            let def = self.def(found.id);
            if def.kind.is_callable() {
                functions.push(found.id);
            } else if def.kind.is_type() {
                let ty = Ty::Type(found.id, Ty::no_arguments());
                let constructors = self.members(&ty, "__init__", Namespace::ANY);
                if constructors.is_empty() {
                    return self.members(&ty, name, Namespace::ANY);
                }
                functions.extend(constructors.iter().map(|f| f.id));
            }
        }
        let mut found = Vec::new();
        for function in functions {
            let body = self.def(function).body;
            if body != NONE {
                let named = self.in_scope_named(function.file, body, name, Namespace::ANY, Origin::Argument);
                found.extend(named.into_iter().filter(|f| self.def(f.id).kind == DefinitionKind::Parameter));
            }
        }
        found
    }
}

/// Whether names of one language can mean what another defines.
pub(super) fn same_family(a: &str, b: &str) -> bool {
    let family = |l: &str| match l {
        "javascript" | "typescript" | "tsx" => 1,
        "c" | "cpp" => 2,
        "python" => 3,
        "go" => 4,
        "rust" => 5,
        "java" => 6,
        _ => 0,
    };
    family(a) == family(b)
}

/// Names that libraries use too often for the only one here to be meant.
fn is_common(name: &str) -> bool {
    name.len() < 3
        || matches!(
            name,
            "get" | "set" | "add" | "size" | "length" | "push" | "pop" | "append" | "next" | "map"
                | "filter" | "close" | "read" | "write" | "open" | "join" | "split" | "strip"
                | "format" | "keys" | "values" | "items" | "update" | "insert" | "remove" | "clear"
                | "find" | "index" | "count" | "sort" | "copy" | "clone" | "len" | "iter" | "call"
                | "apply" | "bind" | "then" | "catch" | "name" | "value" | "key" | "data" | "type"
                | "toString" | "equals" | "hashCode" | "encode" | "decode" | "replace" | "match"
                | "test" | "exec" | "slice" | "concat" | "includes" | "indexOf" | "forEach"
                | "contains" | "isEmpty" | "put" | "iterator" | "start" | "end" | "group" | "begin"
                | "empty" | "first" | "second" | "reset" | "str" | "unwrap" | "into" | "from"
                | "new" | "default" | "fmt" | "eq" | "cmp" | "hash" | "extend" | "flush" | "Error"
        )
}
