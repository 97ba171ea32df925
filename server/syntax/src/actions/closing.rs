//! `add_missing`: the bracket, quote or sign that a syntax error says is missing.
//!
//! Where the parser knows the place, it goes there; else the places where it is most often left out
//! are tried: the end of the line that opens it, before what ends a statement there, and the end of
//! what stands deeper. Only what leaves fewer errors is offered.

use super::{Edits, Mended, Place, Planned, Planner};
use crate::errors::Missing;

/// Most errors at a place that are looked at, and most places that are tried for one.
const MOST: usize = 5;
const TRIES: usize = 12;

pub(super) const CLOSING: Planner = Planner { id: "add_missing", kind: "quickfix", find };

fn find(place: &Place<'_>) -> Vec<Planned> {
    let text = place.syntax.text();
    if !place.syntax.root().has_error() {
        return Vec::new();
    }
    let lines = text.line_of(place.range.start)..text.line_of(place.range.end) + 1;
    let near = place.syntax.errors(200).into_iter();
    let near = near.filter(|e| lines.contains(&text.line_of(e.span.start)));
    let before = place.syntax.damage().0;
    let mut made: Vec<Planned> = Vec::new();
    for error in near.take(MOST) {
        let Some(Missing { token, at }) = error.missing else { continue };
        let places = match at {
            Some(at) => vec![(at, String::from(token))],
            None => guesses(place, error.span.start, token),
        };
        let fewer = |(at, new): &(usize, String)| {
            let edits: Edits = vec![(*at..*at, new.clone())];
            let after = place.tried(&edits)?.damage().0;
            (after < before).then_some((after, edits))
        };
        // The first that mends everything, or else the first that mends something.
        let mut tried = places.iter().take(TRIES).filter_map(fewer).collect::<Vec<_>>();
        let best = tried.iter().position(|(after, _)| *after == 0).unwrap_or_default();
        if best < tried.len() {
            let title = format!("Add missing `{token}`");
            let edits = tried.swap_remove(best).1;
            let mends = vec![Mended { span: error.span, code: None }];
            made.push(Planned { preferred: true, mends, ..Planned::new(title, edits) });
        }
    }
    made.dedup_by(|a, b| a.edits == b.edits);
    made
}

/// Where what opens at `start` may end.
fn guesses(place: &Place<'_>, start: usize, token: &str) -> Vec<(usize, String)> {
    let text = place.syntax.text();
    let line = text.line_of(start);
    let span = text.line_span(line);
    let written = text.slice(start..span.end);
    let mut end = written.trim_end().len();
    let mut guesses = vec![(start + end, token.to_owned())];
    // Before what ends the statement, or opens a body.
    while let Some(last) = written[..end].chars().next_back() {
        let may_end = matches!(last, ';' | ',' | ':' | '{' | ')' | ']' | '}' | ' ');
        if !may_end || end <= 1 || guesses.len() >= TRIES {
            break;
        }
        end -= last.len_utf8();
        if last != ' ' {
            let at = start + written[..end].trim_end().len();
            guesses.push((at, token.to_owned()));
        }
    }
    if token.len() == 1 && ")]}".contains(token) {
        let (indent, eol) = (place.indent_at(start), place.line_end());
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
        // What opens a body is closed below it, not behind it.
        if token == "}" {
            guesses.splice(0..0, more);
        } else {
            guesses.extend(more);
        }
    }
    guesses
}
