//! Line hints choose among the candidates of the deciding tier.
//!
//! A hint that names no candidate exactly is often stale: lines were inserted above, and the number
//! may be closer to a wrong candidate. So a hint chooses only a candidate that it names, or one that
//! it misses by a line or two while all others are far away.

use std::ops::RangeInclusive;

use crate::patch::Patch;

/// Lines by which a hint may miss the candidate that it chooses.
const MAX_OFFSET: usize = 2;

/// The other candidates must then be further away than this, in lines.
const MIN_DISTANCE_OF_OTHERS: usize = 40;

/// The candidate that the hints choose.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HintChoice {
    /// The candidate at `index`; `off_by` is its distance from a hint that missed.
    One {
        index: usize,
        off_by: Option<usize>,
    },
    Ambiguous,
}

/// The 1-based lines that a patch hints at; `None` without a usable hint.
pub(crate) fn hinted_lines(patch: &Patch) -> Option<RangeInclusive<usize>> {
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
/// One candidate needs no hint. Of several, the one that begins (or, without a first line, ends)
/// at the hint is chosen, or one that nearly does if the others are far away.
pub(crate) fn choose(places: &[RangeInclusive<usize>], patch: &Patch) -> HintChoice {
    let hint = hinted_lines(patch);
    let off = |place: &RangeInclusive<usize>| match (patch.start_line, patch.end_line) {
        (Some(start), _) => place.start().abs_diff(start),
        (None, Some(end)) => place.end().abs_diff(end),
        (None, None) => 0,
    };
    if let [place] = places {
        let off_by = hint.map(|_| off(place));
        return HintChoice::One { index: 0, off_by: off_by.filter(|&lines| lines > 0) };
    }
    if hint.is_none() {
        return HintChoice::Ambiguous;
    }
    // With both lines given, both must fit. `end_line` may be one off: some count the line after
    // the last line ending.
    let fits = |place: &RangeInclusive<usize>| match (patch.start_line, patch.end_line) {
        (Some(_), Some(end)) => place.end().abs_diff(end) <= 1,
        _ => true,
    };
    let mut ranked: Vec<(usize, bool, usize)> =
        places.iter().enumerate().map(|(index, place)| (off(place), !fits(place), index)).collect();
    ranked.sort_unstable();
    match ranked[..] {
        [(0, misfit, index), (next, other, _), ..] if next > 0 || (other && !misfit) => {
            HintChoice::One { index, off_by: None }
        }
        [(near, _, index), (next, ..), ..]
            if (1..=MAX_OFFSET).contains(&near) && next > MIN_DISTANCE_OF_OTHERS =>
        {
            HintChoice::One { index, off_by: Some(near) }
        }
        _ => HintChoice::Ambiguous,
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
        let places = [1..=1, 10..=12, 60..=62];
        assert_eq!(choose(&places, &at(61)), HintChoice::One { index: 2, off_by: Some(1) });
        assert_eq!(choose(&places, &at(11)), HintChoice::Ambiguous);
        assert_eq!(choose(&places, &at(10)), HintChoice::One { index: 1, off_by: None });
    }

    #[test]
    fn equally_near_is_ambiguous() {
        assert_eq!(choose(&[1..=1, 5..=5], &at(3)), HintChoice::Ambiguous);
        assert_eq!(choose(&[1..=1, 5..=5], &at(2)), HintChoice::Ambiguous);
        assert_eq!(choose(&[1..=1, 9..=9], &at(2)), HintChoice::Ambiguous);
        assert_eq!(
            choose(&[1..=1, 90..=90], &at(2)),
            HintChoice::One { index: 0, off_by: Some(1) }
        );
        assert_eq!(choose(&[1..=1, 9..=9], &Patch::default()), HintChoice::Ambiguous);
        assert_eq!(choose(&[100..=100, 900..=900], &at(1)), HintChoice::Ambiguous);
    }

    #[test]
    fn overlapping_candidates_need_the_exact_line() {
        assert_eq!(
            choose(&[3..=5, 4..=6, 5..=7], &at(5)),
            HintChoice::One { index: 2, off_by: None }
        );
        assert_eq!(choose(&[2..=5, 4..=6], &at(5)), HintChoice::Ambiguous);
        let both = |start, end| Patch { start_line: Some(start), end_line: Some(end), ..at(0) };
        assert_eq!(
            choose(&[4..=6, 4..=9], &both(4, 9)),
            HintChoice::One { index: 1, off_by: None }
        );
        assert_eq!(choose(&[4..=6, 4..=6], &both(4, 6)), HintChoice::Ambiguous);
    }

    #[test]
    fn a_stale_hint_does_not_hinder_the_only_one() {
        assert_eq!(choose(&[7..=9], &at(70)), HintChoice::One { index: 0, off_by: Some(63) });
        let reversed = Patch { start_line: Some(9), end_line: Some(2), ..Patch::default() };
        assert_eq!(choose(&[1..=1, 9..=9], &reversed), HintChoice::Ambiguous);
    }
}
