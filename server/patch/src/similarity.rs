//! The similarity tier, the last one.
//!
//! [`nearest`] finds the most similar places in bounded time; failure reports list them. [`accept`]
//! takes one as a match only if every difference looks like a typing mistake or an unquoted comment
//! (`slips`). A score alone is not enough: if the intended text was deleted, a similar block
//! elsewhere would score as high.

mod align;
mod slips;
mod votes;

pub(crate) use align::{SimilarBlock, text_similarity};

use similar::DiffOp;

use crate::indent::IndentMap;
use crate::levenshtein::levenshtein;
use crate::line_similarity::line_similarity;
use crate::lines::{LineEnding, indent, is_blank, split_lines, trim, trim_end};
use crate::match_location::MatchLocation;
use crate::occurrences::find_all;
use crate::patch::{Patch, PatchTexts};
use crate::plan::Strategy;
use crate::rows::{PatchLines, without_trailing_blank_line};
use crate::snapshot::{Snapshot, key};
use crate::transplant::line_diff;

/// Places returned, at most.
const MAX_PLACES: usize = 5;

/// A longer `old_text`, in lines, is not matched by similarity.
const MAX_OLD_LINES: usize = 400;

/// Non-blank lines and characters that `old_text` needs.
const MIN_LINES: usize = 3;
const MIN_CHARS: usize = 30;

/// Characters that `old_text` needs if only comments differ: in a short text a comment may be the
/// only thing that distinguishes two copies.
const MIN_CHARS_COMMENTS_ONLY: usize = 80;

/// Minimum similarity of a match, without and with a line hint at it.
const MIN_SCORE: f64 = 0.90;
const MIN_SCORE_AT_HINT: f64 = 0.80;

/// Minimum lead over the next best place.
const MIN_MARGIN: f64 = 0.10;

/// Minimum similarity of words that resemble each other.
const MIN_WORD_SIMILARITY: f64 = 0.5;

/// Lines that must match exactly around one stale line.
const MIN_EXACT_LINES: usize = 4;

/// Minimum similarity of a line that the patch removes or changes.
const MIN_CHANGED_LINE_SIMILARITY: f64 = 0.85;

/// The places most similar to `old_text`, best first and disjoint.
/// O(text), then bounded.
pub(crate) fn nearest(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    hint: Option<usize>,
) -> Vec<SimilarBlock> {
    let base = PatchLines::new(texts).base;
    let starts = votes::starts(snapshot, &base, hint);
    let mut all: Vec<SimilarBlock> = starts
        .into_iter()
        .filter_map(|start| align::best_alignment(snapshot, &base, start))
        .collect();
    all.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    let mut kept: Vec<SimilarBlock> = Vec::new();
    for near in all {
        let apart = |other: &SimilarBlock| {
            near.first >= other.first + other.count || other.first >= near.first + near.count
        };
        if kept.len() < MAX_PLACES && kept.iter().all(apart) {
            kept.push(near);
        }
    }
    kept
}

/// The best of the nearest places, if no other can be the intended one.
pub(crate) fn accept(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    near: &[SimilarBlock],
    patch: &Patch,
) -> Option<MatchLocation> {
    let (best, others) = near.split_first()?;
    let lines = PatchLines::new(texts);
    let base = &lines.base;
    let written: Vec<usize> = (0..base.len()).filter(|&line| !base[line].is_blank()).collect();
    let characters: usize = written
        .iter()
        .map(|&line| {
            base[line].content.split_whitespace().map(|word| word.chars().count()).sum::<usize>()
        })
        .sum();
    if base.len() > MAX_OLD_LINES || written.len() != best.rows.len() {
        return None;
    }
    let hinted = crate::hint::hinted_lines(patch).is_some_and(|hint| {
        crate::hint::distance(&(best.first + 1..=best.first + best.count), &hint) == 0
    });
    let score = quoted_score(snapshot, base, best);
    if score < if hinted { MIN_SCORE_AT_HINT } else { MIN_SCORE } {
        return None;
    }
    let differences = slips::excusable_differences(snapshot, base, texts, best)?;
    let exact = |near: &SimilarBlock| {
        let same = |&&(mine, line): &&(usize, usize)| {
            trim(base[mine].content) == trim(snapshot.lines().content(line))
        };
        near.rows.iter().filter(same).count()
    };
    // If only unquoted comments differ, a competitor is a place for which that holds too, or one where
    // as many lines are exactly the same: it may have been the place before one line of it was changed.
    let ahead = |other: &SimilarBlock| {
        if differences.comments_only {
            exact(other) < exact(best)
                && (other.rows.len() < written.len()
                    || slips::excusable_differences(snapshot, base, texts, other)
                        .is_none_or(|other| !other.comments_only))
        } else {
            other.score <= score - MIN_MARGIN
        }
    };
    if !others.iter().all(ahead) {
        return None;
    }
    let enough = if differences.comments_only {
        characters >= MIN_CHARS_COMMENTS_ONLY
    } else {
        written.len() >= MIN_LINES && characters >= MIN_CHARS
    };
    if !enough || !changed_lines_are_close(snapshot, texts, base, best) {
        return None;
    }
    // Tolerate one kind of difference: typing mistakes, but not another indentation as well.
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
    if base.last().is_some_and(|text_line| text_line.ending == LineEnding::None) {
        span.end -= snapshot.lines().ending(best.first + best.count - 1).as_str().len();
    }
    Some(MatchLocation {
        map,
        aligned: Some(aligned),
        whole_lines: true,
        similarity: Some(best.score),
        ..MatchLocation::from_span(span, Strategy::Similarity)
    })
}

/// Whether two lines may be the line that distinguishes two copies of a block: they share a word, have
/// words that differ in a letter or two, or each word of one resembles a word of the other.
fn may_distinguish(old: &str, file: &str) -> bool {
    // Split names such as `userName` into words.
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
    // `user_name` and `userName` are the same name.
    let letters = |line: &str| -> String {
        line.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let is_same = letters(old) == letters(file);
    let (old, file) = (words(old), words(file));
    let (fewer, more) = if old.len() <= file.len() { (&old, &file) } else { (&file, &old) };
    let resembles = |a: &String| more.iter().any(|b| line_similarity(a, b) >= MIN_WORD_SIMILARITY);
    is_same
        || fewer.iter().all(resembles)
        || fewer.iter().any(|a| more.iter().any(|b| a == b || differs_in_letters(a, b)))
}

/// Whether two words differ in one letter, or in two if both have six or more: short words of
/// different meaning often do.
fn differs_in_letters(a: &str, b: &str) -> bool {
    let allowed = if a.len().min(b.len()) < 6 { 1 } else { 2 };
    a.len().abs_diff(b.len()) <= allowed && levenshtein(a.as_bytes(), b.as_bytes()) <= allowed
}

/// The best of the nearest places, if it differs in one stale context line: the file has a different
/// line there by now, the patch only quotes it, and what the patch changes matches exactly and is
/// unique.
///
/// A line that is similar to the quoted one is not tolerated: it may be the only line that
/// distinguishes two copies of a block.
pub(crate) fn accept_stale(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    near: &[SimilarBlock],
) -> Option<MatchLocation> {
    let (best, others) = near.split_first()?;
    let lines = snapshot.lines();
    let base = PatchLines::new(texts).base;
    let theirs = without_trailing_blank_line(split_lines(&texts.new));
    if best.count != base.len() || base.len() > MAX_OLD_LINES {
        return None;
    }
    let content = |line: usize| lines.content(best.first + line);
    let same = |line: usize| trim_end(base[line].content) == trim_end(content(line));
    let stale: Vec<usize> = (0..base.len()).filter(|&line| !same(line)).collect();
    let &[stale] = &stale[..] else { return None };
    let (old, new): (Vec<&str>, Vec<&str>) =
        (base.iter().map(|p| p.content).collect(), theirs.iter().map(|p| p.content).collect());
    let ops = line_diff(&old, &new);
    let kept =
        ops.iter().any(|op| matches!(op, DiffOp::Equal { .. }) && op.old_range().contains(&stale));
    let changes: Vec<std::ops::Range<usize>> = ops
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| match op.old_range() {
            // An insertion is between two lines; both must match.
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
        || may_distinguish(base[stale].content, content(stale))
    {
        return None;
    }
    let exact = (0..base.len()).filter(|&line| line != stale && !base[line].is_blank());
    if exact.count() < MIN_EXACT_LINES {
        return None;
    }
    // The lines that each change touches must occur exactly once.
    let keys = snapshot.trimmed_keys();
    let unique = changes.iter().all(|lines| {
        let wanted_keys: Vec<u64> =
            lines.clone().map(|line| key(trim(base[line].content))).collect();
        find_all(keys, &wanted_keys).len() == 1
    });
    if !unique || others.iter().any(|other| other.score > best.score - MIN_MARGIN) {
        return None;
    }
    let mut span = lines.span(best.first, best.count);
    if base.last().is_some_and(|text_line| text_line.ending == LineEnding::None) {
        span.end -= lines.ending(best.first + best.count - 1).as_str().len();
    }
    Some(MatchLocation {
        whole_lines: true,
        similarity: Some(best.score),
        aligned: Some((0..base.len()).map(Some).collect()),
        ..MatchLocation::from_span(span, Strategy::Similarity)
    })
}

/// The similarity of a place, ignoring comments that only the file has.
fn quoted_score(
    snapshot: &Snapshot<'_>,
    base: &[crate::lines::TextLine<'_>],
    near: &SimilarBlock,
) -> f64 {
    let (mut shared, mut total) = (0.0, 0.0);
    for &(mine, line) in &near.rows {
        let (old, file) = (base[mine].content, snapshot.lines().content(line));
        let weight = 4.0 + old.trim().len().min(60) as f64;
        shared += weight * line_similarity(old, slips::without_comment(old, file).unwrap_or(file));
        total += weight;
    }
    if total > 0.0 { shared / total } else { 0.0 }
}

/// Aligns blank lines between aligned ones with the file's blank lines, in order.
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

/// Whether every line that the patch removes or changes is similar to the file's.
fn changed_lines_are_close(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    base: &[crate::lines::TextLine<'_>],
    near: &SimilarBlock,
) -> bool {
    let kept: rustc_hash::FxHashSet<&str> =
        split_lines(&texts.new).into_iter().map(|text_line| text_line.content).collect();
    near.rows.iter().filter(|&&(mine, _)| !kept.contains(base[mine].content)).all(
        |&(mine, line)| {
            let file = snapshot.lines().content(line);
            let quoted = slips::without_comment(base[mine].content, file).unwrap_or(file);
            line_similarity(base[mine].content, quoted) >= MIN_CHANGED_LINE_SIMILARITY
        },
    )
}
