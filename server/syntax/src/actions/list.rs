//! `expand_list` and `collapse_list`: an element a line, or all on one.

use std::ops::Range;

use tree_sitter::Node;

use super::shift::{is_text, text_inside};
use super::{Edits, Place, Planned, Planner};

/// Longest line that a list is put on, in bytes.
const WIDEST: usize = 400;
/// How much of a text is looked over for its style, in characters.
const FAR: usize = 200_000;
/// Most elements of a list that is looked at.
const MOST: u32 = 10_000;

pub(super) const EXPAND: Planner =
    Planner { id: "expand_list", kind: "refactor.rewrite.expand", find: expand };
pub(super) const COLLAPSE: Planner =
    Planner { id: "collapse_list", kind: "refactor.rewrite.collapse", find: collapse };

/// What stands between two brackets.
pub(super) struct List<'t> {
    pub(super) node: Node<'t>,
    pub(super) pattern: usize,
    /// Where the opening bracket ends, and where the closing one starts.
    pub(super) opens: usize,
    pub(super) closes: usize,
    pub(super) items: Vec<Range<usize>>,
    /// The kind of the last node of each element.
    last_ids: Vec<usize>,
    separators: Vec<Range<usize>>,
    pub(super) comments: Vec<Range<usize>>,
}

impl<'t> List<'t> {
    pub(super) fn read(place: &Place<'t>, node: Node<'t>) -> Option<Self> {
        let pattern = *place.marks.lists.get(&node.id())?;
        let separator = place.marks.setting(pattern, "list.separator").unwrap_or(",");
        if node.has_error() || node.child_count() > 2 * MOST {
            return None;
        }
        let mut cursor = node.walk();
        let children: Vec<Node<'t>> = node.children(&mut cursor).collect();
        let bracket = |n: &Node<'_>| !n.is_named() && n.kind().ends_with(['(', '[', '{']);
        let first = children.iter().position(bracket)?;
        let half = match children[first].kind().chars().last()? {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        let closing = |n: &Node<'_>| !n.is_named() && n.kind().starts_with(half);
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
                    // A hole.
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

    pub(super) fn trails(&self) -> bool {
        self.separators.len() == self.items.len()
    }

    /// The stretches between its parts, which hold nothing but blanks: behind the opening bracket,
    /// between a separator and the next element, and before the closing one.
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

/// The list that is meant: around the cursor or the selection, or the only one that is selected.
pub(super) fn meant<'t>(place: &Place<'t>) -> Option<List<'t>> {
    let span = place.trimmed();
    let read = |node: Node<'t>| List::read(place, node);
    if !span.is_empty() {
        let mut outermost: Vec<Node<'t>> = Vec::new();
        let mut cursor = place.syntax.root().walk();
        loop {
            let node = cursor.node();
            let touches = node.end_byte() > span.start && node.start_byte() < span.end;
            let within = node.start_byte() >= span.start && node.end_byte() <= span.end;
            if within && place.marks.lists.contains_key(&node.id()) {
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
    for node in place.around() {
        if place.marks.bodies.contains_key(&node.id()) {
            return None;
        }
        if place.marks.lists.contains_key(&node.id()) {
            return read(node);
        }
    }
    None
}

/// Whether a list stands where a line's end would mean something else.
pub(super) fn is_bound_to_its_line(place: &Place<'_>, node: Node<'_>) -> bool {
    let line = |node: Node<'_>| place.syntax.text().line_of(node.start_byte());
    let mut around = place.syntax.ancestors(node).into_iter().skip(1);
    around.any(|n| is_text(n) || n.kind().starts_with("preproc") && line(n) == line(node))
}

fn blank(place: &Place<'_>, span: &Range<usize>) -> bool {
    place.syntax.text().slice(span.clone()).trim().is_empty()
}

fn expand(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let list = meant(place)?;
        let text = place.syntax.text();
        let lines = |span: &Range<usize>| text.line_of(span.start)..text.line_of(span.end);
        let gaps = list.gaps();
        if list.items.len() < 2
            || !list.comments.is_empty()
            || is_bound_to_its_line(place, list.node)
            || !gaps.iter().all(|gap| blank(place, gap))
            || gaps.iter().all(|gap| !lines(gap).is_empty())
        {
            return None;
        }
        let (mut indent, unit, end) = (place.indent_at(list.opens), place.unit(), place.line_end());
        if place.marks.setting(list.pattern, "list.hang").is_some() {
            indent += &unit;
        }
        let deeper = format!("{end}{indent}{unit}");
        let mut edits: Edits = Vec::new();
        let layout =
            place.syntax.language().has_layout() && place.syntax.language().id() != "python";
        for (at, item) in list.items.iter().enumerate() {
            edits.push((gaps[at].clone(), deeper.clone()));
            if !lines(item).is_empty() {
                // What goes over lines moves as a whole, as deep as its first line will stand.
                if layout || !lines(&gaps[at]).is_empty() {
                    return None;
                }
                for line in lines(item).map(|line| line + 1) {
                    let start = text.line_start(line);
                    let is_blank = text.line(line).trim().is_empty();
                    if !is_blank && !text_inside(place.syntax, start) {
                        edits.push((start..start, unit.clone()));
                    }
                }
            }
        }
        let always = match place.marks.setting(list.pattern, "list.comma") {
            Some("always") => true,
            Some(_) => trails_elsewhere(place.syntax.text()),
            None => false,
        };
        let may_trail = list.last_ids.last().is_some_and(|id| !place.marks.open.contains_key(id));
        let separator = place.marks.setting(list.pattern, "list.separator").unwrap_or(",");
        let comma = if always && !list.trails() && may_trail { separator } else { "" };
        edits.push((gaps.last()?.clone(), format!("{comma}{end}{indent}")));
        edits.retain(|(span, new)| text.slice(span.clone()) != new.as_str());
        let new = place.tried(&edits)?;
        same_tokens(place, &list, &new)
            .then(|| vec![Planned::new("Put each element on a line", edits)])
    };
    made().unwrap_or_default()
}

fn collapse(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let list = meant(place)?;
        let text = place.syntax.text();
        let over_lines = |span: &Range<usize>| text.line_of(span.start) != text.line_of(span.end);
        let gaps = list.gaps();
        if list.items.is_empty()
            || !list.comments.is_empty()
            || !gaps.iter().all(|gap| blank(place, gap))
            || !gaps.iter().any(over_lines)
            || list.items.iter().any(over_lines)
        {
            return None;
        }
        let comma = place.marks.setting(list.pattern, "list.comma");
        let pad = place.marks.setting(list.pattern, "list.pad").map_or("", |_| " ");
        let mut edits: Edits = Vec::new();
        for (at, item) in list.items.iter().enumerate() {
            edits.push((gaps[at].clone(), if at == 0 { pad } else { " " }.to_owned()));
            match list.separators.get(at) {
                Some(separator) if at + 1 < list.items.len() => {
                    edits.push((item.end..separator.start, String::new()));
                }
                // Of one element, what stands behind it may be what makes it a list.
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
        if length > WIDEST || edits.is_empty() {
            return None;
        }
        let new = place.tried(&edits)?;
        same_tokens(place, &list, &new)
            .then(|| vec![Planned::new("Put all elements on one line", edits)])
    };
    made().unwrap_or_default()
}

/// Whether the text has a comma behind the last element of what goes over lines.
fn trails_elsewhere(text: &text::Text) -> bool {
    let (mut comma, mut line_ended) = (false, false);
    for c in text.chunks().flat_map(str::chars).take(FAR) {
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

/// Whether a list still has the same tokens, but for a separator behind its last element, and the
/// same nodes around them.
fn same_tokens(place: &Place<'_>, list: &List<'_>, new: &crate::Syntax) -> bool {
    let (kind, start) = (list.node.kind(), list.node.start_byte());
    let mut around = new.nodes_around(start..start).into_iter();
    let Some(after) = around.find(|n| n.kind() == kind && n.start_byte() == start) else {
        return false;
    };
    let separator = place.marks.setting(list.pattern, "list.separator").unwrap_or(",");
    tokens(place.syntax, list.node, separator) == tokens(new, after, separator)
}

/// The tokens of a node with their kinds and depths; without one that stands before its last.
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
            // A string's inside may be no node of its own.
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
