//! `toggle_comment` and `toggle_block_comment`: comments code out, or back in.
//!
//! Offered only for a selection or on explicit request, because they would apply anywhere.

use std::ops::Range;

use super::{ActionContext, ActionProvider, Edits, PlannedAction};

/// Limit of selected lines.
const MAX_LINES: usize = 20_000;

pub(super) const LINES: ActionProvider =
    ActionProvider { id: "toggle_comment", kind: "refactor.rewrite.comment", find: lines };
pub(super) const BLOCK: ActionProvider =
    ActionProvider { id: "toggle_block_comment", kind: "refactor.rewrite.comment", find: block };

fn is_comment(syntax: &crate::Syntax, at: usize) -> bool {
    let inner = syntax.root().descendant_for_byte_range(at, at + 1);
    let mut around = std::iter::successors(inner, tree_sitter::Node::parent).take(3);
    around.any(|node| node.kind().to_ascii_lowercase().contains("comment"))
}

fn lines(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let start = context.syntax.language().line_comments().first()?;
        if context.range.is_empty() && !context.is_explicit {
            return None;
        }
        let text = context.syntax.text();
        let last = text.line_of(context.range.end);
        let excluded = !context.range.is_empty() && text.line_start(last) == context.range.end;
        let all = text.line_of(context.range.start)..last + usize::from(!excluded);
        if all.len() > MAX_LINES {
            return None;
        }
        // The start of a line, the length of its indentation, and its text.
        let written: Vec<(usize, usize, String)> = all
            .map(|line| {
                let whole = text.line(line);
                // Other whitespace characters may be wider than a byte, so columns would not be
                // comparable.
                let content = whole.trim_start_matches([' ', '\t']);
                (text.line_start(line), whole.len() - content.len(), content.to_owned())
            })
            .filter(|(_, _, content)| !content.trim().is_empty())
            .collect();
        let is_commented = |(at, blanks, content): &(usize, usize, String)| {
            content.starts_with(start.as_str()) && is_comment(context.syntax, at + blanks)
        };
        if written.is_empty() {
            return None;
        }
        if written.iter().all(is_commented) {
            // Documentation comments are not commented-out code.
            let documents = |content: &str| {
                let more = context.syntax.language().line_comments().iter();
                more.skip(1)
                    .any(|c| c.starts_with(start.as_str()) && content.starts_with(c.as_str()))
            };
            if written.iter().any(|(_, _, content)| documents(content)) {
                return None;
            }
            let edits: Edits = written
                .iter()
                .map(|(at, blanks, content)| {
                    let space = usize::from(content[start.len()..].starts_with(' '));
                    let from = at + blanks;
                    (from..from + start.len() + space, String::new())
                })
                .collect();
            context.try_edits(&edits)?;
            return Some(vec![PlannedAction::new("Uncomment", edits)]);
        }
        let least = written.iter().map(|(_, blanks, _)| *blanks).min()?;
        let put = |(at, ..): &(usize, usize, String)| (at + least..at + least, format!("{start} "));
        let edits: Edits = written.iter().map(put).collect();
        let new = context.try_edits(&edits)?;
        let shift = start.len() + 1;
        let commented =
            edits.iter().enumerate().all(|(n, (span, _))| is_comment(&new, span.start + n * shift));
        commented.then(|| vec![PlannedAction::new("Comment out", edits)])
    };
    actions().unwrap_or_default()
}

fn block(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let actions = || {
        let (open, close) = context.syntax.language().block_comment()?;
        let text = context.syntax.text();
        let span = context.trimmed();
        if span.is_empty() && !context.is_explicit {
            return None;
        }
        if let Some((comment, content)) = around(context, open, close) {
            if content.starts_with(&format!("{open}*")) || content.len() < open.len() + close.len()
            {
                return None;
            }
            let inside = &content[open.len()..content.len() - close.len()];
            let front = open.len() + usize::from(inside.starts_with(' '));
            let back = close.len() + usize::from(inside.len() > 1 && inside.ends_with(' '));
            let edits: Edits = vec![
                (comment.start..comment.start + front, String::new()),
                (comment.end - back..comment.end, String::new()),
            ];
            context.try_edits(&edits)?;
            return Some(vec![PlannedAction::new("Remove the comment delimiters", edits)]);
        }
        let selected = text.slice(span.clone());
        let before = text.slice(text.line_start(text.line_of(span.start))..span.start);
        let after = text.slice(span.end..text.line_span(text.line_of(span.end)).end);
        let whole_lines = before.trim().is_empty() && after.trim().is_empty();
        let by_lines = !context.syntax.language().line_comments().is_empty();
        if span.is_empty()
            || whole_lines && by_lines
            || selected.contains(open)
            || selected.contains(close)
        {
            return None;
        }
        let edits: Edits = vec![
            (span.start..span.start, format!("{open} ")),
            (span.end..span.end, format!(" {close}")),
        ];
        let new = context.try_edits(&edits)?;
        let whole = span.start..span.end + open.len() + close.len() + 2;
        let mut nodes = new.nodes_around(span.start..span.start + 1).into_iter();
        let is_one_comment = nodes.any(|n| {
            let end = n.start_byte() + new.text().slice(n.byte_range()).trim_end().len();
            n.start_byte() == whole.start
                && end == whole.end
                && n.kind().to_ascii_lowercase().contains("comment")
        });
        is_one_comment.then(|| vec![PlannedAction::new("Comment out the selection", edits)])
    };
    actions().unwrap_or_default()
}

/// The comment that contains the whole selection, and its text.
fn around(context: &ActionContext<'_>, open: &str, close: &str) -> Option<(Range<usize>, String)> {
    let node = context.around().find(|n| n.kind().to_ascii_lowercase().contains("comment"))?;
    let written = context.text_of(node);
    let content = written.trim_end();
    let is_block = content.starts_with(open) && content.ends_with(close);
    is_block.then(|| (node.start_byte()..node.start_byte() + content.len(), content.to_owned()))
}
