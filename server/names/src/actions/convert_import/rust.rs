//! Converts between `use a::{b, c};` and `use a::b; use a::c;`.

use tree_sitter::Node;

use super::super::ActionRefusal;
use super::super::context::ActionContext;
use super::super::organise_imports::{split_list, use_path};
use super::{Edits, ImportForm, unsupported};

pub(super) fn forms(text: &str) -> Vec<ImportForm> {
    let mut all = Vec::new();
    if text.contains('{') {
        all.push(ImportForm {
            choice: "split",
            title: "Split into one import per name",
            edits: split,
        });
    }
    if text.contains("::") {
        all.push(ImportForm {
            choice: "merge",
            title: "Merge with adjacent imports of the same module",
            edits: merge,
        });
    }
    all
}

/// The text before the path of an import, and the path.
fn head_and_path<'a>(ctx: &'a ActionContext<'_>, node: Node<'_>) -> Option<(&'a str, &'a str)> {
    let path = node.child_by_field_name("argument")?;
    Some((ctx.source[node.start_byte()..path.start_byte()].trim(), ctx.text(path)))
}

/// Whether an attribute, a comment or other code is next to an import.
fn has_neighbours(ctx: &ActionContext<'_>, node: Node<'_>) -> bool {
    let before = node.prev_sibling().filter(|p| {
        p.kind() == "attribute_item"
            || p.kind().ends_with("comment")
                && ctx.source[p.end_byte()..node.start_byte()].matches('\n').count() <= 1
    });
    let rest = ctx.source[node.end_byte()..].lines().next().unwrap_or("");
    before.is_some() || !rest.trim().is_empty() || !ctx.is_first_on_line(node.start_byte())
}

/// Splits a use tree into one import per name.
fn split(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let (head, path) = head_and_path(ctx, node).ok_or_else(|| unsupported("it has no path"))?;
    let attribute = node.prev_sibling().is_some_and(|p| p.kind() == "attribute_item");
    if attribute || !ctx.is_first_on_line(node.start_byte()) {
        return Err(unsupported("an attribute or other code is next to it"));
    }
    let mut all = Vec::new();
    expand("", path, &mut all);
    if all.len() < 2 {
        return Err(unsupported("it imports only one name"));
    }
    let indent = ctx.indentation_at(node.start_byte());
    let between = format!("{}{indent}", ctx.line_end());
    let lines: Vec<String> = all.iter().map(|path| format!("{head} {path};")).collect();
    Ok(vec![(node.byte_range(), lines.join(&between))])
}

/// Collects the paths that a use tree stands for.
fn expand(before: &str, path: &str, all: &mut Vec<String>) {
    let path = path.trim();
    let Some(at) = path.find('{') else {
        // `self` is valid only in a list.
        match path {
            "self" => all.push(format!("{before}{{self}}")),
            _ if path.starts_with("self as ") => all.push(format!("{before}{{{path}}}")),
            _ => all.push(format!("{before}{path}")),
        }
        return;
    };
    let list = path[at + 1..].strip_suffix('}').unwrap_or(&path[at + 1..]);
    let before = format!("{before}{}", &path[..at]);
    for item in split_list(list).into_iter().filter(|i| !i.trim().is_empty()) {
        expand(&before, item, all);
    }
}

/// The module of a path, and the names imported from it.
fn module(path: &str) -> Option<(&str, Vec<String>)> {
    if let Some(at) = path.find('{') {
        let list = path[at + 1..].trim_end().strip_suffix('}')?;
        let items = split_list(list).into_iter().map(|i| i.trim().to_owned());
        return Some((path[..at].strip_suffix("::")?, items.filter(|i| !i.is_empty()).collect()));
    }
    let (module, name) = path.rsplit_once("::")?;
    Some((module, vec![name.to_owned()]))
}

/// Merges adjacent imports of the same module into one.
fn merge(ctx: &ActionContext<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let (head, path) = head_and_path(ctx, node).ok_or_else(|| unsupported("it has no path"))?;
    let alone = || unsupported("no import of the same module is next to it");
    let (own, mut items) = module(path).ok_or_else(alone)?;
    if has_neighbours(ctx, node) {
        return Err(unsupported("an attribute, a comment or other code is next to it"));
    }
    let fits = |n: &Node<'_>| n.kind() == "use_declaration" && !has_neighbours(ctx, *n);
    let mut block = vec![node];
    block.extend(std::iter::successors(node.prev_sibling(), Node::prev_sibling).take_while(fits));
    block.extend(std::iter::successors(node.next_sibling(), Node::next_sibling).take_while(fits));
    let mut edits = Edits::new();
    block.sort_by_key(Node::start_byte);
    for other in block.into_iter().filter(|n| n.id() != node.id()) {
        let Some((other_head, path)) = head_and_path(ctx, other) else { continue };
        let Some((_, more)) = module(path).filter(|m| m.0 == own && other_head == head) else {
            continue;
        };
        items.extend(more);
        let start = ctx.line_start(other.start_byte());
        let end = ctx.source[other.end_byte()..]
            .find('\n')
            .map_or(ctx.source.len(), |n| other.end_byte() + n + 1);
        edits.push((start..end, String::new()));
    }
    if edits.is_empty() {
        return Err(alone());
    }
    items.sort_by_key(|item| use_path(item, ctx.index.project.is_edition_2024(ctx.file)));
    let twice = items.windows(2).any(|pair| pair[0] == pair[1]);
    if twice || items.iter().any(|i| i.contains('\n')) {
        return Err(unsupported("a name is imported twice, or a list spans several lines"));
    }
    edits.push((node.byte_range(), format!("{head} {own}::{{{}}};", items.join(", "))));
    Ok(edits)
}
