//! Java: a variable needs its type, as older Java has no `var`.

use tree_sitter::Node;

use super::unsure;
use crate::actions::ActionRefusal;
use crate::actions::site::Site;
use crate::resolve::DefId;

const PRIMITIVES: &[&str] =
    &["int", "long", "double", "float", "boolean", "char", "byte", "short", "String"];

pub(super) fn type_of(site: &Site<'_>, node: Node<'_>) -> Result<String, ActionRefusal> {
    known(site, node).ok_or_else(|| unsure("its type is not certain"))
}

pub(super) fn known(site: &Site<'_>, node: Node<'_>) -> Option<String> {
    match node.kind() {
        "string_literal" => Some("String".into()),
        "true" | "false" | "instanceof_expression" => Some("boolean".into()),
        "parenthesized_expression" => known(site, node.named_child(0)?),
        "cast_expression" => {
            let ty = node.child_by_field_name("type")?;
            Some(site.text(ty).to_owned()).filter(|t| !t.contains('&'))
        }
        "object_creation_expression" => {
            let ty = node.child_by_field_name("type")?;
            let mut cursor = node.walk();
            let anonymous = node.named_children(&mut cursor).any(|c| c.kind() == "class_body");
            let plain = !anonymous && !site.text(ty).contains("<>");
            // `outer.new Inner()`
            let qualified = site.text(node).starts_with("new ");
            // A generic type without its arguments stays raw as it was.
            Some(site.text(ty).to_owned()).filter(|_| plain && qualified)
        }
        "unary_expression" => {
            let not = site.text(node).starts_with('!');
            not.then(|| "boolean".into())
        }
        "binary_expression" => {
            let operator = node.child_by_field_name("operator")?;
            let side = |field| known(site, node.child_by_field_name(field)?);
            match operator.kind() {
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Some("boolean".into()),
                "+" if is_string(site, node) => Some("String".into()),
                _ => {
                    let (left, right) = (side("left")?, side("right")?);
                    (left == right && matches!(&*left, "int" | "long" | "double")).then_some(left)
                }
            }
        }
        "decimal_integer_literal" => {
            let long = site.text(node).ends_with(['l', 'L']);
            Some(if long { "long" } else { "int" }.into())
        }
        "identifier" | "field_access" => {
            let name = node.child_by_field_name("field").unwrap_or(node);
            declared(site, name).filter(|t| PRIMITIVES.contains(&&**t))
        }
        "method_invocation" => declared(site, node.child_by_field_name("name")?),
        _ => None,
    }
}

/// Whether a sum holds a string literal at its top: then all of it is a string.
fn is_string(site: &Site<'_>, node: Node<'_>) -> bool {
    match node.kind() {
        "string_literal" => true,
        "binary_expression" => {
            let plus = node.child_by_field_name("operator").is_some_and(|o| o.kind() == "+");
            let side = |f| node.child_by_field_name(f).is_some_and(|c| is_string(site, c));
            plus && (side("left") || side("right"))
        }
        _ => known(site, node).is_some_and(|t| t == "String"),
    }
}

/// The type that what a name means is declared with, where it says the same here.
fn declared(site: &Site<'_>, name: Node<'_>) -> Option<String> {
    let at = site.facts.site(name.start_byte())?;
    let found = site.resolver.site(site.file, at);
    let mut types: Vec<String> = Vec::new();
    for found in &found {
        types.push(of_definition(site, found.id)?);
    }
    types.dedup();
    match &types[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}

fn of_definition(site: &Site<'_>, id: DefId) -> Option<String> {
    let def = site.resolver.def(id);
    let text = site.text_of(id.file)?;
    let before = text.get(def.start as usize..def.name_start as usize)?;
    if before.contains(['\n', ',', '=']) || before.contains("/*") {
        return None;
    }
    // `public static <T> Foo<Bar> name`: the last word.
    let written = before.trim_end();
    if written.contains('<') {
        return None;
    }
    let last = written.rsplit(char::is_whitespace).next()?;
    let word = last.trim_end_matches("[]");
    if PRIMITIVES.contains(&word) {
        return Some(last.to_owned());
    }
    // A name that means the same here, and is no type parameter.
    let simple = !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || c == '_');
    let same =
        simple && site.same_type_here(id.file, word, def.start as usize + before.rfind(word)?);
    same.then(|| last.to_owned())
}
