//! `extract_constant`: a constant expression gets a name that the whole file, or type, can use.

use tree_sitter::Node;

use super::extract_variable::{check_place, value};
use super::site::{Site, any};
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal, value_type};

pub(super) const CONSTANT: Planner = Planner {
    id: "extract_constant",
    kind: "refactor.extract.constant",
    wide: false,
    offers,
    plan,
};

/// Where a literal is no expression, by the kinds of what is around it.
pub(super) const FIXED: &[&str] = &[
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

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match value(site).filter(|n| is_constant(*n)) {
        Some(_) => Offer::one("Extract into constant"),
        None => Vec::new(),
    }
}

/// Whether an expression is the same wherever it stands.
pub(super) fn is_constant(node: Node<'_>) -> bool {
    match node.kind() {
        "string" => !any(node, &|n| n.kind() == "interpolation"),
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

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Why::Nothing, "no constant is selected");
    let node = value(site).filter(|n| is_constant(*n)).ok_or_else(none)?;
    check_place(site, node)?;
    let mut at = node;
    let (mut holder, mut top) = (None, node);
    while let Some(parent) = at.parent() {
        if FIXED.contains(&parent.kind()) {
            return Err(refusal(Why::Shape, "a name cannot stand here"));
        }
        if site.language == "java" && parent.kind() == "class_body" {
            holder = Some(parent);
        }
        top = at;
        at = parent;
    }
    if site.is_broken(top) {
        return Err(refusal(Why::Syntax, "the code around has a syntax error"));
    }
    let code = site.text(node);
    let ty = type_of(site, node)?;
    let name = constant_name(site, node)?;
    let line_end = site.line_end();
    let (place, line) = match (site.language, holder) {
        ("java", Some(body)) => {
            let first = body.named_child(0).ok_or_else(none)?;
            let start = site.line_start(first.start_byte());
            if !site.begins_line(first.start_byte()) {
                return Err(refusal(Why::Shape, "the class stands on one line"));
            }
            let indent = site.indent_at(first.start_byte());
            (start, format!("{indent}private static final {ty} {name} = {code};{line_end}"))
        }
        ("java", None) => return Err(refusal(Why::Scope, "no class is around it")),
        (language, _) => {
            if !site.begins_line(top.start_byte()) || top.kind().starts_with("preproc") {
                return Err(refusal(Why::Shape, "the code around shares its line with others"));
            }
            if top.kind().starts_with("import") || top.kind() == "ERROR" {
                return Err(refusal(Why::Shape, "a name cannot stand here"));
            }
            let top = first_form(top);
            let whole = site.place.syntax.comments_above(top.start_byte());
            let start = site.line_start(above(top, whole));
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
    let edits = vec![(place..place, line), (node.byte_range(), name.clone())];
    Ok(ActionPlan::of(site.file, edits).named(site, &name))
}

/// The first of the forms that a function is declared in, which stand right before its code.
fn first_form(top: Node<'_>) -> Node<'_> {
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

/// Where a statement begins with the attributes above it.
fn above(top: Node<'_>, comments: usize) -> usize {
    let mut start = comments;
    let mut before = top.prev_named_sibling();
    while let Some(node) = before.filter(|n| matches!(n.kind(), "attribute_item" | "decorator")) {
        start = start.min(node.start_byte());
        before = node.prev_named_sibling();
    }
    start
}

fn type_of(site: &Site<'_>, node: Node<'_>) -> Result<String, ActionRefusal> {
    let unsure = || refusal(Why::Type, "its type is not certain");
    let text = site.text(node);
    match site.language {
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
        "c" | "cpp" => value_type::constant(site, node),
        "java" => value_type::known(site, node).ok_or_else(unsure),
        _ => Ok(String::new()),
    }
}

/// A name from what the constant says.
fn constant_name(site: &Site<'_>, node: Node<'_>) -> Result<String, ActionRefusal> {
    if site.place.name.is_some() {
        return site.fresh_name("");
    }
    let text = site.text(node);
    let words: Vec<String> = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|w| w.len() > 1)
        .take(3)
        .map(str::to_ascii_uppercase)
        .collect();
    let text_like = node.kind().contains("string") && !words.is_empty();
    let wish = if text_like { words.join("_") } else { "VALUE".to_owned() };
    let wish = match site.language {
        "go" => {
            let mut all = String::from("const");
            for word in wish.split('_') {
                all.push_str(&word[..1]);
                all.push_str(&word[1..].to_ascii_lowercase());
            }
            all
        }
        // Macros of headers have such names, too.
        "c" | "cpp" => format!("k_{}", wish.to_ascii_lowercase()),
        _ => wish,
    };
    let numbered = (2..100).map(|n| format!("{wish}_{n}"));
    let mut all = std::iter::once(wish.clone()).chain(numbered);
    all.find(|name| {
        site.is_free(name)
            && site.resolver.defined(name).next().is_none()
            && crate::rename::name_refused(name, site.language).is_none()
    })
    .ok_or_else(|| refusal(Why::Conflict, "no name could be found for it"))
}
