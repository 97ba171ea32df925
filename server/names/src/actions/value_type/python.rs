//! Python: checkers learn types from conditions, which a name in between hides from them.

use tree_sitter::Node;

use super::{Written, in_condition, unsure};
use crate::actions::ActionRefusal;
use crate::actions::site::Site;

pub(super) fn check(
    site: &Site<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<Written, ActionRefusal> {
    tells_no_type(site, node, statement)?;
    if matches!(node.kind(), "list" | "dictionary" | "set" | "tuple") {
        return Err(unsure("what its elements are follows from where it stands"));
    }
    let slots = |n: Node<'_>| matches!(n.kind(), "list_splat" | "dictionary_splat");
    if super::super::site::any(node, &slots) && node.kind() != "call" {
        return Err(unsure("it is spread out where it stands"));
    }
    Ok(Written::Inferred)
}

pub(super) fn tells_no_type(
    site: &Site<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<(), ActionRefusal> {
    let orders = |op: &str| matches!(op, "<" | ">" | "<=" | ">=");
    let counts = match node.kind() {
        "binary_operator" | "integer" | "float" | "string" => true,
        "comparison_operator" => {
            let mut cursor = node.walk();
            node.children(&mut cursor).filter(|c| !c.is_named()).all(|c| orders(site.text(c)))
        }
        _ => false,
    };
    if in_condition(node, statement) && !counts {
        return Err(unsure("the condition may tell the type of something by it"));
    }
    Ok(())
}
