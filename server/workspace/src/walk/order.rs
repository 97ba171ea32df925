//! The order of results: folder by folder, names by bytes.

use std::cmp::Ordering;

/// Compares paths name by name, by bytes, so that the contents of a folder stay together. O(n).
#[must_use]
pub fn path_order(one: &[u8], other: &[u8]) -> Ordering {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    // Names contain no NUL, so ranking the slash as 0 sorts a name before all longer ones.
    let rank = |path: &[u8]| path.get(same).map(|&byte| if byte == b'/' { 0 } else { byte });
    rank(one).cmp(&rank(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contents_of_a_folder_stay_together() {
        let mut paths = ["a.b", "a/b", "a", "a/b/c", "", "a-b/x", "b", "a/b.c", "A"];
        paths.sort_by(|one, other| path_order(one.as_bytes(), other.as_bytes()));
        assert_eq!(paths, ["", "A", "a", "a/b", "a/b/c", "a/b.c", "a-b/x", "a.b", "b"]);
    }
}
