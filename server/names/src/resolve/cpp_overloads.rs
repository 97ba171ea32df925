//! C++ overload resolution: by argument types, and by whether the receiver is `const`.

use super::{DefId, Resolution, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::{Ref, ReferenceRole};
use crate::index::FileId;
use crate::vocabulary::{DefinitionKind, Flags, ScopeKind};

/// Depth limit of the expressions examined.
const MAX_DEPTH: u32 = 6;

const TEXTS: &[&str] = &["string", "string_view", "StringPiece", "StringRef", "Slice", "str"];

const FRACTIONS: &[&str] = &["double", "float"];

const WHOLES: &[&str] = &[
    "int",
    "unsigned",
    "long",
    "short",
    "char",
    "size_t",
    "ssize_t",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "ptrdiff_t",
    "intptr_t",
    "uintptr_t",
    "wchar_t",
    "char16_t",
    "char32_t",
    "char8_t",
];

impl Resolver<'_> {
    /// Scores an argument against a C++ parameter: positive if it fits, negative if not, 0 if
    /// unknown.
    pub(super) fn score_cpp_argument(
        &self,
        parameter: DefId,
        file: FileId,
        argument: Value,
    ) -> i32 {
        let wanted = self.type_of_definition(parameter);
        let points = self.def(parameter).flags.has(Flags::POINTER);
        let given = self.type_of_value(file, argument);
        let pointer = self.is_pointer(file, argument, MAX_DEPTH);
        let text = matches!(&given, Ty::Named(name, _) if &**name == "str");
        match (&wanted, &given) {
            (Ty::Named(name, _), _) if text => match &**name {
                "char" if points => 4,
                _ if points => -4,
                name if TEXTS.contains(&name) => 2,
                "bool" => -1,
                name if FRACTIONS.contains(&name) || WHOLES.contains(&name) => -4,
                _ => 0,
            },
            (_, Ty::Unknown | Ty::External)
            | (Ty::Unknown | Ty::External | Ty::Parameter(_), _) => 0,
            _ if pointer.is_some_and(|p| p != points) => {
                if pointer == Some(true) && matches!(&wanted, Ty::Named(n, _) if &**n == "bool") {
                    -1
                } else {
                    -4
                }
            }
            (Ty::Instance(a, _), Ty::Instance(b, _)) if a == b => 3,
            (Ty::Instance(a, _), Ty::Instance(b, _)) => {
                if self.inherits(*b, *a, 8) {
                    2
                } else {
                    -3
                }
            }
            (Ty::Named(a, _), Ty::Named(b, _)) => score_builtin_types(a, b),
            (Ty::Instance(..), Ty::Named(..)) | (Ty::Named(..), Ty::Instance(..)) => -1,
            _ => 0,
        }
    }

    /// Whether a value is a pointer, if that is known.
    fn is_pointer(&self, file: FileId, value: Value, depth: u32) -> Option<bool> {
        let facts = self.facts(file);
        if depth == 0 {
            return None;
        }
        if let Some(r) = value.as_reference() {
            let found = self.definitions_of_reference(file, r);
            let def = self.def(found.first()?.id);
            let typed = self.type_of_value(file, value);
            let plain = !def.kind.is_callable() && !matches!(typed, Ty::Unknown | Ty::External);
            let pointer = def.flags.has(Flags::POINTER);
            return (plain && (pointer || def.kind == DefinitionKind::Parameter)
                || def.kind == DefinitionKind::EnumMember)
                .then_some(pointer);
        }
        match *facts.expressions.get(value.as_expression()? as usize)? {
            Expression::Same(inner) => self.is_pointer(file, inner, depth - 1),
            Expression::Call(callee, _) => {
                let found = self.definitions_of_reference(file, callee.as_reference()?);
                let def = self.def(found.first()?.id);
                def.kind.is_callable().then_some(def.flags.has(Flags::POINTER))
            }
            Expression::Number | Expression::Boolean | Expression::Named(_) => Some(false),
            Expression::Text => Some(true),
            _ => None,
        }
    }

    /// Of methods that differ only in being `const`, those that the receiver selects.
    pub(super) fn select_by_constness(
        &self,
        file: FileId,
        reference: &Ref,
        found: Vec<Resolution>,
    ) -> Vec<Resolution> {
        let constant = |f: &Resolution| self.def(f.id).flags.has(Flags::CONST_METHOD);
        let callable = |f: &Resolution| self.def(f.id).kind.is_callable();
        if found.len() < 2
            || self.language(file) != "cpp"
            || !found.iter().all(callable)
            || found.iter().all(constant)
            || !found.iter().any(constant)
        {
            return found;
        }
        let wanted = match reference.role {
            ReferenceRole::Member => self.is_constant(file, reference.receiver, MAX_DEPTH),
            _ => self.is_constant_here(file, reference.scope),
        };
        // A receiver that is not known to be `const` is not.
        let wanted = wanted.unwrap_or(false);
        found.into_iter().filter(|f| constant(f) == wanted).collect()
    }

    /// Whether a value is `const`, if that is known.
    fn is_constant(&self, file: FileId, value: Value, depth: u32) -> Option<bool> {
        let facts = self.facts(file);
        if depth == 0 {
            return None;
        }
        if let Some(r) = value.as_reference() {
            let reference = facts.references[r as usize];
            let def = self.def(self.definitions_of_reference(file, r).first()?.id);
            if def.kind == DefinitionKind::Field && !def.flags.has(Flags::POINTER | Flags::CONST) {
                // A field of a `const` object is `const`.
                return match reference.role {
                    ReferenceRole::Member => self.is_constant(file, reference.receiver, depth - 1),
                    _ => self.is_constant_here(file, reference.scope),
                };
            }
            return Some(def.flags.has(Flags::CONST));
        }
        match *facts.expressions.get(value.as_expression()? as usize)? {
            Expression::Same(inner) => self.is_constant(file, inner, depth - 1),
            Expression::Index(of) => self.is_constant(file, of, depth - 1),
            Expression::This(_) => None,
            Expression::Call(callee, _) => {
                let found = self.definitions_of_reference(file, callee.as_reference()?);
                Some(self.def(found.first()?.id).flags.has(Flags::CONST))
            }
            _ => None,
        }
    }

    /// Whether the enclosing method is `const`.
    fn is_constant_here(&self, file: FileId, scope: u32) -> Option<bool> {
        let facts = self.facts(file);
        let mut at = scope;
        while let Some(scope) = facts.scopes.get(at as usize) {
            if scope.kind == ScopeKind::Function {
                let owner = facts.definitions.get(scope.owner as usize)?;
                return Some(owner.flags.has(Flags::CONST_METHOD));
            }
            at = scope.parent;
        }
        None
    }

    /// What distinguishes overloads by a parameter: the name of its type, and whether it is a
    /// pointer.
    pub(super) fn parameter_key(&self, parameter: DefId) -> (&str, bool) {
        let facts = self.facts(parameter.file);
        let def = self.def(parameter);
        let mut value = def.value;
        let mut name = "";
        for _ in 0..8 {
            if let Some(r) = value.as_reference() {
                name = facts.strings.text(facts.references[r as usize].name);
                break;
            }
            match value.as_expression().and_then(|e| facts.expressions.get(e as usize)) {
                Some(
                    Expression::Same(inner)
                    | Expression::Typed(inner)
                    | Expression::Generic(inner, _),
                ) => value = *inner,
                Some(Expression::Named(word)) => {
                    name = facts.strings.text(*word);
                    break;
                }
                _ => break,
            }
        }
        (name, def.flags.has(Flags::POINTER))
    }
}

/// Scores a builtin type against another.
fn score_builtin_types(wanted: &str, given: &str) -> i32 {
    let fraction = |n: &str| FRACTIONS.contains(&n);
    let whole = |n: &str| WHOLES.contains(&n) || n == "bool";
    if wanted == given {
        4
    } else if fraction(wanted) && fraction(given) || whole(wanted) && whole(given) {
        if wanted == "bool" || given == "bool" { 0 } else { 1 }
    } else if (fraction(wanted) || whole(wanted)) && (fraction(given) || whole(given)) {
        0
    } else {
        -2
    }
}
