//! Names of a similar spelling.

use crate::fuzzy::{HELD_ANYWHERE, mask};

/// Length limit of the names compared, in bytes: a comparison takes quadratic time.
const LONGEST: usize = 128;

/// A name that others are compared with.
#[derive(Debug)]
pub struct Spelling<'n> {
    name: &'n str,
    letters: u64,
    /// The largest edit distance of a similar name: a third of its letters, at most three.
    far: usize,
}

impl<'n> Spelling<'n> {
    /// Prepares comparisons with `name`.
    #[must_use]
    pub fn new(name: &'n str) -> Self {
        Self { name, letters: mask(name), far: (name.chars().count() / 3).clamp(1, 3) }
    }

    /// The Damerau–Levenshtein distance to `other`; `None` if it is too large to be similar.
    #[must_use]
    pub fn distance(&self, other: &str) -> Option<usize> {
        self.distance_with(other, mask(other))
    }

    /// The same, with the letter mask of `other` given.
    pub(crate) fn distance_with(&self, other: &str, letters: u64) -> Option<usize> {
        // The cheap checks first: most names fail them.
        let is_long = other.len().abs_diff(self.name.len()) > self.far || other.len() > LONGEST;
        if is_long
            || ((letters ^ self.letters) & HELD_ANYWHERE).count_ones() as usize > 2 * self.far
        {
            return None;
        }
        let distance = strsim::damerau_levenshtein(other, self.name);
        (distance <= self.far).then_some(distance)
    }

    /// Whether a name of this length in bytes can be similar.
    #[must_use]
    pub fn may_be_of_length(&self, bytes: usize) -> bool {
        bytes.abs_diff(self.name.len()) <= self.far && bytes <= LONGEST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_third_of_the_letters_may_differ_three_at_most() {
        let spelling = Spelling::new("get_object");
        assert_eq!(spelling.distance("get_object"), Some(0));
        assert_eq!(spelling.distance("get_objcet"), Some(1));
        assert_eq!(spelling.distance("get_objects"), Some(1));
        assert_eq!(spelling.distance("set_subject"), Some(3));
        assert_eq!(spelling.distance("set_subjects"), None);
        assert_eq!(Spelling::new("ab").distance("cd"), None);
        let long = "x".repeat(1_000);
        assert_eq!(Spelling::new(&long).distance(&long), None);
    }
}
