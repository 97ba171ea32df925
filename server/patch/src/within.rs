//! Anchor lines: the lines after `@@` in an envelope and the section heading of a unified hunk. The
//! place must be below them, inside the block that they begin.

use std::ops::RangeInclusive;

use crate::lines::{indent, is_blank, trim};
use crate::match_location::MatchLocation;
use crate::patch::Patch;
use crate::snapshot::Snapshot;

/// Candidates that are checked; with more, anchors are ignored.
const MAX_CANDIDATES: usize = 1000;

/// The reason why anchors exclude all candidates.
pub(crate) enum AnchorMismatch {
    /// This line is not in the text.
    Missing(String),
    /// The line is there (from 0), and no candidate is below it.
    NotBelow(String, usize),
}

/// The candidates below the patch's anchors; all of them if it has none.
/// O(candidates × text above them).
pub(crate) fn filter_below(
    snapshot: &Snapshot<'_>,
    places: Vec<MatchLocation>,
    patch: &Patch,
) -> Result<Vec<MatchLocation>, AnchorMismatch> {
    let heading = patch.heading.as_deref().map(|heading| Anchor::new(snapshot, heading));
    let heading = heading.filter(|heading| first_head(snapshot, heading).is_some());
    if (patch.within.is_empty() && heading.is_none())
        || places.is_empty()
        || places.len() > MAX_CANDIDATES
    {
        return Ok(places);
    }
    let heads: Vec<Anchor<'_>> = match patch.within.is_empty() {
        false => patch.within.iter().map(|head| Anchor::new(snapshot, head)).collect(),
        true => heading.into_iter().collect(),
    };
    let kept: Vec<MatchLocation> =
        places.into_iter().filter(|place| is_below(snapshot, place, &heads)).collect();
    if !kept.is_empty() {
        return Ok(kept);
    }
    let mismatches = heads.iter().map(|head| (head.text, first_head(snapshot, head)));
    let mut mismatches = mismatches.map(|(head, line)| match line {
        None => AnchorMismatch::Missing(head.to_owned()),
        Some(line) => AnchorMismatch::NotBelow(head.to_owned(), line),
    });
    let last = mismatches.next_back();
    let missing = mismatches.find(|mismatch| matches!(mismatch, AnchorMismatch::Missing(_)));
    match (missing, last) {
        (Some(missing), _) => Err(missing),
        (None, Some(last)) => Err(last),
        (None, None) => Ok(kept),
    }
}

/// The line (from 0) that matches the last anchor and is below the others, if there is exactly one.
pub(crate) fn unique_line(snapshot: &Snapshot<'_>, heads: &[&str]) -> Option<usize> {
    let heads: Vec<Anchor<'_>> = heads.iter().map(|head| Anchor::new(snapshot, head)).collect();
    let (last, others) = heads.split_last()?;
    let lines = snapshot.lines();
    let mut found = (0..lines.len()).filter(|&line| {
        let place = || MatchLocation::from_span(lines.range(line), crate::plan::Strategy::Exact);
        last.matches(lines.content(line)) && is_below(snapshot, &place(), others)
    });
    let line = found.next()?;
    found.next().is_none().then_some(line)
}

/// The first line that matches an anchor.
fn first_head(snapshot: &Snapshot<'_>, head: &Anchor<'_>) -> Option<usize> {
    let lines = snapshot.lines();
    (0..lines.len()).find(|&line| head.matches(lines.content(line)))
}

/// An anchor line. It stands for lines that equal it; only if there are none, for lines that begin with
/// it at a word boundary.
struct Anchor<'a> {
    text: &'a str,
    is_whole_line: bool,
}

impl<'a> Anchor<'a> {
    /// O(text).
    fn new(snapshot: &Snapshot<'_>, text: &'a str) -> Self {
        let (lines, text) = (snapshot.lines(), trim(text));
        let is_whole_line = (0..lines.len()).any(|line| trim(lines.content(line)) == text);
        Self { text, is_whole_line }
    }

    fn matches(&self, line: &str) -> bool {
        let Some(rest) = trim(line).strip_prefix(self.text) else { return false };
        rest.is_empty()
            || !self.is_whole_line && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    }
}

/// Whether a place is below these anchors, the last one innermost. An anchor inside the place counts
/// too.
///
/// Walks up from the place and tracks the least indentation seen. An anchor that begins a block
/// encloses the place only if everything in between is indented deeper.
fn is_below(snapshot: &Snapshot<'_>, place: &MatchLocation, heads: &[Anchor<'_>]) -> bool {
    let lines = snapshot.lines();
    let of_place = snapshot.lines_of(&place.span);
    let (mut from, last): (usize, usize) = (of_place.start() - 1, of_place.end() - 1);
    let mut heads = heads.iter().rev().peekable();
    let Some(end) = lines.len().checked_sub(1) else { return false };
    while heads.next_if(|head| contains_head(snapshot, from..=last.min(end), head)).is_some() {}
    // The least depth of a statement between the place and the current line.
    let mut min_depth = depth(lines.content(from.min(end)));
    for head in heads {
        let found = (0..from).rev().find(|&line| {
            let content = lines.content(line);
            if is_blank(content) {
                return false;
            }
            let own = indent(content).len();
            let free = match opens_block(snapshot, line) {
                true => min_depth.is_none_or(|min_depth| min_depth > own),
                false => min_depth.is_none_or(|min_depth| min_depth >= own),
            };
            if head.matches(content) && free {
                return true;
            }
            if let Some(depth) = depth(content) {
                min_depth = Some(min_depth.map_or(depth, |min_depth| min_depth.min(depth)));
            }
            false
        });
        let Some(line) = found else { return false };
        from = line;
        min_depth = depth(lines.content(line));
    }
    true
}

fn contains_head(snapshot: &Snapshot<'_>, place: RangeInclusive<usize>, head: &Anchor<'_>) -> bool {
    place.into_iter().any(|line| head.matches(snapshot.lines().content(line)))
}

/// The indentation of a line that begins a statement. Closing brackets, preprocessor directives and
/// labels may be outdented without ending a block, so they have none.
fn depth(line: &str) -> Option<usize> {
    let content = trim(line);
    let label = content.strip_suffix(':').is_some_and(|word| {
        !matches!(word, "else" | "try" | "finally")
            && word.chars().all(|c| c.is_alphanumeric() || c == '_')
    });
    let begins = content.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '@' | '$'));
    (begins && !label).then(|| indent(line).len())
}

/// Whether the next non-blank line is deeper, or opens a bracket at the same depth.
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
