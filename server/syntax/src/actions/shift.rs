//! Lines that are put deeper, or less deep.

use std::ops::Range;

use tree_sitter::Node;

use super::Edits;
use crate::Syntax;

/// Whether the letters of a node are a text's, blanks and line ends among them.
pub(super) fn is_text(node: Node<'_>) -> bool {
    let kind = node.kind();
    ["string", "heredoc", "interpolation", "template_substitution", "char_literal", "jsx_text"]
        .iter()
        .any(|word| kind.contains(word))
}

/// Whether a line starts inside a text, where blanks are part of it.
pub(super) fn text_inside(syntax: &Syntax, line_start: usize) -> bool {
    let around = syntax.nodes_around(line_start..line_start);
    around
        .into_iter()
        .any(|node| node.start_byte() < line_start && node.end_byte() > line_start && is_text(node))
}

/// Puts lines one `unit` deeper.
pub(super) fn deeper(syntax: &Syntax, lines: Range<usize>, unit: &str) -> Edits {
    let text = syntax.text();
    let moved = lines.filter(|line| !text.line(*line).trim().is_empty());
    let starts = moved.map(|line| text.line_start(line));
    let starts = starts.filter(|start| !text_inside(syntax, *start));
    starts.map(|start| (start..start, unit.to_owned())).collect()
}

/// Takes `blanks` behind `kept` from the start of each line; `None` where one does not start so.
pub(super) fn less_deep(
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
        if written.trim().is_empty() || text_inside(syntax, start) {
            continue;
        }
        written.strip_prefix(kept)?.strip_prefix(blanks)?;
        let from = start + kept.len();
        edits.push((from..from + blanks.len(), String::new()));
    }
    Some(edits)
}
