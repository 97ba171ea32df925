//! How similar two lines are.

use crate::fold::fold_line;
use crate::levenshtein::levenshtein;
use crate::lines::trim;

/// Lines less similar than this do not correspond.
pub(crate) const MIN_LINE_SIMILARITY: f64 = 0.5;

/// Longer lines, in bytes, count as different.
const MAX_LINE_BYTES: usize = 8192;

/// The similarity of two lines, without blanks at their ends. 0 to 1.
pub(crate) fn line_similarity(a: &str, b: &str) -> f64 {
    folded_similarity(&fold_line(trim(a)), &fold_line(trim(b)))
}

/// [`line_similarity`] of lines that are folded and trimmed already.
pub(crate) fn folded_similarity(a: &str, b: &str) -> f64 {
    let longest = a.len().max(b.len());
    if longest == 0 || a == b {
        return 1.0;
    }
    if a.len().abs_diff(b.len()) as f64 > longest as f64 * (1.0 - MIN_LINE_SIMILARITY)
        || longest > MAX_LINE_BYTES
    {
        return 0.0;
    }
    1.0 - levenshtein(a.as_bytes(), b.as_bytes()) as f64 / longest as f64
}
