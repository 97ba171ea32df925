//! Java's primitive types: conversions between them, and results of operators.

use super::Ty;

/// The names of the string type.
const TEXT: &[&str] = &["str", "String"];

/// The numeric types with their wrapper classes. Each type converts to those after it.
const NUMBERS: &[(&str, &str)] = &[
    ("byte", "Byte"),
    ("short", "Short"),
    ("int", "Integer"),
    ("long", "Long"),
    ("float", "Float"),
    ("double", "Double"),
];

/// The rank of a primitive numeric type; `char` ranks beside `short`.
fn rank(name: &str) -> Option<usize> {
    if name == "char" {
        return Some(1);
    }
    NUMBERS.iter().position(|n| n.0 == name)
}

fn is_truth(name: &str) -> bool {
    matches!(name, "bool" | "boolean" | "Boolean")
}

/// The primitive type that a wrapper class is unboxed to.
fn unboxed(name: &str) -> Option<&'static str> {
    if name == "Character" {
        return Some("char");
    }
    NUMBERS.iter().find(|n| n.1 == name).map(|n| n.0)
}

/// Whether a type is a primitive.
pub(super) fn is_primitive(name: &str) -> bool {
    rank(name).is_some() || matches!(name, "bool" | "boolean")
}

/// Scores an argument's type name against a parameter's, following the conversions of a Java call
/// (Java Language Specification, 5.3 and 15.12.2): positive if it fits, negative if not.
pub(super) fn score_names(wanted: &str, given: &str) -> i32 {
    if wanted == given {
        return 6;
    }
    if TEXT.contains(&wanted) && TEXT.contains(&given) || is_truth(wanted) && is_truth(given) {
        return 5;
    }
    match (rank(wanted), rank(given)) {
        (Some(w), Some(g)) if wanted != "char" && (g < w || given == "char" && w > 1) => {
            return 5 - (w - g).min(4) as i32;
        }
        (Some(_), Some(_)) => return -6,
        // Boxing and unboxing.
        (None, Some(_)) if unboxed(wanted) == Some(given) => return 1,
        (Some(w), None) => {
            return match unboxed(given) {
                Some(given) if wanted == given => 1,
                Some(given) if rank(given).is_some_and(|g| g < w) && wanted != "char" => 0,
                _ => -6,
            };
        }
        (None, Some(_)) => {
            return if matches!(wanted, "Object" | "Number" | "Comparable" | "Serializable") {
                0
            } else {
                -6
            };
        }
        (None, None) => {}
    }
    if wanted == "CharSequence" && TEXT.contains(&given) {
        1
    } else if is_truth(wanted) || is_truth(given) {
        if wanted == "Object" { 0 } else { -6 }
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

/// The result of an operator: a string if one operand is one, a boolean if all are, else the widest
/// number, at least `int`.
pub(super) fn arithmetic(all: &[Ty]) -> Ty {
    let name = |ty: &Ty| match ty {
        Ty::Named(name, _) => Some(name.clone()),
        _ => None,
    };
    let names: Vec<_> = all.iter().filter_map(name).collect();
    let given = |name: &str| Ty::Named(name.into(), Ty::no_arguments());
    if names.iter().any(|n| TEXT.contains(&&**n)) {
        return given("str");
    }
    if names.len() < all.len() || all.is_empty() {
        return Ty::Unknown;
    }
    if names.iter().all(|n| is_truth(n)) {
        return given("bool");
    }
    let ranks: Option<Vec<usize>> =
        names.iter().map(|n| rank(n).or_else(|| rank(unboxed(n)?))).collect();
    match ranks.and_then(|r| r.into_iter().max()) {
        Some(widest) => given(NUMBERS[widest.max(2)].0),
        None => Ty::Unknown,
    }
}
