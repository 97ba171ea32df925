//! Brackets that nothing opens, and ones that nothing closes.

use super::scan::Event;

/// Most that is told of one text: what is broken in more places is not code.
const MOST: usize = 20;
/// Most brackets that are looked at.
const LONGEST: usize = 200_000;

/// A bracket without its other half.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lone {
    Opens(usize, u8),
    Closes(usize, u8),
}

impl Lone {
    pub(super) fn at(self) -> usize {
        match self {
            Self::Opens(at, _) | Self::Closes(at, _) => at,
        }
    }
}

/// A pair: where it opens and where it closes.
pub(super) type Pair = (usize, usize);

/// Words that open and close a block, among brackets.
pub(super) const OPENS_BLOCK: u8 = b'b';
pub(super) const CLOSES_BLOCK: u8 = b'e';

pub(super) fn other_half(bracket: u8) -> char {
    match bracket {
        b'(' => ')',
        b'[' => ']',
        b'{' => '}',
        OPENS_BLOCK => char::from(CLOSES_BLOCK),
        CLOSES_BLOCK => char::from(OPENS_BLOCK),
        b')' => '(',
        b']' => '[',
        _ => '{',
    }
}

/// The brackets without their other halves, and the pairs; nothing where code that is there on a
/// condition opens what other code closes, for then nobody can say.
///
/// How deep lines stand tells which of several brackets is the one: a `}` closes what begins on a
/// line of its own depth. `depth` gives that of the line that a bracket stands on, and where its
/// first character stands.
pub(super) fn lone(
    events: &[Event],
    depth: impl Fn(usize) -> (usize, usize),
) -> (Vec<Lone>, Vec<Pair>) {
    let (mut lone, mut pairs) = (Vec::new(), Vec::new());
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut conditions = Vec::new();
    // What was closed by a line less deep, and what closed a line that is less deep.
    let (mut left_open, mut too_many, mut maybe_too_many) = (None, None, None);
    for (number, event) in events.iter().enumerate().take(LONGEST) {
        match *event {
            Event::If => conditions.push(open.len()),
            Event::Else if conditions.last().is_some_and(|d| *d != open.len()) => {
                return (Vec::new(), Vec::new());
            }
            Event::EndIf if conditions.pop().is_some_and(|d| d != open.len()) => {
                return (Vec::new(), Vec::new());
            }
            Event::Else | Event::EndIf => {}
            Event::Opens(at, bracket) => open.push((at, bracket)),
            Event::Closes(at, bracket) => {
                let fits = |(_, b): &(usize, u8)| other_half(*b) == char::from(bracket);
                match open.iter().rposition(fits) {
                    Some(last) if last + 1 == open.len() => {
                        let (opened, half) = open.remove(last);
                        pairs.push((opened, at));
                        let ((inner, _), (outer, first)) = (depth(opened), depth(at));
                        // `}` behind other brackets that close, at the start of a line.
                        let is_leading = || {
                            let before = events[..number].iter().rev();
                            before.take(at - first).enumerate().all(|(back, event)| {
                                matches!(event, Event::Closes(place, _) if place + back + 1 == at)
                            })
                        };
                        // A word in the middle of a line may have its `end` below it, and a block may
                        // begin on a line that goes on with others.
                        let is_block = bracket == CLOSES_BLOCK;
                        let column = |at: usize, (depth, first): (usize, usize)| at + depth - first;
                        let is_below =
                            is_block && column(opened, depth(opened)) == column(at, depth(at));
                        let is_beside =
                            || !is_block || open.iter().any(|(o, _)| depth(*o).0 == outer);
                        if is_below {
                            continue;
                        }
                        if first == at && outer < inner && is_beside() {
                            left_open.get_or_insert(Lone::Opens(opened, half));
                        } else if outer > inner && at - first < MOST && is_leading() {
                            too_many.get_or_insert(Lone::Closes(at, bracket));
                        } else if outer > inner && bracket == b'}' {
                            maybe_too_many.get_or_insert(Lone::Closes(at, bracket));
                        }
                    }
                    // What stands between is not closed, unless it is later on.
                    Some(last) if !closed_later(&open[last + 1..], &events[number + 1..]) => {
                        let outermost = open[last + 1].0;
                        match left_open.take_if(|inside| inside.at() > outermost) {
                            Some(culprit) if last + 2 == open.len() => {
                                lone.push(culprit);
                                open.pop();
                            }
                            _ => lone
                                .extend(open.drain(last + 1..).map(|(at, b)| Lone::Opens(at, b))),
                        }
                        pairs.extend(open.pop().map(|(opened, _)| (opened, at)));
                    }
                    _ => {
                        let around = open.last().map_or(0, |(opened, _)| *opened);
                        let inside = |lone: &mut Lone| lone.at() >= around;
                        let culprit = too_many.take_if(inside).or(maybe_too_many.take_if(inside));
                        lone.push(culprit.unwrap_or(Lone::Closes(at, bracket)));
                    }
                }
                if lone.len() >= MOST {
                    break;
                }
            }
        }
    }
    match left_open.filter(|_| !open.is_empty()) {
        Some(culprit) => lone.push(culprit),
        None => lone.extend(open.iter().rev().take(MOST).map(|(at, b)| Lone::Opens(*at, *b))),
    }
    lone.sort_by_key(|l| l.at());
    lone.dedup();
    (lone, pairs)
}

/// Whether the innermost of the brackets that are open has its other half in what follows.
fn closed_later(open: &[(usize, u8)], events: &[Event]) -> bool {
    let mut open: Vec<u8> = open.iter().map(|(_, bracket)| *bracket).collect();
    let outside = open.len().saturating_sub(1);
    for event in events.iter().take(LONGEST) {
        match *event {
            Event::Opens(_, bracket) => open.push(bracket),
            Event::Closes(_, bracket) => {
                if open.pop().is_none_or(|b| other_half(b) != char::from(bracket)) {
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
