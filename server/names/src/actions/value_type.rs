//! Checks that an expression keeps its type when it is moved into a variable, and finds the type to
//! write where the language requires one.

mod c;
mod ecma;
mod go;
mod java;
mod python;
mod rust;

use tree_sitter::Node;

use super::context::ActionContext;
use super::{ActionRefusal, RefusalReason as Reason, refusal};

/// The type annotation of a new variable.
pub(super) enum TypeAnnotation {
    /// None: the language infers the type.
    Inferred,
    /// This type has to be annotation.
    Type(String),
}

/// The type annotation that a variable for an expression needs.
///
/// # Errors
/// If the expression's type would change, or is uncertain.
pub(super) fn annotation(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<TypeAnnotation, ActionRefusal> {
    match ctx.language {
        "python" => python::check(ctx, node, statement),
        "javascript" | "typescript" | "tsx" => ecma::check(ctx, node, statement),
        "rust" => rust::check(ctx, node),
        "go" => go::check(ctx, node),
        "java" => java::type_of(ctx, node).map(TypeAnnotation::Type),
        "c" | "cpp" => c::type_of(ctx, node).map(TypeAnnotation::Type),
        _ => Err(uncertain_type("its type is unknown")),
    }
}

/// The type of an expression, if it is certain and the language writes types.
pub(super) fn certain_type(ctx: &ActionContext<'_>, node: Node<'_>) -> Option<String> {
    match ctx.language {
        "java" => java::certain_type(ctx, node),
        "c" | "cpp" => c::certain_type(ctx, node),
        _ => None,
    }
}

pub(super) use c::type_of as c_type;
pub(super) use rust::check_no_temporary;

/// Checks that no condition narrows a type by an expression that the extraction replaces by a call.
///
/// # Errors
/// If one may.
pub(super) fn check_not_narrowing<'a>(
    ctx: &ActionContext<'a>,
    node: Node<'a>,
    function: Node<'a>,
) -> Result<(), ActionRefusal> {
    match ctx.language {
        "python" => python::check_not_narrowing(ctx, node, function),
        _ => Ok(()),
    }
}

fn uncertain_type(why: impl Into<String>) -> ActionRefusal {
    refusal(Reason::Type, why)
}

/// Whether a node is in a condition of its statement, which may narrow its type.
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
