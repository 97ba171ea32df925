//! Valid syntax that grammars reject.

use crate::Syntax;

impl Syntax {
    /// Whether the node is a construct that the grammar does not support: Python type parameters
    /// with defaults, `def f[T = int]()`.
    pub(super) fn is_newer_than_grammar(&self, node: tree_sitter::Node<'_>) -> bool {
        node.kind() == "type_parameter"
            && self.language().id() == "python"
            && self.text().slice(node.byte_range()).contains('=')
    }

    /// Whether an error node is only a gap of the grammar. The TypeScript grammar requires a `!`
    /// between type arguments and a tagged template, and parses the `<<` of `f<<T>(a: T) => R>()`
    /// as an operator.
    pub(super) fn is_grammar_gap(&self, node: tree_sitter::Node<'_>) -> bool {
        if node.is_error() {
            return matches!(self.language().id(), "typescript" | "tsx")
                && self.has_generic_function_argument(node);
        }
        let tagged = || {
            let value = node.parent().filter(|parent| parent.kind() == "non_null_expression")?;
            let template = value.next_sibling().filter(|n| n.kind() == "template_string")?;
            // `yield` and the like are inside the node.
            let mut inner = value.child(0)?;
            while inner.kind() != "instantiation_expression" && inner.end_byte() == value.end_byte()
            {
                inner = inner.child(inner.child_count().checked_sub(1)?)?;
            }
            (inner.kind() == "instantiation_expression").then_some(template)
        };
        node.is_missing() && node.kind() == "!" && tagged().is_some()
    }

    /// Whether the line on which an error node starts has a generic function type as a type
    /// argument.
    fn has_generic_function_argument(&self, node: tree_sitter::Node<'_>) -> bool {
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
