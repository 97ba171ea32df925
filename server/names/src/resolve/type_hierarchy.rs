//! Type hierarchies: supertypes and subtypes of a type, and override sets.
//!
//! An override set holds the members that callers cannot tell apart statically, because one
//! overrides or implements the other. A rename has to change all of them or none.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::Expression;
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

/// Limit of the types visited in one hierarchy.
const MAX_HIERARCHY_TYPES: usize = 500;

/// The namespaces in which a member can be named.
const MEMBERS: Namespace = Namespace(Namespace::VALUE.0 | Namespace::FUNCTION.0);

/// A member with all members it overrides or implements, and those that override it.
#[derive(Debug, Default)]
pub(crate) struct OverrideSet {
    /// The members; the queried one comes first.
    pub(crate) members: Vec<DefId>,
    /// A type of the hierarchy that inherits from an external type: the member may override one
    /// that cannot be renamed.
    pub(crate) external_base: Option<DefId>,
    /// Whether the hierarchy exceeded the limit and the set is incomplete.
    pub(crate) is_truncated: bool,
}

impl Resolver<'_> {
    /// The type that a definition is a member of.
    pub(crate) fn container_type(&self, id: DefId) -> Option<DefId> {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        let at = facts.scopes.get(scope as usize)?;
        if at.owner != NONE {
            let kind = facts.definitions[at.owner as usize].kind;
            if kind == DefinitionKind::EnumMember {
                // The body of one enum constant overrides what all constants have, so its members
                // belong to the enum.
                return self.container_type(DefId { file: id.file, def: at.owner });
            }
            return (at.owner != 0 && kind.is_type())
                .then_some(DefId { file: id.file, def: at.owner });
        }
        if at.subject.is_none() {
            return None;
        }
        match self.type_of_value(id.file, at.subject) {
            Ty::Type(id, _) | Ty::Instance(id, _) => Some(id),
            _ => None,
        }
    }

    /// A type's own members of a name, without inherited ones.
    pub(crate) fn own_members(&self, ty: DefId, name: &str) -> Vec<Resolution> {
        let body = self.def(ty).body;
        let mut own = if body == NONE {
            Vec::new()
        } else {
            self.scope_definitions(ty.file, body, name, MEMBERS, Origin::Member)
        };
        if matches!(self.facts(ty.file).language.id(), "rust" | "go") {
            own.extend(self.extension_members(ty, name, MEMBERS));
        }
        let member = |f: &Resolution| {
            !matches!(
                self.def(f.id).kind,
                DefinitionKind::TypeParameter | DefinitionKind::Parameter | DefinitionKind::Import
            )
        };
        own.retain(member);
        own
    }

    /// The direct subtypes of a type: those that inherit from it or implement it.
    pub(crate) fn direct_subtypes(&self, ty: DefId) -> Vec<DefId> {
        let name = self.facts(ty.file).strings.text(self.def(ty).name);
        let mut all = Vec::new();
        let is_above = |t: &Ty| matches!(t, Ty::Type(supertype, _) if *supertype == ty);
        if let Some(postings) = self.index.names.get(name) {
            for &file in postings.defined.iter().chain(&postings.used) {
                // Supertypes are named in the source, so only files that contain the type's name
                // can hold subtypes.
                let facts = self.facts(file);
                for (d, def) in facts.definitions.iter().enumerate() {
                    if def.supertypes == NONE || !def.kind.is_type() {
                        continue;
                    }
                    self.reset_steps();
                    let id = DefId { file, def: d as u32 };
                    if self.supertypes(id).iter().any(is_above) {
                        all.push(id);
                    }
                }
            }
        }
        self.each_implementation(ty, &mut |file, extension| {
            let target = self.facts(file).extensions[extension].target;
            if let Ty::Type(id, _) | Ty::Instance(id, _) = self.type_of_value(file, target) {
                all.push(id);
            }
        });
        if self.is_go_interface(ty) {
            all.extend(self.go_implementing_types(ty));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Calls `visit` for each `impl` of a trait with its file and its index in the file's
    /// extensions.
    pub(crate) fn each_implementation(&self, ty: DefId, visit: &mut dyn FnMut(FileId, usize)) {
        if self.def(ty).kind != DefinitionKind::Trait {
            return;
        }
        let name = self.facts(ty.file).strings.text(self.def(ty).name);
        let Some(postings) = self.index.names.get(name) else { return };
        for &file in postings.defined.iter().chain(&postings.used) {
            for (n, extension) in self.facts(file).extensions.iter().enumerate() {
                if extension.interface.is_none() {
                    continue;
                }
                self.reset_steps();
                if matches!(self.type_of_value(file, extension.interface), Ty::Type(t, _) if t == ty)
                {
                    visit(file, n);
                }
            }
        }
    }

    pub(super) fn is_go_interface(&self, ty: DefId) -> bool {
        let facts = self.facts(ty.file);
        let body = self.def(ty).body;
        // A struct's methods stand outside of its body, so only an interface's body holds methods.
        facts.language.id() == "go"
            && body != NONE
            && facts
                .all_in_scope(body)
                .iter()
                .any(|&d| facts.definitions[d as usize].kind == DefinitionKind::Method)
    }

    /// The methods that a Go interface requires, those of embedded interfaces included. `None` if
    /// it is a type set, which only constrains type parameters.
    fn required_methods(&self, interface: DefId, depth: u32) -> Option<Vec<DefId>> {
        if depth > 8 {
            return None;
        }
        let facts = self.facts(interface.file);
        let body = self.def(interface).body;
        let mut all: Vec<DefId> = facts
            .all_in_scope(body)
            .iter()
            .filter(|&&d| facts.definitions[d as usize].kind == DefinitionKind::Method)
            .map(|&def| DefId { file: interface.file, def })
            .collect();
        for supertype in self.supertypes(interface) {
            match supertype {
                Ty::Type(supertype, _) => all.extend(self.required_methods(supertype, depth + 1)?),
                Ty::Named(..) | Ty::External => {}
                // A type set (`~int | ~string`): nothing is called through it.
                _ => return None,
            }
        }
        Some(all)
    }

    /// Whether a type has all required methods, with parameter and result types that are not known
    /// to differ.
    fn implements_methods(&self, ty: DefId, demands: &[DefId]) -> bool {
        let value = Ty::Instance(ty, Ty::no_arguments());
        demands.iter().all(|&wanted| {
            let facts = self.facts(wanted.file);
            let name = facts.strings.text(self.def(wanted).name);
            let found = self.members_named(&value, name, MEMBERS);
            found.iter().any(|f| {
                // A prototype without parameter names has no parameter definitions: its arity is
                // unknown.
                let (has, asks) = (self.parameters(f.id), self.parameters(wanted));
                let counts = has.len() == asks.len() || has.is_empty() || asks.is_empty();
                let other = |(a, b): (&DefId, &DefId)| {
                    self.are_different_types(
                        &self.type_of_definition(*a),
                        &self.type_of_definition(*b),
                        4,
                    )
                };
                self.def(f.id).kind.is_callable()
                    && counts
                    && !has.iter().zip(&asks).any(other)
                    && !self.are_different_types(
                        &self.declared_result(f.id),
                        &self.declared_result(wanted),
                        4,
                    )
            })
        })
    }

    /// Whether two types are known to be different. Types that are only partly known count as
    /// equal, so that a match is not lost.
    fn are_different_types(&self, a: &Ty, b: &Ty, depth: u32) -> bool {
        let same = |a: &[Ty], b: &[Ty]| {
            !a.iter().zip(b).any(|(a, b)| self.are_different_types(a, b, depth - 1))
        };
        let alias = |id: &DefId| self.def(*id).kind == DefinitionKind::TypeAlias;
        match (a, b) {
            _ if depth == 0 => false,
            (Ty::Instance(a, _), Ty::Instance(b, _)) => a != b && !alias(a) && !alias(b),
            (Ty::Array(a), Ty::Array(b)) => self.are_different_types(a, b, depth - 1),
            (Ty::Named(a, p), Ty::Named(b, q)) => a != b || !same(p, q),
            (Ty::Tuple(p), Ty::Tuple(q)) => p.len() != q.len() || !same(p, q),
            (Ty::Instance(id, _), Ty::Named(..) | Ty::Array(_))
            | (Ty::Named(..) | Ty::Array(_), Ty::Instance(id, _)) => !alias(id),
            (Ty::Named(..), Ty::Array(_)) | (Ty::Array(_), Ty::Named(..)) => true,
            _ => false,
        }
    }

    /// The declared return type of a function.
    fn declared_result(&self, id: DefId) -> Ty {
        self.type_of_value(id.file, self.def(id).value)
    }

    /// The types that implement a Go interface. Implementation is structural, so candidates are
    /// found by method name.
    pub(super) fn go_implementing_types(&self, interface: DefId) -> Vec<DefId> {
        let Some(demands) = self.required_methods(interface, 0).filter(|d| !d.is_empty()) else {
            return Vec::new();
        };
        let name_of = |id: &DefId| self.facts(id.file).strings.text(self.def(*id).name);
        // The method that the fewest types have leaves the fewest candidates.
        let rarest = demands.iter().min_by_key(|id| self.definitions_named(name_of(id)).count());
        let Some(rarest) = rarest else { return Vec::new() };
        let mut all: Vec<DefId> = self
            .definitions_named(name_of(rarest))
            .filter(|id| {
                self.language(id.file) == "go"
                    && matches!(
                        self.def(*id).kind,
                        DefinitionKind::Method | DefinitionKind::Function
                    )
            })
            .filter_map(|id| self.container_type(id))
            .filter(|ty| *ty != interface)
            .collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_HIERARCHY_TYPES);
        all.retain(|ty| {
            self.reset_steps();
            self.implements_methods(*ty, &demands)
        });
        all
    }

    /// The Go interfaces that require the method `name` and that a type implements.
    pub(super) fn go_implemented_interfaces(&self, ty: DefId, name: &str) -> Vec<DefId> {
        let mut all: Vec<DefId> = self
            .definitions_named(name)
            .filter(|id| self.def(*id).kind == DefinitionKind::Method)
            .filter_map(|id| self.container_type(id))
            .filter(|i| self.is_go_interface(*i) && *i != ty)
            .collect();
        all.sort_unstable();
        all.dedup();
        all.truncate(MAX_HIERARCHY_TYPES);
        all.retain(|interface| {
            self.reset_steps();
            self.required_methods(*interface, 0)
                .is_some_and(|demands| self.implements_methods(ty, &demands))
        });
        all
    }

    /// The supertypes of a type, including the traits of its `impl`s and the Go interfaces it
    /// implements. An interface of Go counts only if it requires the method `name`: otherwise most
    /// types would implement most interfaces.
    pub(crate) fn all_supertypes(&self, ty: DefId, name: &str) -> Vec<Ty> {
        let mut all = self.supertypes(ty);
        match self.language(ty.file) {
            "rust" => self.each_extension(ty, &mut |file, extension| {
                if extension.interface.is_some() {
                    all.push(self.type_of_value(file, extension.interface));
                }
            }),
            "go" if !name.is_empty() => {
                let interfaces = self.go_implemented_interfaces(ty, name);
                all.extend(interfaces.into_iter().map(|id| Ty::Type(id, Ty::no_arguments())));
            }
            _ => {}
        }
        all
    }

    /// The interface methods that a method implements, and the methods that override it.
    pub(super) fn implemented_and_overriding_methods(&self, id: DefId) -> Vec<DefId> {
        let Some(own) = self.container_type(id) else { return Vec::new() };
        let name = self.facts(id.file).strings.text(self.def(id).name);
        let (mut open, mut seen, mut all) = (vec![own], vec![own], Vec::new());
        if self.def(own).kind == DefinitionKind::Class {
            all = self.overriding_methods(id);
        }
        while let Some(at) = open.pop() {
            self.reset_steps();
            for supertype in self.supertypes(at) {
                let (Ty::Type(supertype, _) | Ty::Instance(supertype, _)) = supertype else {
                    continue;
                };
                if seen.len() < MAX_HIERARCHY_TYPES && !seen.contains(&supertype) {
                    seen.push(supertype);
                    open.push(supertype);
                    if self.def(supertype).kind == DefinitionKind::Interface {
                        let methods = self.own_members(supertype, name).into_iter().map(|f| f.id);
                        all.extend(methods.filter(|m| self.has_same_signature(id, *m)));
                    }
                }
            }
        }
        all
    }

    /// The methods in subtypes that override a method.
    pub(super) fn overriding_methods(&self, id: DefId) -> Vec<DefId> {
        let def = self.def(id);
        if def.kind != DefinitionKind::Method || def.flags.has(Flags::STATIC | Flags::PRIVATE) {
            return Vec::new();
        }
        let all = self.overriding_members(id).into_iter();
        all.filter(|m| self.has_same_signature(*m, id)).collect()
    }

    /// Whether two methods of one name in one hierarchy have equal parameter and result types.
    fn has_same_signature(&self, a: DefId, b: DefId) -> bool {
        self.same_parameters(a, b)
            && !self.are_different_types(&self.declared_result(a), &self.declared_result(b), 4)
            && self.result_name(a) == self.result_name(b)
    }

    /// Whether two functions have equal parameter types, as far as they are known.
    pub(super) fn same_parameters(&self, a: DefId, b: DefId) -> bool {
        let (p, q) = (self.parameters(a), self.parameters(b));
        let other = |(a, b): (&DefId, &DefId)| {
            self.are_different_types(&self.type_of_definition(*a), &self.type_of_definition(*b), 4)
        };
        p.len() == q.len() && !p.iter().zip(&q).any(other)
    }

    /// The name of a function's declared return type.
    fn result_name(&self, id: DefId) -> Option<&str> {
        let facts = self.facts(id.file);
        let mut value = self.def(id).value;
        for _ in 0..4 {
            if let Some(r) = value.as_reference() {
                return Some(facts.strings.text(facts.references[r as usize].name));
            }
            match facts.expressions.get(value.as_expression()? as usize)? {
                Expression::Typed(inner) | Expression::Same(inner) => value = *inner,
                Expression::Generic(base, _) => value = *base,
                _ => return None,
            }
        }
        None
    }

    /// The override set of a member, the member itself included.
    pub(crate) fn override_set(&self, id: DefId) -> OverrideSet {
        let mut family = OverrideSet { members: vec![id], ..OverrideSet::default() };
        let Some(container) = self.container_type(id) else { return family };
        let facts = self.facts(id.file);
        let name = facts.strings.text(self.def(id).name);
        if self.language(id.file) == "rust" {
            self.trait_override_set(id, container, name, &mut family);
            return family;
        }
        let mut seen: FxHashSet<DefId> = FxHashSet::default();
        let mut open = vec![container];
        seen.insert(container);
        // Work list: each type contributes all supertypes that declare the member and all its
        // subtypes. A subtype can add further supertypes, so the search goes on until nothing is
        // new.
        while let Some(ty) = open.pop() {
            self.reset_steps();
            if seen.len() > MAX_HIERARCHY_TYPES {
                family.is_truncated = true;
                break;
            }
            // Supertypes count if they declare the member, however far up they are.
            let mut up = vec![ty];
            let mut climbed: FxHashSet<DefId> = FxHashSet::default();
            while let Some(at) = up.pop() {
                if !climbed.insert(at) || climbed.len() > MAX_HIERARCHY_TYPES {
                    continue;
                }
                for supertype in self.all_supertypes(at, name) {
                    match supertype {
                        Ty::Type(supertype, _) | Ty::Instance(supertype, _) => {
                            if !self.own_members(supertype, name).is_empty()
                                && seen.insert(supertype)
                            {
                                open.push(supertype);
                            }
                            up.push(supertype);
                        }
                        Ty::Object(..) | Ty::Parameter(_) => {}
                        supertype => {
                            if family.external_base.is_none()
                                && !has_no_overridable_members(&supertype)
                            {
                                family.external_base = Some(at);
                            }
                        }
                    }
                }
            }
            // Subtypes count in any case: a subtype without the member still passes it on.
            for subtype in self.direct_subtypes(ty) {
                if seen.insert(subtype) {
                    open.push(subtype);
                }
            }
        }
        let mut types: Vec<DefId> = seen.into_iter().collect();
        types.sort_unstable();
        let kind = |id: DefId| self.def(id).kind.is_callable();
        for ty in types {
            for member in self.own_members(ty, name) {
                if !family.members.contains(&member.id) && kind(member.id) == kind(id)
                    || self.def(member.id).flags.has(Flags::PROPERTY)
                {
                    family.members.push(member.id);
                }
            }
            let unnamed = self.anonymous_class_members(ty, name).into_iter();
            family.members.extend(unnamed.filter(|m| *m != id && kind(*m) == kind(id)));
        }
        family.members.dedup();
        family
    }

    /// The members of a name in anonymous subclasses of a type: those have no type definition of
    /// their own.
    fn anonymous_class_members(&self, ty: DefId, name: &str) -> Vec<DefId> {
        let body = self.def(ty).body;
        let type_name = self.facts(ty.file).strings.text(self.def(ty).name);
        let mut all = Vec::new();
        for file in self.files_containing(type_name) {
            let facts = self.facts(file);
            let Some(name_id) = facts.strings.find(name) else { continue };
            for &def in facts.definitions_named(name_id) {
                let scope = facts.definitions[def as usize].scope;
                let open =
                    facts.scopes.get(scope as usize).map(|s| s.kind) == Some(ScopeKind::Open);
                let id = DefId { file, def };
                if open && (file, scope) != (ty.file, body) && self.container_type(id) == Some(ty) {
                    all.push(id);
                }
            }
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The override set of a trait's member: the trait's declaration and the members of its
    /// `impl`s. An inherent member overrides nothing.
    fn trait_override_set(
        &self,
        id: DefId,
        container: DefId,
        name: &str,
        family: &mut OverrideSet,
    ) {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        let namespace = self.def(id).namespace;
        let extension = facts.extensions.iter().find(|e| e.scope == scope);
        let trait_ = match extension {
            Some(e) if e.interface.is_some() => match self.type_of_value(id.file, e.interface) {
                Ty::Type(trait_, _) => trait_,
                _ => {
                    family.external_base = Some(container);
                    return;
                }
            },
            Some(_) => return,
            None if self.def(container).kind == DefinitionKind::Trait => container,
            None => return,
        };
        let body = self.def(trait_).body;
        let own = self.scope_definitions(trait_.file, body, name, namespace, Origin::Member);
        let mut all: Vec<DefId> = own.into_iter().map(|f| f.id).collect();
        self.each_implementation(trait_, &mut |file, n| {
            let scope = self.facts(file).extensions[n].scope;
            let own = self.scope_definitions(file, scope, name, namespace, Origin::Member);
            all.extend(own.into_iter().map(|f| f.id));
        });
        for id in all {
            if !family.members.contains(&id) {
                family.members.push(id);
            }
        }
    }
}

/// Whether an external type has no members that anybody overrides.
fn has_no_overridable_members(ty: &Ty) -> bool {
    let Ty::Named(name, _) = ty else { return false };
    matches!(
        &**name,
        "object"
            | "Object"
            | "ABC"
            | "Generic"
            | "Protocol"
            | "Enum"
            | "Cloneable"
            | "Serializable"
    )
}
