//! Finds a line again in a changed text.

use serde::{Deserialize, Serialize};
use text::Text;

use super::place::squeezed;
use super::shown::clipped;

/// Longest line that is stored, in characters.
const LONGEST: usize = 300;

/// A line's text, with its neighbours'.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    line: String,
    before: String,
    after: String,
}

impl Said {
    /// A line of a text, 1-based; `None` if there is no such line.
    pub(super) fn of(text: &Text, line: u32) -> Option<Self> {
        let index = (line as usize).checked_sub(1).filter(|index| *index < text.line_count())?;
        let at = |index: Option<usize>| index.map_or_else(String::new, |index| says(text, index));
        Some(Self {
            line: says(text, index),
            before: at(index.checked_sub(1)),
            after: at(Some(index + 1).filter(|next| *next < text.line_count())),
        })
    }

    /// Its line in another text, 1-based; it was at `line`.
    ///
    /// # Errors
    /// Why it cannot be determined.
    pub(super) fn line_in(&self, text: &Text, line: u32) -> Result<u32, String> {
        let there = Self::of(text, line);
        if there.as_ref() == Some(self) {
            return Ok(line);
        }
        let alike: Vec<u32> = (0..text.line_count())
            .filter(|index| says(text, *index) == self.line)
            .filter_map(|index| u32::try_from(index + 1).ok())
            .collect();
        let said = clipped(&self.line, 80);
        match &alike[..] {
            [one] if !self.line.is_empty() => return Ok(*one),
            // It was changed in place.
            [] if there.is_some_and(|there| self.is_between(&there)) => return Ok(line),
            [] => return Err(format!("it was at `{said}`, which is no longer in the file")),
            _ => {}
        }
        let near = |at: &u32| Self::of(text, *at).map_or(0, |there| self.shared(&there));
        let best = alike.iter().map(near).max().unwrap_or(0);
        let mut nearest = alike.iter().filter(|at| near(at) == best);
        match (nearest.next(), nearest.next()) {
            (Some(one), None) if best > 0 => Ok(*one),
            _ => Err(format!("it was at `{said}`, which now occurs several times")),
        }
    }

    /// The number of equal neighbours.
    fn shared(&self, other: &Self) -> usize {
        usize::from(self.before == other.before) + usize::from(self.after == other.after)
    }

    fn is_between(&self, there: &Self) -> bool {
        let has_words = |text: &str| text.chars().any(char::is_alphanumeric);
        self.shared(there) == 2 && has_words(&self.before) && has_words(&self.after)
    }
}

fn says(text: &Text, index: usize) -> String {
    clipped(&squeezed(&text.line(index)), LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_by_what_it_says() {
        let before = Text::new("a\nx = 1\nb\nreturn\nc\nreturn\nd\n");
        for (line, after, then) in [
            (2, "a\nx = 1\nb\nreturn\nc\nreturn\nd\n", Some(2)),
            (2, "new\n\na\n  x  =  1\nb\n", Some(4)),
            (2, "x = 1\n", Some(1)),
            // Of equal lines, the one with equal neighbours.
            (6, "new\na\nx = 1\nb\nreturn\nc\nreturn\nd\n", Some(7)),
            (6, "return\nz\nreturn\n", None),
            // Changed in place.
            (2, "a\nx = 2\nb\n", Some(2)),
            (2, "a\nc\n", None),
            (2, "", None),
        ] {
            let said = Said::of(&before, line).unwrap();
            assert_eq!(said.line_in(&Text::new(after), line).ok(), then, "{line} in {after:?}");
        }
        assert_eq!(Said::of(&before, 0), None);
        assert_eq!(Said::of(&before, 1_000), None);
    }
}
