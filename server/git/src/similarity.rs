//! Line similarity: which line of one text a line of another text most likely was.
//!
//! After git's `--ignore-rev`: lines are compared by the letter pairs they hold, so that neither
//! blanks nor order matter. A line that resembles none has no counterpart.

use rustc_hash::FxHashMap;

use crate::limits::MAX_LINE_COMPARISONS;

/// Minimal share of common letter pairs, in percent.
const MIN_SIMILARITY: usize = 35;

/// For each new line, the index of the old line that it most likely was.
pub(crate) fn match_lines(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    if old.is_empty() || old.len().saturating_mul(new.len()) > MAX_LINE_COMPARISONS {
        return vec![None; new.len()];
    }
    let old_pairs: Vec<LetterPairs> = old.iter().map(|line| LetterPairs::from_line(line)).collect();
    let mut matches = Vec::with_capacity(new.len());
    let mut last = 0;
    for (number, line) in new.iter().enumerate() {
        let pairs = LetterPairs::from_line(line);
        let expected = number * old.len() / new.len().max(1);
        let best = old_pairs
            .iter()
            .enumerate()
            .map(|(at, other)| (pairs.similarity(other), at))
            .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
            // Of equally similar lines, prefer one not before the last match, then the one nearest
            // to the proportional position.
            .max_by_key(|(similarity, at)| {
                (*similarity, *at >= last, std::cmp::Reverse(at.abs_diff(expected)))
            });
        if let Some((_, at)) = best {
            last = at;
        }
        matches.push(best.map(|(_, at)| at));
    }
    matches
}

/// The pairs of adjacent letters in a line, blanks left out.
struct LetterPairs {
    pairs: FxHashMap<(u8, u8), usize>,
    count: usize,
}

impl LetterPairs {
    fn from_line(line: &[u8]) -> Self {
        let letters: Vec<u8> = line
            .iter()
            .filter(|byte| !byte.is_ascii_whitespace())
            .map(u8::to_ascii_lowercase)
            .take(2_000)
            .collect();
        let mut pairs = FxHashMap::default();
        for pair in letters.windows(2) {
            *pairs.entry((pair[0], pair[1])).or_default() += 1;
        }
        // A line of one character, such as a brace, has no pair: use the character itself.
        if let [only] = letters.as_slice() {
            pairs.insert((*only, 0), 1);
        }
        let count = pairs.values().sum();
        Self { pairs, count }
    }

    /// How similar two lines are, in percent (Dice coefficient).
    fn similarity(&self, other: &Self) -> usize {
        if self.count == 0 || other.count == 0 {
            return if self.count == other.count { 100 } else { 0 };
        }
        let common: usize = self
            .pairs
            .iter()
            .map(|(pair, count)| *count.min(other.pairs.get(pair).unwrap_or(&0)))
            .sum();
        200 * common / (self.count + other.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reformatted_lines_are_matched() {
        let old: [&[u8]; 3] = [b"if(a){b();}\n", b"else{c(1,2);}\n", b"}\n"];
        let new: [&[u8]; 6] =
            [b"if (a) {\n", b"    b();\n", b"} else {\n", b"    c(1, 2);\n", b"}\n", b"zzz\n"];
        assert_eq!(match_lines(&old, &new), [Some(0), Some(0), Some(1), Some(1), Some(2), None]);
        assert_eq!(match_lines(&[], &new), [None; 6]);
    }
}
