//! Names that are spelled much like another.

use crate::fuzzy::{HELD_ANYWHERE, mask};

/// Longest name that others are compared with, in bytes: a comparison takes time in its square.
const LONGEST: usize = 128;

/// What is compared with a name.
#[derive(Debug)]
pub struct Spelling<'n> {
    name: &'n str,
    letters: u64,
    /// Most letters that are changed, left out, put in or swapped in a name that counts as near.
    far: usize,
}

impl<'n> Spelling<'n> {
    /// What is compared with `name`.
    #[must_use]
    pub fn new(name: &'n str) -> Self {
        Self { name, letters: mask(name), far: (name.chars().count() / 3).clamp(1, 3) }
    }

    /// How many letters have to be changed to make `other` of the name. `None` where that is too
    /// many.
    #[must_use]
    pub fn distance(&self, other: &str) -> Option<usize> {
        self.distance_with(other, mask(other))
    }

    /// The same; `letters` is the mask of `other`.
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

    /// Whether a name of so many bytes may be near.
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
