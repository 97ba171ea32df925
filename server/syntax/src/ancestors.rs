//! The nodes around a node.
//!
//! tree-sitter finds a node's parent by going down from the root, so to climb from parent to parent
//! takes a time quadratic in the depth. A sum of thousands of terms is as deep as it is long: whatever
//! may climb far asks here.

use std::ops::Range;

use tree_sitter::Node;

use crate::Syntax;

impl Syntax {
    /// A node and all around it, the innermost first and the root last. O(depth).
    pub(crate) fn ancestors<'t>(&'t self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut around = vec![self.root()];
        while let Some(outer) = around.last().filter(|outer| outer.id() != node.id()) {
            let Some(inner) = outer.child_with_descendant(node) else { break };
            around.push(inner);
        }
        around.reverse();
        around
    }

    /// How many nodes stand around each other at a span. O(depth).
    #[must_use]
    pub fn depth(&self, span: Range<usize>) -> usize {
        self.nodes_around(span).len()
    }

    /// The smallest node that holds a span, and all around it, the innermost first and the root last.
    /// O(depth).
    #[must_use]
    pub fn nodes_around(&self, span: Range<usize>) -> Vec<Node<'_>> {
        let inner = self.root().descendant_for_byte_range(span.start, span.end);
        inner.map(|inner| self.ancestors(inner)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use text::Text;

    use super::*;
    use crate::Language;

    #[test]
    fn they_are_what_each_nodes_parent_is() {
        let source = "fn f() {\n    let a = [1, (2 + b.c(d)), \"é\"];\n    struct {\n";
        let rust = Language::by_id("rust").unwrap();
        let go = AtomicBool::new(false);
        let syntax = Syntax::parse(rust, &Text::new(source), None, &go).unwrap();
        let mut cursor = syntax.root().walk();
        loop {
            let node = cursor.node();
            let climbed: Vec<_> = std::iter::successors(Some(node), Node::parent).collect();
            assert_eq!(syntax.ancestors(node), climbed, "{node:?}");
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }
}
