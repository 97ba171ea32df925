//! Java: the variable's type is written out, because older versions have no `var`.

use tree_sitter::Node;

use super::uncertain_type;
use crate::actions::ActionRefusal;
use crate::actions::context::ActionContext;
use crate::resolve::DefId;

const PRIMITIVES: &[&str] =
    &["int", "long", "double", "float", "boolean", "char", "byte", "short", "String"];

pub(super) fn type_of(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<String, ActionRefusal> {
    certain_type(ctx, node).ok_or_else(|| uncertain_type("its type is uncertain"))
}

/// The type of an expression, if it is certain.
pub(super) fn certain_type(ctx: &ActionContext<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "string_literal" => Some("String".into()),
        "true" | "false" | "instanceof_expression" => Some("boolean".into()),
        "parenthesized_expression" => certain_type(ctx, node.named_child(0)?),
        "cast_expression" => {
            let ty = node.child_by_field_name("type")?;
            Some(ctx.text(ty).to_owned()).filter(|t| !t.contains('&'))
        }
        "object_creation_expression" => {
            let ty = node.child_by_field_name("type")?;
            let mut cursor = node.walk();
            let anonymous = node.named_children(&mut cursor).any(|c| c.kind() == "class_body");
            let plain = !anonymous && !ctx.text(ty).contains("<>");
            // `outer.new Inner()`
            let qualified = ctx.text(node).starts_with("new ");
            // A raw generic type stays raw.
            Some(ctx.text(ty).to_owned()).filter(|_| plain && qualified)
        }
        "unary_expression" => {
            let not = ctx.text(node).starts_with('!');
            not.then(|| "boolean".into())
        }
        "binary_expression" => {
            let operator = node.child_by_field_name("operator")?;
            let side = |field| certain_type(ctx, node.child_by_field_name(field)?);
            match operator.kind() {
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Some("boolean".into()),
                "+" if is_string(ctx, node) => Some("String".into()),
                _ => {
                    let (left, right) = (side("left")?, side("right")?);
                    (left == right && matches!(&*left, "int" | "long" | "double")).then_some(left)
                }
            }
        }
        "decimal_integer_literal" => {
            let long = ctx.text(node).ends_with(['l', 'L']);
            Some(if long { "long" } else { "int" }.into())
        }
        "identifier" | "field_access" => {
            let name = node.child_by_field_name("field").unwrap_or(node);
            declared_type(ctx, name).filter(|t| PRIMITIVES.contains(&&**t))
        }
        "method_invocation" => declared_type(ctx, node.child_by_field_name("name")?),
        _ => None,
    }
}

/// Whether a sum contains a string operand, so that all of it is a string.
fn is_string(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "string_literal" => true,
        "binary_expression" => {
            let plus = node.child_by_field_name("operator").is_some_and(|o| o.kind() == "+");
            let side = |f| node.child_by_field_name(f).is_some_and(|c| is_string(ctx, c));
            plus && (side("left") || side("right"))
        }
        _ => certain_type(ctx, node).is_some_and(|t| t == "String"),
    }
}

/// The declared type of a name, if it means the same here.
fn declared_type(ctx: &ActionContext<'_>, name: Node<'_>) -> Option<String> {
    let at = ctx.facts.site_at(name.start_byte())?;
    let found = ctx.resolver.definitions_at_site(ctx.file, at);
    let mut types: Vec<String> = Vec::new();
    for found in &found {
        types.push(type_of_definition(ctx, found.id)?);
    }
    types.dedup();
    match &types[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

fn type_of_definition(ctx: &ActionContext<'_>, id: DefId) -> Option<String> {
    let def = ctx.resolver.def(id);
    let text = ctx.text_of(id.file)?;
    let before = text.get(def.start as usize..def.name_start as usize)?;
    if before.contains(['\n', ',', '=']) || before.contains("/*") {
        return None;
    }
    // The type is the last word: `public static <T> Foo<Bar> name`.
    let written = before.trim_end();
    if written.contains('<') {
        return None;
    }
    let last = written.rsplit(char::is_whitespace).next()?;
    let word = last.trim_end_matches("[]");
    if PRIMITIVES.contains(&word) {
        return Some(last.to_owned());
    }
    // The name must mean the same here and not be a type parameter.
    let simple = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let same =
        simple && ctx.same_type_here(id.file, word, def.start as usize + before.rfind(word)?);
    same.then(|| last.to_owned())
}
