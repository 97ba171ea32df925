//! Which line of one text a line of another most likely was.
//!
//! After the idea of git's `--ignore-rev`: lines are compared by the pairs of letters they hold, so
//! that neither blanks nor order decide; what is too unlike has no counterpart.

use rustc_hash::FxHashMap;

/// The part of the pairs that two lines have in common at least, in percent.
const LEAST: usize = 35;
/// Most pairs of lines that are compared.
const MOST: usize = 250_000;

/// For each of the `new` lines the number of the old line that it comes from, if any.
pub(crate) fn guess(old: &[&[u8]], new: &[&[u8]]) -> Vec<Option<usize>> {
    if old.is_empty() || old.len().saturating_mul(new.len()) > MOST {
        return vec![None; new.len()];
    }
    let prints: Vec<Print> = old.iter().map(|line| Print::of(line)).collect();
    let mut guesses = Vec::with_capacity(new.len());
    let mut last = 0;
    for (number, line) in new.iter().enumerate() {
        let print = Print::of(line);
        let expected = number * old.len() / new.len().max(1);
        let best = prints
            .iter()
            .enumerate()
            .map(|(at, other)| (print.alike(other), at))
            .filter(|(alike, _)| *alike >= LEAST)
            // Among equals the one nearest to where it should be, and not before the last one.
            .max_by_key(|(alike, at)| {
                (*alike, *at >= last, std::cmp::Reverse(at.abs_diff(expected)))
            });
        if let Some((_, at)) = best {
            last = at;
        }
        guesses.push(best.map(|(_, at)| at));
    }
    guesses
}

/// The pairs of neighbouring letters of a line, blanks left out.
struct Print {
    pairs: FxHashMap<(u8, u8), usize>,
    count: usize,
}

impl Print {
    fn of(line: &[u8]) -> Self {
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
        // A brace alone is like another one.
        if let [only] = letters.as_slice() {
            pairs.insert((*only, 0), 1);
        }
        let count = pairs.values().sum();
        Self { pairs, count }
    }

    /// How much two lines have in common, in percent.
    fn alike(&self, other: &Self) -> usize {
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
    fn lines_are_found_again_after_a_formatter() {
        let old: [&[u8]; 3] = [b"if(a){b();}\n", b"else{c(1,2);}\n", b"}\n"];
        let new: [&[u8]; 6] =
            [b"if (a) {\n", b"    b();\n", b"} else {\n", b"    c(1, 2);\n", b"}\n", b"zzz\n"];
        assert_eq!(guess(&old, &new), [Some(0), Some(0), Some(1), Some(1), Some(2), None]);
        assert_eq!(guess(&[], &new), [None; 6]);
    }
}
