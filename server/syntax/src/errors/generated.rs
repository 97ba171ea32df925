//! Generated texts, and fragments that are only valid as part of another file.

use tree_sitter::Node;

use crate::Syntax;

/// Longest line that a person writes, in bytes.
const MAX_LINE_LEN: usize = 5_000;
/// If a longer line has this many statements, it is generated.
const MAX_STATEMENTS_ON_LINE: usize = 100;

/// Whether a script is minified: many statements are on one line. Errors of syntax newer than the
/// grammar are of no use there. O(n).
#[must_use]
pub fn is_minified(source: &str) -> bool {
    source.lines().any(|line| {
        line.len() > MAX_LINE_LEN
            && line
                .bytes()
                .filter(|b| matches!(b, b';' | b'}'))
                .nth(MAX_STATEMENTS_ON_LINE)
                .is_some()
    })
}

/// Whether an XML text is a fragment that other documents include: it has no declaration and
/// several error-free elements at the top level.
pub(super) fn is_xml_fragment(syntax: &Syntax, source: &str) -> bool {
    if syntax.language().id() != "xml"
        || source.starts_with("<?xml")
        || source.contains("<!DOCTYPE")
    {
        return false;
    }
    // The parser puts all elements but one into an ERROR node.
    let root = syntax.root();
    let mut cursor = root.walk();
    let mut parts = root.named_children(&mut cursor);
    parts.all(|part| {
        let mut cursor = part.walk();
        match part.kind() {
            "ERROR" => part.named_children(&mut cursor).all(is_error_free),
            _ => is_error_free(part),
        }
    })
}

fn is_error_free(part: Node<'_>) -> bool {
    matches!(part.kind(), "element" | "Comment" | "PI") && !part.has_error()
}
