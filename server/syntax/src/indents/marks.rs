//! What a text's `indents.scm` captures.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;

use text::Text;
use tree_sitter::Node;

use crate::Syntax;
use crate::rooted::RootedQuery;

/// Furthest into a line, in bytes, that other lines may stand under something.
const FAR: usize = 400;

/// What is of one kind to whoever writes: the pattern and kind of a node, whether what is in it begins
/// on its first line, and whether it leads that line; or, of a token, its kind and its parent's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Node { pattern: usize, kind: u16, begins: bool, leads: bool },
    Token { kind: u16, parent: u16 },
}

/// What a node says of its lines after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    Deeper,
    /// They stand as deep.
    Level,
    /// They go on with what the first begins.
    Continues,
}

/// A node whose lines hang on one before them.
#[derive(Debug, Clone)]
pub(super) struct Deeper {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) hangs_on: usize,
    pub(super) kind: Kind,
    pub(super) reach: Reach,
    pub(super) may_be_flat: bool,
    /// How far behind the first character of its first line the first thing in it stands.
    pub(super) under: Option<usize>,
    start: usize,
    pattern: usize,
}

/// What a line begins with that says where the line stands.
pub(super) enum Token {
    Outdent(Kind),
    Margin,
    /// Goes on with what its parent begins.
    Item {
        hangs_on: usize,
        kind: Kind,
        under: Option<usize>,
        may_be_flat: bool,
    },
}

#[derive(Default)]
pub(super) struct Marks {
    /// Those that start first, and of them those that end last, come first.
    pub(super) nodes: Vec<Deeper>,
    /// By line.
    pub(super) tokens: HashMap<usize, Token>,
    /// First and last lines.
    pub(super) left: Vec<(usize, usize)>,
}

impl Syntax {
    pub(super) fn indent_marks(
        &self,
        rooted: &RootedQuery,
        interrupt: &AtomicBool,
    ) -> Option<Marks> {
        let (text, query) = (self.text(), &rooted.query);
        let names = query.capture_names();
        let set = |key: &str| -> Vec<bool> {
            (0..query.pattern_count())
                .map(|pattern| query.property_settings(pattern).iter().any(|p| &*p.key == key))
                .collect()
        };
        let (flat, trimmed) = (set("flat"), set("trim"));
        let mut marks = Marks::default();
        let mut nodes: HashMap<usize, Deeper> = HashMap::new();
        // Many tokens may stand on one line, which may be as long as the text.
        let code_starts = Cell::new((usize::MAX, 0));
        let code_start = |line: usize| {
            if code_starts.get().0 != line {
                code_starts.set((line, first_code(text, line)));
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
                        // A parent is looked for from the root.
                        let parent = if name == "indent.body" { node.parent() } else { None };
                        let hangs_on = parent.map_or(first, |p| text.line_of(p.start_byte()));
                        let begins = node.named_child(0).map(|child| child.start_byte());
                        let begins = begins.filter(|at| text.line_of(*at) == first);
                        let deeper = Deeper {
                            first,
                            last,
                            hangs_on,
                            kind: Kind::Node {
                                pattern,
                                kind: node.kind_id(),
                                begins: begins.is_some(),
                                leads: starts_line(),
                            },
                            reach: match name {
                                "continue" => Reach::Continues,
                                "level" => Reach::Level,
                                _ => Reach::Deeper,
                            },
                            may_be_flat: flat[pattern],
                            under: begins
                                .filter(|_| hangs_on == first)
                                .and_then(|at| characters(text, code_start(first), at)),
                            start: node.start_byte(),
                            pattern,
                        };
                        let known = nodes.get(&node.id()).is_some_and(|n| n.pattern > pattern);
                        if !known {
                            nodes.insert(node.id(), deeper);
                        }
                    }
                    "outdent" if starts_line() => {
                        marks.tokens.entry(first).or_insert(Token::Outdent(token(node)));
                    }
                    "continue.item" if starts_line() => {
                        let Some(parent) = node.parent() else { continue };
                        let hangs_on = text.line_of(parent.start_byte());
                        if hangs_on == first {
                            continue;
                        }
                        let under =
                            characters(text, first_code(text, hangs_on), parent.start_byte());
                        let leads = under == Some(0);
                        let kind =
                            Kind::Node { pattern, kind: parent.kind_id(), begins: true, leads };
                        let may_be_flat = flat[pattern];
                        let item = Token::Item { hangs_on, kind, under, may_be_flat };
                        marks.tokens.entry(first).or_insert(item);
                    }
                    "beside" if starts_line() => {
                        let Some(before) = node.prev_sibling() else { continue };
                        let at = |node: Node<'_>| {
                            node.start_byte() - text.line_start(text.line_of(node.start_byte()))
                        };
                        let line = text.line_of(before.start_byte());
                        let starts = before.start_byte() <= first_code(text, line)
                            && !marks.tokens.contains_key(&line);
                        if starts || line + 1 != first || at(before) != at(node) {
                            continue;
                        }
                        let item = Token::Item {
                            hangs_on: line,
                            kind: token(node),
                            under: characters(text, first_code(text, line), before.start_byte()),
                            may_be_flat: true,
                        };
                        marks.tokens.entry(first).or_insert(item);
                    }
                    "margin" if starts_line() => {
                        marks.tokens.insert(first, Token::Margin);
                    }
                    "leave" if last > first => marks.left.push((first, last)),
                    _ => {}
                }
            }
            ControlFlow::Continue(())
        })?;
        marks.left.sort_unstable();
        marks.nodes = nodes.into_values().collect();
        marks.nodes.sort_by_key(|n| (n.first, usize::MAX - n.last, n.start, n.hangs_on));
        Some(marks)
    }
}

fn token(node: Node<'_>) -> Kind {
    Kind::Token { kind: node.kind_id(), parent: node.parent().map_or(0, |p| p.kind_id()) }
}

/// Where the last thing in a node ends that is no comment: some parsers have nodes reach to what
/// comes next.
fn code_end(node: Node<'_>) -> usize {
    /// How deep that is looked for.
    const DEEPEST: usize = 50;
    let mut within = node;
    for _ in 0..DEEPEST {
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

fn characters(text: &Text, from: usize, to: usize) -> Option<usize> {
    (from <= to && to - from <= FAR).then(|| text.slice(from..to).chars().count())
}

/// Where on a line, or behind it, something other than blanks stands.
fn first_code(text: &Text, line: usize) -> usize {
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
