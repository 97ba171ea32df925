//! The last tier: places that are only similar.
//!
//! What is nearest is found within bounds whatever the input and serves the reports of
//! failures. It is accepted as a match only if all that differs looks like a slip of the
//! pen or a comment that was not quoted. A twin of a text that is gone is similar too, and
//! nothing but such differences tells the two cases apart.

mod align;
mod distance;
mod slips;
mod votes;

pub(crate) use align::{Near, line_ratio, ratio};

use crate::indent::IndentMap;
use crate::lines::{Ending, is_blank, pieces};
use crate::patch::Patch;
use crate::places::{Place, Wanted};
use crate::plan::Strategy;
use crate::rows::WantedLines;
use crate::snapshot::Snapshot;

/// The places returned.
const KEPT: usize = 5;

/// Lines of `old_text` beyond which nothing is called similar.
const LONGEST: usize = 400;

/// Lines and characters that a match must rest on.
const LINES: usize = 3;
const CHARACTERS: usize = 30;

/// Characters that a match must rest on if nothing but comments differ: in a short text a
/// comment may be all that tells a twin.
const QUOTED: usize = 80;

/// The least similarity of a match, without and with a line hint that meets it.
const SCORE: f64 = 0.90;
const SCORE_AT_HINT: f64 = 0.80;

/// How far ahead of the next place a match must be.
const MARGIN: f64 = 0.10;

/// The least similarity of a line that is removed or changed.
const CHANGED: f64 = 0.85;

/// The places most similar to `old_text`, the best first, apart from each other.
/// O(text), then bounded.
pub(crate) fn nearest(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    hint: Option<usize>,
) -> Vec<Near> {
    let base = WantedLines::new(wanted).base;
    let starts = votes::starts(snapshot, &base, hint);
    let mut all: Vec<Near> =
        starts.into_iter().filter_map(|start| align::near(snapshot, &base, start)).collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    let mut kept: Vec<Near> = Vec::new();
    for near in all {
        let apart = |other: &Near| {
            near.first >= other.first + other.count || other.first >= near.first + near.count
        };
        if kept.len() < KEPT && kept.iter().all(apart) {
            kept.push(near);
        }
    }
    kept
}

/// The best of the nearest places, if it can only be the one that is meant.
pub(crate) fn accept(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    near: &[Near],
    patch: &Patch,
) -> Option<Place> {
    let (best, others) = near.split_first()?;
    let lines = WantedLines::new(wanted);
    let base = &lines.base;
    let written: Vec<usize> = (0..base.len()).filter(|&line| !base[line].is_blank()).collect();
    let characters: usize = written
        .iter()
        .map(|&line| {
            base[line].content.split_whitespace().map(|word| word.chars().count()).sum::<usize>()
        })
        .sum();
    if base.len() > LONGEST || written.len() != best.rows.len() {
        return None;
    }
    let hinted = crate::hint::lines_of(patch).is_some_and(|hint| {
        crate::hint::distance(&(best.first + 1..=best.first + best.count), &hint) == 0
    });
    let score = quoted_score(snapshot, base, best);
    if score < if hinted { SCORE_AT_HINT } else { SCORE } {
        return None;
    }
    let differences = slips::judge(snapshot, base, wanted, best)?;
    // Where all that was quoted is there as it is, only another such place is a rival.
    let ahead = |other: &Near| {
        if differences.comments_only {
            other.rows.len() < written.len()
                || slips::judge(snapshot, base, wanted, other)
                    .is_none_or(|other| !other.comments_only)
        } else {
            other.score <= score - MARGIN
        }
    };
    if !others.iter().all(ahead) {
        return None;
    }
    let enough = if differences.comments_only {
        characters >= QUOTED
    } else {
        written.len() >= LINES && characters >= CHARACTERS
    };
    if !enough || !changed_lines_are_close(snapshot, wanted, base, best) {
        return None;
    }
    // Another indentation as well would be too much to overlook.
    let (map, _) = lines.fit(snapshot, &best.rows, None)?;
    if map != IndentMap::Identity {
        return None;
    }
    let mut aligned = vec![None; base.len()];
    for &(mine, line) in &best.rows {
        aligned[mine] = Some(line - best.first);
    }
    align_blank(snapshot, &mut aligned, base.len(), best.first);
    let mut span = snapshot.lines().span(best.first, best.count);
    if base.last().is_some_and(|piece| piece.ending == Ending::None) {
        span.end -= snapshot.lines().ending(best.first + best.count - 1).as_str().len();
    }
    Some(Place {
        map,
        aligned: Some(aligned),
        whole_lines: true,
        similarity: Some(best.score),
        ..Place::text(span, Strategy::Similarity)
    })
}

/// The similarity of a place without the comments that only the file has.
fn quoted_score(snapshot: &Snapshot<'_>, base: &[crate::lines::Piece<'_>], near: &Near) -> f64 {
    let (mut shared, mut total) = (0.0, 0.0);
    for &(mine, line) in &near.rows {
        let (old, file) = (base[mine].content, snapshot.lines().content(line));
        let weight = 4.0 + old.trim().len().min(60) as f64;
        shared +=
            weight * align::line_ratio(old, slips::without_comment(old, file).unwrap_or(file));
        total += weight;
    }
    if total > 0.0 { shared / total } else { 0.0 }
}

/// Blank lines between aligned ones take the file's blank lines in order.
fn align_blank(snapshot: &Snapshot<'_>, aligned: &mut [Option<usize>], count: usize, first: usize) {
    let lines = snapshot.lines();
    let mut next = 0;
    for line in 0..count {
        if let Some(at) = aligned[line] {
            next = at + 1;
        } else {
            let limit = aligned[line..].iter().flatten().next().copied().unwrap_or(next);
            if next < limit && is_blank(lines.content(first + next)) {
                aligned[line] = Some(next);
                next += 1;
            }
        }
    }
}

/// Whether every line that the patch removes or changes is close to the file's.
fn changed_lines_are_close(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    base: &[crate::lines::Piece<'_>],
    near: &Near,
) -> bool {
    let kept: rustc_hash::FxHashSet<&str> =
        pieces(&wanted.new).into_iter().map(|piece| piece.content).collect();
    near.rows.iter().filter(|&&(mine, _)| !kept.contains(base[mine].content)).all(
        |&(mine, line)| {
            let file = snapshot.lines().content(line);
            let quoted = slips::without_comment(base[mine].content, file).unwrap_or(file);
            align::line_ratio(base[mine].content, quoted) >= CHANGED
        },
    )
}
