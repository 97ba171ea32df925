//! The model's table: a vocabulary of words and parts of words, and a vector for each.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

/// What a model's file starts with.
const MAGIC: &[u8] = b"TEMBED01";
/// What the vocabulary writes before a part that continues a word.
const CONTINUATION: &[u8] = b"##";

type Entries<'m> = HashMap<&'m [u8], usize, FxBuildHasher>;

/// A table over the bytes of a model's file. The vectors stay where they are.
#[derive(Default)]
pub(crate) struct Table<'m> {
    dimensions: usize,
    /// Words and beginnings of words.
    starts: Entries<'m>,
    /// Parts that continue a word.
    continuations: Entries<'m>,
    /// What each row's values are multiplied by.
    scales: Vec<f32>,
    /// A signed byte for each dimension of each row.
    rows: &'m [u8],
    /// The length of the longest entry, in bytes.
    longest: usize,
}

impl<'m> Table<'m> {
    /// Reads a file that `distil.py` has written; `None` if it is something else.
    pub(crate) fn parse(file: &'m [u8]) -> Option<Self> {
        let mut rest = file.strip_prefix(MAGIC)?;
        let mut number = || {
            let (number, after) = rest.split_first_chunk::<4>()?;
            rest = after;
            usize::try_from(u32::from_le_bytes(*number)).ok()
        };
        let (dimensions, count, names) = (number()?, number()?, number()?);
        let (lengths, rest) = rest.split_at_checked(count)?;
        let (mut names, rest) = rest.split_at_checked(names)?;
        let (scales, rows) = rest.split_at_checked(count.checked_mul(4)?)?;
        let (scales, _) = scales.as_chunks::<4>();
        let scales = scales.iter().map(|scale| f32::from_le_bytes(*scale)).collect();
        let mut table = Self { dimensions, scales, rows, ..Self::default() };
        for (row, length) in lengths.iter().enumerate() {
            let (name, after) = names.split_at_checked(usize::from(*length))?;
            names = after;
            let part = name.strip_prefix(CONTINUATION);
            table.longest = table.longest.max(part.unwrap_or(name).len());
            match part {
                Some(part) => table.continuations.insert(part, row),
                None => table.starts.insert(name, row),
            };
        }
        (rows.len() == count.checked_mul(dimensions)?).then_some(table)
    }

    pub(crate) fn dimensions(&self) -> usize {
        self.dimensions
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Adds the vectors of a word's parts (WordPiece: the longest known beginning, again and again).
    pub(crate) fn add(&self, word: &str, sum: &mut [f32]) {
        let mut rest = word.as_bytes();
        while !rest.is_empty() {
            let entries = if rest.len() == word.len() { &self.starts } else { &self.continuations };
            let lengths = (1..=rest.len().min(self.longest)).rev();
            let found = lengths.map(|length| (length, entries.get(&rest[..length])));
            let Some((length, row)) =
                found.into_iter().find_map(|(length, row)| Some((length, *row?)))
            else {
                return;
            };
            self.add_row(row, sum);
            rest = &rest[length..];
        }
    }

    fn add_row(&self, row: usize, sum: &mut [f32]) {
        let start = row * self.dimensions;
        let Some(values) = self.rows.get(start..start + self.dimensions) else { return };
        let scale = self.scales[row];
        for (sum, value) in sum.iter_mut().zip(values) {
            *sum += scale * f32::from(value.cast_signed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut file = MAGIC.to_vec();
        for number in [2_u32, 3, 8] {
            file.extend(number.to_le_bytes());
        }
        file.extend([3, 1, 4]);
        file.extend(b"abca##ab");
        for scale in [1.0_f32, 0.5, 2.0] {
            file.extend(scale.to_le_bytes());
        }
        file.extend([1, 2, 2, 0xfe, 3, 0]);
        file
    }

    #[test]
    fn the_longest_known_parts_count() {
        let file = file();
        let table = Table::parse(&file).unwrap();
        let vector = |word| {
            let mut sum = [0.0; 2];
            table.add(word, &mut sum);
            sum
        };
        assert_eq!(vector("abc"), [1.0, 2.0]);
        assert_eq!(vector("aab"), [7.0, -1.0]);
        assert_eq!(vector("zab"), [0.0, 0.0]);
    }

    #[test]
    fn files_that_are_cut_are_refused() {
        let file = file();
        for length in 0..file.len() {
            assert!(Table::parse(&file[..length]).is_none(), "{length}");
        }
    }
}
