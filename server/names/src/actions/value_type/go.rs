//! Go: an untyped constant takes its type from the context until it is assigned to a variable.

use tree_sitter::Node;

use super::{TypeAnnotation, uncertain_type};
use crate::actions::ActionRefusal;
use crate::actions::context::ActionContext;
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;

pub(super) fn check(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
) -> Result<TypeAnnotation, ActionRefusal> {
    if !is_typed(ctx, node) {
        return Err(uncertain_type("it may be an untyped constant, which would get a type"));
    }
    let parent = node.parent().map_or("", |p| p.kind());
    if parent == "argument_list" || parent == "expression_list" {
        // `f(g())` and `a, b := g()` accept several results.
        let several = node.parent().is_some_and(|p| p.named_child_count() == 1);
        if several && !has_one_result(ctx, node) {
            return Err(uncertain_type("it may have several results"));
        }
    }
    Ok(TypeAnnotation::Inferred)
}

/// Whether an expression is surely typed.
fn is_typed(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "call_expression" => has_one_result(ctx, node),
        "composite_literal" | "type_assertion_expression" | "slice_expression" => true,
        "index_expression" => true,
        "unary_expression" => {
            let operator = node.child_by_field_name("operator").map_or("", |o| o.kind());
            matches!(operator, "&" | "<-")
                || node.child_by_field_name("operand").is_some_and(|o| is_typed(ctx, o))
        }
        "parenthesized_expression" => node.named_child(0).is_some_and(|c| is_typed(ctx, c)),
        "binary_expression" => {
            let operator = node.child_by_field_name("operator").map_or("", |o| o.kind());
            let side = |field| node.child_by_field_name(field).is_some_and(|c| is_typed(ctx, c));
            match operator {
                "<<" | ">>" => side("left"),
                "==" | "!=" | "<" | "<=" | ">" | ">=" => side("left") || side("right"),
                _ => side("left") || side("right"),
            }
        }
        "identifier" => is_variable(ctx, node),
        "selector_expression" => {
            node.child_by_field_name("field").is_some_and(|f| is_variable(ctx, f))
        }
        _ => false,
    }
}

fn targets(ctx: &ActionContext<'_>, name: Node<'_>) -> Vec<DefId> {
    let found =
        ctx.facts.site_at(name.start_byte()).map(|s| ctx.resolver.definitions_at_site(ctx.file, s));
    found.unwrap_or_default().iter().map(|f| f.id).collect()
}

fn is_variable(ctx: &ActionContext<'_>, name: Node<'_>) -> bool {
    let all = targets(ctx, name);
    let variable = |id: &DefId| {
        use DefinitionKind as K;
        matches!(ctx.resolver.def(*id).kind, K::Variable | K::Parameter | K::Field)
    };
    !all.is_empty() && all.iter().all(variable)
}

/// Whether a call surely has one result.
fn has_one_result(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    if node.kind() != "call_expression" {
        return !matches!(node.kind(), "type_assertion_expression" | "index_expression")
            || node.parent().is_some_and(|p| p.kind() == "argument_list");
    }
    let Some(function) = node.child_by_field_name("function") else { return false };
    let name = function.child_by_field_name("field").unwrap_or(function);
    if matches!(ctx.text(function), "len" | "cap") {
        // `len` of an array may be a constant, but its type is always `int`.
        return true;
    }
    let all = targets(ctx, name);
    !all.is_empty() && all.iter().all(|id| is_declared_with_one_result(ctx, *id) == Some(true))
}

/// Whether a function is declared with one result.
pub(crate) fn is_declared_with_one_result(ctx: &ActionContext<'_>, id: DefId) -> Option<bool> {
    let result = declared_result(ctx, id)?;
    let result = result.trim();
    Some(!result.is_empty() && !result.starts_with('('))
}

/// The text between a function's parameters and its body.
fn declared_result(ctx: &ActionContext<'_>, id: DefId) -> Option<String> {
    let def = ctx.resolver.def(id);
    if !def.kind.is_callable() {
        return None;
    }
    let text = ctx.text_of(id.file)?;
    let code = text.get(def.name_end as usize..def.end as usize)?;
    let mut depth = 0_usize;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' | '{' if !(c == '{' && depth == 0) => depth += 1,
            ')' if depth == 1 => {
                let rest = &code[at + 1..];
                let end = rest.find(['{', '\n']).unwrap_or(rest.len());
                return Some(rest[..end].to_owned());
            }
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}
