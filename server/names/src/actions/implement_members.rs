//! `implement_members`: adds the members that a class or `impl` must have and lacks, with their
//! declared signatures.

mod required;
mod signature;

use tree_sitter::Node;

use super::context::ActionContext;
use super::{ActionPlan, ActionRefusal, Offer, Planner, RefusalReason as Reason, refusal};
use required::RequiredMember;

pub(super) const IMPLEMENT_MEMBERS: Planner =
    Planner { id: "implement_members", kind: "quickfix", wide: true, offers, plan };

fn offers(ctx: &ActionContext<'_>) -> Vec<Offer> {
    match class_or_impl_at(ctx) {
        Some(_) => Offer::single("Add the missing members"),
        None => Vec::new(),
    }
}

/// The class or `impl` whose head contains the cursor.
fn class_or_impl_at<'a>(ctx: &ActionContext<'a>) -> Option<Node<'a>> {
    let at = ctx.range.start;
    let mut node = ctx.request.syntax.root().descendant_for_byte_range(at, at)?;
    let kinds: &[&str] = match ctx.language {
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
    let head = body.start_byte() > at || body.start_byte() == at && ctx.language != "python";
    (head && !bases(ctx, node).is_empty() && !is_abstract(ctx, node)).then_some(node)
}

/// Whether a class is marked abstract, so that it need not have all members.
fn is_abstract(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    let words = node.named_children(&mut cursor).find(|c| c.kind() == "modifiers");
    words.is_some_and(|w| ctx.text(w).split_whitespace().any(|w| w == "abstract"))
}

/// The base types named in a class's head.
fn bases<'a>(ctx: &ActionContext<'a>, node: Node<'a>) -> Vec<Node<'a>> {
    let mut all = Vec::new();
    let mut cursor = node.walk();
    match ctx.language {
        "rust" => all.extend(node.child_by_field_name("trait")),
        "python" => {
            if let Some(list) = node.child_by_field_name("superclasses") {
                all.extend(list.named_children(&mut cursor));
            }
        }
        "java" => {
            for head in node.named_children(&mut cursor) {
                if matches!(head.kind(), "superclass" | "super_interfaces") {
                    collect_types(head, &mut all);
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

fn collect_types<'a>(node: Node<'a>, all: &mut Vec<Node<'a>>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "type_list" | "interface_type_list" => collect_types(child, all),
            _ => all.push(child),
        }
    }
}

fn plan(ctx: &ActionContext<'_>, _: &str) -> Result<ActionPlan, ActionRefusal> {
    let none = || refusal(Reason::NotApplicable, "nothing is missing here");
    let node = class_or_impl_at(ctx).ok_or_else(none)?;
    if ctx.has_syntax_error(node) {
        return Err(refusal(Reason::Syntax, "the code has a syntax error"));
    }
    let bases = bases(ctx, node);
    if ctx.language == "python" && !required::may_require(ctx, node) {
        return Err(none());
    }
    let missing = required::missing(ctx, node, &bases)?;
    if missing.is_empty() {
        return Err(none());
    }
    let body = node.child_by_field_name("body").ok_or_else(none)?;
    let (line_end, outer) = (ctx.line_end(), ctx.indentation_at(node.start_byte()).to_owned());
    if !ctx.is_first_on_line(node.start_byte()) && ctx.language == "rust" {
        return Err(refusal(Reason::Unsupported, "it shares its line with other code"));
    }
    let indentation = super::extract_function::indentation_unit(ctx);
    let first = body.named_child(0).filter(|f| ctx.is_first_on_line(f.start_byte()));
    let indent = match first {
        Some(first) => ctx.indentation_at(first.start_byte()).to_owned(),
        None => format!("{outer}{indentation}"),
    };
    let mut code = String::new();
    for RequiredMember { head, body } in missing {
        let gap =
            if ctx.language == "rust" || code.is_empty() && body.is_none() { "" } else { line_end };
        code.push_str(&format!("{line_end}{gap}"));
        for (n, line) in head.lines().enumerate() {
            let lead = if n == 0 { String::new() } else { line_end.to_owned() };
            code.push_str(&format!("{lead}{indent}{}", line.trim_end()));
        }
        if let Some(body) = body {
            code.push_str(&format!("{line_end}{indent}{indentation}{body}"));
            if ctx.language != "python" {
                code.push_str(&format!("{line_end}{indent}}}"));
            }
        }
    }
    if ctx.language == "python" {
        let end = body.end_byte();
        let rest = &ctx.source[end..];
        let line = &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())];
        return match first {
            Some(_) => Ok(ActionPlan::from_edits(
                ctx.file,
                vec![(end + line.len()..end + line.len(), code)],
            )),
            None => Err(refusal(Reason::Unsupported, "its body is on the same line as its head")),
        };
    }
    let close = body.end_byte() - 1;
    let inner = &ctx.source[body.start_byte() + 1..close];
    let end = body.start_byte() + 1 + inner.trim_end().len();
    if inner.trim_end().lines().last().is_some_and(|l| l.contains("//"))
        && inner.trim_end().len() == inner.len()
    {
        return Err(refusal(Reason::Unsupported, "its closing brace follows a comment"));
    }
    let code = if inner.trim().is_empty() {
        code.trim_start_matches(['\r', '\n']).to_owned()
    } else {
        code
    };
    let code = if inner.trim().is_empty() { format!("{line_end}{code}") } else { code };
    Ok(ActionPlan::from_edits(ctx.file, vec![(end..close, format!("{code}{line_end}{outer}"))]))
}
