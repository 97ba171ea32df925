//! Python: type checkers narrow types by conditions, which a variable in between may prevent.

use tree_sitter::Node;

use super::{TypeAnnotation, in_condition, uncertain_type};
use crate::actions::ActionRefusal;
use crate::actions::context::ActionContext;

pub(super) fn check(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<TypeAnnotation, ActionRefusal> {
    check_not_narrowing(ctx, node, statement)?;
    if matches!(node.kind(), "list" | "dictionary" | "set" | "tuple") {
        return Err(uncertain_type("the types of its elements are inferred from the context"));
    }
    let is_splat = |n: Node<'_>| matches!(n.kind(), "list_splat" | "dictionary_splat");
    if super::super::context::any_descendant(node, &is_splat) && node.kind() != "call" {
        return Err(uncertain_type("it is unpacked here"));
    }
    Ok(TypeAnnotation::Inferred)
}

pub(super) fn check_not_narrowing(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<(), ActionRefusal> {
    let orders = |op: &str| matches!(op, "<" | ">" | "<=" | ">=");
    let cannot_narrow = match node.kind() {
        "binary_operator" | "integer" | "float" | "string" => true,
        "comparison_operator" => {
            let mut cursor = node.walk();
            node.children(&mut cursor).filter(|c| !c.is_named()).all(|c| orders(ctx.text(c)))
        }
        _ => false,
    };
    if in_condition(node, statement) && !cannot_narrow {
        return Err(uncertain_type("the condition may narrow a type by it"));
    }
    Ok(())
}
