//! Strings and comments around an offset.

use tree_sitter::Node;

use crate::Syntax;

/// Longest string that is inspected, in bytes.
const MAX_LITERAL_LEN: usize = 4096;

impl Syntax {
    /// Whether the byte before `offset` belongs to a comment.
    #[must_use]
    pub fn is_in_comment(&self, offset: usize) -> bool {
        self.node_before(offset).is_some_and(|node| node.kind().contains("comment"))
    }

    /// The start of the contents (after the quotes) of the string around `offset`; `None` if it is
    /// outside a string or in interpolated code.
    #[must_use]
    pub fn string_contents_start(&self, offset: usize) -> Option<usize> {
        let is_part = |node: &Node<'_>| {
            let kind = node.kind();
            kind.contains("string") || kind.contains("escape") || matches!(kind, "\"" | "'" | "`")
        };
        let mut literal = self.node_before(offset).filter(is_part)?;
        while let Some(outer) = literal.parent().filter(is_part) {
            literal = outer;
        }
        let span = literal.byte_range();
        if span.start >= offset || span.len() > MAX_LITERAL_LEN {
            return None;
        }
        let written = self.text().slice(span.clone());
        let opening = written.find(['"', '\'', '`'])?;
        let quote = &written[opening..=opening];
        let marks = if written[opening..].starts_with(&quote.repeat(3)) { 3 } else { 1 };
        let is_closed =
            written.len() > opening + marks && written.trim_end_matches('#').ends_with(quote);
        let start = span.start + opening + marks;
        (start <= offset && !(is_closed && span.end <= offset)).then_some(start)
    }

    /// The names of the nodes of kind `kind` whose bodies contain `offset`, the outermost first.
    #[must_use]
    pub fn enclosing_names(&self, kind: &str, offset: usize) -> Vec<String> {
        let mut names = Vec::new();
        let inner = self.node_before(offset);
        for node in inner.map(|inner| self.ancestors(inner)).unwrap_or_default() {
            if node.kind() == kind
                && let Some(name) = node.child_by_field_name("name")
                && let Some(body) = node.child_by_field_name("body")
                && body.start_byte() < offset
            {
                names.push(self.text().slice(name.byte_range()).to_string());
            }
        }
        names.reverse();
        names
    }

    /// The smallest node that contains the byte before `offset`.
    fn node_before(&self, offset: usize) -> Option<Node<'_>> {
        let at = offset.saturating_sub(1);
        self.root().descendant_for_byte_range(at, at)
    }
}
