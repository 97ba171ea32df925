//! Vectors rounded to a bit for each dimension, for large indexes.

/// The signs of a vector's values: 32 bytes for 256 dimensions. Most of the nearest vectors have the most signs
/// in common, so an index finds candidates by them and compares only those by their values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Signs([u64; Self::WORDS]);

impl Signs {
    const WORDS: usize = 4;
    /// Their size as bytes.
    pub const BYTES: usize = Self::WORDS * 8;

    /// The signs of a vector. Dimensions after the 256th do not count.
    #[must_use]
    pub fn new(vector: &[f32]) -> Self {
        let mut words = [0; Self::WORDS];
        for (word, values) in words.iter_mut().zip(vector.chunks(64)) {
            for (bit, value) in values.iter().enumerate() {
                *word |= u64::from(*value > 0.0) << bit;
            }
        }
        Self(words)
    }

    /// How many signs differ.
    #[must_use]
    pub fn distance(&self, other: &Self) -> u32 {
        self.0.iter().zip(&other.0).map(|(one, other)| (one ^ other).count_ones()).sum()
    }

    /// The signs as bytes, to store them.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        for (target, word) in bytes.as_chunks_mut::<8>().0.iter_mut().zip(self.0) {
            *target = word.to_le_bytes();
        }
        bytes
    }

    /// The signs that were stored.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
        let mut words = [0; Self::WORDS];
        for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        Self(words)
    }
}

/// A vector to compare with many signs: it keeps its own values, so that it orders them better than its signs would.
#[derive(Debug)]
pub struct SignQuery {
    /// For each byte of signs and each value of it, what it adds to the product with the vector.
    sums: Vec<[f32; 256]>,
}

impl SignQuery {
    /// A query for a vector. Dimensions after the 256th do not count.
    #[must_use]
    pub fn new(vector: &[f32]) -> Self {
        let mut values = vector.to_vec();
        values.resize(Signs::BYTES * 8, 0.0);
        let sums = values.as_chunks::<8>().0.iter().map(|values| {
            let mut sums = [0.0; 256];
            for (byte, sum) in sums.iter_mut().enumerate() {
                let signed = |(bit, value): (usize, &f32)| {
                    if byte >> bit & 1 == 1 { *value } else { -value }
                };
                *sum = values.iter().enumerate().map(signed).sum();
            }
            sums
        });
        Self { sums: sums.collect() }
    }

    /// How well signs fit the vector: higher is nearer.
    #[must_use]
    pub fn score(&self, signs: &Signs) -> f32 {
        let bytes = signs.to_bytes();
        self.sums.iter().zip(bytes).map(|(sums, byte)| sums[usize::from(byte)]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_survive_storage() {
        let vector: Vec<f32> = (0_u8..=255).map(|n| f32::from(n % 7) - 3.5).collect();
        let signs = Signs::new(&vector);
        assert_eq!(Signs::from_bytes(&signs.to_bytes()), signs);
        let opposite: Vec<f32> = vector.iter().map(|value| -value).collect();
        assert_eq!(signs.distance(&Signs::new(&opposite)), 256);
        assert_eq!(signs.distance(&signs), 0);
    }

    #[test]
    fn a_query_scores_by_its_values() {
        let query = SignQuery::new(&[0.5, -2.0, 1.0]);
        let score = |vector: &[f32]| query.score(&Signs::new(vector));
        assert!((score(&[1.0, -1.0, 1.0]) - 3.5).abs() < 1e-6);
        assert!((score(&[1.0, 1.0, 1.0]) + 0.5).abs() < 1e-6);
    }
}
