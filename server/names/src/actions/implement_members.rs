//! `implement_members`: what a class or `impl` has to have and lacks, with the signatures as they
//! are declared.

mod demanded;
mod visible;

use tree_sitter::Node;

use super::site::Site;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Why, refusal};
use demanded::Demanded;

pub(super) const MEMBERS: Planner =
    Planner { id: "implement_members", kind: "quickfix", wide: true, offers, plan };

fn offers(site: &Site<'_>) -> Vec<Offer> {
    match holder(site) {
        Some(_) => Offer::one("Add the missing members"),
        None => Vec::new(),
    }
}

/// The class or `impl` in whose head the cursor is.
fn holder<'a>(site: &Site<'a>) -> Option<Node<'a>> {
    let at = site.range.start;
    let mut node = site.place.syntax.root().descendant_for_byte_range(at, at)?;
    let kinds: &[&str] = match site.language {
        "rust" => &["impl_item"],
        "java" => &["class_declaration"],
        "typescript" | "tsx" => &["class_declaration"],
        "python" => &["class_definition"],
        _ => return None,
    };
    loop {
        if kinds.contains(&node.kind()) {
            break;
        }
        node = node.parent()?;
    }
    let body = node.child_by_field_name("body")?;
    let head = body.start_byte() > at || body.start_byte() == at && site.language != "python";
    (head && !bases(site, node).is_empty() && !is_abstract(site, node)).then_some(node)
}

/// What a class says about itself makes that it need not have everything.
fn is_abstract(site: &Site<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let words = node.named_children(&mut cursor).find(|c| c.kind() == "modifiers");
    words.is_some_and(|w| site.text(w).split_whitespace().any(|w| w == "abstract"))
}

/// The names of what it is derived from, as they stand in its head.
fn bases<'a>(site: &Site<'a>, node: Node<'a>) -> Vec<Node<'a>> {
    let mut all = Vec::new();
    let mut cursor = node.walk();
    match site.language {
        "rust" => all.extend(node.child_by_field_name("trait")),
        "python" => {
            if let Some(list) = node.child_by_field_name("superclasses") {
                all.extend(list.named_children(&mut cursor));
            }
        }
        "java" => {
            for head in node.named_children(&mut cursor) {
                if matches!(head.kind(), "superclass" | "super_interfaces") {
                    types_in(head, &mut all);
                }
            }
        }
        _ => {
            let heritage = node.named_children(&mut cursor).find(|c| c.kind() == "class_heritage");
            if let Some(heritage) = heritage {
                let mut inner = heritage.walk();
                for clause in heritage.named_children(&mut inner) {
                    let mut types = clause.walk();
                    all.extend(clause.named_children(&mut types));
                }
            }
        }
    }
    all
}

fn types_in<'a>(node: Node<'a>, all: &mut Vec<Node<'a>>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "type_list" | "interface_type_list" => types_in(child, all),
            _ => all.push(child),
        }
    }
}

fn plan(site: &Site<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Why::Nothing, "nothing is missing here");
    let node = holder(site).ok_or_else(none)?;
    if site.is_broken(node) {
        return Err(refusal(Why::Syntax, "the code has a syntax error"));
    }
    let bases = bases(site, node);
    if site.language == "python" && !demanded::may_demand(site, node) {
        return Err(none());
    }
    let missing = demanded::missing(site, node, &bases)?;
    if missing.is_empty() {
        return Err(none());
    }
    let body = node.child_by_field_name("body").ok_or_else(none)?;
    let (line_end, outer) = (site.line_end(), site.indent_at(node.start_byte()).to_owned());
    if !site.begins_line(node.start_byte()) && site.language == "rust" {
        return Err(refusal(Why::Shape, "it shares its line with other code"));
    }
    let unit = super::extract_function::unit(site);
    let first = body.named_child(0).filter(|f| site.begins_line(f.start_byte()));
    let indent = match first {
        Some(first) => site.indent_at(first.start_byte()).to_owned(),
        None => format!("{outer}{unit}"),
    };
    let mut code = String::new();
    for Demanded { head, body } in missing {
        let gap = if site.language == "rust" || code.is_empty() && body.is_none() {
            ""
        } else {
            line_end
        };
        code.push_str(&format!("{line_end}{gap}"));
        for (n, line) in head.lines().enumerate() {
            let lead = if n == 0 { String::new() } else { line_end.to_owned() };
            code.push_str(&format!("{lead}{indent}{}", line.trim_end()));
        }
        if let Some(body) = body {
            code.push_str(&format!("{line_end}{indent}{unit}{body}"));
            if site.language != "python" {
                code.push_str(&format!("{line_end}{indent}}}"));
            }
        }
    }
    if site.language == "python" {
        let end = body.end_byte();
        let rest = &site.source[end..];
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        return match first {
            Some(_) => {
                Ok(ActionPlan::of(site.file, vec![(end + line.len()..end + line.len(), code)]))
            }
            None => Err(refusal(Why::Shape, "its body shares a line with its head")),
        };
    }
    let close = body.end_byte() - 1;
    let inner = &site.source[body.start_byte() + 1..close];
    let end = body.start_byte() + 1 + inner.trim_end().len();
    if inner.trim_end().lines().last().is_some_and(|l| l.contains("//"))
        && inner.trim_end().len() == inner.len()
    {
        return Err(refusal(Why::Shape, "a comment stands before its end"));
    }
    let code = if inner.trim().is_empty() {
        code.trim_start_matches(['\r', '\n']).to_owned()
    } else {
        code
    };
    let code = if inner.trim().is_empty() { format!("{line_end}{code}") } else { code };
    Ok(ActionPlan::of(site.file, vec![(end..close, format!("{code}{line_end}{outer}"))]))
}
