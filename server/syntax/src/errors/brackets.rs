//! Bracket matching: finds brackets without a partner.

use super::scan::BracketEvent;

/// Limit of unmatched brackets: a text with more is not code.
const MAX_UNMATCHED: usize = 20;
/// Limit of brackets that are inspected.
const MAX_BRACKETS: usize = 200_000;

/// A bracket without a partner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnmatchedBracket {
    Opening(usize, u8),
    Closing(usize, u8),
}

impl UnmatchedBracket {
    pub(super) fn at(self) -> usize {
        match self {
            Self::Opening(at, _) | Self::Closing(at, _) => at,
        }
    }
}

/// The offsets of an opening bracket and its closing one.
pub(super) type Pair = (usize, usize);

/// Pseudo-brackets for block keywords and `end`.
pub(super) const BLOCK_START: u8 = b'b';
pub(super) const BLOCK_END: u8 = b'e';

pub(super) fn matching_bracket(bracket: u8) -> char {
    match bracket {
        b'(' => ')',
        b'[' => ']',
        b'{' => '}',
        BLOCK_START => char::from(BLOCK_END),
        BLOCK_END => char::from(BLOCK_START),
        b')' => '(',
        b']' => '[',
        _ => '{',
    }
}

/// Matches brackets and returns the unmatched ones and the pairs. Returns nothing if conditional
/// code opens what other code closes, because that cannot be decided.
///
/// Of several candidates, the indentation shows which bracket is wrong: a `}` closes what starts on
/// a line of the same depth. `depth` returns the indentation of the line of an offset, and the
/// offset of its first character.
pub(super) fn unmatched_brackets(
    events: &[BracketEvent],
    depth: impl Fn(usize) -> (usize, usize),
) -> (Vec<UnmatchedBracket>, Vec<Pair>) {
    let (mut unmatched, mut pairs) = (Vec::new(), Vec::new());
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut conditions = Vec::new();
    // A pair whose closing line is less deep (the opening one may be unclosed), and pairs whose
    // closing line is deeper (the closing one may be superfluous).
    let (mut maybe_unclosed, mut superfluous, mut maybe_superfluous) = (None, None, None);
    for (number, event) in events.iter().enumerate().take(MAX_BRACKETS) {
        match *event {
            BracketEvent::If => conditions.push(open.len()),
            // A branch that leaves another number of brackets open: not decidable.
            BracketEvent::Else if conditions.last().is_some_and(|d| *d != open.len()) => {
                return (Vec::new(), Vec::new());
            }
            BracketEvent::EndIf if conditions.pop().is_some_and(|d| d != open.len()) => {
                return (Vec::new(), Vec::new());
            }
            BracketEvent::Else | BracketEvent::EndIf => {}
            BracketEvent::Open(at, bracket) => open.push((at, bracket)),
            BracketEvent::Close(at, bracket) => {
                let is_partner = |(_, b): &(usize, u8)| matching_bracket(*b) == char::from(bracket);
                match open.iter().rposition(is_partner) {
                    // A pair. It matches, but its indentation may show that it should not.
                    Some(last) if last + 1 == open.len() => {
                        let (opened, opening_bracket) = open.remove(last);
                        pairs.push((opened, at));
                        let ((inner, _), (outer, first)) = (depth(opened), depth(at));
                        // Only closing brackets precede it on its line.
                        let is_leading = || {
                            let before = events[..number].iter().rev();
                            before.take(at - first).enumerate().all(|(back, event)| {
                                matches!(event, BracketEvent::Close(place, _) if place + back + 1 == at)
                            })
                        };
                        // A keyword in the middle of a line may have its `end` directly below, and
                        // a block may start on a line that continues others.
                        let is_block = bracket == BLOCK_END;
                        let column = |at: usize, (depth, first): (usize, usize)| at + depth - first;
                        let is_same_column =
                            is_block && column(opened, depth(opened)) == column(at, depth(at));
                        let has_sibling_level =
                            || !is_block || open.iter().any(|(o, _)| depth(*o).0 == outer);
                        if is_same_column {
                            continue;
                        }
                        if first == at && outer < inner && has_sibling_level() {
                            maybe_unclosed
                                .get_or_insert(UnmatchedBracket::Opening(opened, opening_bracket));
                        } else if outer > inner && at - first < MAX_UNMATCHED && is_leading() {
                            superfluous.get_or_insert(UnmatchedBracket::Closing(at, bracket));
                        } else if outer > inner && bracket == b'}' {
                            maybe_superfluous.get_or_insert(UnmatchedBracket::Closing(at, bracket));
                        }
                    }
                    // The brackets in between are unclosed, unless they are closed later.
                    Some(last) if !is_closed_later(&open[last + 1..], &events[number + 1..]) => {
                        let outermost = open[last + 1].0;
                        match maybe_unclosed.take_if(|inside| inside.at() > outermost) {
                            Some(culprit) if last + 2 == open.len() => {
                                unmatched.push(culprit);
                                open.pop();
                            }
                            _ => unmatched.extend(
                                open.drain(last + 1..)
                                    .map(|(at, b)| UnmatchedBracket::Opening(at, b)),
                            ),
                        }
                        pairs.extend(open.pop().map(|(opened, _)| (opened, at)));
                    }
                    // Nothing to close: the suspicious closing bracket before it may be wrong
                    // instead.
                    _ => {
                        let around = open.last().map_or(0, |(opened, _)| *opened);
                        let inside = |unmatched: &mut UnmatchedBracket| unmatched.at() >= around;
                        let culprit =
                            superfluous.take_if(inside).or(maybe_superfluous.take_if(inside));
                        unmatched.push(culprit.unwrap_or(UnmatchedBracket::Closing(at, bracket)));
                    }
                }
                if unmatched.len() >= MAX_UNMATCHED {
                    break;
                }
            }
        }
    }
    // Something stays open at the end: prefer the pair that looked wrong by its indentation.
    match maybe_unclosed.filter(|_| !open.is_empty()) {
        Some(culprit) => unmatched.push(culprit),
        None => unmatched.extend(
            open.iter().rev().take(MAX_UNMATCHED).map(|(at, b)| UnmatchedBracket::Opening(*at, *b)),
        ),
    }
    unmatched.sort_by_key(|bracket| bracket.at());
    unmatched.dedup();
    (unmatched, pairs)
}

/// Whether the innermost open bracket is closed in the following events.
fn is_closed_later(open: &[(usize, u8)], events: &[BracketEvent]) -> bool {
    let mut open: Vec<u8> = open.iter().map(|(_, bracket)| *bracket).collect();
    let outside = open.len().saturating_sub(1);
    for event in events.iter().take(MAX_BRACKETS) {
        match *event {
            BracketEvent::Open(_, bracket) => open.push(bracket),
            BracketEvent::Close(_, bracket) => {
                if open.pop().is_none_or(|b| matching_bracket(b) != char::from(bracket)) {
                    return false;
                }
                if open.len() <= outside {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}
