//! Indenting and dedenting lines.

use std::ops::Range;

use tree_sitter::Node;

use super::Edits;
use crate::Syntax;

/// Whether whitespace within the node is part of a string or text.
pub(super) fn is_string(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["string", "heredoc", "interpolation", "template_substitution", "char_literal", "jsx_text"]
        .iter()
        .any(|word| kind.contains(word))
}

/// Whether a line starts inside a string, where whitespace is significant.
pub(super) fn starts_in_string(syntax: &Syntax, line_start: usize) -> bool {
    let around = syntax.nodes_around(line_start..line_start);
    around.into_iter().any(|node| {
        node.start_byte() < line_start && node.end_byte() > line_start && is_string(node)
    })
}

/// Indents lines by one `unit`.
pub(super) fn indent_lines(syntax: &Syntax, lines: Range<usize>, unit: &str) -> Edits {
    let text = syntax.text();
    let moved = lines.filter(|line| !text.line(*line).trim().is_empty());
    let starts = moved.map(|line| text.line_start(line));
    let starts = starts.filter(|start| !starts_in_string(syntax, *start));
    starts.map(|start| (start..start, unit.to_owned())).collect()
}

/// Removes `blanks` after `kept` from the start of each line; `None` if a line does not start so.
pub(super) fn dedent_lines(
    syntax: &Syntax,
    lines: Range<usize>,
    kept: &str,
    blanks: &str,
) -> Option<Edits> {
    let text = syntax.text();
    let mut edits = Edits::new();
    for line in lines {
        let start = text.line_start(line);
        let written = text.line(line);
        if written.trim().is_empty() || starts_in_string(syntax, start) {
            continue;
        }
        written.strip_prefix(kept)?.strip_prefix(blanks)?;
        let from = start + kept.len();
        edits.push((from..from + blanks.len(), String::new()));
    }
    Some(edits)
}
