//! Searches for one sequence in another, of bytes or of keys.

use memchr::memmem;

/// Overlapping hits after which Knuth-Morris-Pratt takes over: restarting the fast search at each
/// hit is quadratic on periodic input.
const MAX_OVERLAPS: usize = 64;

/// The search ends after this many occurrences.
pub(crate) const MAX_OCCURRENCES: usize = 1 << 18;

/// Every occurrence up to [`MAX_OCCURRENCES`], overlapping ones too, in order.
/// O(haystack + needle + hits). None for an empty needle.
pub(crate) fn overlapping(haystack: &[u8], needle: &[u8]) -> Vec<usize> {
    if needle.is_empty() || needle.len() > haystack.len() {
        return Vec::new();
    }
    let finder = memmem::Finder::new(needle);
    let (mut hits, mut from, mut overlaps) = (Vec::new(), 0, 0);
    while let Some(at) = finder.find(&haystack[from..]) {
        let hit = from + at;
        overlaps += usize::from(hits.last().is_some_and(|&last: &usize| hit < last + needle.len()));
        hits.push(hit);
        from = hit + 1;
        if hits.len() == MAX_OCCURRENCES {
            break;
        }
        if overlaps > MAX_OVERLAPS {
            return find_all(haystack, needle);
        }
    }
    hits
}

/// Occurrences from left to right that do not overlap. O(haystack + needle).
pub(crate) fn disjoint(haystack: &[u8], needle: &[u8]) -> Vec<usize> {
    if needle.is_empty() { Vec::new() } else { memmem::find_iter(haystack, needle).collect() }
}

/// Every occurrence of `needle` in `haystack`, overlapping ones too.
/// Knuth, Morris and Pratt (1977): O(haystack + needle).
pub(crate) fn find_all<T: PartialEq>(haystack: &[T], needle: &[T]) -> Vec<usize> {
    if needle.is_empty() || needle.len() > haystack.len() {
        return Vec::new();
    }
    let mut border = vec![0usize; needle.len()];
    let mut length = 0;
    for at in 1..needle.len() {
        while length > 0 && needle[at] != needle[length] {
            length = border[length - 1];
        }
        if needle[at] == needle[length] {
            length += 1;
        }
        border[at] = length;
    }
    let (mut hits, mut length) = (Vec::new(), 0);
    for (at, key) in haystack.iter().enumerate() {
        while length > 0 && *key != needle[length] {
            length = border[length - 1];
        }
        if *key == needle[length] {
            length += 1;
        }
        if length == needle.len() {
            hits.push(at + 1 - length);
            if hits.len() == MAX_OCCURRENCES {
                break;
            }
            length = border[length - 1];
        }
    }
    hits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_ones_count() {
        assert_eq!(overlapping(b"aaaa", b"aa"), [0, 1, 2]);
        assert_eq!(disjoint(b"aaaa", b"aa"), [0, 2]);
        assert_eq!(overlapping(b"abcabcab", b"abcab"), [0, 3]);
        assert!(overlapping(b"abc", b"").is_empty());
        let text = "ab".repeat(5000);
        assert_eq!(overlapping(text.as_bytes(), "ab".repeat(2000).as_bytes()).len(), 3001);
    }
}
