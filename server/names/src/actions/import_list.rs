//! An import as a list of what it names, and what is left when some of that goes.

use std::ops::Range;

use tree_sitter::Node;

use super::site::Site;
use super::unused_import::statement;
use super::{ActionRefusal, RefusalReason as Why, refusal};

/// An import statement, and one of the lists in it.
pub(super) struct ImportList<'a> {
    /// What goes when all of `items` go: the statement, or an item of a list around.
    whole: Node<'a>,
    /// The parts of which each names something.
    items: Vec<Node<'a>>,
}

impl<'a> ImportList<'a> {
    /// The list that directly holds the name at a place.
    pub(super) fn around(site: &Site<'a>, at: usize) -> Option<Self> {
        let root = site.place.syntax.root();
        let node = root.descendant_for_byte_range(at, at)?;
        let statement = statement(node)?;
        Some(Self::of(statement, node))
    }

    /// The list of a statement that directly holds a node.
    fn of(statement: Node<'a>, node: Node<'a>) -> Self {
        let is_list = |n: &Node<'_>| {
            matches!(
                n.kind(),
                "import_statement"
                    | "import_from_statement"
                    | "named_imports"
                    | "import_clause"
                    | "use_list"
                    | "use_declaration"
                    | "import_spec_list"
                    | "import_declaration"
            )
        };
        let parent = std::iter::successors(node.parent(), Node::parent);
        let list =
            parent.take_while(|n| n.id() != statement.id()).find(is_list).unwrap_or(statement);
        let mut cursor = list.walk();
        let items = match list.kind() {
            "import_from_statement" => {
                list.children_by_field_name("name", &mut cursor).collect::<Vec<_>>()
            }
            _ => list
                .named_children(&mut cursor)
                .filter(|n| {
                    matches!(
                        n.kind(),
                        "dotted_name"
                            | "aliased_import"
                            | "identifier"
                            | "namespace_import"
                            | "named_imports"
                            | "import_specifier"
                            | "scoped_identifier"
                            | "self"
                            | "crate"
                            | "use_as_clause"
                            | "scoped_use_list"
                            | "use_wildcard"
                            | "use_list"
                            | "import_spec"
                            | "import_clause"
                    )
                })
                .collect(),
        };
        let whole = if list.id() == statement.id() || list.kind() == "import_spec_list" {
            statement
        } else {
            // The item of the list around that this one is in.
            let around = std::iter::successors(Some(list), Node::parent);
            let mut whole = list;
            for node in around {
                if node.id() == statement.id() || node.parent().is_some_and(|p| is_list(&p)) {
                    whole = node;
                    break;
                }
                whole = node;
            }
            whole
        };
        Self { whole, items }
    }
}

/// The edits that take names out of imports.
///
/// # Errors
/// Where what stands around them is not only imports.
pub(super) fn removed(
    site: &Site<'_>,
    names: &[Range<usize>],
) -> Result<Vec<(Range<usize>, String)>, ActionRefusal> {
    let root = site.place.syntax.root();
    // The nodes that go, the innermost first; all of a list is the item of the list around.
    let mut gone: Vec<Node<'_>> = Vec::new();
    for name in names {
        let node = root.descendant_for_byte_range(name.start, name.end);
        let Some(node) = node.filter(|n| statement(*n).is_some()) else {
            return Err(refusal(Why::Shape, "it is not written as an import of its own"));
        };
        let Some(statement) = statement(node) else { continue };
        let holds = |n: &Node<'_>| n.start_byte() <= name.start && name.end <= n.end_byte();
        let item = ImportList::of(statement, node).items.into_iter().find(holds);
        gone.push(item.unwrap_or(statement));
    }
    loop {
        let mut merged = None;
        for node in &gone {
            let Some(statement) = statement(*node) else { continue };
            if node.id() == statement.id() {
                continue;
            }
            let list = ImportList::of(statement, *node);
            let all = list.items.iter().all(|i| gone.iter().any(|g| g.id() == i.id()));
            if all && !list.items.is_empty() {
                merged = Some((list.items.iter().map(Node::id).collect::<Vec<_>>(), list.whole));
                break;
            }
        }
        let Some((items, whole)) = merged else { break };
        gone.retain(|g| !items.contains(&g.id()));
        if !gone.iter().any(|g| g.id() == whole.id()) {
            gone.push(whole);
        }
    }
    gone.sort_by_key(|n| (n.start_byte(), n.end_byte()));
    let mut edits = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    for node in &gone {
        if done.contains(&node.id()) {
            continue;
        }
        let Some(statement) = statement(*node) else { continue };
        if node.id() == statement.id() {
            edits.push(without_statement(site, *node, &gone)?);
            continue;
        }
        let list = ImportList::of(statement, *node);
        let keeps: Vec<bool> =
            list.items.iter().map(|i| !gone.iter().any(|g| g.id() == i.id())).collect();
        done.extend(list.items.iter().map(Node::id));
        runs(site, &list.items, &keeps, &mut edits)?;
    }
    Ok(edits)
}

/// The edits that take runs of items out of a list, with their commas.
fn runs(
    site: &Site<'_>,
    items: &[Node<'_>],
    keeps: &[bool],
    edits: &mut Vec<(Range<usize>, String)>,
) -> Result<(), ActionRefusal> {
    let mut at = 0;
    while at < items.len() {
        if keeps[at] {
            at += 1;
            continue;
        }
        let first = at;
        while at < items.len() && !keeps[at] {
            at += 1;
        }
        let lines = items[first].kind() == "import_spec";
        let span = if lines {
            let start = site.line_start(items[first].start_byte());
            let end = line_end(&site.source, items[at - 1].end_byte());
            start..end
        } else if let Some(next) = items.get(at) {
            items[first].start_byte()..next.start_byte()
        } else if first > 0 {
            items[first - 1].end_byte()..items[at - 1].end_byte()
        } else {
            return Err(refusal(Why::Shape, "nothing would be left of the list"));
        };
        let text = site.source.get(span.clone()).unwrap_or("");
        let comment = !lines && (text.contains("//") || text.contains("/*") || text.contains('#'));
        if comment || lines && (!site.begins_line(items[first].start_byte())) {
            return Err(refusal(Why::Shape, "a comment stands between what is imported"));
        }
        edits.push((span, String::new()));
    }
    Ok(())
}

/// The end of a line, its line break included.
fn line_end(source: &str, at: usize) -> usize {
    source[at..].find('\n').map_or(source.len(), |n| at + n + 1)
}

/// The edit that takes out a whole statement with its line.
pub(super) fn without_statement(
    site: &Site<'_>,
    node: Node<'_>,
    gone: &[Node<'_>],
) -> Result<(Range<usize>, String), ActionRefusal> {
    let source = site.source.as_str();
    let (start, mut end) = (node.start_byte(), node.end_byte());
    if source[end..].starts_with(';') {
        end += 1;
    }
    let alone = site.begins_line(start);
    let rest = source[end..].lines().next().unwrap_or("").trim();
    let comment = rest.starts_with('#') || rest.starts_with("//");
    if !alone || !(rest.is_empty() || comment) {
        return Err(refusal(Why::Shape, "other code stands on its line"));
    }
    if let Some(parent) = node.parent().filter(|p| p.kind() == "block" && site.language == "python")
    {
        let mut cursor = parent.walk();
        let others = parent.named_children(&mut cursor);
        let left = others
            .filter(|n| n.kind() != "comment" && !gone.iter().any(|g| g.id() == n.id()))
            .count();
        if left == 0 {
            let first = gone.iter().find(|g| g.parent().is_some_and(|p| p.id() == parent.id()));
            if first.is_some_and(|f| f.id() == node.id()) {
                return Ok((start..node.end_byte(), "pass".to_owned()));
            }
        }
    }
    Ok((site.line_start(start)..line_end(source, end), String::new()))
}
