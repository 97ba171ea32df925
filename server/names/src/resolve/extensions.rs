//! Members that types get from outside of their bodies: `impl`s and Go methods, merged
//! declarations, assignments in methods.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::{Extension, NONE};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::languages::is_same_language_family;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// Members that extensions add to a type.
    pub(super) fn extension_members(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let mut found = Vec::new();
        let mut defaults = Vec::new();
        self.each_extension(id, &mut |file, extension| {
            found.extend(self.scope_definitions(
                file,
                extension.scope,
                name,
                namespace,
                Origin::TypedMember,
            ));
            if extension.interface.is_some() {
                defaults.push((file, extension.interface));
            }
        });
        found.retain(|f| self.def(f.id).kind != DefinitionKind::TypeParameter);
        self.keep_active_builds(&mut found);
        let read = |f: &Resolution| !self.def(f.id).flags.has(Flags::INACTIVE);
        if found.iter().any(read) {
            found.retain(read);
        }
        let demanded = |f: &Resolution| {
            is_declared_by_trait(self.def(f.id).kind) && self.is_trait_member(f.id)
        };
        if found.iter().all(demanded) {
            // The trait's declaration is the definition of its associated types and constants.
            found.clear();
        }
        if !found.is_empty() || name.is_empty() {
            // An inherent member shadows trait members.
            let inherent = |f: &Resolution| !self.is_trait_member(f.id);
            if found.iter().any(inherent) {
                found.retain(inherent);
            }
            return found;
        }
        for (file, interface) in defaults {
            let ty = self.type_of_value(file, interface);
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

    /// The trait's declaration of an associated type or constant that an `impl` sets.
    pub(super) fn trait_declaration(&self, id: DefId) -> Option<Vec<Resolution>> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let extension = facts.extensions.iter().find(|e| e.scope == def.scope)?;
        if extension.interface.is_none() || !is_declared_by_trait(def.kind) {
            return None;
        }
        let interface = self.type_of_value(id.file, extension.interface);
        let own = self.members_named(&interface, facts.strings.text(def.name), def.namespace);
        Some(own).filter(|own| !own.is_empty() || def.kind == DefinitionKind::TypeAlias)
    }

    pub(super) fn is_trait_member(&self, id: DefId) -> bool {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        facts.extensions.iter().any(|e| e.scope == scope && e.interface.is_some())
    }

    /// Visits every extension of a type. Extensions name their type, so only files that contain the
    /// name are searched.
    pub(crate) fn each_extension(&self, id: DefId, visit: &mut dyn FnMut(FileId, &Extension)) {
        let facts = self.facts(id.file);
        let own = facts.strings.text(self.def(id).name);
        let postings = self.index.names.get(own);
        let all = postings.into_iter().flat_map(|p| p.defined.iter().chain(&p.used));
        let language = facts.language.id();
        // A name like `T` occurs in thousands of files: conditions that need no facts come first.
        let may_extend = |file: FileId| {
            is_same_language_family(self.language(file), language)
                && (language != "go" || self.folder(file) == self.folder(id.file))
        };
        for &file in all.chain(self.index.extending_in_library(id.file, own)) {
            if !may_extend(file) {
                continue;
            }
            let other = self.facts(file);
            if other.extensions.is_empty() {
                continue;
            }
            let Some(name_id) = other.strings.find(own) else { continue };
            for extension in other.extensions.iter().filter(|e| e.name == name_id) {
                let is_this = match self.type_of_value(file, extension.target) {
                    Ty::Type(target, _) | Ty::Instance(target, _) | Ty::Function(target) => {
                        target == id
                    }
                    _ => false,
                };
                if is_this {
                    visit(file, extension);
                }
            }
        }
    }

    /// Members of other declarations that merge with a type: interfaces, a class and its namespace.
    pub(super) fn merged_declaration_members(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let facts = self.facts(id.file);
        if !matches!(facts.language.id(), "typescript" | "tsx") {
            return Vec::new();
        }
        let def = self.def(id);
        let mut found = Vec::new();
        for &other in facts.definitions_in_scope(def.scope, def.name) {
            let body = facts.definitions[other as usize].body;
            if other != id.def && body != NONE {
                found.extend(self.scope_definitions(
                    id.file,
                    body,
                    name,
                    namespace,
                    Origin::TypedMember,
                ));
            }
        }
        found
    }

    /// The declaration of an attribute that a method assigns.
    pub(super) fn declared_attribute(&self, id: DefId) -> Vec<Resolution> {
        let facts = self.facts(id.file);
        let def = self.def(id);
        let owner = facts.scopes[def.scope as usize].owner;
        if owner == NONE {
            return Vec::new();
        }
        let class = DefId { file: id.file, def: owner };
        let name = facts.strings.text(def.name);
        let mut own =
            self.scope_definitions(id.file, def.scope, name, def.namespace, Origin::Member);
        let typescript = matches!(facts.language.id(), "typescript" | "tsx");
        if typescript {
            own.retain(|f| !self.def(f.id).flags.has(Flags::INSTANCE));
            if own.is_empty() {
                let mut seen = FxHashSet::default();
                seen.insert(class);
                return self.inherited(class, name, def.namespace, &mut seen);
            }
        }
        if self.has_method_resolution_order(class) {
            return self.resolution_order_members(class, name, def.namespace, false);
        }
        self.prefer_declaring(own)
    }

    /// Of several definitions of an attribute, the one that declares its type, else the first one.
    /// Functions stay together.
    pub(super) fn prefer_declaring(&self, own: Vec<Resolution>) -> Vec<Resolution> {
        if own.len() < 2 || own.iter().all(|f| self.def(f.id).kind.is_callable()) {
            if own.iter().any(|f| self.def(f.id).flags.has(Flags::PROPERTY)) && own.len() > 1 {
                return own.into_iter().take(1).collect();
            }
            return own;
        }
        let typed = |f: &&Resolution| self.is_typed(f.id.file, self.def(f.id).value);
        let in_class = |f: &&Resolution| !self.def(f.id).flags.has(Flags::INSTANCE);
        let chosen = own
            .iter()
            .find(|f| typed(f))
            .or_else(|| own.iter().find(|f| in_class(f)))
            .or(own.first())
            .copied();
        chosen.into_iter().collect()
    }
}

/// Whether a trait's member of this kind has its definition in the trait; `impl`s only set it.
fn is_declared_by_trait(kind: DefinitionKind) -> bool {
    matches!(kind, DefinitionKind::TypeAlias | DefinitionKind::Constant)
}
