//! Ranking feature: which kinds of definition are usual at which kind of place.

use crate::facts::{Ref, ReferenceRole};
use crate::vocabulary::{DefinitionKind, Namespace};

/// Number of language groups.
pub(super) const LANGUAGE_GROUPS: usize = 7;
/// Number of place kinds.
pub(super) const PLACE_KINDS: usize = 8;
/// Number of kind groups.
pub(super) const KIND_GROUPS: usize = 9;

/// The group of a language.
pub(super) fn language_group(language: &str) -> usize {
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

/// The kind of place that a name stands at, by the text before it.
pub(super) fn place_kind(cursor: &Ref, called: bool, before: &str) -> usize {
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let is_type = cursor.namespace == Namespace::TYPE
        || matches!(word, "struct" | "union" | "enum" | "new" | "extends" | "implements" | "class");
    match before.chars().next_back() {
        _ if matches!(
            cursor.role,
            ReferenceRole::Member | ReferenceRole::Field | ReferenceRole::Expected
        ) =>
        {
            6 + usize::from(called)
        }
        _ if is_type => 5,
        None | Some(';' | '{' | '}') => usize::from(called),
        _ if called => 2,
        Some('(' | ',') => 3,
        _ => 4,
    }
}

/// The kind group of a candidate.
pub(super) fn kind_group(kind: DefinitionKind, keyword: bool) -> usize {
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
