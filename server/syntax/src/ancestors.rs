//! Climbing from a node to its ancestors.
//!
//! `Node::parent` descends from the root, so climbing parent by parent is quadratic in the depth. A
//! sum of thousands of terms is as deep as it is long, so code that may climb far uses these
//! functions instead.

use std::ops::Range;

use tree_sitter::Node;

use crate::Syntax;

impl Syntax {
    /// The node and its ancestors, from the node to the root. O(depth).
    pub(crate) fn ancestors<'t>(&'t self, node: Node<'t>) -> Vec<Node<'t>> {
        let mut around = vec![self.root()];
        while let Some(outer) = around.last().filter(|outer| outer.id() != node.id()) {
            let Some(inner) = outer.child_with_descendant(node) else { break };
            around.push(inner);
        }
        around.reverse();
        around
    }

    /// The depth of the tree at `span`: the number of nodes that contain it. O(depth).
    #[must_use]
    pub fn depth(&self, span: Range<usize>) -> usize {
        self.nodes_around(span).len()
    }

    /// The smallest node that contains `span` and its ancestors, from the innermost to the root.
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
    fn ancestors_agree_with_node_parent() {
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
