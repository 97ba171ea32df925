//! Which of several overloads a call means, by the types of its arguments.

use super::{DefId, Found, Resolver, Ty};
use crate::expression::{Expression, Value};
use crate::facts::Ref;
use crate::index::FileId;
use crate::origin::Origin;
use crate::vocabulary::{DefinitionKind, Flags, Namespace};

impl Resolver<'_> {
    /// The arguments that a reference is called with.
    pub(super) fn arguments_of(&self, file: FileId, reference: &Ref) -> Option<&[Value]> {
        let facts = self.facts(file);
        match facts.expressions.get(reference.call as usize)? {
            Expression::Call(_, list) | Expression::New(_, list) => Some(facts.list(*list)),
            _ => None,
        }
    }

    /// Of overloads, those whose parameters suit the arguments best.
    pub(super) fn suited(&self, found: Vec<Found>, file: FileId, given: &[Value]) -> Vec<Found> {
        let mut best: Vec<Found> = Vec::new();
        let mut highest = i32::MIN;
        for f in found {
            let parameters = self.parameters(f.id);
            let mut score = 0;
            for (n, &argument) in given.iter().enumerate() {
                let Some(parameter) = parameters.get(n) else { break };
                score += if self.language(f.id.file) == "cpp" {
                    self.suits_parameter(*parameter, file, argument)
                } else {
                    self.suits(&self.value_type(*parameter), &self.eval(file, argument))
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
        let fixed = |f: &Found| {
            let last = self.parameters(f.id).last().copied();
            !last.is_some_and(|p| self.def(p).flags.has(Flags::VARIADIC))
        };
        if best.iter().any(fixed) {
            // One that takes as many as are given comes before one that takes any number.
            best.retain(fixed);
        }
        best
    }

    /// How well a value suits a parameter: above 0 it does, below it does not, 0 is not known.
    fn suits(&self, wanted: &Ty, given: &Ty) -> i32 {
        match (wanted, given) {
            (Ty::Instance(a, _), Ty::Instance(b, _)) if a == b => 3,
            (Ty::Instance(a, _), Ty::Instance(b, _)) => {
                if self.inherits(*b, *a, 8) {
                    2
                } else {
                    -5
                }
            }
            (Ty::Array(a), Ty::Array(b)) => self.suits(a, b),
            (Ty::Named(name, _), Ty::Named(other, _)) => named(name, other),
            (Ty::Named(name, _), Ty::Instance(..)) => {
                if matches!(&**name, "Object" | "CharSequence" | "T" | "E") { 0 } else { -2 }
            }
            (Ty::Instance(..), Ty::Named(..)) => -2,
            (Ty::Array(_), Ty::Instance(..)) | (Ty::Instance(..), Ty::Array(_)) => -4,
            (Ty::Array(_), Ty::Named(name, _)) | (Ty::Named(name, _), Ty::Array(_)) => {
                if &**name == "Object" { 0 } else { -3 }
            }
            _ => 0,
        }
    }

    pub(super) fn inherits(&self, id: DefId, wanted: DefId, depth: u32) -> bool {
        depth > 0
            && self.supers(id).iter().any(|t| match t {
                Ty::Type(above, _) => *above == wanted || self.inherits(*above, wanted, depth - 1),
                _ => false,
            })
    }

    /// The constructors that `new T(…)` calls, in place of `T`.
    pub(crate) fn constructed(&self, file: FileId, r: u32, found: Vec<Found>) -> Vec<Found> {
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
            let all = self.in_scope_named(f.id.file, body, name, Namespace::LABEL, f.origin);
            constructors.extend(
                all.into_iter().filter(|c| self.def(c.id).kind == DefinitionKind::Constructor),
            );
        }
        if constructors.is_empty() || found.iter().any(|f| f.origin == Origin::Outside) {
            return found;
        }
        self.narrow(constructors, file, self.arguments_of(file, reference))
    }
}

/// How well one type from outside suits another by their names.
fn named(wanted: &str, given: &str) -> i32 {
    const TEXT: &[&str] = &["str", "String"];
    const WHOLE: &[&str] =
        &["int", "long", "short", "byte", "Integer", "Long", "char", "double", "float"];
    let both = |set: &[&str]| set.contains(&wanted) && set.contains(&given);
    if wanted == given || both(TEXT) {
        3
    } else if both(WHOLE) || wanted == "CharSequence" && TEXT.contains(&given) {
        1
    } else if matches!(wanted, "Throwable" | "Exception")
        && (given.ends_with("Exception") || given.ends_with("Error"))
    {
        2
    } else if wanted == "Object" || wanted.len() == 1 {
        0
    } else {
        -1
    }
}
