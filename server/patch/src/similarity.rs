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

use similar::DiffOp;

use crate::indent::IndentMap;
use crate::lines::{Ending, indent, is_blank, pieces, trim, trim_end};
use crate::occurrences::of_keys;
use crate::patch::Patch;
use crate::places::{Place, Wanted};
use crate::plan::Strategy;
use crate::rows::{WantedLines, without_surplus};
use crate::snapshot::{Snapshot, key};
use crate::transplant::line_ops;

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

/// How alike two words are that may be meant for each other.
const WORDS: f64 = 0.5;

/// Lines that must stand as quoted around one that does not.
const EXACT: usize = 4;

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

/// Whether two lines have a word in common, or words that differ in a letter or two.
fn shares_words(old: &str, file: &str) -> bool {
    // Of names made of words, each word.
    let words = |line: &str| -> Vec<String> {
        let (mut words, mut before) = (vec![String::new()], ' ');
        for c in line.chars() {
            if !c.is_alphanumeric() || (before.is_lowercase() && c.is_uppercase()) {
                words.push(String::new());
            }
            if c.is_alphanumeric()
                && let Some(word) = words.last_mut()
            {
                word.extend(c.to_lowercase());
            }
            before = c;
        }
        words.retain(|word| word.chars().count() > 2);
        words
    };
    // The same letters in another case are one name, however its words are told apart.
    let letters = |line: &str| -> String {
        line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let is_same = letters(old) == letters(file);
    let (old, file) = (words(old), words(file));
    is_same
        || old.is_empty()
        || file.is_empty()
        || old.iter().any(|a| file.iter().any(|b| a == b || line_ratio(a, b) >= WORDS))
}

/// The best of the nearest places, if one line of it is another by now and the patch only quotes
/// that line: what it changes stands there as it was quoted, and nowhere else.
///
/// A line that is much like the quoted one is not overlooked: it may be all that tells a twin.
pub(crate) fn accept_stale(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    near: &[Near],
) -> Option<Place> {
    let (best, others) = near.split_first()?;
    let lines = snapshot.lines();
    let base = WantedLines::new(wanted).base;
    let theirs = without_surplus(pieces(&wanted.new));
    if best.count != base.len() || base.len() > LONGEST {
        return None;
    }
    let content = |line: usize| lines.content(best.first + line);
    let same = |line: usize| trim_end(base[line].content) == trim_end(content(line));
    let stale: Vec<usize> = (0..base.len()).filter(|&line| !same(line)).collect();
    let &[stale] = &stale[..] else { return None };
    let (old, new): (Vec<&str>, Vec<&str>) =
        (base.iter().map(|p| p.content).collect(), theirs.iter().map(|p| p.content).collect());
    let ops = line_ops(&old, &new);
    let kept =
        ops.iter().any(|op| matches!(op, DiffOp::Equal { .. }) && op.old_range().contains(&stale));
    let changes: Vec<std::ops::Range<usize>> = ops
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| match op.old_range() {
            // An addition stands between two lines; both must be there.
            at if at.is_empty() => at.start.saturating_sub(1)..(at.start + 1).min(base.len()),
            lines => lines,
        })
        .collect();
    let text = trim(base[stale].content);
    let depth = |line: &str| indent(line).len();
    let heads = text.ends_with(['{', ':', '(', '[']);
    let shallower = changes
        .iter()
        .flat_map(|lines| lines.clone())
        .any(|line| depth(base[line].content) > depth(base[stale].content));
    if !kept
        || changes.is_empty()
        || changes.iter().any(|lines| lines.contains(&stale))
        || is_blank(base[stale].content)
        || is_blank(content(stale))
        || indent(base[stale].content) != indent(content(stale))
        || heads
        || shallower
        || shares_words(base[stale].content, content(stale))
    {
        return None;
    }
    let exact = (0..base.len()).filter(|&line| line != stale && !base[line].is_blank());
    if exact.count() < EXACT {
        return None;
    }
    // Each change must stand where it does and nowhere else.
    let keys = snapshot.trimmed_keys();
    let unique = changes.iter().all(|lines| {
        let wanted: Vec<u64> = lines.clone().map(|line| key(trim(base[line].content))).collect();
        of_keys(keys, &wanted).len() == 1
    });
    if !unique || others.iter().any(|other| other.score > best.score - MARGIN) {
        return None;
    }
    let mut span = lines.span(best.first, best.count);
    if base.last().is_some_and(|piece| piece.ending == Ending::None) {
        span.end -= lines.ending(best.first + best.count - 1).as_str().len();
    }
    Some(Place {
        whole_lines: true,
        similarity: Some(best.score),
        aligned: Some((0..base.len()).map(Some).collect()),
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
