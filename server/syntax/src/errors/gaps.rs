//! What grammars do not know yet of their languages, though it is right.

use crate::Syntax;

impl Syntax {
    /// Whether a part of the tree is of a construct that the grammar does not know yet: type
    /// parameters of Python with defaults, `def f[T = int]()`.
    pub(super) fn is_newer_than_grammar(&self, node: tree_sitter::Node<'_>) -> bool {
        node.kind() == "type_parameter"
            && self.language().id() == "python"
            && self.text().slice(node.byte_range()).contains('=')
    }

    /// Whether all that is wrong with a node is that the grammar does not know the construct around
    /// it. That of TypeScript wants a `!` between type arguments and the template that they tag, and
    /// takes the `<<` of `f<<T>(a: T) => R>()` for an operator.
    pub(super) fn is_gap(&self, node: tree_sitter::Node<'_>) -> bool {
        if node.is_error() {
            return matches!(self.language().id(), "typescript" | "tsx")
                && self.holds_generic_argument(node);
        }
        let tagged = || {
            let value = node.parent().filter(|parent| parent.kind() == "non_null_expression")?;
            let template = value.next_sibling().filter(|n| n.kind() == "template_string")?;
            // `yield` and the like stand around it.
            let mut inner = value.child(0)?;
            while inner.kind() != "instantiation_expression" && inner.end_byte() == value.end_byte()
            {
                inner = inner.child(inner.child_count().checked_sub(1)?)?;
            }
            (inner.kind() == "instantiation_expression").then_some(template)
        };
        node.is_missing() && node.kind() == "!" && tagged().is_some()
    }

    /// Whether a line that a broken node begins on, or the next that it holds, has a generic function
    /// type as a type argument.
    fn holds_generic_argument(&self, node: tree_sitter::Node<'_>) -> bool {
        let line = self.text().line(self.text().line_of(node.start_byte()));
        line.match_indices("<<").any(|(at, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let rest = line[at + 2..].trim_start_matches(word);
            line[..at].ends_with(word)
                && rest.len() < line.len() - at - 2
                && (rest.starts_with(">(") || rest.starts_with(" extends ") && rest.contains(">("))
        })
    }
}
