//! JavaScript and TypeScript: the type of an expression may depend on its context.

use tree_sitter::Node;

use super::{TypeAnnotation, in_condition, uncertain_type};
use crate::actions::ActionRefusal;
use crate::actions::context::{ActionContext, any_descendant};
use crate::resolve::DefId;
use crate::vocabulary::ScopeKind;

pub(super) fn check(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    statement: Node<'_>,
) -> Result<TypeAnnotation, ActionRefusal> {
    if ctx.language == "javascript" {
        return Ok(TypeAnnotation::Inferred);
    }
    let orders = |n: Node<'_>| {
        n.kind() == "binary_expression"
            && n.child_by_field_name("operator").is_some_and(|o| {
                matches!(o.kind(), "<" | ">" | "<=" | ">=" | "+" | "-" | "*" | "/" | "%")
            })
    };
    if in_condition(node, statement) && !orders(node) {
        return Err(uncertain_type("the condition may narrow a type by it"));
    }
    let contextual = |n: Node<'_>| {
        matches!(
            n.kind(),
            "object" | "array" | "arrow_function" | "function_expression" | "ternary_expression"
        )
    };
    if any_descendant(node, &contextual) {
        return Err(uncertain_type("the types of its parts are inferred from the context"));
    }
    if any_descendant(statement, &|n| n.kind() == "super") {
        return Err(uncertain_type("no statement may precede a call of `super`"));
    }
    // The type arguments of a generic call may be inferred from the call's context.
    let mut calls = Vec::new();
    let inner = |n: Node<'_>| matches!(n.kind(), "call_expression" | "new_expression");
    collect(node, &inner, &mut calls);
    for call in calls {
        let callee = call
            .child_by_field_name("function")
            .or_else(|| call.child_by_field_name("constructor"));
        let generic = call.child_by_field_name("type_arguments").is_some();
        if !generic && !callee.is_some_and(|c| is_plain_function(ctx, c)) {
            let why = "the call's result type may be inferred from the context";
            return Err(uncertain_type(why));
        }
    }
    Ok(TypeAnnotation::Inferred)
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

/// Whether a callee resolves to functions without type parameters.
fn is_plain_function(ctx: &ActionContext<'_>, callee: Node<'_>) -> bool {
    let name = callee.child_by_field_name("property").unwrap_or(callee);
    let targets = match ctx.facts.site_at(name.start_byte()) {
        Some(at) => ctx.resolver.definitions_at_site(ctx.file, at),
        None => return false,
    };
    let plain = |id: DefId| {
        let def = ctx.resolver.def(id);
        let facts = ctx.resolver.facts(id.file);
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
