//! Imports, followed to the definitions behind them.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::NONE;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// Follows an import to its target; other definitions stay as they are. An import without a
    /// known target is its own best result.
    pub(crate) fn follow_import(&self, found: Resolution) -> Vec<Resolution> {
        let def = self.def(found.id);
        if def.flags.has(Flags::WHOLE) && matches!(found.origin, Origin::Local | Origin::SameFile) {
            // A local name for all that a module exports.
            return vec![found];
        }
        if def.kind != DefinitionKind::Import && !self.is_followed_variable(found.id, def) {
            return vec![found];
        }
        let DefId { file, def: d } = found.id;
        let key = (file, d, 1);
        if self.begin_step(key).is_none() {
            return Vec::new();
        }
        let mut targets: Vec<Resolution> = self
            .value_targets(file, def.value)
            .into_iter()
            .flat_map(|f| self.follow_module_alias(f))
            .collect();
        self.end_step(key);
        if targets.is_empty() {
            if matches!(self.type_of_value(file, def.value), Ty::Folder(_)) {
                // A package of several files has no better location than the import.
                return vec![Resolution { origin: Origin::Import, ..found }];
            }
            let exported =
                def.flags.has(Flags::EXPORTED) && !self.is_external_value(file, def.value);
            let origin = if exported { found.origin } else { Origin::External };
            return vec![Resolution { origin, ..found }];
        }
        // A result is no more certain than the import that leads to it.
        for target in &mut targets {
            if matches!(found.origin, Origin::Local | Origin::SameFile)
                && matches!(target.origin, Origin::Local | Origin::SameFile | Origin::Member)
            {
                target.origin = Origin::Import;
            } else if found.origin.confidence() < target.origin.confidence() {
                target.origin = found.origin;
            }
        }
        targets
    }

    /// Whether a value comes from a module that is not in the index.
    fn is_external_value(&self, file: FileId, value: Value) -> bool {
        if value.as_reference().is_some() {
            return true;
        }
        match value.as_expression().and_then(|e| self.facts(file).expressions.get(e as usize)) {
            Some(Expression::Module(..)) => true,
            Some(Expression::Field(of, _)) => self.is_external_value(file, *of),
            _ => false,
        }
    }

    /// The definitions that a value names.
    pub(crate) fn value_targets(&self, file: FileId, value: Value) -> Vec<Resolution> {
        if let Some(r) = value.as_reference() {
            return self.definitions_of_reference(file, r).to_vec();
        }
        let Some(e) = value.as_expression() else { return Vec::new() };
        let facts = self.facts(file);
        let Some(expression) = facts.expressions.get(e as usize) else { return Vec::new() };
        match *expression {
            Expression::Same(inner) => self.value_targets(file, inner),
            Expression::Module(..) if self.language(file) == "javascript" => {
                let ty = self.type_of_value(file, value);
                let exported = self.members_named(&ty, "default", Namespace::ANY);
                if exported.is_empty() { self.module_targets(&ty) } else { exported }
            }
            Expression::Module(..) | Expression::Root | Expression::Parent(_) => {
                self.module_targets(&self.type_of_value(file, value))
            }
            Expression::Field(object, name) => {
                let ty = self.type_of_value(file, object);
                let found = self.members_named(&ty, facts.strings.text(name), Namespace::ANY);
                found.into_iter().flat_map(|f| self.follow_import(f)).collect()
            }
            Expression::Defined(def) => {
                let id = DefId { file, def };
                vec![Resolution { id, origin: Origin::SameFile }]
            }
            _ => Vec::new(),
        }
    }

    /// A module's own definition, at the start of its file.
    pub(super) fn module_targets(&self, ty: &Ty) -> Vec<Resolution> {
        match ty {
            Ty::Module(file, scope) => {
                let owner = self.facts(*file).scopes[*scope as usize].owner;
                let def = if owner == NONE { 0 } else { owner };
                vec![Resolution { id: DefId { file: *file, def }, origin: Origin::Import }]
            }
            _ => Vec::new(),
        }
    }
}
