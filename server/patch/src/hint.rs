//! Line hints: they rank the candidates of the deciding tier and nothing else.

use std::ops::RangeInclusive;

use crate::patch::Patch;

/// The furthest a nearest candidate may be from the hint, in lines.
const REACH: usize = 50;

/// What the hints make of the candidates.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// This one, so many lines away from the hint.
    One {
        index: usize,
        off_by: Option<usize>,
    },
    Ambiguous,
}

/// The lines a patch names, 1-based; `None` without a usable hint.
pub(crate) fn lines_of(patch: &Patch) -> Option<RangeInclusive<usize>> {
    match (patch.start_line, patch.end_line) {
        (Some(start), Some(end)) if start <= end => Some(start..=end),
        (Some(_), Some(_)) | (None, None) => None,
        (Some(line), None) | (None, Some(line)) => Some(line..=line),
    }
}

/// Lines between a place and the hinted lines; 0 if they meet.
pub(crate) fn distance(place: &RangeInclusive<usize>, hint: &RangeInclusive<usize>) -> usize {
    if place.end() < hint.start() {
        hint.start() - place.end()
    } else {
        place.start().saturating_sub(*hint.end())
    }
}

/// Chooses among the 1-based line ranges `places`.
///
/// One candidate needs no hint. Of several, the one that meets the hinted lines is
/// chosen; if several meet them, the one that begins exactly there; if none does, the
/// nearest if it is near and the next is clearly farther.
pub(crate) fn choose(places: &[RangeInclusive<usize>], patch: &Patch) -> Choice {
    let hint = lines_of(patch);
    if let [place] = places {
        let off_by = hint.map(|hint| match patch.start_line {
            Some(start) => place.start().abs_diff(start),
            None => distance(place, &hint),
        });
        return Choice::One { index: 0, off_by: off_by.filter(|&lines| lines > 0) };
    }
    let Some(hint) = hint else { return Choice::Ambiguous };
    let only = |wanted: &dyn Fn(&RangeInclusive<usize>) -> bool| {
        let mut found = places.iter().enumerate().filter(|(_, place)| wanted(place));
        let first = found.next().map(|(index, _)| index);
        (first, found.next().is_some())
    };
    match only(&|place| distance(place, &hint) == 0) {
        (Some(index), false) => {
            let off_by = patch.start_line.map(|start| places[index].start().abs_diff(start));
            return Choice::One { index, off_by: off_by.filter(|&lines| lines > 0) };
        }
        (Some(_), true) => {
            // With both ends named, both must fit; the end may count an ending too many.
            let exact = only(&|place| {
                patch.start_line.is_none_or(|start| *place.start() == start)
                    && match patch.end_line {
                        Some(end) if patch.start_line.is_some() => place.end().abs_diff(end) <= 1,
                        Some(end) => *place.end() == end,
                        None => true,
                    }
            });
            return match exact {
                (Some(index), false) => Choice::One { index, off_by: None },
                _ => Choice::Ambiguous,
            };
        }
        (None, _) => {}
    }
    let mut ranked: Vec<(usize, usize)> =
        places.iter().enumerate().map(|(index, place)| (distance(place, &hint), index)).collect();
    ranked.sort_unstable();
    match ranked[..] {
        [(near, index), (next, _), ..] if near <= REACH && next >= 2 * near + 3 => {
            Choice::One { index, off_by: Some(near) }
        }
        _ => Choice::Ambiguous,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize) -> Patch {
        Patch::new("", "").at_line(line)
    }

    #[test]
    fn the_one_at_the_hint() {
        let places = [1..=1, 10..=12, 20..=22];
        assert_eq!(choose(&places, &at(11)), Choice::One { index: 1, off_by: Some(1) });
        assert_eq!(choose(&places, &at(10)), Choice::One { index: 1, off_by: None });
    }

    #[test]
    fn equally_near_is_ambiguous() {
        assert_eq!(choose(&[1..=1, 5..=5], &at(3)), Choice::Ambiguous);
        assert_eq!(choose(&[1..=1, 5..=5], &at(2)), Choice::Ambiguous);
        assert_eq!(choose(&[1..=1, 9..=9], &at(2)), Choice::One { index: 0, off_by: Some(1) });
        assert_eq!(choose(&[1..=1, 9..=9], &Patch::default()), Choice::Ambiguous);
        assert_eq!(choose(&[100..=100, 900..=900], &at(1)), Choice::Ambiguous);
    }

    #[test]
    fn overlapping_candidates_need_the_exact_line() {
        assert_eq!(choose(&[3..=5, 4..=6, 5..=7], &at(5)), Choice::One { index: 2, off_by: None });
        assert_eq!(choose(&[2..=5, 4..=6], &at(5)), Choice::Ambiguous);
    }

    #[test]
    fn a_stale_hint_does_not_hinder_the_only_one() {
        assert_eq!(choose(&[7..=9], &at(70)), Choice::One { index: 0, off_by: Some(63) });
        let reversed = Patch { start_line: Some(9), end_line: Some(2), ..Patch::default() };
        assert_eq!(choose(&[1..=1, 9..=9], &reversed), Choice::Ambiguous);
    }
}
