//! Sorts the names within an import as the language's own tool does.

use std::ops::Range;

use tree_sitter::Node;

use super::order::{natural_key, use_path};

/// Line width at which rustfmt wraps a list.
const MAX_WIDTH: usize = 100;

/// The text with the names of each top-level import sorted.
pub(super) fn with_sorted_names(
    language: &str,
    root: Node<'_>,
    source: &str,
    edition_2024: bool,
) -> String {
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    let mut cursor = root.walk();
    for node in root.named_children(&mut cursor) {
        let is_import =
            matches!(node.kind(), "import_from_statement" | "import_statement" | "use_declaration");
        if !is_import || must_stay(node, source) {
            continue;
        }
        if let Some((span, text)) = sorted_list(language, node, source, edition_2024) {
            edits.push((span, text));
        }
    }
    let mut text = source.to_owned();
    for (span, new) in edits.into_iter().rev() {
        text.replace_range(span, &new);
    }
    text
}

/// Whether an import contains comments or a directive to leave it alone.
fn must_stay(node: Node<'_>, source: &str) -> bool {
    let text = &source[node.byte_range()];
    let rest = source[node.end_byte()..].lines().next().unwrap_or("");
    let before = node.prev_sibling().filter(|p| p.kind() == "attribute_item");
    text.contains('#') && !text.contains("r#")
        || text.contains("//")
        || text.contains("/*")
        || ["noqa", "isort", "eslint", "ts-ignore", "type:"].iter().any(|w| rest.contains(w))
        || before.is_some_and(|p| source[p.byte_range()].contains("rustfmt"))
}

/// The sorted list of names of an import, and its range.
fn sorted_list(
    language: &str,
    node: Node<'_>,
    source: &str,
    edition_2024: bool,
) -> Option<(Range<usize>, String)> {
    match language {
        "python" => {
            let mut cursor = node.walk();
            let items: Vec<Node<'_>> = node.children_by_field_name("name", &mut cursor).collect();
            let text = |n: &Node<'_>| source[n.byte_range()].to_owned();
            sort_items(&items, source, text, |n| {
                let name = n.child_by_field_name("name").unwrap_or(*n);
                let name = &source[name.byte_range()];
                (isort_group(name), natural_key(&name.to_lowercase()), natural_key(name))
            })
        }
        "rust" => {
            let list = node.child_by_field_name("argument")?;
            Some((list.byte_range(), sorted_use_tree(list, source, edition_2024)))
        }
        _ => {
            let lists = std::iter::successors(child_of_kind(node, "import_clause"), |_| None);
            let list = lists.filter_map(|c| child_of_kind(c, "named_imports")).next()?;
            let mut cursor = list.walk();
            let items: Vec<Node<'_>> = list.named_children(&mut cursor).collect();
            let text = |n: &Node<'_>| source[n.byte_range()].to_owned();
            sort_items(&items, source, text, |n| {
                let local = n.child_by_field_name("alias").or(n.child_by_field_name("name"));
                let name = source[local.unwrap_or(*n).byte_range()].to_lowercase();
                (source[n.byte_range()].starts_with("type "), name)
            })
        }
    }
}

fn child_of_kind<'t>(node: Node<'t>, kind: &str) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|n| n.kind() == kind)
}

/// Constants first, then classes, then others, as in isort.
fn isort_group(name: &str) -> u8 {
    let upper = name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase);
    match (upper && name.chars().count() > 1, name.starts_with(char::is_uppercase)) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    }
}

/// The sorted items and their range; the text between them stays in place.
fn sort_items<'t, K: Ord>(
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

/// A Rust use tree with its lists sorted.
fn sorted_use_tree(node: Node<'_>, source: &str, edition_2024: bool) -> String {
    if node.kind() != "use_list" {
        let Some(inner) = node.child_by_field_name("list") else {
            return source[node.byte_range()].to_owned();
        };
        let before = &source[node.start_byte()..inner.start_byte()];
        return format!("{before}{}", sorted_use_tree(inner, source, edition_2024));
    }
    let mut cursor = node.walk();
    let items: Vec<Node<'_>> = node.named_children(&mut cursor).collect();
    let key = |n: &Node<'_>| use_path(&sorted_use_tree(*n, source, edition_2024), edition_2024);
    let text = |n: &Node<'_>| sorted_use_tree(*n, source, edition_2024);
    let Some((span, list)) = sort_items(&items, source, text, key) else {
        return source[node.byte_range()].to_owned();
    };
    let mut lines: Vec<usize> = items.iter().map(|i| i.start_position().row).collect();
    lines.dedup();
    let flat = items.iter().all(|i| !source[i.byte_range()].contains(['{', '\n']));
    let (open, close) =
        (&source[node.start_byte()..span.start], &source[span.end..node.end_byte()]);
    if flat && lines.len() > 1 && lines.len() < items.len() && open.contains('\n') {
        // The list is filled, not one item per line: fill it again.
        let indent = open.rsplit('\n').next().unwrap_or("");
        let mut out = String::new();
        let mut wide = indent.len();
        for (n, item) in list.split(',').map(str::trim).enumerate() {
            if n > 0 && wide + item.len() + 3 > MAX_WIDTH {
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
