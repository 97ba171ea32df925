//! Writes the signature of a member of another file; each type must mean the same here.

use tree_sitter::Node;

use super::required::{ParsedFile, RequiredMember};
use crate::actions::context::{ActionContext, any_descendant, visit_leaves};
use crate::actions::{ActionRefusal, RefusalReason as Reason, refusal};
use crate::vocabulary::Namespace;

/// Types that are in scope in every file of a language.
fn prelude_types(language: &str) -> &'static [&'static str] {
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

/// A member as it is written in this file.
pub(super) fn member_with_signature(
    ctx: &ActionContext<'_>,
    parsed: &ParsedFile,
    member: Node<'_>,
    name: &str,
) -> Result<RequiredMember, ActionRefusal> {
    let inner = member.child_by_field_name("definition").unwrap_or(member);
    let uncertain = |why: &str| refusal(Reason::Type, format!("`{name}`: {why}"));
    if ctx.language == "python" {
        return python_member(parsed, member, inner, name);
    }
    if matches!(inner.kind(), "associated_type" | "const_item") {
        return Err(uncertain("its value is unknown"));
    }
    if any_descendant(inner, &|n| matches!(n.kind(), "type_parameters")) {
        return Err(uncertain("it has type parameters"));
    }
    check_types(ctx, parsed, inner, name)?;
    let text = parsed.text(inner).trim_end().trim_end_matches([';', ',']).trim_end().to_owned();
    if text.contains("//") || text.contains("/*") {
        return Err(uncertain("its declaration contains comments"));
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match ctx.language {
        "rust" => {
            if text.contains("#[") {
                return Err(uncertain("it has attributes"));
            }
            let method =
                RequiredMember { head: format!("{text} {{"), body: Some("todo!()".into()) };
            Ok(method)
        }
        "java" => {
            let from =
                inner.child_by_field_name("type").ok_or_else(|| uncertain("it has no type"))?;
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
            } else if crate::project::parent(ctx.resolver.path(parsed.file))
                == ctx.resolver.folder(ctx.file)
            {
                ""
            } else {
                return Err(uncertain("it is not visible here"));
            };
            Ok(RequiredMember {
                head: format!("@Override\n{access}{rest} {{"),
                body: Some("throw new UnsupportedOperationException();".into()),
            })
        }
        _ => {
            let text = text.replace("abstract ", "");
            if inner.kind() == "property_signature" {
                if text.contains('[') && text.starts_with('[') {
                    return Err(uncertain("its name is computed"));
                }
                // A property without initialiser needs `!`.
                let (head, ty) = text.split_once(':').ok_or_else(|| uncertain("it has no type"))?;
                let head = head.trim_start_matches("readonly ").trim();
                return Ok(RequiredMember { head: format!("{head}!:{ty};"), body: None });
            }
            if inner.child_by_field_name("return_type").is_none() {
                return Err(uncertain("it has no return type"));
            }
            if any_descendant(inner, &|n| {
                matches!(n.kind(), "type_predicate" | "asserts" | "get" | "set")
            }) {
                return Err(uncertain("it is a type predicate or an accessor"));
            }
            Ok(RequiredMember {
                head: format!("{text} {{"),
                body: Some("throw new Error(\"Method not implemented.\");".into()),
            })
        }
    }
}

fn python_member(
    parsed: &ParsedFile,
    member: Node<'_>,
    inner: Node<'_>,
    name: &str,
) -> Result<RequiredMember, ActionRefusal> {
    let uncertain = |why: &str| refusal(Reason::Type, format!("`{name}`: {why}"));
    let list =
        inner.child_by_field_name("parameters").ok_or_else(|| uncertain("it is not a method"))?;
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
            "typed_parameter" => text(
                parameter.named_child(0).ok_or_else(|| uncertain("a parameter is not plain"))?,
            ),
            "default_parameter" | "typed_default_parameter" => {
                let value = parameter
                    .child_by_field_name("value")
                    .ok_or_else(|| uncertain("a parameter is not plain"))?;
                let plain = ["none", "true", "false", "integer", "float", "string"];
                if !plain.contains(&value.kind()) || text(value).contains('\n') {
                    return Err(uncertain("a default value is not a literal"));
                }
                let name_node = parameter
                    .child_by_field_name("name")
                    .ok_or_else(|| uncertain("a parameter is not plain"))?;
                format!("{}={}", text(name_node), text(value))
            }
            _ => return Err(uncertain("a parameter is not plain")),
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
            _ => return Err(uncertain("its decorators are not plain")),
        }
    }
    let lead = if parsed.text(inner).starts_with("async") { "async " } else { "" };
    head.push_str(&format!("{lead}def {name}({}):", parameters.join(", ")));
    Ok(RequiredMember { head, body: Some("raise NotImplementedError".into()) })
}

/// Checks that each type named in a declaration is the same in this file.
fn check_types(
    ctx: &ActionContext<'_>,
    parsed: &ParsedFile,
    member: Node<'_>,
    name: &str,
) -> Result<(), ActionRefusal> {
    if parsed.file == ctx.file {
        // An inline module of the file may resolve names differently.
        let nested = ctx.language == "rust"
            && crate::actions::context::any_ancestor(member, parsed.syntax.root(), &|n| {
                n.kind() == "mod_item"
            });
        if !nested {
            return Ok(());
        }
    }
    let mut invisible = None;
    visit_leaves(member, &mut |leaf| {
        let typed = matches!(
            leaf.kind(),
            "type_identifier" | "scoped_type_identifier" | "scoped_identifier"
        ) || leaf.kind() == "identifier"
            && leaf.parent().is_some_and(|p| {
                p.kind().starts_with("scoped")
                    || p.kind() == "nested_type_identifier"
                    || p.kind() == "generic_type"
            });
        if !typed || invisible.is_some() {
            return;
        }
        let word = parsed.text(leaf);
        if prelude_types(ctx.language).contains(&word)
            && ctx.top_level_definitions(word, Namespace::TYPE).is_empty()
        {
            return;
        }
        if !ctx.same_type_here(parsed.file, word, leaf.start_byte()) {
            invisible = Some(word.to_owned());
        }
    });
    match invisible {
        None => Ok(()),
        Some(word) => {
            let why = format!("`{name}` uses `{word}`, which is not visible here");
            Err(refusal(Reason::Scope, why))
        }
    }
}
