//! What kind of thing stands where: places told apart by the text before them.

use crate::facts::{Ref, Role};
use crate::vocabulary::{DefinitionKind, Namespace};

/// Families of languages.
pub(super) const FAMILIES: usize = 7;
/// Sorts of places.
pub(super) const PLACES: usize = 8;
/// Sorts of things.
pub(super) const GROUPS: usize = 9;

/// The family of a language.
pub(super) fn family(language: &str) -> usize {
    match language {
        "c" => 0,
        "cpp" => 1,
        "go" => 2,
        "java" => 3,
        "python" => 4,
        "rust" => 5,
        _ => 6,
    }
}

/// What sort of place a name stands at.
pub(super) fn place(own: &Ref, called: bool, before: &str) -> usize {
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let typed = own.namespace == Namespace::TYPE
        || matches!(word, "struct" | "union" | "enum" | "new" | "extends" | "implements" | "class");
    match before.chars().next_back() {
        _ if matches!(own.role, Role::Member | Role::Field | Role::Expected) => {
            6 + usize::from(called)
        }
        _ if typed => 5,
        None | Some(';' | '{' | '}') => usize::from(called),
        _ if called => 2,
        Some('(' | ',') => 3,
        _ => 4,
    }
}

/// What sort of thing a candidate is.
pub(super) fn group(kind: DefinitionKind, keyword: bool) -> usize {
    use DefinitionKind as K;
    if keyword {
        return 8;
    }
    match kind {
        K::Function | K::Method | K::Constructor => 0,
        kind if kind.is_type() => 1,
        K::Variable => 2,
        K::Parameter => 3,
        K::Field => 4,
        K::Constant | K::EnumMember => 5,
        K::Macro => 6,
        _ => 7,
    }
}
