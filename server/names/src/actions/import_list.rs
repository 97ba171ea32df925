//! The lists of names in import statements, and the removal of names from them.

use std::ops::Range;

use tree_sitter::Node;

use super::context::ActionContext;
use super::unused_import::import_statement;
use super::{ActionRefusal, RefusalReason as Reason, refusal};

/// An import statement, and one of its lists of names.
pub(super) struct ImportList<'a> {
    /// The node to remove when all `items` are removed: the statement, or an item of an outer list.
    whole: Node<'a>,
    /// The items of the list.
    items: Vec<Node<'a>>,
}

impl<'a> ImportList<'a> {
    /// The innermost list that contains a byte.
    pub(super) fn around(ctx: &ActionContext<'a>, at: usize) -> Option<Self> {
        let root = ctx.request.syntax.root();
        let node = root.descendant_for_byte_range(at, at)?;
        let statement = import_statement(node)?;
        Some(Self::containing(statement, node))
    }

    /// The innermost list of a statement that contains a node.
    fn containing(statement: Node<'a>, node: Node<'a>) -> Self {
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
            // The item of the outer list that contains this list.
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

/// The edits that remove names from imports.
///
/// # Errors
/// If a name is not in an import statement, or other code or comments are in the way.
pub(super) fn removal_edits(
    ctx: &ActionContext<'_>,
    names: &[Range<usize>],
) -> Result<Vec<(Range<usize>, String)>, ActionRefusal> {
    let root = ctx.request.syntax.root();
    // Nodes to remove. When a whole list is removed, its item of the outer list is removed instead.
    let mut removed: Vec<Node<'_>> = Vec::new();
    for name in names {
        let node = root.descendant_for_byte_range(name.start, name.end);
        let Some(node) = node.filter(|n| import_statement(*n).is_some()) else {
            return Err(refusal(Reason::Unsupported, "it is not in an import statement"));
        };
        let Some(statement) = import_statement(node) else { continue };
        let contains_name = |n: &Node<'_>| n.start_byte() <= name.start && name.end <= n.end_byte();
        let item = ImportList::containing(statement, node).items.into_iter().find(contains_name);
        removed.push(item.unwrap_or(statement));
    }
    // Replace complete lists by the items that contain them, until nothing changes.
    loop {
        let mut merged = None;
        for node in &removed {
            let Some(statement) = import_statement(*node) else { continue };
            if node.id() == statement.id() {
                continue;
            }
            let list = ImportList::containing(statement, *node);
            let all = list.items.iter().all(|i| removed.iter().any(|g| g.id() == i.id()));
            if all && !list.items.is_empty() {
                merged = Some((list.items.iter().map(Node::id).collect::<Vec<_>>(), list.whole));
                break;
            }
        }
        let Some((items, whole)) = merged else { break };
        removed.retain(|g| !items.contains(&g.id()));
        if !removed.iter().any(|g| g.id() == whole.id()) {
            removed.push(whole);
        }
    }
    removed.sort_by_key(|n| (n.start_byte(), n.end_byte()));
    let mut edits = Vec::new();
    let mut done: Vec<usize> = Vec::new();
    for node in &removed {
        if done.contains(&node.id()) {
            continue;
        }
        let Some(statement) = import_statement(*node) else { continue };
        if node.id() == statement.id() {
            edits.push(remove_statement(ctx, *node, &removed)?);
            continue;
        }
        let list = ImportList::containing(statement, *node);
        let keeps: Vec<bool> =
            list.items.iter().map(|i| !removed.iter().any(|g| g.id() == i.id())).collect();
        done.extend(list.items.iter().map(Node::id));
        remove_runs(ctx, &list.items, &keeps, &mut edits)?;
    }
    Ok(edits)
}

/// Adds the edits that remove runs of items from a list, with their commas.
fn remove_runs(
    ctx: &ActionContext<'_>,
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
            let start = ctx.line_start(items[first].start_byte());
            let end = line_end(&ctx.source, items[at - 1].end_byte());
            start..end
        } else if let Some(next) = items.get(at) {
            items[first].start_byte()..next.start_byte()
        } else if first > 0 {
            items[first - 1].end_byte()..items[at - 1].end_byte()
        } else {
            return Err(refusal(Reason::Unsupported, "the list would be empty"));
        };
        let text = ctx.source.get(span.clone()).unwrap_or("");
        let comment = !lines && (text.contains("//") || text.contains("/*") || text.contains('#'));
        if comment || lines && (!ctx.is_first_on_line(items[first].start_byte())) {
            return Err(refusal(Reason::Unsupported, "a comment is between the imported names"));
        }
        edits.push((span, String::new()));
    }
    Ok(())
}

/// The end of a line including its line break.
fn line_end(source: &str, at: usize) -> usize {
    source[at..].find('\n').map_or(source.len(), |n| at + n + 1)
}

/// The edit that removes a statement and its line.
pub(super) fn remove_statement(
    ctx: &ActionContext<'_>,
    node: Node<'_>,
    removed: &[Node<'_>],
) -> Result<(Range<usize>, String), ActionRefusal> {
    let source = ctx.source.as_str();
    let (start, mut end) = (node.start_byte(), node.end_byte());
    if source[end..].starts_with(';') {
        end += 1;
    }
    let alone = ctx.is_first_on_line(start);
    let rest = source[end..].lines().next().unwrap_or("").trim();
    let comment = rest.starts_with('#') || rest.starts_with("//");
    if !alone || !(rest.is_empty() || comment) {
        return Err(refusal(Reason::Unsupported, "other code is on its line"));
    }
    if let Some(parent) = node.parent().filter(|p| p.kind() == "block" && ctx.language == "python")
    {
        let mut cursor = parent.walk();
        let others = parent.named_children(&mut cursor);
        let left = others
            .filter(|n| n.kind() != "comment" && !removed.iter().any(|g| g.id() == n.id()))
            .count();
        if left == 0 {
            let first = removed.iter().find(|g| g.parent().is_some_and(|p| p.id() == parent.id()));
            if first.is_some_and(|f| f.id() == node.id()) {
                return Ok((start..node.end_byte(), "pass".to_owned()));
            }
        }
    }
    Ok((ctx.line_start(start)..line_end(source, end), String::new()))
}
