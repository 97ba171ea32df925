//! Three-way merge inside a line, by words.
//!
//! The classic three-way merge (Khanna, Kunal and Pierce, "A Formal Investigation of
//! Diff3", 2007) over words, runs of blanks and single other characters.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

use crate::lines::is_blank_byte;

/// Words, runs of blanks and single other characters. O(line).
pub(crate) fn tokens(line: &str) -> Vec<&str> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_ascii() && is_blank_byte(c as u8) => 1,
        _ => 2,
    };
    let mut result = Vec::new();
    let mut chars = line.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let mut end = start + c.len_utf8();
        while kind(c) != 2
            && let Some(&(at, next)) = chars.peek()
            && kind(next) == kind(c)
        {
            end = at + next.len_utf8();
            chars.next();
        }
        result.push(&line[start..end]);
    }
    result
}

/// A range of the base and what replaces it.
struct Change {
    base: Range<usize>,
    other: Range<usize>,
}

fn changes(base: &[&str], other: &[&str]) -> Vec<Change> {
    capture_diff_slices(Algorithm::Myers, base, other)
        .iter()
        .filter(|op| !matches!(op, DiffOp::Equal { .. }))
        .map(|op| Change { base: op.old_range(), other: op.new_range() })
        .collect()
}

/// The relation of an inserted punctuation mark to an adjacent change of the other side.
enum AdjacentChange {
    /// The change adds the same mark, for example if both add a missing comma.
    Same,
    /// The change adds another mark there; having both is hardly intended.
    Conflict,
    Unrelated,
}

fn beside(added: &Change, by: &[&str], change: &Change, with: &[&str]) -> AdjacentChange {
    let (added_tokens, tokens) = (&by[added.other.clone()], &with[change.other.clone()]);
    let is_mark = |token: &str| {
        !token.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c.is_whitespace())
    };
    if !added.base.is_empty()
        || change.base.is_empty()
        || !added_tokens.iter().all(|token| is_mark(token))
    {
        return AdjacentChange::Unrelated;
    }
    let at_end = added.base.start == change.base.end;
    let at_start = added.base.start == change.base.start;
    if (at_end && tokens.ends_with(added_tokens)) || (at_start && tokens.starts_with(added_tokens))
    {
        return AdjacentChange::Same;
    }
    match at_end
        && tokens.len() > change.base.len()
        && tokens.last().is_some_and(|token| is_mark(token))
    {
        true => AdjacentChange::Conflict,
        false => AdjacentChange::Unrelated,
    }
}

/// `base` with the changes of both sides; `None` if they touch the same words.
///
/// Walks both lists of changes in the order of the base, as diff3 does.
pub(crate) fn merge(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let (base, ours, theirs) = (tokens(base), tokens(ours), tokens(theirs));
    let (mine, other) = (changes(&base, &ours), changes(&base, &theirs));
    let (mut result, mut at) = (String::new(), 0);
    let (mut mine, mut other) = (mine.iter().peekable(), other.iter().peekable());
    loop {
        let (change, tokens) = match (mine.peek(), other.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) => {
                // Both sides make the same change: apply it once.
                if a.base == b.base && ours[a.other.clone()] == theirs[b.other.clone()] {
                    mine.next();
                    continue;
                }
                match (beside(a, &ours, b, &theirs), beside(b, &theirs, a, &ours)) {
                    (AdjacentChange::Same, _) => {
                        mine.next();
                        continue;
                    }
                    (_, AdjacentChange::Same) => {
                        other.next();
                        continue;
                    }
                    (AdjacentChange::Conflict, _) | (_, AdjacentChange::Conflict) => return None,
                    _ => {}
                }
                // Overlapping changes conflict. So do two insertions at one point, whose order is
                // unknown.
                let same_point =
                    a.base.start == b.base.start && (a.base.is_empty() || b.base.is_empty());
                if a.base == b.base
                    || (a.base.start < b.base.end && b.base.start < a.base.end)
                    || (same_point && a.base.is_empty() && b.base.is_empty())
                {
                    return None;
                }
                let inside = |point: &Range<usize>, range: &Range<usize>| {
                    point.is_empty() && range.start < point.start && point.start < range.end
                };
                if inside(&a.base, &b.base) || inside(&b.base, &a.base) {
                    return None;
                }
                if (a.base.start, a.base.end) <= (b.base.start, b.base.end) {
                    (mine.next(), &ours)
                } else {
                    (other.next(), &theirs)
                }
            }
            (Some(_), None) => (mine.next(), &ours),
            (None, Some(_)) => (other.next(), &theirs),
        };
        let Some(change) = change else { break };
        result.extend(base.get(at..change.base.start).unwrap_or_default().iter().copied());
        result.extend(tokens[change.other.clone()].iter().copied());
        at = change.base.end;
    }
    result.extend(base[at..].iter().copied());
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_changes_are_kept() {
        assert_eq!(
            merge("say \"a\" now", "say “a” now", "say \"b\" now").as_deref(),
            Some("say “b” now")
        );
        assert_eq!(merge("f(a)", "f( a )", "g(a)").as_deref(), Some("g( a )"));
        assert_eq!(merge("x = 1", "x  =  1", "x = 2").as_deref(), Some("x  =  2"));
    }

    #[test]
    fn a_mark_that_both_add_is_added_once() {
        assert_eq!(merge("a: 1", "a: 1,", "a: 2,").as_deref(), Some("a: 2,"));
        assert_eq!(merge("a: 1", "a: 1,", "a: 2").as_deref(), Some("a: 2,"));
        assert_eq!(merge("a: 1,", "a: 1", "a: 2,").as_deref(), Some("a: 2"));
        assert_eq!(merge("x", "(x", "(y").as_deref(), Some("(y"));
        assert_eq!(merge("a: 1", "a: 1,", "a: 2;"), None);
    }

    #[test]
    fn the_same_word_changed_twice_is_a_conflict() {
        assert_eq!(merge("a b c", "a x c", "a y c"), None);
        assert_eq!(merge("a b c", "a x c", "a x c").as_deref(), Some("a x c"));
        assert_eq!(merge("a", "ab", "c"), None);
    }
}
