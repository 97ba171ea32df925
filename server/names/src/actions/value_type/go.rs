//! Go: a constant takes the type of where it stands, until it has a name.

use tree_sitter::Node;

use super::{Written, unsure};
use crate::actions::ActionRefusal;
use crate::actions::site::Site;
use crate::resolve::DefId;
use crate::vocabulary::DefinitionKind;

pub(super) fn check(site: &Site<'_>, node: Node<'_>) -> Result<Written, ActionRefusal> {
    if !is_typed(site, node) {
        return Err(unsure("it is a constant, or not known to be none, and would get a type"));
    }
    let parent = node.parent().map_or("", |p| p.kind());
    if parent == "argument_list" || parent == "expression_list" {
        // `f(g())` and `a, b := g()` may take several values.
        let several = node.parent().is_some_and(|p| p.named_child_count() == 1);
        if several && !gives_one(site, node) {
            return Err(unsure("it may give several values"));
        }
    }
    Ok(Written::Inferred)
}

/// Whether an expression has a type of its own.
fn is_typed(site: &Site<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "call_expression" => gives_one(site, node),
        "composite_literal" | "type_assertion_expression" | "slice_expression" => true,
        "index_expression" => true,
        "unary_expression" => {
            let operator = node.child_by_field_name("operator").map_or("", |o| o.kind());
            matches!(operator, "&" | "<-")
                || node.child_by_field_name("operand").is_some_and(|o| is_typed(site, o))
        }
        "parenthesized_expression" => node.named_child(0).is_some_and(|c| is_typed(site, c)),
        "binary_expression" => {
            let operator = node.child_by_field_name("operator").map_or("", |o| o.kind());
            let side = |field| node.child_by_field_name(field).is_some_and(|c| is_typed(site, c));
            match operator {
                "<<" | ">>" => side("left"),
                "==" | "!=" | "<" | "<=" | ">" | ">=" => side("left") || side("right"),
                _ => side("left") || side("right"),
            }
        }
        "identifier" => is_variable(site, node),
        "selector_expression" => {
            node.child_by_field_name("field").is_some_and(|f| is_variable(site, f))
        }
        _ => false,
    }
}

fn targets(site: &Site<'_>, name: Node<'_>) -> Vec<DefId> {
    let found = site.facts.site(name.start_byte()).map(|s| site.resolver.site(site.file, s));
    found.unwrap_or_default().iter().map(|f| f.id).collect()
}

fn is_variable(site: &Site<'_>, name: Node<'_>) -> bool {
    let all = targets(site, name);
    let variable = |id: &DefId| {
        use DefinitionKind as K;
        matches!(site.resolver.def(*id).kind, K::Variable | K::Parameter | K::Field)
    };
    !all.is_empty() && all.iter().all(variable)
}

/// Whether a call is known to give one value.
fn gives_one(site: &Site<'_>, node: Node<'_>) -> bool {
    if node.kind() != "call_expression" {
        return !matches!(node.kind(), "type_assertion_expression" | "index_expression")
            || node.parent().is_some_and(|p| p.kind() == "argument_list");
    }
    let Some(function) = node.child_by_field_name("function") else { return false };
    let name = function.child_by_field_name("field").unwrap_or(function);
    if matches!(site.text(function), "len" | "cap") {
        // `len` of an array is a constant only where the array is; its type is `int` all the same.
        return true;
    }
    let all = targets(site, name);
    !all.is_empty() && all.iter().all(|id| one_result(site, *id) == Some(true))
}

/// Whether a function has one result, as it is declared.
pub(crate) fn one_result(site: &Site<'_>, id: DefId) -> Option<bool> {
    let result = declared_result(site, id)?;
    let result = result.trim();
    Some(!result.is_empty() && !result.starts_with('('))
}

/// What is written between a function's parameters and its body.
fn declared_result(site: &Site<'_>, id: DefId) -> Option<String> {
    let def = site.resolver.def(id);
    if !def.kind.is_callable() {
        return None;
    }
    let text = site.text_of(id.file)?;
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
