//! The full extent of a declaration: the nodes that wrap it, and its attributes and comments.

use std::ops::Range;

use tree_sitter::Node;

use crate::Syntax;

/// Node kinds that wrap a declaration and add keywords or punctuation to it. A wrapper counts only
/// if it contains a single declaration.
const WRAPPER_KINDS: &[&str] = &[
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

/// Node kinds before a declaration that belong to it.
const PRECEDING_KINDS: &[&str] = &["attribute_item", "decorator"];

impl Syntax {
    /// The full span of the declaration with node `span` and name `name`: with decorators,
    /// attributes and surrounding keywords and punctuation, but without the comments above it.
    /// O(depth).
    #[must_use]
    pub fn whole_declaration(&self, span: Range<usize>, name: Range<usize>) -> Range<usize> {
        let whole = self.outermost_wrapper(span, name);
        let mut start = whole.start_byte();
        let mut before = whole.prev_sibling();
        while let Some(node) = before {
            if PRECEDING_KINDS.contains(&node.kind()) {
                start = node.start_byte();
            } else if !is_comment(node) || !is_first_on_line(self, node) {
                break;
            }
            before = node.prev_sibling();
        }
        let mut end = whole.end_byte();
        if let Some(semicolon) = whole.next_sibling()
            && semicolon.kind() == ";"
            && semicolon.start_byte() == end
        {
            end = semicolon.end_byte();
        }
        // The nodes of some grammars include the newline.
        let text = self.text().slice(start..end);
        start..start + text.trim_end().len()
    }

    /// The start of the comments directly above `start`: each on its own lines, without a blank
    /// line in between. Returns `start` if there are none. O(comments).
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
            let comment = self.text().slice(before.byte_range());
            let end = before.start_byte() + comment.trim_end().len();
            let touches = self.text().line_of(end) + 1 == row;
            if !is_comment(before) || !touches || !is_first_on_line(self, before) {
                break;
            }
            (first, row) = (before.start_byte(), self.text().line_of(before.start_byte()));
            node = before;
        }
        first
    }

    /// Whether `at` is inside a string, a heredoc or another literal in which whitespace is
    /// significant.
    #[must_use]
    pub fn is_in_literal(&self, at: usize) -> bool {
        self.nodes_around(at..at).into_iter().any(|here| {
            let literal = here.kind().contains("string") || here.kind().contains("heredoc");
            literal && here.start_byte() < at
        })
    }

    fn outermost_wrapper(&self, span: Range<usize>, name: Range<usize>) -> Node<'_> {
        let root = self.root();
        let found = root.descendant_for_byte_range(span.start, span.end.max(name.end));
        let mut node = found.unwrap_or(root);
        while let Some(parent) = node.parent() {
            let same = parent.byte_range() == node.byte_range();
            let specifier = node.kind().ends_with("_specifier");
            let climbs = WRAPPER_KINDS.contains(&parent.kind())
                && !specifier
                && is_only_declaration(parent, node);
            if parent.parent().is_none() || !(same || climbs) {
                break;
            }
            node = parent;
        }
        node
    }
}

/// Whether `parent` contains no second declaration like `node`.
fn is_only_declaration(parent: Node<'_>, node: Node<'_>) -> bool {
    let mut cursor = parent.walk();
    let is_similar = |other: &Node<'_>| {
        other.kind() == node.kind()
            || (other.kind().ends_with("declarator") && node.kind().ends_with("declarator"))
    };
    parent.named_children(&mut cursor).filter(is_similar).take(2).count() < 2
}

fn is_comment(node: Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Whether only whitespace precedes the node on its line.
fn is_first_on_line(syntax: &Syntax, node: Node<'_>) -> bool {
    let text = syntax.text();
    let line = text.line_start(text.line_of(node.start_byte()));
    text.slice(line..node.start_byte()).trim().is_empty()
}
