//! What belongs to a declaration beyond its own node: what wraps it, and what stands before it.

use std::ops::Range;

use tree_sitter::Node;

use crate::Syntax;

/// Kinds of nodes that make a declaration whole: they hold it, and words that belong to it. They
/// are climbed where they hold one declaration only.
const WRAPPERS: &[&str] = &[
    "ambient_declaration",
    "assignment",
    "assignment_expression",
    "const_declaration",
    "declaration",
    "decorated_definition",
    "export_statement",
    "expression_statement",
    "field_declaration",
    "init_declarator",
    "function_declarator",
    "function_definition",
    "lexical_declaration",
    "pointer_declarator",
    "reference_declarator",
    "template_declaration",
    "type_declaration",
    "type_definition",
    "var_declaration",
    "variable_declaration",
    "variable_declarator",
];

/// Kinds of nodes before a declaration that belong to it.
const BEFORE: &[&str] = &["attribute_item", "decorator"];

impl Syntax {
    /// The whole of a declaration of which `span` is the node and `name` the name in it: with
    /// decorators, attributes and the words and signs around it, but without the comments before
    /// it. O(depth).
    #[must_use]
    pub fn whole_declaration(&self, span: Range<usize>, name: Range<usize>) -> Range<usize> {
        let whole = self.wrapping(span, name);
        let mut start = whole.start_byte();
        let mut before = whole.prev_sibling();
        while let Some(node) = before {
            if BEFORE.contains(&node.kind()) {
                start = node.start_byte();
            } else if !is_comment(node) || !is_alone(self, node) {
                break;
            }
            before = node.prev_sibling();
        }
        let mut end = whole.end_byte();
        if let Some(sign) = whole.next_sibling()
            && sign.kind() == ";"
            && sign.start_byte() == end
        {
            end = sign.end_byte();
        }
        // Some grammars let a line's end belong to what stands on it.
        let text = self.text().slice(start..end);
        start..start + text.trim_end().len()
    }

    /// Where the comments begin that stand right above the place `start`, each on lines of its own
    /// and without a blank line between; `start` where there are none. O(comments).
    #[must_use]
    pub fn comments_above(&self, start: usize) -> usize {
        let Some(mut node) = self.root().descendant_for_byte_range(start, start) else {
            return start;
        };
        while node.prev_sibling().is_none() || node.start_byte() > start {
            match node.parent() {
                Some(parent) if parent.start_byte() >= start => node = parent,
                _ => break,
            }
        }
        let (mut first, mut row) = (start, self.text().line_of(start));
        while let Some(before) = node.prev_sibling() {
            let written = self.text().slice(before.byte_range());
            let end = before.start_byte() + written.trim_end().len();
            let touches = self.text().line_of(end) + 1 == row;
            if !is_comment(before) || !touches || !is_alone(self, before) {
                break;
            }
            (first, row) = (before.start_byte(), self.text().line_of(before.start_byte()));
            node = before;
        }
        first
    }

    /// Whether the place is inside a text literal, a comment or something else whose blanks count.
    #[must_use]
    pub fn is_in_literal(&self, at: usize) -> bool {
        self.nodes_around(at..at).into_iter().any(|here| {
            let literal = here.kind().contains("string") || here.kind().contains("heredoc");
            literal && here.start_byte() < at
        })
    }

    fn wrapping(&self, span: Range<usize>, name: Range<usize>) -> Node<'_> {
        let root = self.root();
        let found = root.descendant_for_byte_range(span.start, span.end.max(name.end));
        let mut node = found.unwrap_or(root);
        while let Some(parent) = node.parent() {
            let same = parent.byte_range() == node.byte_range();
            let specifier = node.kind().ends_with("_specifier");
            let climbs = WRAPPERS.contains(&parent.kind()) && !specifier && holds_one(parent, node);
            if parent.parent().is_none() || !(same || climbs) {
                break;
            }
            node = parent;
        }
        node
    }
}

/// Whether there is no second declaration beside `node`.
fn holds_one(parent: Node<'_>, node: Node<'_>) -> bool {
    let mut cursor = parent.walk();
    let alike = |other: &Node<'_>| {
        other.kind() == node.kind()
            || (other.kind().ends_with("declarator") && node.kind().ends_with("declarator"))
    };
    parent.named_children(&mut cursor).filter(alike).take(2).count() < 2
}

fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Whether nothing stands before it on its line.
fn is_alone(syntax: &Syntax, node: Node<'_>) -> bool {
    let text = syntax.text();
    let line = text.line_start(text.line_of(node.start_byte()));
    text.slice(line..node.start_byte()).trim().is_empty()
}
