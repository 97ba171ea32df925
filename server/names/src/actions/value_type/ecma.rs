//! JavaScript and TypeScript: what a value is may follow from where it stands.

use tree_sitter::Node;

use super::{Written, in_condition, unsure};
use crate::actions::ActionRefusal;
use crate::actions::site::{Site, any};
use crate::resolve::DefId;
use crate::vocabulary::ScopeKind;

pub(super) fn check(
    site: &Site<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<Written, ActionRefusal> {
    if site.language == "javascript" {
        return Ok(Written::Inferred);
    }
    let orders = |n: Node<'_>| {
        n.kind() == "binary_expression"
            && n.child_by_field_name("operator").is_some_and(|o| {
                matches!(o.kind(), "<" | ">" | "<=" | ">=" | "+" | "-" | "*" | "/" | "%")
            })
    };
    if in_condition(node, statement) && !orders(node) {
        return Err(unsure("the condition may tell the type of something by it"));
    }
    let contextual = |n: Node<'_>| {
        matches!(
            n.kind(),
            "object" | "array" | "arrow_function" | "function_expression" | "ternary_expression"
        )
    };
    if any(node, &contextual) {
        return Err(unsure("what its parts are follows from where it stands"));
    }
    if any(statement, &|n| n.kind() == "super") {
        return Err(unsure("nothing may stand before a call of `super`"));
    }
    // What a generic function gives may follow from what is done with it.
    let mut calls = Vec::new();
    let inner = |n: Node<'_>| matches!(n.kind(), "call_expression" | "new_expression");
    collect(node, &inner, &mut calls);
    for call in calls {
        let callee = call
            .child_by_field_name("function")
            .or_else(|| call.child_by_field_name("constructor"));
        let generic = call.child_by_field_name("type_arguments").is_some();
        if !generic && !callee.is_some_and(|c| is_plain_function(site, c)) {
            let why = "what the call gives may follow from where it stands";
            return Err(unsure(why));
        }
    }
    Ok(Written::Inferred)
}

fn collect<'t>(node: Node<'t>, holds: &dyn Fn(Node<'t>) -> bool, all: &mut Vec<Node<'t>>) {
    if holds(node) {
        all.push(node);
    }
    let mut cursor = node.walk();
    let children: Vec<_> = node.named_children(&mut cursor).collect();
    for child in children {
        collect(child, holds, all);
    }
}

/// Whether a callee is known, and has no type parameters.
fn is_plain_function(site: &Site<'_>, callee: Node<'_>) -> bool {
    let name = callee.child_by_field_name("property").unwrap_or(callee);
    let targets = match site.facts.site(name.start_byte()) {
        Some(at) => site.resolver.site(site.file, at),
        None => return false,
    };
    let plain = |id: DefId| {
        let def = site.resolver.def(id);
        let facts = site.resolver.facts(id.file);
        let scope = facts.scopes.get(def.body as usize);
        let has_parameters = facts.definitions.iter().any(|d| {
            d.kind == crate::vocabulary::DefinitionKind::TypeParameter
                && def.start <= d.start
                && d.end <= def.end
        });
        scope.is_some_and(|s| s.kind != ScopeKind::File) && !has_parameters
    };
    !targets.is_empty() && targets.iter().all(|f| plain(f.id))
}
