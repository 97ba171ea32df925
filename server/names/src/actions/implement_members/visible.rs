//! Signatures written down in another file: each type has to mean the same there.

use tree_sitter::Node;

use super::demanded::{Demanded, Parsed};
use crate::actions::site::{Site, any, leaves};
use crate::actions::{ActionRefusal, RefusalReason as Why, refusal};
use crate::vocabulary::Namespace;

/// Types that each file of a language knows.
fn known_everywhere(language: &str) -> &'static [&'static str] {
    match language {
        "rust" => &[
            "Self",
            "Option",
            "Result",
            "Vec",
            "String",
            "Box",
            "Send",
            "Sync",
            "Fn",
            "FnMut",
            "FnOnce",
            "Iterator",
            "IntoIterator",
            "Clone",
            "Copy",
            "Sized",
            "Into",
            "From",
            "AsRef",
        ],
        "java" => &[
            "String",
            "Object",
            "Integer",
            "Long",
            "Boolean",
            "Double",
            "Float",
            "Character",
            "Byte",
            "Short",
            "Void",
            "Number",
            "Class",
            "Iterable",
            "Runnable",
            "CharSequence",
            "Throwable",
            "Exception",
            "RuntimeException",
            "StringBuilder",
            "Comparable",
            "Enum",
            "AutoCloseable",
            "Override",
            "InterruptedException",
            "IllegalArgumentException",
            "IllegalStateException",
        ],
        _ => &[
            "Promise",
            "Array",
            "Map",
            "Set",
            "Date",
            "Error",
            "Record",
            "Partial",
            "Readonly",
            "ReadonlyArray",
            "Iterable",
            "RegExp",
            "Function",
            "Uint8Array",
        ],
    }
}

/// A member as it is to be written in this file.
pub(super) fn written(
    site: &Site<'_>,
    parsed: &Parsed,
    member: Node<'_>,
    name: &str,
) -> Result<Demanded, ActionRefusal> {
    let inner = member.child_by_field_name("definition").unwrap_or(member);
    let unsure = |why: &str| refusal(Why::Type, format!("`{name}`: {why}"));
    if site.language == "python" {
        return python(parsed, member, inner, name);
    }
    if matches!(inner.kind(), "associated_type" | "const_item") {
        return Err(unsure("what it is to be is not known"));
    }
    if any(inner, &|n| matches!(n.kind(), "type_parameters")) {
        return Err(unsure("it has type parameters"));
    }
    check_types(site, parsed, inner, name)?;
    let text = parsed.text(inner).trim_end().trim_end_matches([';', ',']).trim_end().to_owned();
    if text.contains("//") || text.contains("/*") {
        return Err(unsure("comments stand in its declaration"));
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match site.language {
        "rust" => {
            if text.contains("#[") {
                return Err(unsure("it has attributes"));
            }
            let method = Demanded { head: format!("{text} {{"), body: Some("todo!()".into()) };
            Ok(method)
        }
        "java" => {
            let from = inner.child_by_field_name("type").ok_or_else(|| unsure("it has no type"))?;
            let rest = &parsed.source[from.start_byte()..inner.end_byte()];
            let rest = rest
                .trim_end()
                .trim_end_matches(';')
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let mut cursor = inner.walk();
            let words = inner.named_children(&mut cursor).find(|c| c.kind() == "modifiers");
            let modifiers = words.map_or("", |w| parsed.text(w));
            let interface = inner.parent().is_some_and(|p| p.kind() == "interface_body");
            let access = if interface || modifiers.contains("public") {
                "public "
            } else if modifiers.contains("protected") {
                "protected "
            } else if crate::project::parent(site.resolver.path(parsed.file))
                == site.resolver.folder(site.file)
            {
                ""
            } else {
                return Err(unsure("it cannot be seen here"));
            };
            Ok(Demanded {
                head: format!("@Override\n{access}{rest} {{"),
                body: Some("throw new UnsupportedOperationException();".into()),
            })
        }
        _ => {
            let text = text.replace("abstract ", "");
            if inner.kind() == "property_signature" {
                if text.contains('[') && text.starts_with('[') {
                    return Err(unsure("its name is worked out"));
                }
                // Without a value it has to be said that it gets one.
                let (head, ty) = text.split_once(':').ok_or_else(|| unsure("it has no type"))?;
                let head = head.trim_start_matches("readonly ").trim();
                return Ok(Demanded { head: format!("{head}!:{ty};"), body: None });
            }
            if inner.child_by_field_name("return_type").is_none() {
                return Err(unsure("what it gives is not said"));
            }
            if any(inner, &|n| matches!(n.kind(), "type_predicate" | "asserts" | "get" | "set")) {
                return Err(unsure("it tells types"));
            }
            Ok(Demanded {
                head: format!("{text} {{"),
                body: Some("throw new Error(\"Method not implemented.\");".into()),
            })
        }
    }
}

fn python(
    parsed: &Parsed,
    member: Node<'_>,
    inner: Node<'_>,
    name: &str,
) -> Result<Demanded, ActionRefusal> {
    let unsure = |why: &str| refusal(Why::Type, format!("`{name}`: {why}"));
    let list = inner.child_by_field_name("parameters").ok_or_else(|| unsure("it is no method"))?;
    let mut parameters = Vec::new();
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        let text = |n: Node<'_>| parsed.text(n).to_owned();
        let written = match parameter.kind() {
            "identifier"
            | "list_splat_pattern"
            | "dictionary_splat_pattern"
            | "keyword_separator"
            | "positional_separator" => text(parameter),
            "typed_parameter" => {
                text(parameter.named_child(0).ok_or_else(|| unsure("a parameter is not plain"))?)
            }
            "default_parameter" | "typed_default_parameter" => {
                let value = parameter
                    .child_by_field_name("value")
                    .ok_or_else(|| unsure("a parameter is not plain"))?;
                let plain = ["none", "true", "false", "integer", "float", "string"];
                if !plain.contains(&value.kind()) || text(value).contains('\n') {
                    return Err(unsure("what a parameter is without a value is worked out"));
                }
                let own = parameter
                    .child_by_field_name("name")
                    .ok_or_else(|| unsure("a parameter is not plain"))?;
                format!("{}={}", text(own), text(value))
            }
            _ => return Err(unsure("a parameter is not plain")),
        };
        parameters.push(written);
    }
    let mut head = String::new();
    let mut cursor = member.walk();
    for mark in member.named_children(&mut cursor).filter(|c| c.kind() == "decorator") {
        let text = parsed.text(mark).trim();
        match text {
            "@property" | "@classmethod" | "@staticmethod" => head.push_str(&format!("{text}\n")),
            "@abstractmethod" | "@abc.abstractmethod" => {}
            _ => return Err(unsure("its decorators are not plain")),
        }
    }
    let lead = if parsed.text(inner).starts_with("async") { "async " } else { "" };
    head.push_str(&format!("{lead}def {name}({}):", parameters.join(", ")));
    Ok(Demanded { head, body: Some("raise NotImplementedError".into()) })
}

/// Each type that a declaration names has to be the same here.
fn check_types(
    site: &Site<'_>,
    parsed: &Parsed,
    member: Node<'_>,
    name: &str,
) -> Result<(), ActionRefusal> {
    if parsed.file == site.file {
        // Modules in the file may see other names.
        let nested = site.language == "rust"
            && crate::actions::site::any_above(member, parsed.syntax.root(), &|n| {
                n.kind() == "mod_item"
            });
        if !nested {
            return Ok(());
        }
    }
    let mut hidden = None;
    leaves(member, &mut |leaf| {
        let typed = matches!(
            leaf.kind(),
            "type_identifier" | "scoped_type_identifier" | "scoped_identifier"
        ) || leaf.kind() == "identifier"
            && leaf.parent().is_some_and(|p| {
                p.kind().starts_with("scoped")
                    || p.kind() == "nested_type_identifier"
                    || p.kind() == "generic_type"
            });
        if !typed || hidden.is_some() {
            return;
        }
        let word = parsed.text(leaf);
        if known_everywhere(site.language).contains(&word)
            && site.named_here(word, Namespace::TYPE).is_empty()
        {
            return;
        }
        if !site.same_type_here(parsed.file, word, leaf.start_byte()) {
            hidden = Some(word.to_owned());
        }
    });
    match hidden {
        None => Ok(()),
        Some(word) => {
            let why = format!("`{name}` speaks of `{word}`, which is not known here");
            Err(refusal(Why::Scope, why))
        }
    }
}
