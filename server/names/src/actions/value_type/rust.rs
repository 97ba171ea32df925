//! Rust: a value with a name lives longer, and its temporaries shorter.

use tree_sitter::Node;

use super::{Written, unsure};
use crate::actions::ActionRefusal;
use crate::actions::site::{Site, any};

/// Methods of the standard library that give something of its own, whatever they are called on.
const OWNED: &[&str] = &[
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

pub(super) fn check(site: &Site<'_>, node: Node<'_>) -> Result<Written, ActionRefusal> {
    let kind = node.kind();
    if kind == "unary_expression" && site.text(node).starts_with('*') {
        return Err(unsure("it is a place, and would be moved out of"));
    }
    if any(node, &|n| n.kind() == "closure_expression") {
        return Err(unsure("what its closure takes follows from where it stands"));
    }
    keeps_no_temporary(site, node)?;
    if kind == "macro_invocation" {
        let name = node.child_by_field_name("macro").map_or("", |m| site.text(m));
        if !matches!(name, "format" | "vec" | "concat" | "stringify" | "line" | "file") {
            return Err(unsure("it is not known what the macro gives"));
        }
    }
    Ok(Written::Inferred)
}

/// Nothing that the value is made of may have to live as long as it.
///
/// # Errors
/// Where it may.
pub(in crate::actions) fn keeps_no_temporary(
    site: &Site<'_>,
    node: Node<'_>,
) -> Result<(), ActionRefusal> {
    // `f(a.b().c())`: what the last call gives may borrow from what the one before gave.
    let temporary = |n: Node<'_>| {
        let receiver = match n.kind() {
            "field_expression" => n.child_by_field_name("value"),
            "reference_expression" => n.child_by_field_name("value"),
            "index_expression" => n.named_child(0),
            _ => None,
        };
        receiver.is_some_and(|r| !is_place(r)) && !is_owned_call(site, n)
    };
    if any(node, &temporary) {
        return Err(unsure("what it gives may borrow from a value that would be gone"));
    }
    Ok(())
}

/// Whether a node is a place: it has an address that lasts.
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

/// Whether a field expression is the callee of a method that gives something of its own.
fn is_owned_call(site: &Site<'_>, node: Node<'_>) -> bool {
    let Some(name) = node.child_by_field_name("field") else { return false };
    let is_call = node.parent().is_some_and(|p| p.kind() == "call_expression");
    is_call && OWNED.contains(&site.text(name))
}
