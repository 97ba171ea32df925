//! The names inside of an import, in the order that the language's own tool puts them in.

use std::ops::Range;

use tree_sitter::Node;

use super::order::{natural, use_path};

/// The widest line of a list whose lines are filled, as rustfmt has it.
const WIDTH: usize = 100;

/// The text with the names of each import at its top in order.
pub(super) fn names_in_order(language: &str, root: Node<'_>, source: &str, new: bool) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        let of_imports =
            matches!(node.kind(), "import_from_statement" | "import_statement" | "use_declaration");
        if !of_imports || is_kept(node, source) {
            continue;
        }
        if let Some((span, text)) = list(language, node, source, new) {
            edits.push((span, text));
        }
    }
    let mut text = source.to_owned();
    for (span, new) in edits.into_iter().rev() {
        text.replace_range(span, &new);
    }
    text
}

/// Whether an import holds comments, or says that it stays as it is.
fn is_kept(node: Node<'_>, source: &str) -> bool {
    let text = &source[node.byte_range()];
    let rest = source[node.end_byte()..].lines().next().unwrap_or("");
    let before = node.prev_sibling().filter(|p| p.kind() == "attribute_item");
    text.contains('#') && !text.contains("r#")
        || text.contains("//")
        || text.contains("/*")
        || ["noqa", "isort", "eslint", "ts-ignore", "type:"].iter().any(|w| rest.contains(w))
        || before.is_some_and(|p| source[p.byte_range()].contains("rustfmt"))
}

/// The list of names of an import as it should be, and where it stands.
fn list(language: &str, node: Node<'_>, source: &str, new: bool) -> Option<(Range<usize>, String)> {
    match language {
        "python" => {
            let mut cursor = node.walk();
            let items: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
            let text = |n: &Node<'_>| source[n.byte_range()].to_owned();
            sorted(&items, source, text, |n| {
                let name = n.child_by_field_name("name").unwrap_or(*n);
                let name = &source[name.byte_range()];
                (python_class(name), natural(&name.to_lowercase()), natural(name))
            })
        }
        "rust" => {
            let list = node.child_by_field_name("argument")?;
            Some((list.byte_range(), use_tree(list, source, new)))
        }
        _ => {
            let lists = std::iter::successors(first(node, "import_clause"), |_| None);
            let list = lists.filter_map(|c| first(c, "named_imports")).next()?;
            let mut cursor = list.walk();
            let items: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
            let text = |n: &Node<'_>| source[n.byte_range()].to_owned();
            sorted(&items, source, text, |n| {
                let local = n.child_by_field_name("alias").or(n.child_by_field_name("name"));
                let name = source[local.unwrap_or(*n).byte_range()].to_lowercase();
                (source[n.byte_range()].starts_with("type "), name)
            })
        }
    }
}

fn first<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|n| n.kind() == kind)
}

/// Constants, then classes, then the others, as isort has it.
fn python_class(name: &str) -> u8 {
    let upper = name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    match (upper && name.chars().count() > 1, name.starts_with(char::is_uppercase)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}

/// A stretch of items in order; what stands between them stays where it is.
fn sorted<'t, K: Ord>(
    items: &[Node<'t>],
    source: &str,
    text: impl Fn(&Node<'t>) -> String,
    key: impl Fn(&Node<'t>) -> K,
) -> Option<(Range<usize>, String)> {
    let (start, end) = (items.first()?.start_byte(), items.last()?.end_byte());
    let mut order: Vec<&Node<'t>> = items.iter().collect();
    order.sort_by_key(|n| key(n));
    let mut new = String::new();
    let mut at = start;
    for (place, item) in items.iter().zip(order) {
        new.push_str(&source[at..place.start_byte()]);
        new.push_str(&text(item));
        at = place.end_byte();
    }
    Some((start..end, new))
}

/// A tree of a Rust import, the lists in it in order.
fn use_tree(node: Node<'_>, source: &str, new: bool) -> String {
    if node.kind() != "use_list" {
        let Some(inner) = node.child_by_field_name("list") else {
            return source[node.byte_range()].to_owned();
        };
        let before = &source[node.start_byte()..inner.start_byte()];
        return format!("{before}{}", use_tree(inner, source, new));
    }
    let mut cursor = node.walk();
    let items: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let key = |n: &Node<'_>| use_path(&use_tree(*n, source, new), new);
    let text = |n: &Node<'_>| use_tree(*n, source, new);
    let Some((span, list)) = sorted(&items, source, text, key) else {
        return source[node.byte_range()].to_owned();
    };
    let mut lines: Vec<usize> = items.iter().map(|i| i.start_position().row).collect();
    lines.dedup();
    let flat = items.iter().all(|i| !source[i.byte_range()].contains(['{', '\n']));
    let (open, close) =
        (&source[node.start_byte()..span.start], &source[span.end..node.end_byte()]);
    if flat && lines.len() > 1 && lines.len() < items.len() && open.contains('\n') {
        // Lines that are filled are filled again.
        let indent = open.rsplit('\n').next().unwrap_or("");
        let mut out = String::new();
        let mut wide = indent.len();
        for (n, item) in list.split(',').map(str::trim).enumerate() {
            if n > 0 && wide + item.len() + 3 > WIDTH {
                out.push_str(",\n");
                out.push_str(indent);
                wide = indent.len();
            } else if n > 0 {
                out.push_str(", ");
                wide += 2;
            }
            out.push_str(item);
            wide += item.len();
        }
        return format!("{open}{out}{close}");
    }
    format!("{open}{list}{close}")
}
