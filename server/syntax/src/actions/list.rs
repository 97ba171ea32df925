//! `expand_list` and `collapse_list`: one element per line, or all on one line.

use std::ops::Range;

use tree_sitter::Node;

use super::indentation::{is_string, starts_in_string};
use super::{ActionContext, ActionProvider, Edits, PlannedAction};

/// Longest line that a list is joined into, in bytes.
const MAX_LINE_LEN: usize = 400;
/// How much of a text is inspected for its style, in characters.
const INSPECTED_CHARS: usize = 200_000;
/// Limit of elements of a list.
const MAX_ELEMENTS: u32 = 10_000;

pub(super) const EXPAND: ActionProvider =
    ActionProvider { id: "expand_list", kind: "refactor.rewrite.expand", find: expand };
pub(super) const COLLAPSE: ActionProvider =
    ActionProvider { id: "collapse_list", kind: "refactor.rewrite.collapse", find: collapse };

/// A bracketed list.
pub(super) struct List<'t> {
    pub(super) node: Node<'t>,
    pub(super) pattern: usize,
    /// The end of the opening bracket and the start of the closing one.
    pub(super) opens: usize,
    pub(super) closes: usize,
    pub(super) items: Vec<Range<usize>>,
    /// The id of the last node of each element.
    last_ids: Vec<usize>,
    separators: Vec<Range<usize>>,
    pub(super) comments: Vec<Range<usize>>,
}

impl<'t> List<'t> {
    /// Reads the elements of a list node. `None` if it has errors or empty elements.
    pub(super) fn read(context: &ActionContext<'t>, node: Node<'t>) -> Option<Self> {
        let pattern = *context.captures.lists.get(&node.id())?;
        let separator = context.captures.setting(pattern, "list.separator").unwrap_or(",");
        if node.has_error() || node.child_count() > 2 * MAX_ELEMENTS {
            return None;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        let bracket = |n: &Node<'_>| !n.is_named() && n.kind().ends_with(['(', '[', '{']);
        let first = children.iter().position(bracket)?;
        let closing_char = match children[first].kind().chars().last()? {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        let closing = |n: &Node<'_>| !n.is_named() && n.kind().starts_with(closing_char);
        let last = children.iter().rposition(closing).filter(|last| *last > first)?;
        let mut list = Self {
            node,
            pattern,
            opens: children[first].end_byte(),
            closes: children[last].start_byte(),
            items: Vec::new(),
            last_ids: Vec::new(),
            separators: Vec::new(),
            comments: Vec::new(),
        };
        let (mut fresh, apart) = (true, separator.is_empty());
        for child in &children[first + 1..last] {
            if !child.is_named() && child.kind() == separator {
                if fresh {
                    // An empty element.
                    return None;
                }
                list.separators.push(child.byte_range());
                fresh = true;
            } else if child.is_extra() || child.kind().contains("comment") {
                list.comments.push(child.byte_range());
            } else if fresh || apart && child.start_byte() > list.items.last()?.end {
                list.items.push(child.byte_range());
                list.last_ids.push(child.id());
                fresh = false;
            } else {
                list.items.last_mut()?.end = child.end_byte();
                *list.last_ids.last_mut()? = child.id();
            }
        }
        Some(list)
    }

    /// Whether there is a separator after the last element.
    pub(super) fn has_trailing_separator(&self) -> bool {
        self.separators.len() == self.items.len()
    }

    /// The whitespace between its parts: after the opening bracket, before each further element,
    /// and before the closing bracket.
    fn gaps(&self) -> Vec<Range<usize>> {
        let mut gaps = Vec::with_capacity(self.items.len() + 1);
        let mut from = self.opens;
        for (at, item) in self.items.iter().enumerate() {
            gaps.push(from..item.start);
            from = self.separators.get(at).map_or(item.end, |s| s.end);
        }
        gaps.push(from..self.closes);
        gaps
    }
}

/// The list that the user means: the one around the cursor or selection, or the only one in the
/// selection.
pub(super) fn list_at_selection<'t>(context: &ActionContext<'t>) -> Option<List<'t>> {
    let span = context.trimmed();
    let read = |node: Node<'t>| List::read(context, node);
    if !span.is_empty() {
        let mut outermost: Vec<Node<'t>> = Vec::new();
        let mut cursor = context.syntax.root().walk();
        loop {
            let node = cursor.node();
            let touches = node.end_byte() > span.start && node.start_byte() < span.end;
            let within = node.start_byte() >= span.start && node.end_byte() <= span.end;
            if within && context.captures.lists.contains_key(&node.id()) {
                outermost.push(node);
                if outermost.len() > 1 {
                    return None;
                }
            } else if touches && cursor.goto_first_child() {
                continue;
            }
            let past = |n: Node<'_>| n.start_byte() >= span.end;
            while past(cursor.node()) || !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    break;
                }
            }
            if cursor.depth() == 0 {
                break;
            }
        }
        if let Some(only) = outermost.pop() {
            return read(only);
        }
    }
    for node in context.around() {
        if context.captures.bodies.contains_key(&node.id()) {
            return None;
        }
        if context.captures.lists.contains_key(&node.id()) {
            return read(node);
        }
    }
    None
}

/// Whether the list is in a string or preprocessor directive, where a newline would change the
/// meaning.
pub(super) fn is_line_bound(context: &ActionContext<'_>, node: Node<'_>) -> bool {
    let line = |node: Node<'_>| context.syntax.text().line_of(node.start_byte());
    let mut around = context.syntax.ancestors(node).into_iter().skip(1);
    around.any(|n| is_string(n) || n.kind().starts_with("preproc") && line(n) == line(node))
}

fn blank(context: &ActionContext<'_>, span: &Range<usize>) -> bool {
    context.syntax.text().slice(span.clone()).trim().is_empty()
}

fn expand(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let list = list_at_selection(context)?;
        let text = context.syntax.text();
        let lines = |span: &Range<usize>| text.line_of(span.start)..text.line_of(span.end);
        let gaps = list.gaps();
        if list.items.len() < 2
            || !list.comments.is_empty()
            || is_line_bound(context, list.node)
            || !gaps.iter().all(|gap| blank(context, gap))
            || gaps.iter().all(|gap| !lines(gap).is_empty())
        {
            return None;
        }
        let (mut indent, unit, end) =
            (context.indent_at(list.opens), context.unit(), context.line_end());
        if context.captures.setting(list.pattern, "list.hang").is_some() {
            indent += &unit;
        }
        let element_indent = format!("{end}{indent}{unit}");
        let mut edits: Edits = Vec::new();
        let layout = context.syntax.language().has_significant_indentation()
            && context.syntax.language().id() != "python";
        for (at, item) in list.items.iter().enumerate() {
            edits.push((gaps[at].clone(), element_indent.clone()));
            if !lines(item).is_empty() {
                // An element that spans lines moves as a whole.
                if layout || !lines(&gaps[at]).is_empty() {
                    return None;
                }
                for line in lines(item).map(|line| line + 1) {
                    let start = text.line_start(line);
                    let is_blank = text.line(line).trim().is_empty();
                    if !is_blank && !starts_in_string(context.syntax, start) {
                        edits.push((start..start, unit.clone()));
                    }
                }
            }
        }
        let always = match context.captures.setting(list.pattern, "list.comma") {
            Some("always") => true,
            Some(_) => uses_trailing_commas(context.syntax.text()),
            None => false,
        };
        let may_trail =
            list.last_ids.last().is_some_and(|id| !context.captures.open.contains_key(id));
        let separator = context.captures.setting(list.pattern, "list.separator").unwrap_or(",");
        let comma =
            if always && !list.has_trailing_separator() && may_trail { separator } else { "" };
        edits.push((gaps.last()?.clone(), format!("{comma}{end}{indent}")));
        edits.retain(|(span, new)| text.slice(span.clone()) != new.as_str());
        let new = context.try_edits(&edits)?;
        has_same_tokens(context, &list, &new)
            .then(|| vec![PlannedAction::new("Put each element on a line", edits)])
    };
    actions().unwrap_or_default()
}

fn collapse(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let list = list_at_selection(context)?;
        let text = context.syntax.text();
        let over_lines = |span: &Range<usize>| text.line_of(span.start) != text.line_of(span.end);
        let gaps = list.gaps();
        if list.items.is_empty()
            || !list.comments.is_empty()
            || !gaps.iter().all(|gap| blank(context, gap))
            || !gaps.iter().any(over_lines)
            || list.items.iter().any(over_lines)
        {
            return None;
        }
        let comma = context.captures.setting(list.pattern, "list.comma");
        let pad = context.captures.setting(list.pattern, "list.pad").map_or("", |_| " ");
        let mut edits: Edits = Vec::new();
        for (at, item) in list.items.iter().enumerate() {
            edits.push((gaps[at].clone(), if at == 0 { pad } else { " " }.to_owned()));
            match list.separators.get(at) {
                Some(separator) if at + 1 < list.items.len() => {
                    edits.push((item.end..separator.start, String::new()));
                }
                // For a single element, the separator may be what makes it a list (a tuple).
                Some(separator) if list.items.len() > 1 => {
                    comma?;
                    edits.push((item.end..separator.end, String::new()));
                }
                _ => {}
            }
        }
        edits.push((gaps.last()?.clone(), pad.to_owned()));
        edits.retain(|(span, new)| text.slice(span.clone()) != new.as_str());
        let length: usize = list.items.iter().map(|item| item.len() + 2).sum();
        if length > MAX_LINE_LEN || edits.is_empty() {
            return None;
        }
        let new = context.try_edits(&edits)?;
        has_same_tokens(context, &list, &new)
            .then(|| vec![PlannedAction::new("Put all elements on one line", edits)])
    };
    actions().unwrap_or_default()
}

/// Whether the text has trailing commas in other multi-line lists.
fn uses_trailing_commas(text: &text::Text) -> bool {
    let (mut comma, mut line_ended) = (false, false);
    for c in text.chunks().flat_map(str::chars).take(INSPECTED_CHARS) {
        match c {
            ',' => (comma, line_ended) = (true, false),
            '\n' | '\r' => line_ended = true,
            ')' | ']' | '}' if comma && line_ended => return true,
            c if c.is_whitespace() => {}
            _ => comma = false,
        }
    }
    false
}

/// Whether the list in `new` has the same tokens at the same depths, except for a trailing
/// separator.
fn has_same_tokens(context: &ActionContext<'_>, list: &List<'_>, new: &crate::Syntax) -> bool {
    let (kind, start) = (list.node.kind(), list.node.start_byte());
    let mut around = new.nodes_around(start..start).into_iter();
    let Some(after) = around.find(|n| n.kind() == kind && n.start_byte() == start) else {
        return false;
    };
    let separator = context.captures.setting(list.pattern, "list.separator").unwrap_or(",");
    tokens(context.syntax, list.node, separator) == tokens(new, after, separator)
}

/// The tokens of a node with depth and kind, without a trailing separator.
fn tokens(syntax: &crate::Syntax, node: Node<'_>, separator: &str) -> Vec<(usize, u16, String)> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    let mut depth = 0;
    'walk: loop {
        let here = cursor.node();
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        if !here.byte_range().is_empty() {
            let token = syntax.text().slice(here.byte_range());
            // The contents of a string may not be a node.
            found.push((depth, here.kind_id(), token.trim_end().to_owned()));
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                break 'walk;
            }
            depth -= 1;
        }
    }
    let last =
        found.iter().rposition(|(depth, _, token)| *depth == 1 && token.ends_with([')', ']', '}']));
    if let Some(before) = last.and_then(|last| last.checked_sub(1))
        && found[before].2 == separator
    {
        found.remove(before);
    }
    found
}
