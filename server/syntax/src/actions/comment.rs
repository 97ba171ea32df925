//! `toggle_comment` and `toggle_block_comment`: code becomes a comment, and the other way round.
//!
//! For a selection, or for who asks for just this: a comment could be made anywhere.

use std::ops::Range;

use super::{Edits, Place, Planned, Planner};

/// Most lines of a selection.
const MOST: usize = 20_000;

pub(super) const LINES: Planner =
    Planner { id: "toggle_comment", kind: "refactor.rewrite.comment", find: lines };
pub(super) const BLOCK: Planner =
    Planner { id: "toggle_block_comment", kind: "refactor.rewrite.comment", find: block };

fn is_comment(syntax: &crate::Syntax, at: usize) -> bool {
    let inner = syntax.root().descendant_for_byte_range(at, at + 1);
    let mut around = std::iter::successors(inner, tree_sitter::Node::parent).take(3);
    around.any(|node| node.kind().to_ascii_lowercase().contains("comment"))
}

fn lines(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let start = place.syntax.language().line_comments().first()?;
        if place.range.is_empty() && !place.explicit {
            return None;
        }
        let text = place.syntax.text();
        let last = text.line_of(place.range.end);
        let excluded = !place.range.is_empty() && text.line_start(last) == place.range.end;
        let all = text.line_of(place.range.start)..last + usize::from(!excluded);
        if all.len() > MOST {
            return None;
        }
        // A line, the blanks before its text, and the text.
        let written: Vec<(usize, usize, String)> = all
            .map(|line| {
                let whole = text.line(line);
                // Others may be wider than a byte, and no two lines could be cut at one column.
                let said = whole.trim_start_matches([' ', '\t']);
                (text.line_start(line), whole.len() - said.len(), said.to_owned())
            })
            .filter(|(_, _, said)| !said.trim().is_empty())
            .collect();
        let is_commented = |(at, blanks, said): &(usize, usize, String)| {
            said.starts_with(start.as_str()) && is_comment(place.syntax, at + blanks)
        };
        if written.is_empty() {
            return None;
        }
        if written.iter().all(is_commented) {
            // What documents was never code.
            let documents = |said: &str| {
                let more = place.syntax.language().line_comments().iter();
                more.skip(1).any(|c| c.starts_with(start.as_str()) && said.starts_with(c.as_str()))
            };
            if written.iter().any(|(_, _, said)| documents(said)) {
                return None;
            }
            let edits: Edits = written
                .iter()
                .map(|(at, blanks, said)| {
                    let space = usize::from(said[start.len()..].starts_with(' '));
                    let from = at + blanks;
                    (from..from + start.len() + space, String::new())
                })
                .collect();
            place.tried(&edits)?;
            return Some(vec![Planned::new("Uncomment", edits)]);
        }
        let least = written.iter().map(|(_, blanks, _)| *blanks).min()?;
        let put = |(at, ..): &(usize, usize, String)| (at + least..at + least, format!("{start} "));
        let edits: Edits = written.iter().map(put).collect();
        let new = place.tried(&edits)?;
        let shift = start.len() + 1;
        let commented =
            edits.iter().enumerate().all(|(n, (span, _))| is_comment(&new, span.start + n * shift));
        commented.then(|| vec![Planned::new("Comment out", edits)])
    };
    made().unwrap_or_default()
}

fn block(place: &Place<'_>) -> Vec<Planned> {
    let made = || {
        let (open, close) = place.syntax.language().block_comment()?;
        let text = place.syntax.text();
        let span = place.trimmed();
        if span.is_empty() && !place.explicit {
            return None;
        }
        if let Some((comment, said)) = around(place, open, close) {
            if said.starts_with(&format!("{open}*")) || said.len() < open.len() + close.len() {
                return None;
            }
            let inside = &said[open.len()..said.len() - close.len()];
            let front = open.len() + usize::from(inside.starts_with(' '));
            let back = close.len() + usize::from(inside.len() > 1 && inside.ends_with(' '));
            let edits: Edits = vec![
                (comment.start..comment.start + front, String::new()),
                (comment.end - back..comment.end, String::new()),
            ];
            place.tried(&edits)?;
            return Some(vec![Planned::new("Remove the comment's marks", edits)]);
        }
        let selected = text.slice(span.clone());
        let before = text.slice(text.line_start(text.line_of(span.start))..span.start);
        let after = text.slice(span.end..text.line_span(text.line_of(span.end)).end);
        let whole_lines = before.trim().is_empty() && after.trim().is_empty();
        let by_lines = !place.syntax.language().line_comments().is_empty();
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
        let new = place.tried(&edits)?;
        let whole = span.start..span.end + open.len() + close.len() + 2;
        let mut nodes = new.nodes_around(span.start..span.start + 1).into_iter();
        let stands = nodes.any(|n| {
            let end = n.start_byte() + new.text().slice(n.byte_range()).trim_end().len();
            n.start_byte() == whole.start
                && end == whole.end
                && n.kind().to_ascii_lowercase().contains("comment")
        });
        stands.then(|| vec![Planned::new("Comment out the selection", edits)])
    };
    made().unwrap_or_default()
}

/// The comment that holds all of the selection, and what is written there.
fn around(place: &Place<'_>, open: &str, close: &str) -> Option<(Range<usize>, String)> {
    let node = place.around().find(|n| n.kind().to_ascii_lowercase().contains("comment"))?;
    let written = place.text_of(node);
    let said = written.trim_end();
    let is_block = said.starts_with(open) && said.ends_with(close);
    is_block.then(|| (node.start_byte()..node.start_byte() + said.len(), said.to_owned()))
}
