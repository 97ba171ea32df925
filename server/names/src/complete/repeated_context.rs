//! Ranking feature: names that follow elsewhere in the file where the text before them is the same.
//!
//! Code repeats itself: the name that followed `case`, `return LUA_` or `self.assert` once follows
//! it again. The longer the text before another use equals the text before the cursor, the likelier
//! is that use's name.

use rustc_hash::FxHashMap;
use text::Text;

use crate::facts::{Facts, Ref};

/// Bytes before a name that are compared, blanks aside.
const MAX_COMPARED: usize = 40;

/// Bytes that are read to find that many.
const MAX_READ: usize = 160;

/// Limit for the uses that are compared: those before the cursor and nearest to it come first.
const MAX_USES: usize = 1_500;

/// How well the text before the cursor matches the text before the uses of one name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RepeatedContext {
    /// The longest match, in bytes.
    pub(super) longest: usize,
    /// The name's share of all matches; a match weighs exponentially more the longer it is.
    pub(super) share: f32,
}

/// The repeated context of each name for which `is_wanted` holds, by the name's number in the file.
pub(super) fn repeated_contexts(
    facts: &Facts,
    text: &Text,
    cursor: &Ref,
    is_wanted: impl Fn(u32) -> bool,
) -> FxHashMap<u32, RepeatedContext> {
    let before = preceding(text, cursor.start as usize);
    let mut uses: Vec<&Ref> = facts
        .references
        .iter()
        .filter(|r| r.start != cursor.start && r.start < r.end && is_wanted(r.name))
        .collect();
    if uses.len() > MAX_USES {
        let distance = |r: &&Ref| (r.start > cursor.start, cursor.start.abs_diff(r.start));
        uses.select_nth_unstable_by_key(MAX_USES, distance);
        uses.truncate(MAX_USES);
    }
    let mut found: FxHashMap<u32, RepeatedContext> = FxHashMap::default();
    let mut all = 0.0;
    for r in uses {
        let other = preceding(text, r.start as usize);
        let same = before.iter().zip(&other).take_while(|(a, b)| a == b).count();
        let weight = (same.min(24) as f32 / 4.0).exp2() - 1.0;
        all += weight;
        let context = found.entry(r.name).or_default();
        context.longest = context.longest.max(same);
        context.share += weight;
    }
    if all > 0.0 {
        found.values_mut().for_each(|context| context.share /= all);
    }
    found
}

/// The non-blank bytes before an offset, the nearest first.
fn preceding(text: &Text, at: usize) -> Vec<u8> {
    let before = text.slice(at.saturating_sub(MAX_READ)..at);
    let solid = before.bytes().rev().filter(|b| !b.is_ascii_whitespace());
    solid.take(MAX_COMPARED).collect()
}
