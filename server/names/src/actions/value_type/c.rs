//! C and C++: only arithmetic expressions and declared plain types have a certain type.

use tree_sitter::Node;

use super::uncertain_type;
use crate::actions::ActionRefusal;
use crate::actions::context::{ActionContext, any_ancestor};
use crate::actions::extract_function::may_be_macro;
use crate::vocabulary::DefinitionKind;

const PLAIN_TYPES: &[&str] = &[
    "int",
    "unsigned",
    "unsigned int",
    "long",
    "unsigned long",
    "double",
    "float",
    "char",
    "short",
    "bool",
    "size_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "uint8_t",
    "int8_t",
    "uint16_t",
    "int16_t",
    "ssize_t",
    "long long",
    "unsigned long long",
    "unsigned char",
    "unsigned short",
    "char *",
    "const char *",
    "void *",
];

pub(in crate::actions) fn type_of(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
) -> Result<String, ActionRefusal> {
    if ctx.text(node).trim() == "0" {
        return Err(uncertain_type("it may be a null pointer"));
    }
    let root = ctx.request.syntax.root();
    let is_macro_call = |n: Node<'_>| n.kind() == "call_expression" && may_be_macro(ctx, n);
    if any_ancestor(node, root, &is_macro_call) {
        return Err(uncertain_type("it is an argument of a macro"));
    }
    certain_type(ctx, node).ok_or_else(|| uncertain_type("its type is uncertain"))
}

/// The type of an expression, if it is certain.
pub(super) fn certain_type(ctx: &ActionContext<'_>, node: Node<'_>) -> Option<String> {
    let boolean = if ctx.language == "cpp" { "bool" } else { "int" };
    match node.kind() {
        "parenthesized_expression" => certain_type(ctx, node.named_child(0)?),
        "cast_expression" => {
            let ty = node.child_by_field_name("type")?;
            let written = ctx.text(ty).split_whitespace().collect::<Vec<_>>().join(" ");
            PLAIN_TYPES.contains(&&*written).then_some(written)
        }
        "number_literal" => {
            let text = ctx.text(node);
            let small = text.len() < 10 && text.chars().all(|c| c.is_ascii_digit());
            small.then(|| "int".into())
        }
        "unary_expression" => {
            let not = node.child_by_field_name("operator")?.kind() == "!";
            (not && is_scalar(ctx, node.child_by_field_name("argument")?)).then(|| boolean.into())
        }
        "binary_expression" => {
            let operator = node.child_by_field_name("operator")?;
            let side = |field| certain_type(ctx, node.child_by_field_name(field)?);
            match operator.kind() {
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => {
                    let scalar = |f| node.child_by_field_name(f).is_some_and(|c| is_scalar(ctx, c));
                    (scalar("left") && scalar("right")).then(|| boolean.into())
                }
                "+" | "-" | "*" | "/" | "%" => {
                    let (left, right) = (side("left")?, side("right")?);
                    let wide = matches!(&*left, "int" | "long" | "double" | "size_t");
                    (left == right && wide).then_some(left)
                }
                _ => None,
            }
        }
        "identifier" => declared_type(ctx, node),
        "field_expression" => declared_type(ctx, node.child_by_field_name("field")?),
        "call_expression" => {
            let function = node.child_by_field_name("function")?;
            let name = function.child_by_field_name("field").unwrap_or(function);
            declared_type(ctx, name)
        }
        _ => None,
    }
}

/// In C all operands of comparisons are scalars; in C++ only those of known plain type.
fn is_scalar(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    ctx.language == "c" || certain_type(ctx, node).is_some()
}

/// The plain type that a name is declared with.
fn declared_type(ctx: &ActionContext<'_>, name: Node<'_>) -> Option<String> {
    let at = ctx.facts.site_at(name.start_byte())?;
    let found = ctx.resolver.definitions_at_site(ctx.file, at);
    let mut types: Vec<String> = Vec::new();
    for found in &found {
        let def = ctx.resolver.def(found.id);
        if def.kind == DefinitionKind::Macro {
            return None;
        }
        let text = ctx.text_of(found.id.file)?;
        let line = text.get(..def.name_start as usize)?;
        let start = line.rfind(['\n', ';', '{', '}', '(', ',']).map_or(0, |n| n + 1);
        let before = &line[start..];
        let after = text.get(def.name_end as usize..)?.trim_start();
        let callable = after.starts_with('(');
        if after.starts_with('[') || callable != def.kind.is_callable() {
            return None;
        }
        let words: Vec<&str> = before
            .split_whitespace()
            .filter(|w| !matches!(*w, "static" | "inline" | "extern" | "const" | "register"))
            .collect();
        let written = words.join(" ");
        if before.contains("const") && written.contains('*') {
            return None;
        }
        types.push(PLAIN_TYPES.contains(&&*written).then_some(written)?);
    }
    types.sort();
    types.dedup();
    match &types[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}
