//! Overload resolution by argument types.
//!
//! Types are known only in part, so overloads are scored instead of ruled out: each argument adds
//! to the score of an overload or subtracts from it, and unknown types add nothing. All overloads
//! with the best score are returned.

use super::{DefId, Resolution, Resolver, Ty, java_primitives};
use crate::expression::{Expression, Value};
use crate::facts::Ref;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// The arguments of the call that a reference is the callee of.
    pub(super) fn arguments_of(&self, file: FileId, reference: &Ref) -> Option<&[Value]> {
        let facts = self.facts(file);
        match facts.expressions.get(reference.call as usize)? {
            Expression::Call(_, list) | Expression::New(_, list) => Some(facts.list(*list)),
            _ => None,
        }
    }

    /// The overloads whose parameters fit the arguments best.
    pub(super) fn best_overloads(
        &self,
        found: Vec<Resolution>,
        file: FileId,
        given: &[Value],
    ) -> Vec<Resolution> {
        let mut best: Vec<Resolution> = Vec::new();
        let mut highest = i32::MIN;
        for f in found {
            let parameters = self.parameters(f.id);
            let mut score = 0;
            for (n, &argument) in given.iter().enumerate() {
                let Some(parameter) = parameters.get(n) else { break };
                if self.language(f.id.file) == "cpp" {
                    score += self.score_cpp_argument(*parameter, file, argument);
                    continue;
                }
                let (wanted, given) =
                    (self.type_of_definition(*parameter), self.type_of_value(file, argument));
                score += match &wanted {
                    // A variadic parameter that takes single arguments.
                    Ty::Array(one)
                        if self.def(*parameter).flags.has(Flags::VARIADIC)
                            && !matches!(given, Ty::Array(_)) =>
                    {
                        self.score_argument(one, &given) - 1
                    }
                    wanted => self.score_argument(wanted, &given),
                };
            }
            if score > highest {
                highest = score;
                best.clear();
            }
            if score == highest {
                best.push(f);
            }
        }
        let fixed = |f: &Resolution| {
            let last = self.parameters(f.id).last().copied();
            !last.is_some_and(|p| self.def(p).flags.has(Flags::VARIADIC))
        };
        if best.iter().any(fixed) {
            // Fixed arity beats variadic.
            best.retain(fixed);
        }
        best
    }

    /// Scores a value against a parameter type: positive if it fits, negative if not, 0 if unknown.
    fn score_argument(&self, wanted: &Ty, given: &Ty) -> i32 {
        match (wanted, given) {
            (Ty::Instance(a, _), Ty::Instance(b, _)) if a == b => 6,
            (Ty::Instance(a, _), Ty::Instance(b, _)) => {
                if self.inherits(*b, *a, 8) {
                    2
                } else {
                    -6
                }
            }
            (Ty::Array(a), Ty::Array(b)) => match (&**a, &**b) {
                (Ty::Unknown | Ty::External, _) | (_, Ty::Unknown | Ty::External) => 0,
                (a, b) if is_primitive(a) || is_primitive(b) => match (a, b) {
                    (Ty::Named(a, _), Ty::Named(b, _))
                        if java_primitives::score_names(a, b) > 4 =>
                    {
                        6
                    }
                    _ => -6,
                },
                (a, b) => self.score_argument(a, b),
            },
            (Ty::Named(name, _), Ty::Named(other, _))
                if name != other && crate::library::java::is_subtype(other, name) =>
            {
                2
            }
            (Ty::Named(name, _), Ty::Named(other, _)) => java_primitives::score_names(name, other),
            (Ty::Named(name, _), Ty::Instance(id, _)) => {
                if self.inherits_named(*id, name, 8) {
                    2
                } else if matches!(&**name, "Object" | "CharSequence" | "T" | "E") {
                    0
                } else {
                    -2
                }
            }
            (Ty::Instance(..), Ty::Named(..)) => -2,
            (Ty::Array(_), Ty::Instance(..)) | (Ty::Instance(..), Ty::Array(_)) => -6,
            (Ty::Array(_), Ty::Named(name, _)) | (Ty::Named(name, _), Ty::Array(_)) => {
                if &**name == "Object" { 0 } else { -6 }
            }
            _ => 0,
        }
    }

    /// Whether a type inherits from an external type.
    fn inherits_named(&self, id: DefId, wanted: &str, depth: u32) -> bool {
        depth > 0
            && self.supertypes(id).iter().any(|t| match t {
                Ty::Type(above, _) => self.inherits_named(*above, wanted, depth - 1),
                Ty::Named(name, _) => &**name == wanted,
                _ => false,
            })
    }

    pub(super) fn inherits(&self, id: DefId, wanted: DefId, depth: u32) -> bool {
        depth > 0
            && self.supertypes(id).iter().any(|t| match t {
                Ty::Type(above, _) => *above == wanted || self.inherits(*above, wanted, depth - 1),
                _ => false,
            })
    }

    /// The constructors that `new T(…)` calls, in place of `T`.
    pub(crate) fn constructors_called_by(
        &self,
        file: FileId,
        r: u32,
        found: Vec<Resolution>,
    ) -> Vec<Resolution> {
        let facts = self.facts(file);
        let reference = &facts.references[r as usize];
        let is_new =
            matches!(facts.expressions.get(reference.call as usize), Some(Expression::New(..)));
        if !is_new || self.language(file) != "java" {
            return found;
        }
        let name = facts.strings.text(reference.name);
        let mut constructors = Vec::new();
        for f in &found {
            let body = self.def(f.id).body;
            let all = self.scope_definitions(f.id.file, body, name, Namespace::LABEL, f.origin);
            constructors.extend(
                all.into_iter().filter(|c| self.def(c.id).kind == DefinitionKind::Constructor),
            );
        }
        if constructors.is_empty() || found.iter().any(|f| f.origin == Origin::External) {
            return found;
        }
        self.narrow_overloads(constructors, file, self.arguments_of(file, reference))
    }
}

/// Whether a type is a primitive.
fn is_primitive(ty: &Ty) -> bool {
    matches!(ty, Ty::Named(name, _) if java_primitives::is_primitive(name))
}
