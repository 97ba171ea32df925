//! How similar a place is: its lines against those of `old_text`, in order.

use std::borrow::Cow;

use super::distance::levenshtein;
use super::slips::without_comment;
use crate::fold::fold_line;
use crate::lines::{Piece, is_blank, pieces, trim};
use crate::snapshot::Snapshot;

/// A similar place.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    /// Its first line, from 0.
    pub(crate) first: usize,
    /// Its lines.
    pub(crate) count: usize,
    /// 0 to 1.
    pub(crate) score: f64,
    /// Written lines of `old_text` and the lines of the file they correspond to.
    pub(crate) rows: Vec<(usize, usize)>,
}

/// Lines that a place may be longer or shorter, at either end and in all.
const SLACK: usize = 4;

/// Lines of `old_text` beyond which unequal lines count as different.
const COMPARED: usize = 400;

/// The similarity of a line to one with a comment behind it.
const QUOTED: f64 = 0.98;

/// Lines that correspond are no further apart.
const BAND: usize = 64;

/// Lines less similar than this do not correspond.
const ALIKE: f64 = 0.5;

/// Bytes of a line that are compared.
const LONGEST: usize = 8192;

/// Lines of a text without the blank ones, trimmed and folded.
struct Written<'t> {
    lines: Vec<usize>,
    texts: Vec<Cow<'t, str>>,
}

impl<'t> Written<'t> {
    fn new(lines: impl Iterator<Item = (usize, &'t str)>) -> Written<'t> {
        let (lines, texts) = lines
            .filter(|(_, line)| !is_blank(line))
            .map(|(at, line)| (at, fold_line(trim(line))))
            .unzip();
        Written { lines, texts }
    }

    fn weight(&self, line: usize) -> f64 {
        4.0 + self.texts[line].len().min(60) as f64
    }
}

/// The place about `start` as similar to `base` as can be; `None` if nothing is.
/// O(base × slack), and bounded.
pub(super) fn near(snapshot: &Snapshot<'_>, base: &[Piece<'_>], start: isize) -> Option<Near> {
    let lines = snapshot.lines();
    let from = (start - SLACK as isize).max(0) as usize;
    let to = (start + (base.len() + base.len() / 10 + SLACK) as isize)
        .clamp(0, lines.len() as isize) as usize;
    if from >= to {
        return None;
    }
    let mine = Written::new(base.iter().map(|piece| piece.content).enumerate());
    let theirs = Written::new((from..to).map(|line| (line, lines.content(line))));
    let pairs = align(&mine, &theirs, base.len() <= COMPARED);
    let (first, last) = (pairs.first()?.1, pairs.last()?.1);
    let score = score(&mine, &theirs, &pairs, first..last + 1);
    let rows: Vec<(usize, usize)> =
        pairs.iter().map(|&(a, b, _)| (mine.lines[a], theirs.lines[b])).collect();
    let (first, last) = (theirs.lines[first], theirs.lines[last]);
    Some(Near { first, count: last + 1 - first, score, rows })
}

/// How much of two texts corresponds, line by line. 0 to 1.
pub(crate) fn ratio(a: &str, b: &str) -> f64 {
    let (a, b) = (pieces(a), pieces(b));
    if a.len() > COMPARED || b.len() > COMPARED {
        return 0.5;
    }
    let written = |pieces: &[Piece<'_>]| {
        pieces.iter().map(|piece| piece.content.to_owned()).collect::<Vec<_>>()
    };
    let (a, b) = (written(&a), written(&b));
    let (mine, theirs) = (
        Written::new(a.iter().map(String::as_str).enumerate()),
        Written::new(b.iter().map(String::as_str).enumerate()),
    );
    let pairs = align(&mine, &theirs, true);
    score(&mine, &theirs, &pairs, 0..theirs.lines.len())
}

/// Corresponding lines with their similarity, increasing in both: the alignment of
/// greatest weight within a band (Needleman and Wunsch, 1970).
fn align(mine: &Written<'_>, theirs: &Written<'_>, compare: bool) -> Vec<(usize, usize, f64)> {
    let (m, n) = (mine.lines.len(), theirs.lines.len());
    // Wide enough for the slack at both ends.
    let band = (3 * SLACK + m / 10 + m.abs_diff(n)).min(BAND);
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
                QUOTED
            } else if compare {
                text_ratio(a, b)
            } else {
                0.0
            };
            alike[i * width + here] = same as f32;
            let matched = if same >= ALIKE {
                (mine.weight(i) * same) as f32 + at(&best, i + 1, j + 1)
            } else {
                0.0
            };
            // A line passed over inside costs a little, so that what corresponds stays together.
            let cost = if i == 0 { 0.0 } else { 0.5 };
            best[i * width + here] =
                matched.max(at(&best, i + 1, j)).max(at(&best, i, j + 1) - cost);
        }
    }
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
        if f64::from(same) >= ALIKE && (value - matched).abs() < 1e-3 {
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
    mine: &Written<'_>,
    theirs: &Written<'_>,
    pairs: &[(usize, usize, f64)],
    span: std::ops::Range<usize>,
) -> f64 {
    let total: f64 = (0..mine.lines.len()).map(|line| mine.weight(line)).sum::<f64>()
        + span.map(|line| theirs.weight(line)).sum::<f64>();
    let shared: f64 =
        pairs.iter().map(|&(a, b, same)| same * (mine.weight(a) + theirs.weight(b))).sum();
    if total > 0.0 { (shared / total).min(1.0) } else { 0.0 }
}

/// How similar two lines are, blanks at their ends aside. 0 to 1.
pub(crate) fn line_ratio(a: &str, b: &str) -> f64 {
    text_ratio(&fold_line(trim(a)), &fold_line(trim(b)))
}

fn text_ratio(a: &str, b: &str) -> f64 {
    let longest = a.len().max(b.len());
    if longest == 0 || a == b {
        return 1.0;
    }
    if a.len().abs_diff(b.len()) as f64 > longest as f64 * (1.0 - ALIKE) || longest > LONGEST {
        return 0.0;
    }
    1.0 - levenshtein(a.as_bytes(), b.as_bytes()) as f64 / longest as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_that_is_there_corresponds() {
        let text = "                }\nx\n                }\n            }\n            assert_eq!(count, A * B);  // note 1\ny\n";
        let base =
            pieces("                }\n            }\n            assert_eq!(count, A * B);\n");
        let near = near(&Snapshot::new(text, 1), &base, 1).expect("a place");
        assert_eq!(near.rows, [(0, 2), (1, 3), (2, 4)]);
    }
}
