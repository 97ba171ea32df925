//! `extract_constant`: moves a constant expression into a constant of the file or class.

use tree_sitter::Node;

use super::context::{ActionContext, any_descendant};
use super::extract_variable::{check_is_value, selected_value};
use super::{
    ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal, value_type,
};

pub(super) const EXTRACT_CONSTANT: Planner = Planner {
    id: "extract_constant",
    kind: "refactor.extract.constant",
    wide: false,
    offers,
    plan,
};

/// Ancestors under which a literal cannot be replaced by a name.
pub(super) const NO_NAME_ALLOWED: &[&str] = &[
    "type",
    "case_clause",
    "subscript",
    "concatenated_string",
    "import_statement",
    "literal_type",
    "jsx_attribute",
    "enum_body",
    "export_specifier",
    "case_pattern",
    "attribute_item",
    "match_pattern",
    "token_tree",
    "macro_invocation",
    "annotation",
    "switch_label",
    "case_statement",
    "array_declarator",
    "enumerator",
    "preproc_def",
    "preproc_function_def",
    "preproc_if",
    "preproc_include",
    "linkage_specification",
    "static_assert_declaration",
    "gnu_asm_expression",
    "import_spec",
    "field_declaration",
    "bitfield_clause",
    "string_content",
    "decorator",
    "array_type",
    "template_argument_list",
    "user_defined_literal",
    "extern_crate_declaration",
    "extern_modifier",
    "enum_declaration",
    "global_statement",
    "type_annotation",
    "import_from_statement",
    "const_item",
    "static_item",
    "const_declaration",
    "type_case",
    "expression_case",
    "element_value_pair",
    "interface_body",
    "range_pattern",
    "enum_variant",
    "decltype",
    "template_type",
    "future_import_statement",
    "type_alias_statement",
    "type_alias_declaration",
    "tag",
    "constant_declaration",
    "attribute_declaration",
    "attribute_specifier",
];

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match selected_value(ctx).filter(|n| is_constant(*n)) {
        Some(_) => Offer::single("Extract into constant"),
        None => Vec::new(),
    }
}

/// Whether an expression has the same value everywhere.
pub(super) fn is_constant(node: Node<'_>) -> bool {
    match node.kind() {
        "string" => !any_descendant(node, &|n| n.kind() == "interpolation"),
        "integer"
        | "float"
        | "number"
        | "string_literal"
        | "integer_literal"
        | "char_literal"
        | "decimal_integer_literal"
        | "number_literal"
        | "int_literal"
        | "float_literal"
        | "interpreted_string_literal"
        | "raw_string_literal" => true,
        "unary_operator" | "unary_expression" | "parenthesized_expression" => {
            !matches!(
                node.child(0).map(|c| c.kind()),
                Some("!" | "not" | "typeof" | "void" | "delete")
            ) && node.named_child_count() == 1
                && node.named_child(0).is_some_and(is_constant)
        }
        "binary_operator" | "binary_expression" => {
            let mut cursor = node.walk();
            node.named_children(&mut cursor).all(is_constant)
        }
        _ => false,
    }
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Reason::NotApplicable, "no constant expression is selected");
    let node = selected_value(ctx).filter(|n| is_constant(*n)).ok_or_else(none)?;
    check_is_value(ctx, node)?;
    let mut at = node;
    let (mut class_body, mut top) = (None, node);
    while let Some(parent) = at.parent() {
        if NO_NAME_ALLOWED.contains(&parent.kind()) {
            return Err(refusal(Reason::Unsupported, "a name cannot replace it here"));
        }
        if ctx.language == "java" && parent.kind() == "class_body" {
            class_body = Some(parent);
        }
        top = at;
        at = parent;
    }
    if ctx.has_syntax_error(top) {
        return Err(refusal(Reason::Syntax, "the surrounding code has a syntax error"));
    }
    let code = ctx.text(node);
    let ty = type_of(ctx, node)?;
    let name = constant_name(ctx, node)?;
    let line_end = ctx.line_end();
    let (offset, line) = match (ctx.language, class_body) {
        ("java", Some(body)) => {
            let first = body.named_child(0).ok_or_else(none)?;
            let start = ctx.line_start(first.start_byte());
            if !ctx.is_first_on_line(first.start_byte()) {
                return Err(refusal(Reason::Unsupported, "the class is on one line"));
            }
            let indent = ctx.indentation_at(first.start_byte());
            (start, format!("{indent}private static final {ty} {name} = {code};{line_end}"))
        }
        ("java", None) => return Err(refusal(Reason::Scope, "it is not in a class")),
        (language, _) => {
            if !ctx.is_first_on_line(top.start_byte()) || top.kind().starts_with("preproc") {
                return Err(refusal(
                    Reason::Unsupported,
                    "the surrounding code shares its line with other code",
                ));
            }
            if top.kind().starts_with("import") || top.kind() == "ERROR" {
                return Err(refusal(Reason::Unsupported, "a name cannot replace it here"));
            }
            let top = first_overload(top);
            let whole = ctx.request.syntax.comments_above(top.start_byte());
            let start = ctx.line_start(start_with_attributes(top, whole));
            let declared = match language {
                "python" => format!("{name} = {code}"),
                "javascript" | "typescript" | "tsx" => format!("const {name} = {code};"),
                "rust" => format!("const {name}: {ty} = {code};"),
                "go" => format!("const {name} = {code}"),
                _ => format!("static const {ty} {name} = {code};"),
            };
            let gap = if language == "python" && top.kind().contains("definition") {
                format!("{line_end}{line_end}{line_end}")
            } else if top.kind().starts_with("lexical") || top.kind().starts_with("expression") {
                line_end.to_owned()
            } else {
                format!("{line_end}{line_end}")
            };
            (start, format!("{declared}{gap}"))
        }
    };
    let edits = vec![(offset..offset, line), (node.byte_range(), name.clone())];
    Ok(ActionPlan::from_edits(ctx.file, edits).with_generated_name(ctx, &name))
}

/// The first overload signature before a TypeScript function, which must stay adjacent to it.
fn first_overload(top: Node<'_>) -> Node<'_> {
    let declares = |n: &Node<'_>| {
        let inner = n.child_by_field_name("declaration").unwrap_or(*n);
        inner.kind() == "function_signature"
    };
    let (mut first, mut before) = (top, top.prev_named_sibling());
    while let Some(node) = before.filter(|n| n.kind() == "comment" || declares(n)) {
        if node.kind() != "comment" {
            first = node;
        }
        before = node.prev_named_sibling();
    }
    first
}

/// The start of an item including its attributes and decorators.
fn start_with_attributes(top: Node<'_>, comments: usize) -> usize {
    let mut start = comments;
    let mut before = top.prev_named_sibling();
    while let Some(node) = before.filter(|n| matches!(n.kind(), "attribute_item" | "decorator")) {
        start = start.min(node.start_byte());
        before = node.prev_named_sibling();
    }
    start
}

/// The type to write for the constant; empty if the language infers it.
fn type_of(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<String, ActionRefusal> {
    let unsure = || refusal(Reason::Type, "its type is uncertain");
    let text = ctx.text(node);
    match ctx.language {
        "rust" => match node.kind() {
            "string_literal" if text.starts_with('"') => Ok("&str".into()),
            "char_literal" if text.starts_with('\'') => Ok("char".into()),
            "integer_literal" | "float_literal" => {
                let types = [
                    "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64",
                    "i128", "f32", "f64",
                ];
                let own = types.iter().find(|t| text.ends_with(**t));
                own.map(|t| (*t).to_owned()).ok_or_else(unsure)
            }
            _ => Err(unsure()),
        },
        "c" | "cpp" => value_type::c_type(ctx, node),
        "java" => value_type::certain_type(ctx, node).ok_or_else(unsure),
        _ => Ok(String::new()),
    }
}

/// A name from the constant's text.
fn constant_name(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<String, ActionRefusal> {
    if ctx.request.name.is_some() {
        return ctx.fresh_name("");
    }
    let text = ctx.text(node);
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|w| w.len() > 1)
        .take(3)
        .map(str::to_ascii_uppercase)
        .collect();
    let text_like = node.kind().contains("string") && !words.is_empty();
    let wish = if text_like { words.join("_") } else { "VALUE".to_owned() };
    let wish = match ctx.language {
        "go" => {
            let mut all = String::from("const");
            for word in wish.split('_') {
                all.push_str(&word[..1]);
                all.push_str(&word[1..].to_ascii_lowercase());
            }
            all
        }
        // Upper-case names are for macros.
        "c" | "cpp" => format!("k_{}", wish.to_ascii_lowercase()),
        _ => wish,
    };
    let numbered = (2..100).map(|n| format!("{wish}_{n}"));
    let mut all = std::iter::once(wish.clone()).chain(numbered);
    all.find(|name| {
        ctx.is_unused_name(name)
            && ctx.resolver.definitions_named(name).next().is_none()
            && crate::rename::invalid_name_reason(name, ctx.language).is_none()
    })
    .ok_or_else(|| refusal(Reason::Conflict, "no free name was found"))
}
