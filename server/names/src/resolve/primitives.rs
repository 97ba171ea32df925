//! Types that Java itself has: which of them suit which, and what operations on them give.

use super::Ty;

/// The names of a text.
const TEXT: &[&str] = &["str", "String"];

/// The numbers, each of which takes all before it, with the classes that hold them.
const NUMBERS: &[(&str, &str)] = &[
    ("byte", "Byte"),
    ("short", "Short"),
    ("int", "Integer"),
    ("long", "Long"),
    ("float", "Float"),
    ("double", "Double"),
];

/// Where among the numbers a primitive type stands; a character stands beside the short numbers.
fn rank(name: &str) -> Option<usize> {
    if name == "char" {
        return Some(1);
    }
    NUMBERS.iter().position(|n| n.0 == name)
}

fn is_truth(name: &str) -> bool {
    matches!(name, "bool" | "boolean" | "Boolean")
}

/// The primitive type that an object of a class is turned into where one is needed.
fn unboxed(name: &str) -> Option<&'static str> {
    if name == "Character" {
        return Some("char");
    }
    NUMBERS.iter().find(|n| n.1 == name).map(|n| n.0)
}

/// Whether a type is no class.
pub(super) fn is_primitive(name: &str) -> bool {
    rank(name).is_some() || matches!(name, "bool" | "boolean")
}

/// How well one type from outside suits another by their names, as a call converts arguments (Java
/// Language Specification, 5.3 and 15.12.2): above 0 it does, below it does not.
pub(super) fn suits(wanted: &str, given: &str) -> i32 {
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
        // Into an object, or out of one.
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

/// What an operation on values gives: the widest of the numbers, at least an `int`; a text if one
/// of them is; a truth if all are.
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
