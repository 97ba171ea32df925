//! `use a::{b, c};`, or `use a::b;` and `use a::c;`.

use tree_sitter::Node;

use super::super::ActionRefusal;
use super::super::organise_imports::{split_list, use_path};
use super::super::site::Site;
use super::{Edits, Form, shape};

pub(super) fn forms(text: &str) -> Vec<Form> {
    let mut all = Vec::new();
    if text.contains('{') {
        all.push(Form { choice: "split", title: "Split into an import each", edits: split });
    }
    if text.contains("::") {
        all.push(Form {
            choice: "merge",
            title: "Merge with the imports of the same module beside it",
            edits: merge,
        });
    }
    all
}

/// What stands before the path of an import, and the path.
fn parts<'a>(site: &'a Site<'_>, node: Node<'_>) -> Option<(&'a str, &'a str)> {
    let path = node.child_by_field_name("argument")?;
    Some((site.source[node.start_byte()..path.start_byte()].trim(), site.text(path)))
}

/// Whether an attribute or a comment stands before an import, or something beside it.
fn is_marked(site: &Site<'_>, node: Node<'_>) -> bool {
    let before = node.prev_sibling().filter(|p| {
        p.kind() == "attribute_item"
            || p.kind().ends_with("comment")
                && site.source[p.end_byte()..node.start_byte()].matches('\n').count() <= 1
    });
    let rest = site.source[node.end_byte()..].lines().next().unwrap_or("");
    before.is_some() || !rest.trim().is_empty() || !site.begins_line(node.start_byte())
}

fn split(site: &Site<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let (head, path) = parts(site, node).ok_or_else(|| shape("it names nothing"))?;
    let attribute = node.prev_sibling().is_some_and(|p| p.kind() == "attribute_item");
    if attribute || !site.begins_line(node.start_byte()) {
        return Err(shape("an attribute stands before it, or something beside it"));
    }
    let mut all = Vec::new();
    spread("", path, &mut all);
    if all.len() < 2 {
        return Err(shape("it names only one thing"));
    }
    let indent = site.indent_at(node.start_byte());
    let between = format!("{}{indent}", site.line_end());
    let lines: Vec<String> = all.iter().map(|path| format!("{head} {path};")).collect();
    Ok(vec![(node.byte_range(), lines.join(&between))])
}

/// Every path that a tree of imports stands for.
fn spread(before: &str, path: &str, all: &mut Vec<String>) {
    let path = path.trim();
    let Some(at) = path.find('{') else {
        // Only in a list does it mean the module alone.
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
        spread(&before, item, all);
    }
}

/// The module of a path, and what is named of it.
fn module(path: &str) -> Option<(&str, Vec<String>)> {
    if let Some(at) = path.find('{') {
        let list = path[at + 1..].trim_end().strip_suffix('}')?;
        let items = split_list(list).into_iter().map(|i| i.trim().to_owned());
        return Some((path[..at].strip_suffix("::")?, items.filter(|i| !i.is_empty()).collect()));
    }
    let (module, name) = path.rsplit_once("::")?;
    Some((module, vec![name.to_owned()]))
}

fn merge(site: &Site<'_>, node: Node<'_>) -> Result<Edits, ActionRefusal> {
    let (head, path) = parts(site, node).ok_or_else(|| shape("it names nothing"))?;
    let alone = || shape("no import of the same module stands beside it");
    let (own, mut items) = module(path).ok_or_else(alone)?;
    if is_marked(site, node) {
        return Err(shape("an attribute or a comment stands before it, or something beside it"));
    }
    let fits = |n: &Node<'_>| n.kind() == "use_declaration" && !is_marked(site, *n);
    let mut block = vec![node];
    block.extend(std::iter::successors(node.prev_sibling(), Node::prev_sibling).take_while(fits));
    block.extend(std::iter::successors(node.next_sibling(), Node::next_sibling).take_while(fits));
    let mut edits = Edits::new();
    block.sort_by_key(Node::start_byte);
    for other in block.into_iter().filter(|n| n.id() != node.id()) {
        let Some((its, path)) = parts(site, other) else { continue };
        let Some((_, more)) = module(path).filter(|m| m.0 == own && its == head) else {
            continue;
        };
        items.extend(more);
        let start = site.line_start(other.start_byte());
        let end = site.source[other.end_byte()..]
            .find('\n')
            .map_or(site.source.len(), |n| other.end_byte() + n + 1);
        edits.push((start..end, String::new()));
    }
    if edits.is_empty() {
        return Err(alone());
    }
    items.sort_by_key(|item| use_path(item, site.index.project.is_edition_2024(site.file)));
    let twice = items.windows(2).any(|pair| pair[0] == pair[1]);
    if twice || items.iter().any(|i| i.contains('\n')) {
        return Err(shape("something is imported twice, or in a list of several lines"));
    }
    edits.push((node.byte_range(), format!("{head} {own}::{{{}}};", items.join(", "))));
    Ok(edits)
}
