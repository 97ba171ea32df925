//! Navigation from a name to its declaration, its type, and its implementations.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::Value;
use crate::facts::NameSite;
use crate::index::FileId;
use crate::origin::{Origin, Target};
use crate::vocabulary::{DefinitionKind, Flags};

/// Limit of the implementations returned.
const MAX_RESULTS: usize = 2_000;

/// Depth limit for taking types apart.
const MAX_DEPTH: u32 = 6;

impl Resolver<'_> {
    /// The declarations of a name, where they are apart from the definition: prototypes, and the
    /// interface or trait members that a member implements. Otherwise the definition.
    pub(crate) fn declarations(&self, file: FileId, site: NameSite) -> Vec<Resolution> {
        let found = self.definitions_at_site(file, site);
        let mut out: Vec<Resolution> = Vec::new();
        let mut add = |f: Resolution| {
            if !out.iter().any(|o| o.id == f.id) {
                out.push(f);
            }
        };
        for f in found {
            let declared = |id: &DefId| self.def(*id).flags.has(Flags::DECLARED);
            if matches!(self.language(f.id.file), "c" | "cpp") {
                let all = self.redeclarations(f.id, true);
                let all: Vec<DefId> = all.into_iter().filter(declared).collect();
                if !all.is_empty() && !declared(&f.id) {
                    all.into_iter().for_each(|id| add(Resolution { id, ..f }));
                    continue;
                }
            }
            let demanded = self.implemented_interface_members(f.id);
            if demanded.is_empty() {
                add(f);
            } else {
                demanded
                    .into_iter()
                    .for_each(|id| add(Resolution { id, origin: Origin::TypedMember }));
            }
        }
        out
    }

    /// The interface and trait members that a member implements.
    fn implemented_interface_members(&self, id: DefId) -> Vec<DefId> {
        if !self.def(id).kind.is_callable() {
            return Vec::new();
        }
        let abstract_type = |ty: DefId| {
            matches!(self.def(ty).kind, DefinitionKind::Interface | DefinitionKind::Trait)
        };
        let Some(own) = self.container_type(id) else { return Vec::new() };
        if abstract_type(own) && !self.is_trait_member(id) {
            return Vec::new();
        }
        let members = self.override_set(id).members.into_iter();
        members
            .filter(|m| {
                *m != id
                    && !self.is_trait_member(*m)
                    && self.container_type(*m).is_some_and(abstract_type)
            })
            .collect()
    }

    /// The type definitions for a name.
    pub(crate) fn type_definitions(&self, file: FileId, site: NameSite) -> Vec<Resolution> {
        let ty = match site {
            NameSite::Reference(r) => self.type_of_value(file, Value::reference(r)),
            NameSite::Definition(def) => self.type_of_definition(DefId { file, def }),
        };
        let mut out = Vec::new();
        self.named_types(&ty, MAX_DEPTH, &mut out);
        out
    }

    /// Collects the type definitions in a type; for a function those of its result, for a generic
    /// type those of its arguments.
    fn named_types(&self, ty: &Ty, depth: u32, out: &mut Vec<Resolution>) {
        if depth == 0 || out.len() > 16 {
            return;
        }
        match ty {
            Ty::Type(id, _) | Ty::Instance(id, _) | Ty::Parameter(id) => {
                if self.def(*id).kind.is_type() && !out.iter().any(|f| f.id == *id) {
                    out.push(Resolution { id: *id, origin: Origin::TypedMember });
                }
            }
            Ty::Function(id) => self.named_types(&self.return_type(*id), depth - 1, out),
            Ty::Signature(returns, _) => self.named_types(returns, depth - 1, out),
            Ty::Lambda(file, scope) => {
                self.named_types(&self.scope_return_type(*file, *scope), depth - 1, out);
            }
            Ty::Array(element) => self.named_types(element, depth - 1, out),
            Ty::Named(_, all) | Ty::Union(all) => {
                all.iter().for_each(|ty| self.named_types(ty, depth - 1, out));
            }
            Ty::Module(..)
            | Ty::Folder(_)
            | Ty::Object(..)
            | Ty::Tuple(_)
            | Ty::Super(_)
            | Ty::Unknown
            | Ty::External => {}
        }
    }

    /// The implementations of a name: subtypes of a type, overriding members of a member, the body
    /// of a declaration.
    pub(crate) fn implementations(&self, file: FileId, site: NameSite) -> Vec<Target> {
        let mut out: Vec<Target> = Vec::new();
        for found in self.prefer_bodies(self.definitions_at_site(file, site)) {
            let def = self.def(found.id);
            let before = out.len();
            if def.kind.is_type() {
                self.implementing_types(found.id, &mut out);
            } else if def.kind.is_callable() && self.container_type(found.id).is_some() {
                for id in self.overriding_members(found.id) {
                    out.extend(self.definition_target(id, Origin::TypedMember));
                }
            }
            let is_abstract = def.kind == DefinitionKind::Interface
                || def.kind == DefinitionKind::Trait
                || def.flags.has(Flags::DECLARED | Flags::ABSTRACT);
            if out.len() == before && !is_abstract {
                out.extend(self.definition_target(found.id, found.origin));
            }
        }
        out.sort_by_key(|t| (t.file, t.name_span.start));
        out.dedup_by_key(|t| (t.file, t.name_span.start));
        out.truncate(MAX_RESULTS);
        out
    }

    /// Collects all subtypes of a type, and the `impl` blocks in Rust.
    fn implementing_types(&self, ty: DefId, out: &mut Vec<Target>) {
        let mut open = vec![ty];
        let mut seen = vec![ty];
        while let Some(at) = open.pop() {
            self.reset_steps();
            for subtype in self.direct_subtypes(at) {
                if seen.len() < MAX_RESULTS && !seen.contains(&subtype) {
                    seen.push(subtype);
                    open.push(subtype);
                    if self.def(at).kind != DefinitionKind::Trait {
                        out.extend(self.definition_target(subtype, Origin::TypedMember));
                    }
                }
            }
            self.each_implementation(at, &mut |file, n| {
                let extension = self.facts(file).extensions[n];
                out.extend(self.impl_target(file, extension.scope, extension.target));
            });
        }
        if self.language(ty.file) == "rust" && self.def(ty).kind != DefinitionKind::Trait {
            self.each_extension(ty, &mut |file, extension| {
                out.extend(self.impl_target(file, extension.scope, extension.target));
            });
        }
    }

    /// An `impl` block, identified by the name of the type it is for.
    fn impl_target(&self, file: FileId, scope: u32, target: Value) -> Option<Target> {
        let facts = self.facts(file);
        let at = facts.scopes.get(scope as usize)?;
        let named = target.as_reference().or_else(|| {
            let name = facts.extensions.iter().find(|e| e.scope == scope)?.name;
            let inside =
                |r: &crate::facts::Ref| r.name == name && r.start >= at.start && r.end <= at.end;
            let found = facts.references.iter().position(inside)?;
            Some(found as u32)
        });
        let name = &facts.references[named? as usize];
        Some(Target {
            file,
            span: at.start as usize..at.end as usize,
            name_span: name.start as usize..name.end as usize,
            origin: Origin::TypedMember,
            confidence: Origin::TypedMember.confidence(),
        })
    }

    /// The members in subtypes that override a member.
    pub(super) fn overriding_members(&self, id: DefId) -> Vec<DefId> {
        let Some(own) = self.container_type(id) else { return Vec::new() };
        let name = self.facts(id.file).strings.text(self.def(id).name);
        if self.language(id.file) == "rust" {
            let all = self.override_set(id).members.into_iter();
            return all.filter(|m| *m != id && self.is_trait_member(*m)).collect();
        }
        let (mut open, mut seen, mut out) = (vec![own], vec![own], Vec::new());
        while let Some(at) = open.pop() {
            self.reset_steps();
            for subtype in self.direct_subtypes(at) {
                if seen.len() > MAX_RESULTS || seen.contains(&subtype) {
                    continue;
                }
                seen.push(subtype);
                open.push(subtype);
                let members = self.own_members(subtype, name);
                for f in self.prefer_bodies(members) {
                    if !out.contains(&f.id) {
                        out.push(f.id);
                    }
                }
            }
        }
        out
    }

    /// Where overriding methods are declared.
    pub(crate) fn overriding_declarations(&self, symbol: &FxHashSet<DefId>) -> Vec<Target> {
        let mut out = Vec::new();
        for &id in symbol {
            out.extend(self.overriding_methods(id).into_iter().map(|m| {
                let method = self.def(m);
                self.name_target(m.file, method.name_start, method.name_end, Origin::TypedMember)
            }));
        }
        out
    }

    /// A definition as a target.
    pub(crate) fn definition_target(&self, id: DefId, origin: Origin) -> Option<Target> {
        let def = self.def(id);
        let module = id.def == 0;
        (module || def.name_start < def.name_end).then(|| Target {
            file: id.file,
            span: if module {
                def.name_start as usize..def.name_end as usize
            } else {
                def.start as usize..def.end as usize
            },
            name_span: def.name_start as usize..def.name_end as usize,
            origin,
            confidence: origin.confidence(),
        })
    }
}
