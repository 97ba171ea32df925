//! What stands where the author says that the place is, when the only match stands elsewhere.
//!
//! A text that was changed since it was read may have a twin that was not. Where a line number or
//! the depth of the author's own lines leads to something that is nearly `old_text`, the match
//! elsewhere is that twin.

use std::ops::{Range, RangeInclusive};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::lines::{indent, is_blank, pieces, trim, trim_end};
use crate::places::Wanted;
use crate::rows::without_surplus;
use crate::similarity::line_ratio;
use crate::snapshot::Snapshot;

/// How like `old_text` a place must be: one that the line hint points at, and one at the author's
/// own depth.
const AT_HINT: f64 = 0.6;
const AT_DEPTH: f64 = 0.75;

/// Lines by which a hint may miss such a place.
const MISSED: usize = 3;

/// Places that are compared.
const COMPARED: usize = 2000;

/// Lines of `old_text` that are compared.
const LINES: usize = 200;

/// Bytes of a line by which it is known.
const TELLING: usize = 4;

/// A place that is nearly `old_text`.
pub(crate) struct Rival {
    /// Its first line, from 0.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// 0 to 1.
    pub(crate) score: f64,
}

/// The place about the hinted lines (1-based). `taken` are the lines of the match, from 0.
pub(crate) fn at_hint(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    taken: &Range<usize>,
    hint: &RangeInclusive<usize>,
) -> Option<Rival> {
    let middle = hint.start().saturating_sub(1);
    let starts = (middle.saturating_sub(MISSED)..=middle + MISSED)
        .chain([(hint.end() + 1).saturating_sub(1 + wanted.old.lines().count())]);
    best(snapshot, wanted, taken, starts, false).filter(|rival| rival.score >= AT_HINT)
}

/// The place whose lines stand as deep as the author's.
pub(crate) fn at_own_depth(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    taken: &Range<usize>,
) -> Option<Rival> {
    let base = without_surplus(pieces(&wanted.old));
    let lines = snapshot.lines();
    let mut starts = FxHashSet::default();
    // Brackets alone are everywhere; they count where a text has little else.
    for telling in [true, false] {
        let mut known: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, piece) in base.iter().enumerate().take(LINES) {
            if !piece.is_blank() && (trim(piece.content).len() >= TELLING) == telling {
                known.entry(trim_end(piece.content)).or_default().push(at);
            }
        }
        for line in 0..if known.is_empty() { 0 } else { lines.len() } {
            let Some(mine) = known.get(trim_end(lines.content(line))) else { continue };
            starts.extend(mine.iter().filter_map(|at| line.checked_sub(*at)));
            if starts.len() >= COMPARED {
                break;
            }
        }
    }
    let mut starts: Vec<usize> = starts.into_iter().collect();
    starts.sort_unstable();
    best(snapshot, wanted, taken, starts.into_iter(), true).filter(|rival| rival.score >= AT_DEPTH)
}

/// The best of some places, compared line by line. Those that touch the match are part of it.
fn best(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    taken: &Range<usize>,
    starts: impl Iterator<Item = usize>,
    same_depth: bool,
) -> Option<Rival> {
    let base = without_surplus(pieces(&wanted.old));
    let lines = snapshot.lines();
    let count = base.len().min(LINES);
    let mut best: Option<Rival> = None;
    for first in starts {
        let meets = first < taken.end && taken.start < first + count;
        if meets || first + count > lines.len() {
            continue;
        }
        let (mut shared, mut total) = (0.0, 0.0);
        for (at, piece) in base.iter().enumerate().take(count) {
            let file = lines.content(first + at);
            if is_blank(piece.content) {
                continue;
            }
            let weight = 4.0 + trim(piece.content).len().min(60) as f64;
            total += weight;
            if !same_depth || indent(piece.content) == indent(file) {
                shared += weight * line_ratio(piece.content, file);
            }
        }
        let score = if total > 0.0 { shared / total } else { 0.0 };
        if best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(Rival { first, count, score });
        }
    }
    best
}
