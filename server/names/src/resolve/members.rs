//! Members of types: own, inherited, embedded and added by extensions.

use rustc_hash::FxHashSet;

use super::{DefId, Resolution, Resolver, Ty};
use crate::facts::{NONE, Ref};
use crate::index::FileId;
use crate::origin::Origin;
use crate::resolve::languages::rules;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Resolver<'_> {
    /// Resolves a member reference through the type of its receiver.
    pub(super) fn member_reference(
        &self,
        file: FileId,
        reference: &Ref,
        name: &str,
    ) -> Vec<Resolution> {
        let ty = self.type_of_value(file, reference.receiver);
        let found = self.members_named(&ty, name, reference.namespace);
        if !found.is_empty() {
            return found;
        }
        let extending =
            rules(self.language(file)).extension_members(self, file, reference, &ty, name);
        if !extending.is_empty() {
            return extending;
        }
        match ty {
            Ty::Unknown => self.unique_member(file, name, reference),
            Ty::Module(file, scope) if name == "super" => {
                self.module_targets(&self.parent_of_module(file, scope))
            }
            Ty::Named(..) | Ty::Array(_) | Ty::Tuple(_) if self.language(file) == "rust" => {
                self.members_of_external_type(file, reference, &ty, name)
            }
            _ => Vec::new(),
        }
    }

    /// The members of a type by name.
    pub(crate) fn members_named(
        &self,
        ty: &Ty,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        match ty {
            Ty::Module(file, scope) => {
                let own = self.module_members(*file, *scope, name, namespace, 0);
                let at = &self.facts(*file).scopes[*scope as usize];
                if own.is_empty() && at.kind == ScopeKind::Namespace && at.owner != NONE {
                    // `namespace a::b`: both definitions share one body.
                    let facts = self.facts(*file);
                    let nested = facts.strings.find(name).and_then(|name_id| {
                        facts.definitions_named(name_id).iter().copied().find(|&d| {
                            let def = &facts.definitions[d as usize];
                            def.kind == DefinitionKind::Namespace && def.body == *scope
                        })
                    });
                    if let Some(def) = nested {
                        let id = DefId { file: *file, def };
                        return vec![Resolution { id, origin: Origin::Member }];
                    }
                    return self.namespace_members_elsewhere(*file, at.owner, name, namespace);
                }
                own
            }
            Ty::Folder(module) => {
                self.folder_members(module, None, name, namespace, Origin::Import)
            }
            Ty::Type(id, _) | Ty::Instance(id, _) | Ty::Function(id) => {
                let mut seen = FxHashSet::default();
                let found = self.type_members(*id, name, namespace, &mut seen);
                if found.is_empty() && self.language(id.file) == "rust" {
                    return self.deref_members(ty, *id, name, namespace);
                }
                found
            }
            Ty::Object(file, scope) => self.object_members(*file, *scope, name, namespace),
            Ty::Parameter(id) => match self.upper_bound(*id).instance() {
                Ty::Parameter(_) => Vec::new(),
                bound => self.members_named(&bound, name, namespace),
            },
            Ty::Union(all) => {
                let mut found: Vec<Resolution> = Vec::new();
                for ty in all.iter() {
                    for f in self.members_named(ty, name, namespace) {
                        if !found.iter().any(|o| o.id == f.id) {
                            found.push(f);
                        }
                    }
                }
                found
            }
            Ty::Super(id) => {
                let mut seen = FxHashSet::default();
                seen.insert(*id);
                self.inherited(*id, name, namespace, &mut seen)
            }
            _ => Vec::new(),
        }
    }

    fn object_members(
        &self,
        file: FileId,
        scope: u32,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let own = self.scope_definitions(file, scope, name, namespace, Origin::TypedMember);
        if !own.is_empty() {
            return own;
        }
        let subject = self.facts(file).scopes[scope as usize].subject;
        if subject.is_some() {
            self.members_named(&self.type_of_value(file, subject), name, namespace)
        } else {
            own
        }
    }

    /// Members of a type: its own, then those of extensions, then inherited ones.
    pub(super) fn type_members(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
        seen: &mut FxHashSet<DefId>,
    ) -> Vec<Resolution> {
        // `seen` guards against cyclic hierarchies (`class A(B)`, `class B(A)` while someone is
        // typing); the limit bounds pathological ones.
        if seen.len() > 200 || !seen.insert(id) {
            return Vec::new();
        }
        if self.has_method_resolution_order(id) {
            return self.resolution_order_members(id, name, namespace, false);
        }
        let facts = self.facts(id.file);
        let def = self.def(id);
        let mut own = Vec::new();
        if def.body != NONE {
            own = self.scope_definitions(id.file, def.body, name, namespace, Origin::TypedMember);
            own.retain(|f| {
                let member = self.def(f.id);
                !matches!(
                    member.kind,
                    DefinitionKind::TypeParameter
                        | DefinitionKind::Import
                        | DefinitionKind::Parameter
                ) && (!def.kind.is_callable() || member.flags.has(Flags::INSTANCE))
            });
            own = self.prefer_declaring(own);
        }
        if own.is_empty()
            && def.kind == DefinitionKind::Enum
            && matches!(facts.language.id(), "c" | "cpp")
        {
            own = self.scope_definitions(id.file, def.scope, name, namespace, Origin::TypedMember);
            own.retain(|f| self.def(f.id).kind == DefinitionKind::EnumMember);
        }
        if own.is_empty() || matches!(facts.language.id(), "java" | "rust") {
            own.extend(self.extension_members(id, name, namespace));
        }
        if own.is_empty() && def.kind.is_type() {
            own = self.merged_declaration_members(id, name, namespace);
        }
        let overloads = facts.language.id() == "java"
            && own.iter().all(|f| self.def(f.id).kind == DefinitionKind::Method);
        if !own.is_empty() && !overloads {
            return own;
        }
        if def.kind == DefinitionKind::TypeAlias && def.value.is_some() {
            let under = self.type_of_value(id.file, def.value).instance();
            let found = match &under {
                Ty::Type(other, _) | Ty::Instance(other, _) => {
                    self.type_members(*other, name, namespace, seen)
                }
                under => self.members_named(under, name, namespace),
            };
            if !found.is_empty() {
                return found;
            }
        }
        let above = self.inherited(id, name, namespace, seen);
        if above.is_empty() && own.is_empty() && facts.language.id() == "javascript" {
            return self.sibling_exports(id, name);
        }
        self.with_overloads(own, above)
    }

    /// Overloads of Java may be spread over a hierarchy; inherited methods that are overridden stay
    /// out.
    fn with_overloads(&self, own: Vec<Resolution>, above: Vec<Resolution>) -> Vec<Resolution> {
        if own.is_empty() {
            return above;
        }
        let mut all = own;
        for f in above {
            if !all.iter().any(|o| self.same_parameters(o.id, f.id)) {
                all.push(f);
            }
        }
        all
    }

    /// Members of the supertypes; the nearest supertype that has the name wins.
    pub(super) fn inherited(
        &self,
        id: DefId,
        name: &str,
        namespace: Namespace,
        seen: &mut FxHashSet<DefId>,
    ) -> Vec<Resolution> {
        if self.has_method_resolution_order(id) {
            return self.resolution_order_members(id, name, namespace, true);
        }
        for above in self.supertypes(id) {
            let found = match &above {
                Ty::Type(above, _) | Ty::Instance(above, _) | Ty::Function(above) => {
                    self.type_members(*above, name, namespace, seen)
                }
                other => self.members_named(other, name, namespace),
            };
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The types that a type's declaration lists as supertypes.
    pub(crate) fn supertypes(&self, id: DefId) -> Vec<Ty> {
        let facts = self.facts(id.file);
        let mut all = Vec::new();
        for &above in facts.list(self.def(id).supertypes) {
            match self.type_of_value(id.file, above) {
                Ty::Union(inner) => all.extend(inner.iter().cloned()),
                ty => all.push(ty),
            }
        }
        all
    }
}
