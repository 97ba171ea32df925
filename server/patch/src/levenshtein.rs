//! Bit-parallel edit distance.

/// If the differing middle is longer, its length is taken as the distance.
const MAX_BYTES: usize = 4096;

/// The Levenshtein distance of two strings in bytes. Lines that differ over more than
/// [`MAX_BYTES`] bytes count as different there.
///
/// Myers, "A fast bit-vector algorithm for approximate string matching" (1999), in the
/// blockwise form of Hyyrö (2003). O(a × b / 64).
pub(crate) fn levenshtein(a: &[u8], b: &[u8]) -> usize {
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - suffix], &b[..b.len() - suffix]);
    let (pattern, text) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if pattern.is_empty() || text.len() > MAX_BYTES {
        return text.len();
    }
    blocks(pattern, text)
}

fn blocks(pattern: &[u8], text: &[u8]) -> usize {
    let count = pattern.len().div_ceil(64);
    let mut equal = vec![[0u64; 256]; count];
    for (at, &byte) in pattern.iter().enumerate() {
        equal[at / 64][byte as usize] |= 1 << (at % 64);
    }
    let (mut up, mut down) = (vec![u64::MAX; count], vec![0u64; count]);
    let mut score = pattern.len();
    let last = 1u64 << ((pattern.len() - 1) % 64);
    for &byte in text {
        // The row above the first block grows by one in each column.
        let (mut carry_up, mut carry_down) = (1u64, 0u64);
        for block in 0..count {
            let (pv, mv) = (up[block], down[block]);
            let eq = equal[block][byte as usize] | carry_down;
            let xv = equal[block][byte as usize] | mv;
            let xh = ((eq & pv).wrapping_add(pv) ^ pv) | eq;
            let (mut ph, mut mh) = (mv | !(xh | pv), pv & xh);
            if block + 1 == count {
                score += usize::from(ph & last != 0);
                score -= usize::from(mh & last != 0);
            }
            let (out_up, out_down) = (ph >> 63, mh >> 63);
            ph = (ph << 1) | carry_up;
            mh = (mh << 1) | carry_down;
            up[block] = mh | !(xv | ph);
            down[block] = ph & xv;
            (carry_up, carry_down) = (out_up, out_down);
        }
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(a: &[u8], b: &[u8]) -> usize {
        let mut row: Vec<usize> = (0..=b.len()).collect();
        for (i, x) in a.iter().enumerate() {
            let mut diagonal = row[0];
            row[0] = i + 1;
            for (j, y) in b.iter().enumerate() {
                let next = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
                diagonal = row[j + 1];
                row[j + 1] = next;
            }
        }
        row[b.len()]
    }

    #[test]
    fn like_the_table() {
        let mut seed = 7u64;
        let mut next = |bound: usize| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as usize % bound
        };
        for _ in 0..300 {
            let (m, n) = (next(200), next(200));
            let a: Vec<u8> = (0..m).map(|_| b'a' + next(3) as u8).collect();
            let b: Vec<u8> = (0..n).map(|_| b'a' + next(3) as u8).collect();
            assert_eq!(levenshtein(&a, &b), naive(&a, &b));
        }
    }
}
