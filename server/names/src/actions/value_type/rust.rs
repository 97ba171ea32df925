//! Rust: a variable extends the life of its value and shortens that of the value's temporaries.

use tree_sitter::Node;

use super::{TypeAnnotation, uncertain_type};
use crate::actions::ActionRefusal;
use crate::actions::context::{ActionContext, any_descendant};

/// Standard library methods that return owned values, whatever the receiver.
const OWNED_RESULT_METHODS: &[&str] = &[
    "to_string",
    "to_owned",
    "into_owned",
    "clone",
    "len",
    "is_empty",
    "collect",
    "count",
    "sum",
    "to_vec",
    "into_iter",
    "is_some",
    "is_none",
    "is_ok",
    "is_err",
    "to_lowercase",
    "to_uppercase",
    "contains",
    "starts_with",
    "ends_with",
    "parse",
    "abs",
    "min",
    "max",
    "pow",
    "elapsed",
];

pub(super) fn check(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
) -> Result<TypeAnnotation, ActionRefusal> {
    let kind = node.kind();
    if kind == "unary_expression" && ctx.text(node).starts_with('*') {
        return Err(uncertain_type("it is a place expression and would be moved out of"));
    }
    if any_descendant(node, &|n| n.kind() == "closure_expression") {
        return Err(uncertain_type("the closure's parameter types are inferred from the context"));
    }
    check_no_temporary(ctx, node)?;
    if kind == "macro_invocation" {
        let name = node.child_by_field_name("macro").map_or("", |m| ctx.text(m));
        if !matches!(name, "format" | "vec" | "concat" | "stringify" | "line" | "file") {
            return Err(uncertain_type("the type of the macro's result is unknown"));
        }
    }
    Ok(TypeAnnotation::Inferred)
}

/// Checks that the value does not borrow from a temporary, which would be dropped after the `let`.
///
/// # Errors
/// If it may.
pub(in crate::actions) fn check_no_temporary(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
) -> Result<(), ActionRefusal> {
    // `f(a.b().c())`: the result of `c` may borrow from the result of `b`.
    let temporary = |n: Node<'_>| {
        let receiver = match n.kind() {
            "field_expression" => n.child_by_field_name("value"),
            "reference_expression" => n.child_by_field_name("value"),
            "index_expression" => n.named_child(0),
            _ => None,
        };
        receiver.is_some_and(|r| !is_place(r)) && !is_owned_call(ctx, n)
    };
    if any_descendant(node, &temporary) {
        return Err(uncertain_type("it may borrow from a temporary that would be dropped"));
    }
    Ok(())
}

/// Whether a node is a place expression, which is not a temporary.
fn is_place(node: Node<'_>) -> bool {
    match node.kind() {
        "identifier" | "self" | "scoped_identifier" | "string_literal" => true,
        "field_expression" => node.child_by_field_name("value").is_some_and(is_place),
        "index_expression" => node.named_child(0).is_some_and(is_place),
        "parenthesized_expression" => node.named_child(0).is_some_and(is_place),
        "unary_expression" => node.named_child(0).is_some_and(is_place),
        _ => false,
    }
}

/// Whether a field expression is the callee of a method that returns an owned value.
fn is_owned_call(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    let Some(name) = node.child_by_field_name("field") else { return false };
    let is_call = node.parent().is_some_and(|p| p.kind() == "call_expression");
    is_call && OWNED_RESULT_METHODS.contains(&ctx.text(name))
}
