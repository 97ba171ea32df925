//! `add_missing`: inserts the bracket, quote or operator that a syntax error reports as missing.
//!
//! If the parser does not know the position, the most likely ones are tried: the end of the line
//! with the opening token, before the end of a statement there, and the end of the indented block.
//! Only edits that leave fewer errors are offered.

use super::{ActionContext, ActionProvider, Edits, FixedDiagnostic, PlannedAction};
use crate::syntax_error::Missing;

/// Limit of errors that are considered at a position, and of positions tried for one error.
const MAX_ERRORS: usize = 5;
const MAX_ATTEMPTS: usize = 12;

pub(super) const ADD_MISSING: ActionProvider =
    ActionProvider { id: "add_missing", kind: "quickfix", find };

fn find(context: &ActionContext<'_>) -> Vec<PlannedAction> {
    let text = context.syntax.text();
    if !context.syntax.root().has_error() {
        return Vec::new();
    }
    let lines = text.line_of(context.range.start)..text.line_of(context.range.end) + 1;
    let near = context.syntax.errors(200).into_iter();
    let near = near.filter(|e| lines.contains(&text.line_of(e.span.start)));
    let before = context.syntax.error_extent().0;
    let mut actions: Vec<PlannedAction> = Vec::new();
    for error in near.take(MAX_ERRORS) {
        let Some(Missing { token, at }) = error.missing else { continue };
        let places = match at {
            Some(at) => vec![(at, String::from(token))],
            None => likely_positions(context, error.span.start, token),
        };
        let fewer = |(at, new): &(usize, String)| {
            let edits: Edits = vec![(*at..*at, new.clone())];
            let after = context.try_edits(&edits)?.error_extent().0;
            (after < before).then_some((after, edits))
        };
        // Prefer an edit that removes all errors; else take the first that removes some.
        let mut attempts = places.iter().take(MAX_ATTEMPTS).filter_map(fewer).collect::<Vec<_>>();
        let best = attempts.iter().position(|(after, _)| *after == 0).unwrap_or_default();
        if best < attempts.len() {
            let title = format!("Add missing `{token}`");
            let edits = attempts.swap_remove(best).1;
            let mends = vec![FixedDiagnostic { span: error.span, code: None }];
            actions.push(PlannedAction {
                preferred: true,
                mends,
                ..PlannedAction::new(title, edits)
            });
        }
    }
    actions.dedup_by(|a, b| a.edits == b.edits);
    actions
}

/// Possible positions for the closing token of what opens at `start`.
fn likely_positions(
    context: &ActionContext<'_>,
    start: usize,
    token: &str,
) -> Vec<(usize, String)> {
    let text = context.syntax.text();
    let line = text.line_of(start);
    let span = text.line_span(line);
    let written = text.slice(start..span.end);
    let mut end = written.trim_end().len();
    let mut likely_positions = vec![(start + end, token.to_owned())];
    // Before a token that ends the statement or opens a body.
    while let Some(last) = written[..end].chars().next_back() {
        let may_end = matches!(last, ';' | ',' | ':' | '{' | ')' | ']' | '}' | ' ');
        if !may_end || end <= 1 || likely_positions.len() >= MAX_ATTEMPTS {
            break;
        }
        end -= last.len_utf8();
        if last != ' ' {
            let at = start + written[..end].trim_end().len();
            likely_positions.push((at, token.to_owned()));
        }
    }
    if token.len() == 1 && ")]}".contains(token) {
        let (indent, eol) = (context.indent_at(start), context.line_end());
        let depth = |line: usize| {
            let written = text.line(line);
            (!written.trim().is_empty()).then(|| written.len() - written.trim_start().len())
        };
        let mut last = line;
        let mut more = Vec::new();
        for below in line + 1..text.line_count().min(line + 5_000) {
            match depth(below) {
                Some(deep) if deep <= indent.len() => {
                    more.push((text.line_span(last).end, format!("{eol}{indent}{token}")));
                    break;
                }
                Some(_) => last = below,
                None => {}
            }
        }
        if more.is_empty() && last > line {
            more.push((text.line_span(last).end, format!("{eol}{indent}{token}")));
        }
        // A body is closed below its lines, so try that first.
        if token == "}" {
            likely_positions.splice(0..0, more);
        } else {
            likely_positions.extend(more);
        }
    }
    likely_positions
}
