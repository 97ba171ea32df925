//! Near matches at the place that the author points at, when the only match is elsewhere.
//!
//! The author may have read a text that has changed since, while an unchanged copy of it exists
//! elsewhere. The copy matches, but it is not the place that was meant. A near match at the hinted
//! line, or at the indentation of `old_text`, reveals this case.

use std::ops::{Range, RangeInclusive};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::line_similarity::line_similarity;
use crate::lines::{indent, is_blank, split_lines, trim, trim_end};
use crate::patch::PatchTexts;
use crate::rows::without_trailing_blank_line;
use crate::snapshot::Snapshot;

/// Minimum similarity of a rival at the hinted line, and of one at the author's indentation.
const MIN_SCORE_AT_HINT: f64 = 0.6;
const MIN_SCORE_AT_DEPTH: f64 = 0.75;

/// Lines by which a hint may miss a rival.
const MAX_HINT_OFFSET: usize = 3;

/// Places that are compared, at most.
const MAX_STARTS: usize = 2000;

/// Lines of `old_text` that are compared, at most.
const MAX_LINES: usize = 200;

/// Shorter lines, such as a lone bracket, are too common to locate a place.
const MIN_DISTINCTIVE_BYTES: usize = 4;

/// A near match of `old_text`.
pub(crate) struct Rival {
    /// Its first line, from 0.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// 0 to 1.
    pub(crate) score: f64,
}

/// The rival near the hinted lines (1-based). `matched` are the lines of the match, from 0.
pub(crate) fn at_hint(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    matched: &Range<usize>,
    hint: &RangeInclusive<usize>,
) -> Option<Rival> {
    let middle = hint.start().saturating_sub(1);
    let starts = (middle.saturating_sub(MAX_HINT_OFFSET)..=middle + MAX_HINT_OFFSET)
        .chain([(hint.end() + 1).saturating_sub(1 + texts.old.lines().count())]);
    best_rival(snapshot, texts, matched, starts, false)
        .filter(|rival| rival.score >= MIN_SCORE_AT_HINT)
}

/// The rival whose lines have the author's indentation.
pub(crate) fn at_own_depth(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    matched: &Range<usize>,
) -> Option<Rival> {
    let base = without_trailing_blank_line(split_lines(&texts.old));
    let lines = snapshot.lines();
    let mut starts = FxHashSet::default();
    // Lone brackets occur everywhere; they are used only if `old_text` has no other lines.
    for is_distinctive in [true, false] {
        let mut by_content: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
        for (at, text_line) in base.iter().enumerate().take(MAX_LINES) {
            if !text_line.is_blank()
                && (trim(text_line.content).len() >= MIN_DISTINCTIVE_BYTES) == is_distinctive
            {
                by_content.entry(trim_end(text_line.content)).or_default().push(at);
            }
        }
        for line in 0..if by_content.is_empty() { 0 } else { lines.len() } {
            let Some(offsets) = by_content.get(trim_end(lines.content(line))) else { continue };
            starts.extend(offsets.iter().filter_map(|at| line.checked_sub(*at)));
            if starts.len() >= MAX_STARTS {
                break;
            }
        }
    }
    let mut starts: Vec<usize> = starts.into_iter().collect();
    starts.sort_unstable();
    best_rival(snapshot, texts, matched, starts.into_iter(), true)
        .filter(|rival| rival.score >= MIN_SCORE_AT_DEPTH)
}

/// The most similar place, compared line by line. Places that overlap the match are skipped.
fn best_rival(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    matched: &Range<usize>,
    starts: impl Iterator<Item = usize>,
    same_depth: bool,
) -> Option<Rival> {
    let base = without_trailing_blank_line(split_lines(&texts.old));
    let lines = snapshot.lines();
    let count = base.len().min(MAX_LINES);
    let mut best: Option<Rival> = None;
    for first in starts {
        let overlaps = first < matched.end && matched.start < first + count;
        if overlaps || first + count > lines.len() {
            continue;
        }
        let (mut shared, mut total) = (0.0, 0.0);
        for (at, text_line) in base.iter().enumerate().take(count) {
            let file = lines.content(first + at);
            if is_blank(text_line.content) {
                continue;
            }
            let weight = 4.0 + trim(text_line.content).len().min(60) as f64;
            total += weight;
            if !same_depth || indent(text_line.content) == indent(file) {
                shared += weight * line_similarity(text_line.content, file);
            }
        }
        let score = if total > 0.0 { shared / total } else { 0.0 };
        if best.as_ref().is_none_or(|best| score > best.score) {
            best = Some(Rival { first, count, score });
        }
    }
    best
}
