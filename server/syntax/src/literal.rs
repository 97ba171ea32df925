//! Text literals around a place.

use tree_sitter::Node;

use crate::Syntax;

/// Longest literal that is looked into, in bytes.
const LONGEST: usize = 4096;

impl Syntax {
    /// Whether the byte before an offset is one of a comment.
    #[must_use]
    pub fn is_comment(&self, offset: usize) -> bool {
        self.before(offset).is_some_and(|node| node.kind().contains("comment"))
    }

    /// Where the inside of the text literal starts that an offset is in, quotes not counted; `None`
    /// where it is in none, or in code within one.
    #[must_use]
    pub fn literal_start(&self, offset: usize) -> Option<usize> {
        let is_part = |node: &Node<'_>| {
            let kind = node.kind();
            kind.contains("string") || kind.contains("escape") || matches!(kind, "\"" | "'" | "`")
        };
        let mut literal = self.before(offset).filter(is_part)?;
        while let Some(outer) = literal.parent().filter(is_part) {
            literal = outer;
        }
        let span = literal.byte_range();
        if span.start >= offset || span.len() > LONGEST {
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

    /// The names of the nodes of a kind whose body an offset is in, the outermost first.
    #[must_use]
    pub fn named_around(&self, kind: &str, offset: usize) -> Vec<String> {
        let mut names = Vec::new();
        let inner = self.before(offset);
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

    /// The smallest node that holds the byte before an offset.
    fn before(&self, offset: usize) -> Option<Node<'_>> {
        let at = offset.saturating_sub(1);
        self.root().descendant_for_byte_range(at, at)
    }
}
