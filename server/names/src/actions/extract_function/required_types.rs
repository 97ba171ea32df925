//! The types of the new function in languages that require them. An uncertain type refuses the action.

use tree_sitter::Node;

use super::data_flow::DataFlow;
use super::{Selection, types};
use crate::actions::context::{ActionContext, any_ancestor, any_descendant};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal, value_type};
use crate::vocabulary::DefinitionKind;

/// The written type of a declaration.
///
/// # Errors
/// If the type is uncertain, or means something else outside the function.
pub(super) fn declared_type(
    ctx: &ActionContext<'_>,
    def: u32,
    function: Node<'_>,
) -> Result<String, ActionRefusal> {
    let definition = ctx.def(def);
    let name = ctx.name_of(def);
    let uncertain = || refusal(Reason::Type, format!("the type of `{name}` is uncertain"));
    let root = ctx.request.syntax.root();
    let node = root
        .named_descendant_for_byte_range(
            definition.name_start as usize,
            definition.name_end as usize,
        )
        .ok_or_else(uncertain)?;
    let parent = node.parent().ok_or_else(uncertain)?;
    if definition.kind == DefinitionKind::Function {
        return Err(uncertain());
    }
    let text = |n: Option<Node<'_>>| n.map(|n| ctx.text(n).to_owned());
    let found = match ctx.language {
        "typescript" | "tsx" if parent.kind() == "required_parameter" => {
            let ty = parent.child_by_field_name("type");
            let value = parent.child_by_field_name("value").is_some();
            text(ty).filter(|_| !value).map(|t| t.trim_start_matches(':').trim().to_owned())
        }
        "rust" if matches!(parent.kind(), "parameter") => text(parent.child_by_field_name("type")),
        "go" if parent.kind() == "parameter_declaration" => {
            text(parent.child_by_field_name("type")).filter(|t| !t.starts_with("..."))
        }
        "java" if matches!(parent.kind(), "formal_parameter") => {
            text(parent.child_by_field_name("type"))
        }
        "java" if parent.kind() == "variable_declarator" => {
            let outer = parent.parent().ok_or_else(uncertain)?;
            let plain = parent.child_by_field_name("dimensions").is_none();
            text(outer.child_by_field_name("type")).filter(|t| plain && t != "var")
        }
        "c" if matches!(
            parent.kind(),
            "parameter_declaration" | "init_declarator" | "declaration" | "pointer_declarator"
        ) =>
        {
            c_type(ctx, node)
        }
        _ => None,
    };
    let found = found.ok_or_else(uncertain)?;
    // Type parameters and lifetimes are declared by the function.
    let generic = any_descendant(function, &|n| {
        matches!(n.kind(), "type_parameters" | "type_parameter_list" | "lifetime" | "where_clause")
    }) || any_ancestor(function, root, &|n| {
        let mut cursor = n.walk();
        let found = n
            .children(&mut cursor)
            .any(|c| matches!(c.kind(), "type_parameters" | "type_parameter_list"));
        found || n.kind() == "template_declaration"
    });
    let go_generic = ctx.language == "go" && found.contains('[');
    if generic
        || go_generic && !found.starts_with("[]")
        || found.contains("impl ")
        || found.contains("Self")
    {
        return Err(uncertain());
    }
    if ctx.language == "rust" {
        let copied = [
            "usize", "isize", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f32", "f64",
            "bool", "char",
        ];
        let plain =
            copied.contains(&&*found) || found.starts_with('&') && !found.starts_with("&mut");
        if !plain {
            return Err(refusal(Reason::Type, format!("`{name}` would be moved")));
        }
    }
    if found.contains('\n') {
        return Err(uncertain());
    }
    Ok(found)
}

/// The type of a plain C declaration: words and stars before the name, nothing after it.
fn c_type(ctx: &ActionContext<'_>, name: Node<'_>) -> Option<String> {
    let mut at = name;
    let mut stars = String::new();
    while let Some(parent) = at.parent() {
        match parent.kind() {
            "pointer_declarator" => stars.push('*'),
            "init_declarator" => {}
            "declaration" | "parameter_declaration" => {
                let ty = ctx.text(parent.child_by_field_name("type")?);
                let mut cursor = parent.walk();
                let mut qualifiers = String::new();
                for child in parent.named_children(&mut cursor) {
                    match child.kind() {
                        "type_qualifier" => qualifiers.push_str(&format!("{} ", ctx.text(child))),
                        "storage_class_specifier" => return None,
                        _ => {}
                    }
                }
                let gap = if stars.is_empty() { "" } else { " " };
                return Some(format!("{qualifiers}{ty}{gap}{stars}"));
            }
            _ => return None,
        }
        at = parent;
    }
    None
}

/// The written type of the only result; empty without results.
pub(super) fn declared_type_of_result(
    ctx: &ActionContext<'_>,
    flow: &DataFlow,
) -> Result<String, ActionRefusal> {
    let Some((name, def, _)) = flow.results.first() else { return Ok(String::new()) };
    let uncertain = || refusal(Reason::Type, format!("the type of `{name}` is uncertain"));
    let at = ctx.def(*def);
    let root = ctx.request.syntax.root();
    let node = root
        .named_descendant_for_byte_range(at.name_start as usize, at.name_end as usize)
        .ok_or_else(uncertain)?;
    declared_type(ctx, *def, ctx.function_around(node))
}

/// The return type of the new function, empty without one.
///
/// # Errors
/// If the type is uncertain.
pub(super) fn result_type(
    ctx: &ActionContext<'_>,
    selection: &Selection<'_>,
    function: Node<'_>,
    flow: &DataFlow,
    has_return: bool,
) -> Result<String, ActionRefusal> {
    let uncertain = || refusal(Reason::Type, "its return type is uncertain");
    if ctx.language == "python" {
        return Ok(types::python_result(ctx, function, flow, has_return, selection));
    }
    if matches!(ctx.language, "typescript" | "tsx") && has_return {
        return types::ecma_result(ctx, function).ok_or_else(uncertain);
    }
    if matches!(ctx.language, "javascript" | "typescript" | "tsx") {
        let several = flow.results.len() > 1;
        // Callers may infer their types from the return type.
        let typed = ctx.language != "javascript";
        return match typed && (several || matches!(selection, Selection::Expression(_))) {
            true => Err(uncertain()),
            false => Ok(String::new()),
        };
    }
    if has_return {
        let ty = match ctx.language {
            "java" => function.child_by_field_name("type"),
            "go" => function.child_by_field_name("result"),
            "rust" => function.child_by_field_name("return_type"),
            _ => None,
        };
        let written = ty.map(|t| ctx.text(t).to_owned()).ok_or_else(uncertain)?;
        let named = ctx.language == "go" && written.starts_with('(');
        let open = written.contains("impl ")
            || written.contains("Self")
            || written.contains('\'')
            || written.contains('&');
        let generic = any_descendant(function, &|n| {
            matches!(n.kind(), "type_parameters" | "type_parameter_list")
        });
        return if named || open || generic || written.contains('\n') {
            Err(uncertain())
        } else {
            Ok(written)
        };
    }
    match selection {
        Selection::Expression(node) => value_type::certain_type(ctx, *node).ok_or_else(uncertain),
        Selection::Statements(_) => match flow.results.len() {
            0 if ctx.language == "rust" => {
                // Without a semicolon, the last statement may be the block's value.
                let last = selection.nodes().last().is_some_and(|n| {
                    n.kind() == "expression_statement" && ctx.text(*n).ends_with(';')
                        || n.kind() == "let_declaration"
                });
                if last { Ok(String::new()) } else { Err(uncertain()) }
            }
            0 => Ok(String::new()),
            1 => declared_type_of_result(ctx, flow),
            _ => Err(uncertain()),
        },
    }
}
