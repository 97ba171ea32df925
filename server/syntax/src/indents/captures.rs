//! The captures of `indents.scm` in a text.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use text::Text;
use tree_sitter::Node;

use crate::Syntax;
use crate::rooted::RootedQuery;

/// Furthest into a line, in characters, that other lines may be aligned with.
const MAX_ALIGNMENT: usize = 400;

/// Identifies constructs that authors indent alike. For a node: its pattern and kind, whether its
/// first child is on its first line, and whether it starts that line. For a token: its kind and its
/// parent's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ConstructKind {
    Node { pattern: usize, kind: u16, begins: bool, leads: bool },
    LineToken { kind: u16, parent: u16 },
}

/// How the lines of a node after the first are indented.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyIndent {
    Deeper,
    /// As deep as the first.
    Level,
    /// As continuation lines of the first.
    Continues,
}

/// A node that determines the indentation of its lines after the first.
#[derive(Debug, Clone)]
pub(super) struct IndentNode {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) anchor_line: usize,
    pub(super) kind: ConstructKind,
    pub(super) body: BodyIndent,
    pub(super) may_be_flat: bool,
    /// The distance from the first character of its first line to its first child, for alignment.
    pub(super) alignment: Option<usize>,
    start: usize,
    pattern: usize,
}

/// A token at the start of a line that determines the line's indentation.
pub(super) enum LineToken {
    Outdent(ConstructKind),
    Margin,
    /// Continues what its parent starts.
    Item {
        anchor_line: usize,
        kind: ConstructKind,
        alignment: Option<usize>,
        may_be_flat: bool,
    },
}

#[derive(Default)]
pub(super) struct IndentCaptures {
    /// Sorted by start, and outer nodes before inner ones.
    pub(super) nodes: Vec<IndentNode>,
    /// By line.
    pub(super) tokens: HashMap<usize, LineToken>,
    /// First and last lines of spans that must be left as they are (`@leave`).
    pub(super) verbatim: Vec<(usize, usize)>,
}

impl Syntax {
    pub(super) fn indent_captures(
        &self,
        rooted: &RootedQuery,
        interrupt: &AtomicBool,
    ) -> Option<IndentCaptures> {
        let (text, query) = (self.text(), &rooted.query);
        let names = query.capture_names();
        let set = |key: &str| -> Vec<bool> {
            (0..query.pattern_count())
                .map(|pattern| query.property_settings(pattern).iter().any(|p| &*p.key == key))
                .collect()
        };
        let (flat, trimmed) = (set("flat"), set("trim"));
        let mut captures = IndentCaptures::default();
        let mut nodes: HashMap<usize, IndentNode> = HashMap::new();
        // Cached, because many tokens may be on one line, which may be as long as the text.
        let code_starts = Cell::new((usize::MAX, 0));
        let code_start = |line: usize| {
            if code_starts.get().0 != line {
                code_starts.set((line, first_code_offset(text, line)));
            }
            code_starts.get().1
        };
        self.each_match(rooted, interrupt, |found| {
            let pattern = found.pattern_index;
            for capture in found.captures() {
                let node = capture.node;
                let end = if trimmed[pattern] { code_end(node) } else { node.end_byte() };
                let (first, last) = self.lines_of(&(node.start_byte()..end));
                let starts_line = || node.start_byte() <= code_start(first);
                match names[capture.index as usize] {
                    name @ ("indent" | "indent.body" | "continue" | "level") if last > first => {
                        // Look the parent up only if needed: tree-sitter descends from the root for
                        // it.
                        let parent = if name == "indent.body" { node.parent() } else { None };
                        let anchor_line = parent.map_or(first, |p| text.line_of(p.start_byte()));
                        let begins = node.named_child(0).map(|child| child.start_byte());
                        let begins = begins.filter(|at| text.line_of(*at) == first);
                        let deeper = IndentNode {
                            first,
                            last,
                            anchor_line,
                            kind: ConstructKind::Node {
                                pattern,
                                kind: node.kind_id(),
                                begins: begins.is_some(),
                                leads: starts_line(),
                            },
                            body: match name {
                                "continue" => BodyIndent::Continues,
                                "level" => BodyIndent::Level,
                                _ => BodyIndent::Deeper,
                            },
                            may_be_flat: flat[pattern],
                            alignment: begins
                                .filter(|_| anchor_line == first)
                                .and_then(|at| char_distance(text, code_start(first), at)),
                            start: node.start_byte(),
                            pattern,
                        };
                        let known = nodes.get(&node.id()).is_some_and(|n| n.pattern > pattern);
                        if !known {
                            nodes.insert(node.id(), deeper);
                        }
                    }
                    "outdent" if starts_line() => {
                        captures.tokens.entry(first).or_insert(LineToken::Outdent(token(node)));
                    }
                    "continue.item" if starts_line() => {
                        let Some(parent) = node.parent() else { continue };
                        let anchor_line = text.line_of(parent.start_byte());
                        if anchor_line == first {
                            continue;
                        }
                        let alignment = char_distance(
                            text,
                            first_code_offset(text, anchor_line),
                            parent.start_byte(),
                        );
                        let leads = alignment == Some(0);
                        let kind = ConstructKind::Node {
                            pattern,
                            kind: parent.kind_id(),
                            begins: true,
                            leads,
                        };
                        let may_be_flat = flat[pattern];
                        let item = LineToken::Item { anchor_line, kind, alignment, may_be_flat };
                        captures.tokens.entry(first).or_insert(item);
                    }
                    "beside" if starts_line() => {
                        let Some(before) = node.prev_sibling() else { continue };
                        let at = |node: Node<'_>| {
                            node.start_byte() - text.line_start(text.line_of(node.start_byte()))
                        };
                        let line = text.line_of(before.start_byte());
                        let starts = before.start_byte() <= first_code_offset(text, line)
                            && !captures.tokens.contains_key(&line);
                        if starts || line + 1 != first || at(before) != at(node) {
                            continue;
                        }
                        let item = LineToken::Item {
                            anchor_line: line,
                            kind: token(node),
                            alignment: char_distance(
                                text,
                                first_code_offset(text, line),
                                before.start_byte(),
                            ),
                            may_be_flat: true,
                        };
                        captures.tokens.entry(first).or_insert(item);
                    }
                    "margin" if starts_line() => {
                        captures.tokens.insert(first, LineToken::Margin);
                    }
                    "leave" if last > first => captures.verbatim.push((first, last)),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        })?;
        captures.verbatim.sort_unstable();
        captures.nodes = nodes.into_values().collect();
        captures.nodes.sort_by_key(|n| (n.first, usize::MAX - n.last, n.start, n.anchor_line));
        Some(captures)
    }
}

fn token(node: Node<'_>) -> ConstructKind {
    ConstructKind::LineToken {
        kind: node.kind_id(),
        parent: node.parent().map_or(0, |p| p.kind_id()),
    }
}

/// The end of the last token in a node that is no comment: some parsers extend nodes up to the next
/// token.
fn code_end(node: Node<'_>) -> usize {
    /// How deep to descend.
    const MAX_INDENT: usize = 50;
    let mut within = node;
    for _ in 0..MAX_INDENT {
        let last =
            (0..within.child_count()).rev().filter_map(|at| within.child(at)).find(|child| {
                !child.is_extra()
                    && !child.kind().contains("comment")
                    && !child.byte_range().is_empty()
            });
        match last {
            Some(last) => within = last,
            None => break,
        }
    }
    within.end_byte()
}

fn char_distance(text: &Text, from: usize, to: usize) -> Option<usize> {
    (from <= to && to - from <= MAX_ALIGNMENT).then(|| text.slice(from..to).chars().count())
}

/// The first non-blank offset on or after a line.
fn first_code_offset(text: &Text, line: usize) -> usize {
    let mut at = text.line_start(line);
    while at < text.len() {
        let (chunk, start) = text.chunk_at(at);
        let rest = &chunk[at - start..];
        let blanks = rest.len() - rest.trim_start().len();
        at += blanks;
        if blanks < rest.len() {
            break;
        }
    }
    at
}
