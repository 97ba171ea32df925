//! Holds the shape of a pattern against the nodes of a tree.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use tree_sitter::Node;

use super::StructuralMatch;
use crate::Syntax;

/// Most comparisons of nodes for one text: a pattern with many `$$$` in a row can be held against
/// a long list in very many ways.
const MOST_STEPS: usize = 5_000_000;

/// The identifiers that stand for others in a pattern's code: the name of each, and whether it
/// stands for any number.
pub(super) type Placeholders = HashMap<String, (String, bool)>;

/// What a node must look like.
#[derive(Debug)]
pub(super) enum Shape {
    /// Any one node.
    One(String),
    /// Any number of nodes in a row.
    Many(String),
    /// A node without others in it.
    Leaf { kind: u16, is_named: bool, text: String },
    /// A node with these in it.
    Node { kind: u16, children: Vec<Shape> },
}

impl Shape {
    /// The shape of a pattern's node. `placeholders` are the identifiers that stand for others.
    pub(super) fn of(node: Node<'_>, source: &str, placeholders: &Placeholders) -> Self {
        let text = &source[node.byte_range()];
        if let Some((name, many)) = placeholders.get(text.trim_end_matches(';').trim_end()) {
            return if *many { Self::Many(name.clone()) } else { Self::One(name.clone()) };
        }
        let children: Vec<_> =
            parts(node).map(|child| Self::of(child, source, placeholders)).collect();
        if children.is_empty() {
            let (kind, is_named) = (node.kind_id(), node.is_named());
            return Self::Leaf { kind, is_named, text: text.to_owned() };
        }
        Self::Node { kind: node.kind_id(), children }
    }

    /// The names and literals in it.
    pub(super) fn words(&self) -> Vec<&str> {
        match self {
            Self::Leaf { is_named: true, text, .. } => vec![text],
            Self::Node { children, .. } => children.iter().flat_map(Self::words).collect(),
            _ => Vec::new(),
        }
    }
}

/// What is compared of a node: all in it but comments and what only separates.
fn parts<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let mut cursor = node.walk();
    let children: Vec<_> = node
        .children(&mut cursor)
        .filter(|child| !child.is_extra() && !matches!(child.kind(), "," | ";" | "\n"))
        .collect();
    children.into_iter()
}

type Captures = Vec<(String, Range<usize>)>;

/// One search of one tree.
pub(super) struct Matcher<'a> {
    shape: &'a Shape,
    syntax: &'a Syntax,
    interrupt: &'a AtomicBool,
    steps: usize,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(shape: &'a Shape, syntax: &'a Syntax, interrupt: &'a AtomicBool) -> Self {
        Self { shape, syntax, interrupt, steps: 0 }
    }

    pub(super) fn find(mut self, most: usize) -> Vec<StructuralMatch> {
        let kind = match self.shape {
            Shape::Leaf { kind, .. } | Shape::Node { kind, .. } => *kind,
            Shape::One(_) | Shape::Many(_) => return Vec::new(),
        };
        let mut found = Vec::new();
        let mut cursor = self.syntax.root().walk();
        loop {
            let node = cursor.node();
            if node.kind_id() == kind && found.len() < most {
                let mut captures = Vec::new();
                if self.fits(self.shape, node, &mut captures) {
                    captures.sort_by_key(|(_, span)| (span.start, span.end));
                    captures.dedup();
                    found.push(StructuralMatch { span: node.byte_range(), captures });
                }
            }
            if self.is_over() || found.len() >= most {
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
        self.steps > MOST_STEPS || self.interrupt.load(Ordering::Relaxed)
    }

    fn fits(&mut self, shape: &Shape, node: Node<'_>, captures: &mut Captures) -> bool {
        if self.is_over() {
            return false;
        }
        match shape {
            Shape::One(name) | Shape::Many(name) => {
                node.is_named() && self.captured(name, node.byte_range(), captures)
            }
            Shape::Leaf { kind, text, .. } => {
                node.kind_id() == *kind && self.text(node.byte_range()) == *text
            }
            Shape::Node { kind, children } => {
                if node.kind_id() != *kind {
                    return false;
                }
                let parts: Vec<_> = parts(node).collect();
                self.all_fit(children, &parts, captures)
            }
        }
    }

    /// Whether the nodes, in their order, are what the shapes say.
    fn all_fit(&mut self, shapes: &[Shape], nodes: &[Node<'_>], captures: &mut Captures) -> bool {
        let Some((first, rest)) = shapes.split_first() else { return nodes.is_empty() };
        let kept = captures.len();
        if let Shape::Many(name) = first {
            // The fewest that let the rest fit; none of them a token such as a bracket.
            for count in 0..=nodes.len() {
                if count > 0 && !nodes[count - 1].is_named() || self.is_over() {
                    break;
                }
                let fits = match (nodes.first(), nodes[..count].last()) {
                    (Some(first), Some(last)) => {
                        self.captured(name, first.start_byte()..last.end_byte(), captures)
                    }
                    _ => true,
                };
                if fits && self.all_fit(rest, &nodes[count..], captures) {
                    return true;
                }
                captures.truncate(kept);
            }
            return false;
        }
        let Some((node, others)) = nodes.split_first() else { return false };
        let fits = self.fits(first, *node, captures) && self.all_fit(rest, others, captures);
        if !fits {
            captures.truncate(kept);
        }
        fits
    }

    /// Takes note of what a name stands for; false where it already stands for another text.
    fn captured(&self, name: &str, span: Range<usize>, captures: &mut Captures) -> bool {
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
