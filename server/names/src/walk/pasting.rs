//! Names that macros put together: `prefix_ ## x`.
//!
//! Each fixed part is kept as a name of no length in the text: nothing stands there that could be
//! asked for, and whoever renames can look for the parts of a name.

use super::{As, Walk};
use crate::expression::Value;
use crate::facts::Role;

/// Longer texts are not looked into.
const LONGEST: usize = 20_000;

/// Most parts of one macro.
const PARTS: usize = 64;

impl Walk<'_> {
    /// The parts that a macro's text, from `start` to `end`, puts names together of.
    pub(super) fn pasted(&mut self, start: u32, end: u32) {
        let text = self.slice(start, end);
        if text.len() > LONGEST || !text.contains("##") {
            return;
        }
        let head = text.split_once('(').and_then(|(_, rest)| rest.split_once(')'));
        let parameters: Vec<&str> =
            head.map_or("", |(list, _)| list).split(',').map(str::trim).collect();
        let word = |c: char| c.is_alphanumeric() || c == '_';
        for (at, _) in text.match_indices("##").take(PARTS) {
            let before = text[..at].trim_end();
            let after = text[at + 2..].trim_start();
            let left = &before[before.trim_end_matches(word).len()..];
            let right = &after[..after.len() - after.trim_start_matches(word).len()];
            let place = start + at as u32;
            for part in [left, right] {
                if part.len() < 2 || parameters.contains(&part) {
                    continue;
                }
                let name = self.names.number(part);
                self.refer((place, place), As::Import, Value::NONE, Role::Plain);
                if let Some(reference) = self.references.last_mut() {
                    reference.name = name;
                }
            }
        }
    }
}
