//! Finds a line again in a changed text.

use serde::{Deserialize, Serialize};
use text::Text;

use super::breakpoint_location::collapse_whitespace;
use tools::clip;

/// Longest line that is stored, in characters.
const MAX_LINE_CHARS: usize = 300;

/// A line's text, with its neighbours'.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedLine {
    line: String,
    before: String,
    after: String,
}

impl SavedLine {
    /// A line of a text, 1-based; `None` if there is no such line.
    pub(super) fn from_text(text: &Text, line: u32) -> Option<Self> {
        let index = (line as usize).checked_sub(1).filter(|index| *index < text.line_count())?;
        let at = |index: Option<usize>| {
            index.map_or_else(String::new, |index| normalized_line(text, index))
        };
        Some(Self {
            line: normalized_line(text, index),
            before: at(index.checked_sub(1)),
            after: at(Some(index + 1).filter(|next| *next < text.line_count())),
        })
    }

    /// Its line in another text, 1-based; it was at `line`.
    ///
    /// # Errors
    /// Why it cannot be determined.
    pub(super) fn find_in(&self, text: &Text, line: u32) -> Result<u32, String> {
        let current = Self::from_text(text, line);
        if current.as_ref() == Some(self) {
            return Ok(line);
        }
        let matching: Vec<u32> = (0..text.line_count())
            .filter(|index| normalized_line(text, *index) == self.line)
            .filter_map(|index| u32::try_from(index + 1).ok())
            .collect();
        let saved = clip(&self.line, 80);
        match &matching[..] {
            [one] if !self.line.is_empty() => return Ok(*one),
            // It was changed in place.
            [] if current.is_some_and(|current| self.has_same_neighbours(&current)) => {
                return Ok(line);
            }
            [] => return Err(format!("it was at `{saved}`, which is no longer in the file")),
            _ => {}
        }
        let near = |at: &u32| {
            Self::from_text(text, *at).map_or(0, |current| self.matching_neighbours(&current))
        };
        let best = matching.iter().map(near).max().unwrap_or(0);
        let mut nearest = matching.iter().filter(|at| near(at) == best);
        match (nearest.next(), nearest.next()) {
            (Some(one), None) if best > 0 => Ok(*one),
            _ => Err(format!("it was at `{saved}`, which now occurs several times")),
        }
    }

    /// The number of equal neighbours.
    fn matching_neighbours(&self, other: &Self) -> usize {
        usize::from(self.before == other.before) + usize::from(self.after == other.after)
    }

    fn has_same_neighbours(&self, current: &Self) -> bool {
        let has_words = |text: &str| text.chars().any(char::is_alphanumeric);
        self.matching_neighbours(current) == 2 && has_words(&self.before) && has_words(&self.after)
    }
}

fn normalized_line(text: &Text, index: usize) -> String {
    clip(&collapse_whitespace(&text.line(index)), MAX_LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_line_by_its_text() {
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
            let saved = SavedLine::from_text(&before, line).unwrap();
            assert_eq!(saved.find_in(&Text::new(after), line).ok(), then, "{line} in {after:?}");
        }
        assert_eq!(SavedLine::from_text(&before, 0), None);
        assert_eq!(SavedLine::from_text(&before, 1_000), None);
    }
}
