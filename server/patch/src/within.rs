//! Lines above a place, as the `@@` of an envelope and the heading of a unified hunk give them: the
//! place must be below them.

use std::ops::RangeInclusive;

use crate::lines::{indent, is_blank, trim};
use crate::patch::Patch;
use crate::places::Place;
use crate::snapshot::Snapshot;

/// Candidates that are looked at.
const COMPARED: usize = 1000;

/// Why no candidate is left.
pub(crate) enum Elsewhere {
    /// This line is not in the text.
    Missing(String),
    /// The line is there (from 0), and no candidate is below it.
    Apart(String, usize),
}

/// The candidates below the lines that the patch names; all of them if it names none.
/// O(candidates × text above them).
pub(crate) fn below(
    snapshot: &Snapshot<'_>,
    places: Vec<Place>,
    patch: &Patch,
) -> Result<Vec<Place>, Elsewhere> {
    let heading = patch.heading.as_deref().filter(|heading| find(snapshot, heading).is_some());
    if (patch.within.is_empty() && heading.is_none())
        || places.is_empty()
        || places.len() > COMPARED
    {
        return Ok(places);
    }
    let heads: Vec<&str> = match patch.within.is_empty() {
        false => patch.within.iter().map(String::as_str).collect(),
        true => heading.into_iter().collect(),
    };
    let kept: Vec<Place> =
        places.into_iter().filter(|place| is_below(snapshot, place, &heads)).collect();
    if !kept.is_empty() {
        return Ok(kept);
    }
    let told = heads.iter().map(|head| (*head, find(snapshot, head)));
    let mut told = told.map(|(head, line)| match line {
        None => Elsewhere::Missing(head.to_owned()),
        Some(line) => Elsewhere::Apart(head.to_owned(), line),
    });
    let last = told.next_back();
    let missing = told.find(|one| matches!(one, Elsewhere::Missing(_)));
    match (missing, last) {
        (Some(missing), _) => Err(missing),
        (None, Some(last)) => Err(last),
        (None, None) => Ok(kept),
    }
}

/// The only line that is the last of these and below the others, from 0.
pub(crate) fn only(snapshot: &Snapshot<'_>, heads: &[&str]) -> Option<usize> {
    let (last, others) = heads.split_last()?;
    let lines = snapshot.lines();
    let mut found = (0..lines.len()).filter(|&line| {
        let place = || Place::text(lines.range(line), crate::plan::Strategy::Exact);
        is_head(lines.content(line), last) && is_below(snapshot, &place(), others)
    });
    let line = found.next()?;
    found.next().is_none().then_some(line)
}

/// The first line that is, or begins with, these words.
fn find(snapshot: &Snapshot<'_>, head: &str) -> Option<usize> {
    let lines = snapshot.lines();
    (0..lines.len()).find(|&line| is_head(lines.content(line), head))
}

fn is_head(line: &str, head: &str) -> bool {
    let (line, head) = (trim(line), trim(head));
    line == head
        || line
            .strip_prefix(head)
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Whether a place is below these lines, the last one innermost. One that is part of the place
/// itself is as good.
fn is_below(snapshot: &Snapshot<'_>, place: &Place, heads: &[&str]) -> bool {
    let lines = snapshot.lines();
    let of_place = snapshot.lines_of(&place.span);
    let (mut from, last): (usize, usize) = (of_place.start() - 1, of_place.end() - 1);
    let mut heads = heads.iter().rev().peekable();
    let Some(end) = lines.len().checked_sub(1) else { return false };
    while heads.next_if(|head| holds(snapshot, from..=last.min(end), head)).is_some() {}
    // The least depth of a statement between the place and the line that is looked at.
    let mut least = depth(lines.content(from.min(end)));
    for head in heads {
        let found = (0..from).rev().find(|&line| {
            let content = lines.content(line);
            if is_blank(content) {
                return false;
            }
            let own = indent(content).len();
            let free = match opens_block(snapshot, line) {
                true => least.is_none_or(|least| least > own),
                false => least.is_none_or(|least| least >= own),
            };
            if is_head(content, head) && free {
                return true;
            }
            if let Some(depth) = depth(content) {
                least = Some(least.map_or(depth, |least| least.min(depth)));
            }
            false
        });
        let Some(line) = found else { return false };
        from = line;
        least = depth(lines.content(line));
    }
    true
}

fn holds(snapshot: &Snapshot<'_>, place: RangeInclusive<usize>, head: &str) -> bool {
    place.into_iter().any(|line| is_head(snapshot.lines().content(line), head))
}

/// The depth of a line that begins a statement. Closing brackets, directives, labels and the like
/// end no block.
fn depth(line: &str) -> Option<usize> {
    let content = trim(line);
    let label = content.strip_suffix(':').is_some_and(|word| {
        !matches!(word, "else" | "try" | "finally")
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    let begins = content.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$'));
    (begins && !label).then(|| indent(line).len())
}

/// Whether the lines below are deeper, or begin with an opening bracket.
fn opens_block(snapshot: &Snapshot<'_>, line: usize) -> bool {
    let lines = snapshot.lines();
    let own = indent(lines.content(line)).len();
    (line + 1..lines.len())
        .map(|next| lines.content(next))
        .find(|next| !is_blank(next))
        .is_some_and(|next| {
            indent(next).len() > own || (trim(next).starts_with('{') && indent(next).len() == own)
        })
}
