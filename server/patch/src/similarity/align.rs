//! Aligns the lines of a place with those of `old_text` and scores the similarity.

use std::borrow::Cow;

use super::slips::without_comment;
use crate::fold::fold_line;
use crate::line_similarity::{MIN_LINE_SIMILARITY, folded_similarity};
use crate::lines::{TextLine, is_blank, split_lines, trim};
use crate::snapshot::Snapshot;

/// A place that is similar to `old_text`.
#[derive(Debug, Clone)]
pub(crate) struct SimilarBlock {
    /// Its first line, from 0.
    pub(crate) first: usize,
    /// Its number of lines.
    pub(crate) count: usize,
    /// 0 to 1.
    pub(crate) score: f64,
    /// Non-blank lines of `old_text` with the lines of the file that they correspond to.
    pub(crate) rows: Vec<(usize, usize)>,
}

/// Lines by which a place may be longer or shorter than `old_text`.
const LINE_SLACK: usize = 4;

/// In a longer `old_text`, in lines, lines are compared for equality only.
const MAX_FUZZY_LINES: usize = 400;

/// The similarity of a line to the same line with a trailing comment.
const COMMENTED_LINE_SIMILARITY: f64 = 0.98;

/// Maximum half-width of the alignment band, in lines.
const MAX_BAND: usize = 64;

/// The non-blank lines of a text, trimmed and folded.
struct NonBlankLines<'t> {
    lines: Vec<usize>,
    texts: Vec<Cow<'t, str>>,
}

impl<'t> NonBlankLines<'t> {
    fn new(lines: impl Iterator<Item = (usize, &'t str)>) -> NonBlankLines<'t> {
        let (lines, texts) = lines
            .filter(|(_, line)| !is_blank(line))
            .map(|(at, line)| (at, fold_line(trim(line))))
            .unzip();
        NonBlankLines { lines, texts }
    }

    /// The weight of a line: its length, bounded on both sides so that short lines count at all and
    /// long ones do not dominate.
    fn weight(&self, line: usize) -> f64 {
        4.0 + self.texts[line].len().min(60) as f64
    }
}

/// The block near `start` that is most similar to `base`; `None` if no line corresponds.
/// O(base × slack), and bounded.
pub(super) fn best_alignment(
    snapshot: &Snapshot<'_>,
    base: &[TextLine<'_>],
    start: isize,
) -> Option<SimilarBlock> {
    let lines = snapshot.lines();
    let from = (start - LINE_SLACK as isize).max(0) as usize;
    let to = (start + (base.len() + base.len() / 10 + LINE_SLACK) as isize)
        .clamp(0, lines.len() as isize) as usize;
    if from >= to {
        return None;
    }
    let mine = NonBlankLines::new(base.iter().map(|text_line| text_line.content).enumerate());
    let theirs = NonBlankLines::new((from..to).map(|line| (line, lines.content(line))));
    let pairs = align(&mine, &theirs, base.len() <= MAX_FUZZY_LINES);
    let (first, last) = (pairs.first()?.1, pairs.last()?.1);
    let score = score(&mine, &theirs, &pairs, first..last + 1);
    let rows: Vec<(usize, usize)> =
        pairs.iter().map(|&(a, b, _)| (mine.lines[a], theirs.lines[b])).collect();
    let (first, last) = (theirs.lines[first], theirs.lines[last]);
    Some(SimilarBlock { first, count: last + 1 - first, score, rows })
}

/// The similarity of two texts by corresponding lines. 0 to 1.
pub(crate) fn text_similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (split_lines(a), split_lines(b));
    if a.len() > MAX_FUZZY_LINES || b.len() > MAX_FUZZY_LINES {
        return 0.5;
    }
    let written = |text_lines: &[TextLine<'_>]| {
        text_lines.iter().map(|text_line| text_line.content.to_owned()).collect::<Vec<_>>()
    };
    let (a, b) = (written(&a), written(&b));
    let (mine, theirs) = (
        NonBlankLines::new(a.iter().map(String::as_str).enumerate()),
        NonBlankLines::new(b.iter().map(String::as_str).enumerate()),
    );
    let pairs = align(&mine, &theirs, true);
    score(&mine, &theirs, &pairs, 0..theirs.lines.len())
}

/// Corresponding lines with their similarity, increasing in both: the alignment of
/// greatest weight within a band (Needleman and Wunsch, 1970).
fn align(
    mine: &NonBlankLines<'_>,
    theirs: &NonBlankLines<'_>,
    compare: bool,
) -> Vec<(usize, usize, f64)> {
    let (m, n) = (mine.lines.len(), theirs.lines.len());
    // Wide enough for the slack at both ends.
    let band = (3 * LINE_SLACK + m / 10 + m.abs_diff(n)).min(MAX_BAND);
    let width = 2 * band + 1;
    if m == 0 || n == 0 || m.saturating_mul(width) > 4_000_000 {
        return Vec::new();
    }
    let column = |i: usize, j: usize| (j + band).checked_sub(i).filter(|&at| at < width);
    let mut best = vec![0f32; (m + 1) * width];
    let mut alike = vec![0f32; m * width];
    let at = |best: &[f32], i: usize, j: usize| column(i, j).map_or(0.0, |at| best[i * width + at]);
    for i in (0..m).rev() {
        for j in (i.saturating_sub(band)..n.min(i + band + 1)).rev() {
            let Some(here) = column(i, j) else { continue };
            let (a, b) = (&mine.texts[i], &theirs.texts[j]);
            let same = if a == b {
                1.0
            } else if without_comment(a, b).is_some() {
                COMMENTED_LINE_SIMILARITY
            } else if compare {
                folded_similarity(a, b)
            } else {
                0.0
            };
            alike[i * width + here] = same as f32;
            let matched = if same >= MIN_LINE_SIMILARITY {
                (mine.weight(i) * same) as f32 + at(&best, i + 1, j + 1)
            } else {
                0.0
            };
            // Skipping a line inside the alignment costs a little, so that pairs stay together.
            let cost = if i == 0 { 0.0 } else { 0.5 };
            best[i * width + here] =
                matched.max(at(&best, i + 1, j)).max(at(&best, i, j + 1) - cost);
        }
    }
    // Follow the best path from the start. The table holds f32, so compare with a tolerance.
    let (mut pairs, mut i, mut j) = (Vec::new(), 0, 0);
    while i < m && j < n {
        let Some(here) = column(i, j) else {
            if j > i {
                i += 1
            } else {
                j += 1
            }
            continue;
        };
        let (value, same) = (best[i * width + here], alike[i * width + here]);
        let matched = (mine.weight(i) * f64::from(same)) as f32 + at(&best, i + 1, j + 1);
        if f64::from(same) >= MIN_LINE_SIMILARITY && (value - matched).abs() < 1e-3 {
            pairs.push((i, j, f64::from(same)));
            (i, j) = (i + 1, j + 1);
        } else if (value - at(&best, i + 1, j)).abs() < 1e-3 {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

fn score(
    mine: &NonBlankLines<'_>,
    theirs: &NonBlankLines<'_>,
    pairs: &[(usize, usize, f64)],
    span: std::ops::Range<usize>,
) -> f64 {
    let total: f64 = (0..mine.lines.len()).map(|line| mine.weight(line)).sum::<f64>()
        + span.map(|line| theirs.weight(line)).sum::<f64>();
    let shared: f64 =
        pairs.iter().map(|&(a, b, same)| same * (mine.weight(a) + theirs.weight(b))).sum();
    if total > 0.0 { (shared / total).min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_is_there_corresponds() {
        let text = "                }\nx\n                }\n            }\n            assert_eq!(count, A * B);  // note 1\ny\n";
        let base = split_lines(
            "                }\n            }\n            assert_eq!(count, A * B);\n",
        );
        let near = best_alignment(&Snapshot::new(text, 1), &base, 1).expect("a place");
        assert_eq!(near.rows, [(0, 2), (1, 3), (2, 4)]);
    }
}
