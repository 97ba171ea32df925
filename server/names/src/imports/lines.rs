//! The position of a new import line.

use std::ops::Range;

use text::Text;
use tree_sitter::Node;

use super::list::SortOrder;

/// An existing import.
pub(super) struct ImportLine<'t> {
    pub(super) node: Node<'t>,
    /// The sort key.
    pub(super) key: String,
    /// The number of its group.
    pub(super) class: u8,
}

/// The position and text of a new import: in its group, in the group's order; without such a group,
/// between the groups, with a blank line if existing groups have one, or, if there is only one
/// group, if the language usually has one (`spaced`).
pub(super) fn insert(
    text: &Text,
    lines: &[ImportLine<'_>],
    key: &str,
    class: u8,
    statement: &str,
    spaced: bool,
) -> Option<(Range<usize>, String)> {
    let end = ending(text);
    // A group: lines of one class.
    let alike: Vec<&ImportLine<'_>> = lines.iter().filter(|l| l.class == class).collect();
    if !alike.is_empty() {
        let keys: Vec<&str> = alike.iter().map(|l| l.key.as_str()).collect();
        let order = SortOrder::of(&keys);
        let place = order.insertion_index(&keys, key);
        if place > 0 || order == SortOrder::None {
            let before = alike[place.max(1) - 1];
            return Some(below(text, before.node, &format!("{statement}{end}")));
        }
        return Some(above(text, alike[0].node, &format!("{statement}{end}")));
    }
    let apart = lines.windows(2).any(|w| w[0].class != w[1].class && is_apart(text, w));
    let blank = if apart || spaced && classes(lines) == 1 { end } else { "" };
    if let Some(before) = lines.iter().rfind(|l| l.class < class) {
        return Some(below(text, before.node, &format!("{blank}{statement}{end}")));
    }
    let after = lines.first()?;
    Some(above(text, after.node, &format!("{statement}{end}{blank}")))
}

fn classes(lines: &[ImportLine<'_>]) -> usize {
    let mut all: Vec<u8> = lines.iter().map(|l| l.class).collect();
    all.sort_unstable();
    all.dedup();
    all.len()
}

fn is_apart(text: &Text, pair: &[ImportLine<'_>]) -> bool {
    let between = text.slice(pair[0].node.end_byte()..pair[1].node.start_byte());
    between.matches('\n').count() > 1
}

/// Directly below a node.
fn below(text: &Text, node: Node<'_>, new: &str) -> (Range<usize>, String) {
    let end = node.end_byte().saturating_sub(usize::from(ends_in_feed(text, node)));
    let line = text.line_of(end);
    let indent = indent(text, node);
    if line + 1 >= text.line_count() {
        // The last line has no line break.
        let at = text.len();
        let feed = ending(text);
        return (at..at, format!("{feed}{indent}{}", new.trim_end_matches(['\r', '\n'])));
    }
    let at = text.line_start(line + 1);
    (at..at, indented(new, &indent))
}

fn ends_in_feed(text: &Text, node: Node<'_>) -> bool {
    let end = node.end_byte();
    end > node.start_byte() && text.slice(end - 1..end) == "\n"
}

/// Directly above a node.
fn above(text: &Text, node: Node<'_>, new: &str) -> (Range<usize>, String) {
    let at = text.line_start(text.line_of(node.start_byte()));
    (at..at, indented(new, &indent(text, node)))
}

/// The edit for a first import: above a node, below a node, or at the start of the text.
pub(super) fn first(
    text: &Text,
    before: Option<Node<'_>>,
    after: Option<Node<'_>>,
    statement: &str,
    blanks: usize,
) -> (Range<usize>, String) {
    let end = ending(text);
    let lines = end.repeat(blanks);
    match (before, after) {
        (_, Some(after)) => above(text, after, &format!("{statement}{end}{lines}")),
        (Some(before), None) => below(text, before, &format!("{end}{statement}{end}")),
        (None, None) => (0..0, format!("{statement}{end}{lines}")),
    }
}

/// The line break of the text.
pub(super) fn ending(text: &Text) -> &'static str {
    let first = text.line_span(0);
    let after = (first.end + 2).min(text.len());
    if text.slice(first.start..after).contains("\r\n") { "\r\n" } else { "\n" }
}

fn indent(text: &Text, node: Node<'_>) -> String {
    let start = text.line_start(text.line_of(node.start_byte()));
    let before = text.slice(start..node.start_byte()).into_owned();
    let blank = before.len() - before.trim_start_matches([' ', '\t']).len();
    before[..blank].to_owned()
}

fn indented(new: &str, indent: &str) -> String {
    if indent.is_empty() {
        return new.to_owned();
    }
    let blank = |l: &str| l.trim_end_matches(['\r', '\n']).is_empty();
    new.split_inclusive('\n')
        .map(|l| if blank(l) { l.to_owned() } else { format!("{indent}{l}") })
        .collect()
}

/// The named children of a node.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// The children of a node in a field.
pub(super) fn fields<'t>(node: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children_by_field_name(name, &mut cursor).collect()
}

/// The text of a node.
pub(super) fn of(text: &Text, node: Node<'_>) -> String {
    text.slice(node.byte_range()).into_owned()
}
