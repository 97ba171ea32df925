//! Whether the value of an expression stays what it is once it has a name, and its type where the
//! language wants one.

mod c;
mod ecma;
mod go;
mod java;
mod python;
mod rust;

use tree_sitter::Node;

use super::site::Site;
use super::{ActionRefusal, RefusalReason as Why, refusal};

/// How the type of a value is written.
pub(super) enum Written {
    /// Not at all.
    Inferred,
    /// Like this.
    Type(String),
}

/// # Errors
/// Where the value would come out different, or its type is not certain.
pub(super) fn written(
    site: &Site<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<Written, ActionRefusal> {
    match site.language {
        "python" => python::check(site, node, statement),
        "javascript" | "typescript" | "tsx" => ecma::check(site, node, statement),
        "rust" => rust::check(site, node),
        "go" => go::check(site, node),
        "java" => java::type_of(site, node).map(Written::Type),
        "c" | "cpp" => c::type_of(site, node).map(Written::Type),
        _ => Err(unsure("its type is not known")),
    }
}

/// The type of a value, where it is certain and the language writes it.
pub(super) fn known(site: &Site<'_>, node: Node<'_>) -> Option<String> {
    match site.language {
        "java" => java::known(site, node),
        "c" | "cpp" => c::known(site, node),
        _ => None,
    }
}

pub(super) use c::type_of as constant;
pub(super) use rust::keeps_no_temporary;

/// A condition may not tell the type of something by an expression of which only a name is left.
///
/// # Errors
/// Where it may.
pub(super) fn tells_no_type<'a>(
    site: &Site<'a>,
    node: Node<'a>,
    function: Node<'a>,
) -> Result<(), ActionRefusal> {
    match site.language {
        "python" => python::tells_no_type(site, node, function),
        _ => Ok(()),
    }
}

fn unsure(why: impl Into<String>) -> ActionRefusal {
    refusal(Why::Type, why)
}

/// Whether a node is in a condition that tells what type something is, within its statement.
fn in_condition(node: Node<'_>, statement: Node<'_>) -> bool {
    let mut at = node;
    while at.id() != statement.id() {
        let Some(parent) = at.parent() else { return false };
        let tests = ["condition", "value", "subject", "left", "argument", "right"];
        let kind = parent.kind();
        let branches =
            ["if_", "while_", "conditional", "ternary", "switch", "match", "boolean", "not_"];
        if branches.iter().any(|b| kind.starts_with(b))
            || kind == "binary_expression"
                && tests
                    .iter()
                    .any(|f| parent.child_by_field_name(f).is_some_and(|c| c.id() == at.id()))
                && parent
                    .child_by_field_name("operator")
                    .is_some_and(|o| matches!(o.kind(), "&&" | "||" | "??"))
            || kind == "assert_statement"
        {
            return true;
        }
        at = parent;
    }
    false
}
