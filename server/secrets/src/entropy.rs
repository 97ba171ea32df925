//! How random a text looks.

/// The Shannon entropy of the bytes, in bits a byte. O(n).
pub(crate) fn entropy(bytes: &[u8]) -> f32 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f32;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = *count as f32 / total;
            -share * share.log2()
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_counts_different_bytes() {
        let is = |text: &[u8], bits: f32| (entropy(text) - bits).abs() < 0.001;
        assert!(is(b"", 0.0) && is(b"aaaa", 0.0) && is(b"abab", 1.0) && is(b"abcdefgh", 3.0));
    }
}
