//! Matching a pattern against the nodes of a tree.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use tree_sitter::Node;

use super::StructuralMatch;
use crate::Syntax;

/// Limit of node comparisons per text: a pattern with several `$$$` in a row can match a long list
/// in very many ways.
const MAX_STEPS: usize = 5_000_000;

/// The identifiers that replace placeholders in a pattern's code: the placeholder's name, and
/// whether it matches any number of nodes.
pub(super) type Placeholders = HashMap<String, (String, bool)>;

/// A node of a pattern.
#[derive(Debug)]
pub(super) enum PatternNode {
    /// Any single node.
    One(String),
    /// Any number of sibling nodes.
    Many(String),
    /// A leaf node.
    Leaf { kind: u16, is_named: bool, text: String },
    /// An inner node.
    Node { kind: u16, children: Vec<PatternNode> },
}

impl PatternNode {
    /// Converts a node of the parsed pattern.
    pub(super) fn from_node(node: Node<'_>, source: &str, placeholders: &Placeholders) -> Self {
        let text = &source[node.byte_range()];
        if let Some((name, many)) = placeholders.get(text.trim_end_matches(';').trim_end()) {
            return if *many { Self::Many(name.clone()) } else { Self::One(name.clone()) };
        }
        let children: Vec<_> = compared_children(node)
            .map(|child| Self::from_node(child, source, placeholders))
            .collect();
        if children.is_empty() {
            let (kind, is_named) = (node.kind_id(), node.is_named());
            return Self::Leaf { kind, is_named, text: text.to_owned() };
        }
        Self::Node { kind: node.kind_id(), children }
    }

    /// The identifiers and literals in it.
    pub(super) fn words(&self) -> Vec<&str> {
        match self {
            Self::Leaf { is_named: true, text, .. } => vec![text],
            Self::Node { children, .. } => children.iter().flat_map(Self::words).collect(),
            _ => Vec::new(),
        }
    }
}

/// The children that are compared: all but comments and separators.
fn compared_children<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let children: Vec<_> = node
        .children(&mut cursor)
        .filter(|child| !child.is_extra() && !matches!(child.kind(), "," | ";" | "\n"))
        .collect();
    children.into_iter()
}

type Captures = Vec<(String, Range<usize>)>;

/// One search in one tree.
pub(super) struct Matcher<'a> {
    pattern: &'a PatternNode,
    syntax: &'a Syntax,
    interrupt: &'a AtomicBool,
    steps: usize,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(
        pattern: &'a PatternNode,
        syntax: &'a Syntax,
        interrupt: &'a AtomicBool,
    ) -> Self {
        Self { pattern, syntax, interrupt, steps: 0 }
    }

    pub(super) fn find(mut self, limit: usize) -> Vec<StructuralMatch> {
        let kind = match self.pattern {
            PatternNode::Leaf { kind, .. } | PatternNode::Node { kind, .. } => *kind,
            PatternNode::One(_) | PatternNode::Many(_) => return Vec::new(),
        };
        let mut found = Vec::new();
        let mut cursor = self.syntax.root().walk();
        loop {
            let node = cursor.node();
            if node.kind_id() == kind && found.len() < limit {
                let mut captures = Vec::new();
                if self.matches(self.pattern, node, &mut captures) {
                    captures.sort_by_key(|(_, span)| (span.start, span.end));
                    captures.dedup();
                    found.push(StructuralMatch { span: node.byte_range(), captures });
                }
            }
            if self.is_over() || found.len() >= limit {
                return found;
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return found;
                }
            }
        }
    }

    fn is_over(&mut self) -> bool {
        self.steps += 1;
        self.steps > MAX_STEPS || self.interrupt.load(Ordering::Relaxed)
    }

    fn matches(&mut self, pattern: &PatternNode, node: Node<'_>, captures: &mut Captures) -> bool {
        if self.is_over() {
            return false;
        }
        match pattern {
            PatternNode::One(name) | PatternNode::Many(name) => {
                node.is_named() && self.bind(name, node.byte_range(), captures)
            }
            PatternNode::Leaf { kind, text, .. } => {
                node.kind_id() == *kind && self.text(node.byte_range()) == *text
            }
            PatternNode::Node { kind, children } => {
                if node.kind_id() != *kind {
                    return false;
                }
                let children_found: Vec<_> = compared_children(node).collect();
                self.children_match(children, &children_found, captures)
            }
        }
    }

    /// Whether the sibling nodes match the pattern nodes, in order.
    fn children_match(
        &mut self,
        shapes: &[PatternNode],
        nodes: &[Node<'_>],
        captures: &mut Captures,
    ) -> bool {
        let Some((first, rest)) = shapes.split_first() else { return nodes.is_empty() };
        let bound_before = captures.len();
        if let PatternNode::Many(name) = first {
            // Try the fewest nodes first; tokens such as brackets cannot be matched.
            for count in 0..=nodes.len() {
                if count > 0 && !nodes[count - 1].is_named() || self.is_over() {
                    break;
                }
                let matches = match (nodes.first(), nodes[..count].last()) {
                    (Some(first), Some(last)) => {
                        self.bind(name, first.start_byte()..last.end_byte(), captures)
                    }
                    _ => true,
                };
                if matches && self.children_match(rest, &nodes[count..], captures) {
                    return true;
                }
                captures.truncate(bound_before);
            }
            return false;
        }
        let Some((node, others)) = nodes.split_first() else { return false };
        let matches =
            self.matches(first, *node, captures) && self.children_match(rest, others, captures);
        if !matches {
            captures.truncate(bound_before);
        }
        matches
    }

    /// Binds a name to a span. False if the name is already bound to a different text.
    fn bind(&self, name: &str, span: Range<usize>, captures: &mut Captures) -> bool {
        if name != "_"
            && let Some((_, before)) = captures.iter().find(|(other, _)| other == name)
        {
            return self.text(before.clone()) == self.text(span);
        }
        if name != "_" {
            captures.push((name.to_owned(), span));
        }
        true
    }

    fn text(&self, span: Range<usize>) -> std::borrow::Cow<'a, str> {
        self.syntax.text().slice(span)
    }
}
