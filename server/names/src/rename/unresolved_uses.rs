//! Unresolved uses that may still refer to the renamed symbol.

use super::sites::FileSearch;
use super::symbol::Reach;
use crate::expression::{Expression, Value};
use crate::facts::{NONE, Ref, ReferenceRole};
use crate::resolve::{DefId, Ty};
use crate::vocabulary::{DefinitionKind, Namespace, ScopeKind};

/// Library functions that return an argument, or a part of it.
const PASS_THROUGH_FUNCTIONS: &str = "copy deepcopy next max min sorted reversed iter list tuple set getattr cast \
                          enumerate zip filter map reduce choice pop get assign freeze create \
                          structuredClone all race resolve wait_for gather partial replace";

impl FileSearch<'_, '_> {
    /// Why an unresolved use may refer to the renamed symbol; `None` if it cannot.
    pub(super) fn uncertain_reason(&self, reference: &Ref) -> Option<&'static str> {
        let language = self.resolver.language(self.file);
        match (self.symbol.reach, reference.role) {
            (Reach::Local, ReferenceRole::Keyword) => {
                let facts = self.resolver.facts(self.file);
                let callee = reference.receiver.as_reference()?;
                let callee = facts.strings.text(facts.references[callee as usize].name);
                let known = !self.resolver.value_targets(self.file, reference.receiver).is_empty();
                let called = |id: &DefId| {
                    let facts = self.resolver.facts(id.file);
                    let scope = self.resolver.def(*id).scope;
                    let owner = facts.scopes.get(scope as usize).map_or(NONE, |s| s.owner);
                    let name = facts.definitions.get(owner as usize).map(|d| d.name);
                    name.is_some_and(|n| facts.strings.text(n) == callee)
                };
                (!known && self.symbol.definitions.iter().any(called))
                    .then_some("is an argument of an unknown function")
            }
            (Reach::Local, ReferenceRole::Plain) => self
                .visible_range()
                .contains(&(reference.start as usize))
                .then_some("does not resolve"),
            (Reach::Member, ReferenceRole::Keyword)
                if self.resolver.has_unknown_props(self.file, reference) =>
            {
                Some("is an attribute of an unknown component")
            }
            (
                Reach::Member,
                ReferenceRole::Member | ReferenceRole::Field | ReferenceRole::Expected,
            ) => self.uncertain_member_reason(reference, language),
            // A macro may do anything with its arguments.
            (Reach::Member, ReferenceRole::Plain) if language == "rust" => {
                reference.namespace.has(Namespace::MACRO).then_some("is passed to a macro")
            }
            (Reach::Member, ReferenceRole::Plain) if matches!(language, "cpp" | "java") => {
                let fits = self
                    .symbol
                    .definitions
                    .iter()
                    .any(|id| self.resolver.def(*id).namespace.has(reference.namespace));
                fits.then_some("does not resolve")
            }
            (Reach::TopLevel, ReferenceRole::Plain) => {
                let fits = self
                    .symbol
                    .definitions
                    .iter()
                    .any(|id| self.resolver.def(*id).namespace.has(reference.namespace));
                match language {
                    "c" | "cpp" if fits => Some("does not resolve"),
                    "rust" => Some("does not resolve"),
                    _ => None,
                }
            }
            (Reach::TopLevel, ReferenceRole::Member) if matches!(language, "rust" | "cpp") => {
                let ty = self.resolver.type_of_value(self.file, reference.receiver);
                let path = reference.namespace.has(Namespace::TYPE) || language == "rust";
                (ty.is_unknown() && path && reference.call == NONE)
                    .then_some("is a part of an unknown value")
            }
            _ => None,
        }
    }

    /// Whether an unresolved use takes a member from a module of this project that was not found: a
    /// package that is not built and whose sources are not known.
    pub(super) fn is_of_missing_module(&self, reference: &Ref) -> bool {
        let ecma = matches!(self.resolver.language(self.file), "typescript" | "tsx" | "javascript");
        let member = matches!(
            reference.role,
            ReferenceRole::Member | ReferenceRole::Field | ReferenceRole::Expected
        );
        if !ecma || !member || self.symbol.is_alias || self.symbol.reach == Reach::Local {
            return false;
        }
        let facts = self.resolver.facts(self.file);
        match self.resolver.type_of_value(self.file, reference.receiver) {
            Ty::External => facts.expressions.iter().any(|e| self.is_missing_module(*e)),
            // A type that is not indexed is known by its name.
            Ty::Named(name, _) => {
                let number = facts.strings.find(&name).unwrap_or(NONE);
                facts.definitions_named(number).iter().any(|&d| self.imports_missing_module(d))
            }
            _ => false,
        }
    }

    /// Whether a definition imports from a package of this project that was not found.
    fn imports_missing_module(&self, d: u32) -> bool {
        let facts = self.resolver.facts(self.file);
        let def = &facts.definitions[d as usize];
        let module_of_import = |value: Value| match value.as_reference() {
            Some(r) => facts.references[r as usize].receiver,
            None => match value.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                Some(Expression::Field(module, _)) => *module,
                _ => value,
            },
        };
        let module = module_of_import(def.value).as_expression();
        let module = module.and_then(|e| facts.expressions.get(e as usize));
        def.kind == DefinitionKind::Import && module.is_some_and(|e| self.is_missing_module(*e))
    }

    /// Whether a value is a module of this project that was not found.
    fn is_missing_module(&self, value: Expression) -> bool {
        let Expression::Module(name, up) = value else { return false };
        let name = self.resolver.facts(self.file).strings.text(name);
        self.resolver.project().is_own_module(self.file, name)
            && self.resolver.module_by_path(self.file, name, up).is_empty()
    }

    /// Why an unresolved member access may refer to the symbol; `None` if it cannot.
    fn uncertain_member_reason(&self, reference: &Ref, language: &str) -> Option<&'static str> {
        let fits = self.symbol.definitions.iter().any(|id| {
            let def = self.resolver.def(*id);
            let callable = def.kind.is_callable();
            // These languages tell fields and methods apart, so a call is never a field's.
            (language == "rust" || def.namespace.has(reference.namespace))
                && (language != "rust" && language != "java"
                    || callable == (reference.call != NONE)
                    || reference.role != ReferenceRole::Member)
        });
        if !fits {
            return None;
        }
        match self.resolver.type_of_value(self.file, reference.receiver) {
            Ty::Unknown => Some("is used on a value of unknown type"),
            Ty::External if self.is_passed_through(reference.receiver) => {
                Some("is used on the result of a generic function")
            }
            // A member of the parameter's bound would have resolved.
            Ty::Parameter(_) => Some("is used on a type parameter"),
            Ty::Type(..) | Ty::Instance(..) if language == "rust" => {
                Some("is used on a type that is not known to have it")
            }
            _ => None,
        }
    }

    /// Whether a value is the result of a library function that returns an argument.
    fn is_passed_through(&self, value: Value) -> bool {
        let facts = self.resolver.facts(self.file);
        let mut value = value;
        for _ in 0..6 {
            let Some(e) = value.as_expression() else { return false };
            match facts.expressions.get(e as usize) {
                Some(
                    Expression::Same(inner)
                    | Expression::Index(inner)
                    | Expression::Element(inner)
                    | Expression::Await(inner)
                    | Expression::Part(inner, _),
                ) => value = *inner,
                Some(Expression::Call(callee, _)) => {
                    let Some(callee) = callee.as_reference() else { return false };
                    let callee = facts.strings.text(facts.references[callee as usize].name);
                    return PASS_THROUGH_FUNCTIONS
                        .split_ascii_whitespace()
                        .any(|known| known == callee);
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether values may have the member's type by structural typing alone.
    pub(super) fn may_be_structural(&self) -> bool {
        self.symbol.reach == Reach::Member
            && matches!(self.resolver.language(self.file), "typescript" | "tsx" | "javascript")
            && self.symbol.definitions.iter().any(|id| match self.resolver.container_type(*id) {
                Some(ty) => {
                    let kind = self.resolver.def(ty).kind;
                    !matches!(kind, DefinitionKind::Class | DefinitionKind::Enum)
                }
                None => self.is_of_anonymous_type(*id),
            })
    }

    /// Whether a member belongs to a type without a name: `(options: { deep: boolean })`.
    fn is_of_anonymous_type(&self, id: DefId) -> bool {
        let scopes = &self.resolver.facts(id.file).scopes;
        let scope = scopes.get(self.resolver.def(id).scope as usize);
        scope.is_some_and(|s| s.kind == ScopeKind::Members)
    }
}
