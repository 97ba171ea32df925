//! Module exports and imports of JavaScript that are not declarations: CommonJS, and names for
//! whole modules.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{Def, NameSite, ReferenceRole};
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace, ScopeKind};

impl Resolver<'_> {
    /// The members of `module.exports = X`.
    pub(super) fn common_js_exports(
        &self,
        file: FileId,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let Some(name_id) = facts.strings.find("exports") else { return Vec::new() };
        let mut all = Vec::new();
        for &def in facts.definitions_in_scope(0, name_id) {
            let d = &facts.definitions[def as usize];
            if !d.flags.has(Flags::HIDDEN) {
                continue;
            }
            if name == "default" {
                let id = DefId { file, def };
                let found = self.follow_import(Resolution { id, origin: Origin::Import });
                if found.iter().all(|f| f.id == id) && self.is_export_list(file, d.value) {
                    // Only a list of exports (`{ a, b }`): the default is the module itself.
                    let id = DefId { file, def: 0 };
                    return vec![Resolution { id, origin: Origin::Import }];
                }
                return found;
            }
            let ty = self.type_of_value(file, d.value);
            let found = self.members_named(&ty, name, namespace);
            if found.is_empty() {
                all.extend(self.merged_namespace_members(file, d.value, name, namespace));
            }
            all.extend(found);
        }
        all
    }

    /// Members of a namespace that merges with the exported value: `export = f; namespace f { … }`.
    fn merged_namespace_members(
        &self,
        file: FileId,
        value: Value,
        name: &str,
        namespace: Namespace,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let Some(r) = value.as_reference() else { return Vec::new() };
        let own = facts.definitions_in_scope(0, facts.references[r as usize].name).iter();
        let is_namespace =
            |d: &&u32| facts.definitions[**d as usize].kind == DefinitionKind::Namespace;
        own.filter(is_namespace)
            .flat_map(|&def| {
                let ty = self.type_of_definition(DefId { file, def });
                self.members_named(&ty, name, namespace)
            })
            .collect()
    }

    /// Whether a value is an object that only lists variables: `{ a, b }`.
    pub(super) fn is_export_list(&self, file: FileId, value: Value) -> bool {
        let facts = self.facts(file);
        let Ty::Object(_, scope) = self.type_of_value(file, value) else { return false };
        let mut all = facts.all_in_scope(scope).iter();
        all.all(|&d| facts.definitions[d as usize].kind == DefinitionKind::Import)
    }

    /// Whether a definition is a name in such a list of CommonJS exports.
    pub(super) fn is_in_export_list(&self, id: DefId) -> bool {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        let Some(name_id) = facts.strings.find("exports") else { return false };
        facts.definitions_in_scope(0, name_id).iter().any(|&d| {
            let d = &facts.definitions[d as usize];
            d.flags.has(Flags::HIDDEN)
                && matches!(self.type_of_value(id.file, d.value), Ty::Object(_, s) if s == scope)
                && self.is_export_list(id.file, d.value)
        })
    }

    /// Whether a definition is a shorthand name in the object that a CommonJS module exports.
    pub(crate) fn is_in_exports(&self, id: DefId) -> bool {
        let facts = self.facts(id.file);
        let scope = self.def(id).scope;
        let Some(name_id) = facts.strings.find("exports") else { return false };
        self.is_shorthand(id) && facts.definitions_in_scope(0, name_id).iter().any(|&d| {
            let d = &facts.definitions[d as usize];
            d.flags.has(Flags::HIDDEN)
                && matches!(self.type_of_value(id.file, d.value), Ty::Object(_, s) if s == scope)
        })
    }

    /// The names that a CommonJS module exports beside its main export: `module.exports = C;
    /// exports.d = …`.
    pub(super) fn sibling_exports(&self, id: DefId, name: &str) -> Vec<Resolution> {
        let facts = self.facts(id.file);
        let Some(name_id) = facts.strings.find("exports") else { return Vec::new() };
        let whole = facts.definitions_in_scope(0, name_id).iter().any(|&def| {
            let hidden = facts.definitions[def as usize].flags.has(Flags::HIDDEN);
            let exported = DefId { file: id.file, def };
            let found = Resolution { id: exported, origin: Origin::Import };
            hidden && self.follow_import(found).iter().any(|f| f.id == id)
        });
        if !whole {
            return Vec::new();
        }
        let mut found =
            self.scope_definitions(id.file, 0, name, Namespace::ANY, Origin::TypedMember);
        found.retain(|f| self.def(f.id).flags.has(Flags::EXPORTED));
        found
    }

    /// The export line that a key of a destructuring pattern refers to: `const { x } =
    /// require('./y')`.
    pub(super) fn exported_pattern_key(&self, file: FileId, r: u32) -> Option<Vec<Resolution>> {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        if facts.language.id() != "javascript"
            || reference.role != ReferenceRole::Member
            || !self.through_modules.get()
        {
            return None;
        }
        let before = |&d: &u32| facts.definitions[d as usize].name_start < reference.start;
        let near = facts.by_place.partition_point(before);
        let bound = &facts.definitions[*facts.by_place.get(near)? as usize];
        if bound.name_start != reference.start || bound.kind == DefinitionKind::Import {
            return None;
        }
        let ty = self.type_of_value(file, reference.receiver);
        let found =
            self.members_named(&ty, facts.strings.text(reference.name), reference.namespace);
        let exports = |f: &Resolution| {
            let def = self.def(f.id);
            def.kind == DefinitionKind::Import
                && (def.flags.has(Flags::EXPORTED) || self.is_in_export_list(f.id))
        };
        (!found.is_empty() && found.iter().all(exports)).then_some(found)
    }

    /// The function assigned to a variable that is called, if the variable only stands for another
    /// module's member: the member's definition is where the function is declared.
    pub(super) fn assigned_function(
        &self,
        file: FileId,
        found: &Resolution,
    ) -> Option<Vec<Resolution>> {
        let def = self.def(found.id);
        let variable = matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant)
            && found.id.file == file
            && self.language(file) == "javascript"
            && self.through_modules.get();
        if !variable {
            return None;
        }
        let mut value = def.value;
        while let Some(Expression::Same(inner)) =
            value.as_expression().and_then(|e| self.facts(file).expressions.get(e as usize))
        {
            value = *inner;
        }
        let r = value.as_reference()?;
        if self.facts(file).references[r as usize].role != ReferenceRole::Member {
            return None;
        }
        let targets = self.value_targets(file, value);
        let assigned = |f: &Resolution| {
            let def = self.def(f.id);
            def.kind == DefinitionKind::Import
                && def.start < def.name_start
                && f.id.file != file
                && matches!(self.type_of_value(f.id.file, def.value), Ty::Lambda(..))
        };
        (!targets.is_empty() && targets.iter().all(assigned)).then_some(targets)
    }

    /// Whether a definition names a whole module: `exports.x = require('./y')`.
    pub(crate) fn is_assigned_module(&self, id: DefId) -> bool {
        let def = self.def(id);
        def.kind == DefinitionKind::Import
            && def.flags.has(Flags::EXPORTED)
            && def.flags.has(Flags::HIDDEN)
            && def.start < def.name_start
            && !self.is_named(id.file, def.value)
    }

    /// Whether a value is written as a name.
    pub(super) fn is_named(&self, file: FileId, value: Value) -> bool {
        let mut value = value;
        for _ in 0..4 {
            let e = value.as_expression();
            match e.and_then(|e| self.facts(file).expressions.get(e as usize)) {
                Some(Expression::Same(inner)) => value = *inner,
                _ => break,
            }
        }
        value.as_reference().is_some()
    }

    /// Whether a query is at a variable that holds a part of a CommonJS module: at a use of it, or
    /// at its binding.
    pub(super) fn is_at_require_binding(
        &self,
        file: FileId,
        site: NameSite,
        found: &[Resolution],
    ) -> bool {
        let facts = self.facts(file);
        if !matches!(facts.language.id(), "javascript" | "typescript" | "tsx") {
            return false;
        }
        let start = match site {
            NameSite::Reference(r) => facts.references[r as usize].start,
            NameSite::Definition(d) => facts.definitions[d as usize].name_start,
        };
        let before = |&d: &u32| facts.definitions[d as usize].name_start < start;
        let near = facts.by_place.partition_point(before);
        let bound = facts.by_place.get(near).map(|&def| DefId { file, def });
        let bound = bound.filter(|id| self.def(*id).name_start == start);
        let mut all = found.iter().map(|f| f.id).chain(bound);
        all.any(|id| self.is_require_binding(id, self.def(id)))
    }

    /// Whether a variable is followed like an import: `const { a } = require('./x')`.
    pub(super) fn is_followed_variable(&self, id: DefId, def: &Def) -> bool {
        let whole = def.flags.has(Flags::WHOLE) && !self.through_modules.get();
        self.through_variables.get() && !whole && self.is_require_binding(id, def)
    }

    /// Whether a variable holds what `require` returned, or a part of it.
    pub(super) fn is_require_binding(&self, id: DefId, def: &Def) -> bool {
        if !matches!(def.kind, DefinitionKind::Variable | DefinitionKind::Constant) {
            return false;
        }
        let facts = self.facts(id.file);
        let mut value = def.value;
        for _ in 0..6 {
            if let Some(r) = value.as_reference() {
                // `require('./x').y`
                value = facts.references[r as usize].receiver;
                if value.as_reference().is_some() {
                    return false;
                }
            }
            match value.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                Some(Expression::Module(..)) => return true,
                Some(Expression::Same(inner) | Expression::Field(inner, _)) => value = *inner,
                _ => return false,
            }
        }
        false
    }

    /// The module that a name for a whole module stands for; other definitions as they are.
    pub(super) fn follow_module_alias(&self, found: Resolution) -> Vec<Resolution> {
        let def = self.def(found.id);
        if !def.flags.has(Flags::WHOLE) {
            return vec![found];
        }
        self.value_targets(found.id.file, def.value)
    }

    /// Whether a reference is only a name in an export clause: `export { x }`.
    pub(super) fn is_reexported(&self, file: FileId, r: u32) -> bool {
        let facts = self.facts(file);
        let start = facts.references[r as usize].start;
        let before = |&d: &u32| facts.definitions[d as usize].name_start < start;
        let near = facts.by_place.partition_point(before);
        facts.by_place[near..].iter().take(2).any(|&d| {
            let def = &facts.definitions[d as usize];
            def.value == Value::reference(r) && def.flags.has(Flags::EXPORTED)
        })
    }

    /// Whether a definition is a shorthand name in an object literal: `{ x }`.
    pub(super) fn is_shorthand(&self, id: DefId) -> bool {
        let def = self.def(id);
        let scopes = &self.facts(id.file).scopes;
        def.kind == DefinitionKind::Import
            && scopes.get(def.scope as usize).is_some_and(|s| s.kind == ScopeKind::Object)
    }
}
