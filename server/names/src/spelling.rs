//! Names of a similar spelling.

use crate::fuzzy::{ANYWHERE_BITS, letter_mask};

/// Length limit of the names compared, in bytes: a comparison takes quadratic time.
const MAX_NAME_LENGTH: usize = 128;

/// A name that others are compared with.
#[derive(Debug)]
pub struct NameSimilarity<'n> {
    name: &'n str,
    letters: u64,
    /// The largest edit distance of a similar name: a third of its letters, at most three.
    max_distance: usize,
}

impl<'n> NameSimilarity<'n> {
    /// Prepares comparisons with `name`.
    #[must_use]
    pub fn new(name: &'n str) -> Self {
        Self {
            name,
            letters: letter_mask(name),
            max_distance: (name.chars().count() / 3).clamp(1, 3),
        }
    }

    /// The Damerau–Levenshtein distance to `other`; `None` if it is too large to be similar.
    #[must_use]
    pub fn distance(&self, other: &str) -> Option<usize> {
        self.distance_with(other, letter_mask(other))
    }

    /// The same, with the letter mask of `other` given.
    pub(crate) fn distance_with(&self, other: &str, letters: u64) -> Option<usize> {
        // The cheap checks first: most names fail them.
        let is_long = other.len().abs_diff(self.name.len()) > self.max_distance
            || other.len() > MAX_NAME_LENGTH;
        if is_long
            || ((letters ^ self.letters) & ANYWHERE_BITS).count_ones() as usize
                > 2 * self.max_distance
        {
            return None;
        }
        let distance = strsim::damerau_levenshtein(other, self.name);
        (distance <= self.max_distance).then_some(distance)
    }

    /// Whether a name of this length in bytes can be similar.
    #[must_use]
    pub fn can_match_length(&self, bytes: usize) -> bool {
        bytes.abs_diff(self.name.len()) <= self.max_distance && bytes <= MAX_NAME_LENGTH
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_differ_in_a_third_of_their_letters_at_most_three() {
        let spelling = NameSimilarity::new("get_object");
        assert_eq!(spelling.distance("get_object"), Some(0));
        assert_eq!(spelling.distance("get_objcet"), Some(1));
        assert_eq!(spelling.distance("get_objects"), Some(1));
        assert_eq!(spelling.distance("set_subject"), Some(3));
        assert_eq!(spelling.distance("set_subjects"), None);
        assert_eq!(NameSimilarity::new("ab").distance("cd"), None);
        let long = "x".repeat(1_000);
        assert_eq!(NameSimilarity::new(&long).distance(&long), None);
    }
}
