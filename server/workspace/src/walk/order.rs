//! The order of results: folder by folder, names by their bytes.

use std::cmp::Ordering;

/// Compares paths name by name, each by its bytes: what lies in a folder stays together. O(n).
#[must_use]
pub fn path_order(one: &[u8], other: &[u8]) -> Ordering {
    let same = one.iter().zip(other).take_while(|(a, b)| a == b).count();
    // No name holds a NUL, so a slash that counts as one ends a name before any that goes on.
    let rank = |path: &[u8]| path.get(same).map(|&byte| if byte == b'/' { 0 } else { byte });
    rank(one).cmp(&rank(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_a_folder_stays_together() {
        let mut paths = ["a.b", "a/b", "a", "a/b/c", "", "a-b/x", "b", "a/b.c", "A"];
        paths.sort_by(|one, other| path_order(one.as_bytes(), other.as_bytes()));
        assert_eq!(paths, ["", "A", "a", "a/b", "a/b/c", "a/b.c", "a-b/x", "a.b", "b"]);
    }
}
