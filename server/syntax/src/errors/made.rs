//! Texts that nobody reads as they are: what programs write, and parts that others put together.

use tree_sitter::Node;

use crate::Syntax;

/// Longest line that a person writes, in bytes.
const LINE: usize = 5_000;
/// Statements on such a line from which on a program wrote it.
const STATEMENTS: usize = 100;

/// Whether a script was made small by a program: many statements stand on one line. What is newer
/// than a grammar in it is of no use to anybody. O(n).
#[must_use]
pub fn is_minified(source: &str) -> bool {
    source.lines().any(|line| {
        line.len() > LINE
            && line.bytes().filter(|b| matches!(b, b';' | b'}')).nth(STATEMENTS).is_some()
    })
}

/// Whether a text of XML is a part that other documents include: it has no declaration, and sound
/// elements beside each other where a document has one.
pub(super) fn is_fragment(syntax: &Syntax, source: &str) -> bool {
    if syntax.language().id() != "xml"
        || source.starts_with("<?xml")
        || source.contains("<!DOCTYPE")
    {
        return false;
    }
    // The parser puts all but one of the elements into an error.
    let root = syntax.root();
    let mut cursor = root.walk();
    let mut parts = root.named_children(&mut cursor);
    parts.all(|part| {
        let mut cursor = part.walk();
        match part.kind() {
            "ERROR" => part.named_children(&mut cursor).all(is_sound),
            _ => is_sound(part),
        }
    })
}

fn is_sound(part: Node<'_>) -> bool {
    matches!(part.kind(), "element" | "Comment" | "PI") && !part.has_error()
}
