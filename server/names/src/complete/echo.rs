//! Where else in the file the text before the place is written, and which name follows there.
//!
//! Code repeats itself: what followed `case`, `return LUA_` or `self.assert` once follows it again.
//! The longer the text before another use is the same as the text before the place, the likelier
//! its name is meant.

use rustc_hash::FxHashMap;
use text::Text;

use crate::facts::{Facts, Ref};

/// Most bytes before a name that are compared, blanks aside.
const LONGEST: usize = 40;

/// Most bytes that are read to find so many.
const READ: usize = 160;

/// Most uses whose text is looked at: the nearest before the place.
const USES: usize = 1_500;

/// How the text before the place goes on elsewhere.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Echo {
    /// The most bytes that are the same before a use of the name.
    pub(super) longest: usize,
    /// The name's share of all uses, each counting for the more the more is the same.
    pub(super) share: f32,
}

/// The echoes of names by their number in the file, for those that `is_wanted`.
pub(super) fn echoes(
    facts: &Facts,
    text: &Text,
    own: &Ref,
    is_wanted: impl Fn(u32) -> bool,
) -> FxHashMap<u32, Echo> {
    let before = preceding(text, own.start as usize);
    let mut uses: Vec<&Ref> = facts
        .references
        .iter()
        .filter(|r| r.start != own.start && r.start < r.end && is_wanted(r.name))
        .collect();
    if uses.len() > USES {
        let distance = |r: &&Ref| (r.start > own.start, own.start.abs_diff(r.start));
        uses.select_nth_unstable_by_key(USES, distance);
        uses.truncate(USES);
    }
    let mut found: FxHashMap<u32, Echo> = FxHashMap::default();
    let mut all = 0.0;
    for r in uses {
        let other = preceding(text, r.start as usize);
        let same = before.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let weight = (same.min(24) as f32 / 4.0).exp2() - 1.0;
        all += weight;
        let echo = found.entry(r.name).or_default();
        echo.longest = echo.longest.max(same);
        echo.share += weight;
    }
    if all > 0.0 {
        found.values_mut().for_each(|echo| echo.share /= all);
    }
    found
}

/// The bytes before a place without blanks, the nearest first.
fn preceding(text: &Text, at: usize) -> Vec<u8> {
    let before = text.slice(at.saturating_sub(READ)..at);
    let solid = before.bytes().rev().filter(|b| !b.is_ascii_whitespace());
    solid.take(LONGEST).collect()
}
