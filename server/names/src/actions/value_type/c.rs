//! C and C++: only what is a number by itself, or declared to give one.

use tree_sitter::Node;

use super::unsure;
use crate::actions::ActionRefusal;
use crate::actions::extract_function::may_be_macro;
use crate::actions::site::{Site, any_above};
use crate::vocabulary::DefinitionKind;

const PLAIN: &[&str] = &[
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
    site: &Site<'_>,
    node: Node<'_>,
) -> Result<String, ActionRefusal> {
    if site.text(node).trim() == "0" {
        return Err(unsure("it may be a pointer to nothing"));
    }
    let root = site.place.syntax.root();
    let given = |n: Node<'_>| n.kind() == "call_expression" && may_be_macro(site, n);
    if any_above(node, root, &given) {
        return Err(unsure("a macro may do with it what it likes"));
    }
    known(site, node).ok_or_else(|| unsure("its type is not certain"))
}

pub(super) fn known(site: &Site<'_>, node: Node<'_>) -> Option<String> {
    let truth = if site.language == "cpp" { "bool" } else { "int" };
    match node.kind() {
        "parenthesized_expression" => known(site, node.named_child(0)?),
        "cast_expression" => {
            let ty = node.child_by_field_name("type")?;
            let written = site.text(ty).split_whitespace().collect::<Vec<_>>().join(" ");
            PLAIN.contains(&&*written).then_some(written)
        }
        "number_literal" => {
            let text = site.text(node);
            let small = text.len() < 10 && text.chars().all(|c| c.is_ascii_digit());
            small.then(|| "int".into())
        }
        "unary_expression" => {
            let not = node.child_by_field_name("operator")?.kind() == "!";
            (not && is_scalar(site, node.child_by_field_name("argument")?)).then(|| truth.into())
        }
        "binary_expression" => {
            let operator = node.child_by_field_name("operator")?;
            let side = |field| known(site, node.child_by_field_name(field)?);
            match operator.kind() {
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => {
                    let scalar =
                        |f| node.child_by_field_name(f).is_some_and(|c| is_scalar(site, c));
                    (scalar("left") && scalar("right")).then(|| truth.into())
                }
                "+" | "-" | "*" | "/" | "%" => {
                    let (left, right) = (side("left")?, side("right")?);
                    let wide = matches!(&*left, "int" | "long" | "double" | "size_t");
                    (left == right && wide).then_some(left)
                }
                _ => None,
            }
        }
        "identifier" => declared(site, node),
        "field_expression" => declared(site, node.child_by_field_name("field")?),
        "call_expression" => {
            let function = node.child_by_field_name("function")?;
            let name = function.child_by_field_name("field").unwrap_or(function);
            declared(site, name)
        }
        _ => None,
    }
}

/// In C all comparisons are of numbers and pointers; in C++ of what is known to be one.
fn is_scalar(site: &Site<'_>, node: Node<'_>) -> bool {
    site.language == "c" || known(site, node).is_some()
}

/// The plain type that what a name means is declared with.
fn declared(site: &Site<'_>, name: Node<'_>) -> Option<String> {
    let at = site.facts.site(name.start_byte())?;
    let found = site.resolver.site(site.file, at);
    let mut types: Vec<String> = Vec::new();
    for found in &found {
        let def = site.resolver.def(found.id);
        if def.kind == DefinitionKind::Macro {
            return None;
        }
        let text = site.text_of(found.id.file)?;
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
        types.push(PLAIN.contains(&&*written).then_some(written)?);
    }
    types.sort();
    types.dedup();
    match &types[..] {
        [one] => Some(one.clone()),
        _ => None,
    }
}
