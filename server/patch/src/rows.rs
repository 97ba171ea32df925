//! The tiers that match whole lines. They tolerate trailing blanks, indentation, folded characters,
//! inner blanks and blank lines.
//!
//! Candidates are found by comparing keys (hashes) of normalized lines and then verified on the lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::fold::{collapse, fold_line};
use crate::indent::{IndentMap, IndentStyle, Retab};
use crate::lines::{LineEnding, TextLine, indent, is_blank, split_lines, trim, trim_end};
use crate::match_location::{MatchLocation, MatchSet};
use crate::occurrences::{MAX_OCCURRENCES, find_all};
use crate::patch::PatchTexts;
use crate::plan::Strategy;
use crate::quoted::same_outside_strings;
use crate::snapshot::{Snapshot, collapsed_key, folded_key, key};

/// Candidates that are kept; of more, those nearest to the hint.
const MAX_CANDIDATES: usize = 4096;

/// Line comparisons that a tier may make. If that is not enough, the place is ambiguous.
const MAX_LINE_COMPARISONS: usize = 500_000;

/// How lines are normalized before they are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    /// Without blanks at both ends.
    Trimmed,
    /// Trimmed, with typographic characters folded to ASCII.
    Folded,
    /// Folded, with each run of blanks as one.
    Collapsed,
}

/// The lines of a patch.
pub(crate) struct PatchLines<'w> {
    /// The lines of `old_text`, without an unterminated blank one at its end.
    pub(crate) base: Vec<TextLine<'w>>,
    /// The indentations of the non-blank lines of both texts.
    author_indents: Vec<&'w str>,
    /// Whether the patch changes more than blank lines.
    changes_text: bool,
    new: &'w str,
}

impl<'w> PatchLines<'w> {
    pub(crate) fn new(texts: &'w PatchTexts<'_>) -> PatchLines<'w> {
        let base = without_trailing_blank_line(split_lines(&texts.old));
        let author_indents = base
            .iter()
            .map(|text_line| text_line.content)
            .filter(|line| !is_blank(line))
            .map(indent)
            .chain(
                split_lines(&texts.new)
                    .into_iter()
                    .map(|text_line| text_line.content)
                    .filter(|line| !is_blank(line))
                    .map(indent),
            )
            .collect();
        let written = |text: &'w str| {
            split_lines(text)
                .into_iter()
                .map(|text_line| text_line.content)
                .filter(|line| !is_blank(line))
                .collect::<Vec<_>>()
        };
        let changes_text = texts.old == texts.new || written(&texts.old) != written(&texts.new);
        PatchLines { base, author_indents, changes_text, new: &texts.new }
    }

    /// The places whose lines equal those of `old_text` after the tier's normalization.
    pub(crate) fn search(
        &self,
        snapshot: &Snapshot<'_>,
        tier: Tier,
        hint: Option<usize>,
    ) -> MatchSet {
        let (keys, key): (&[u64], fn(&str) -> u64) = match tier {
            Tier::Trimmed => (snapshot.trimmed_keys(), |line| key(trim(line))),
            Tier::Folded => (snapshot.folded_keys(), folded_key),
            Tier::Collapsed => (snapshot.collapsed_keys(), collapsed_key),
        };
        let old_keys: Vec<u64> = self.base.iter().map(|text_line| key(text_line.content)).collect();
        let starts = find_all(keys, &old_keys);
        let lines: Vec<usize> = (0..self.base.len()).collect();
        self.judge_candidates(starts, hint, |start| {
            let rows: Vec<(usize, usize)> =
                lines.iter().map(|&line| (line, start + line)).collect();
            let (strategy, map) = self.judge_rows(snapshot, &rows, tier)?;
            let span = self.span(snapshot, start, self.base.len());
            Some(MatchLocation {
                map,
                whole_lines: true,
                ..MatchLocation::from_span(span, strategy)
            })
        })
    }

    /// Like [`PatchLines::search`], ignoring blank lines on both sides.
    pub(crate) fn search_non_blank(
        &self,
        snapshot: &Snapshot<'_>,
        hint: Option<usize>,
    ) -> MatchSet {
        let mine: Vec<usize> =
            (0..self.base.len()).filter(|&line| !self.base[line].is_blank()).collect();
        // A single line would match anywhere, and a patch that changes blank lines needs exactly
        // the blank lines that it quotes.
        if !self.changes_text || (mine.len() < 2 && self.base.len() == mine.len()) {
            return MatchSet::default();
        }
        let written = snapshot.non_blank_lines();
        let keys = snapshot.folded_keys();
        let keys: Vec<u64> = written.iter().map(|&line| keys[line]).collect();
        let old_keys: Vec<u64> =
            mine.iter().map(|&line| folded_key(self.base[line].content)).collect();
        let hint = hint.map(|line| written.partition_point(|&at| at < line));
        self.judge_candidates(find_all(&keys, &old_keys), hint, |start| {
            let rows: Vec<(usize, usize)> = mine
                .iter()
                .enumerate()
                .map(|(step, &line)| (line, written[start + step]))
                .collect();
            if !gaps_are_close(&rows) {
                return None;
            }
            let (_, map) = self.judge_rows(snapshot, &rows, Tier::Folded)?;
            Some(self.with_blank_lines(snapshot, &rows, map))
        })
    }

    fn with_blank_lines(
        &self,
        snapshot: &Snapshot<'_>,
        rows: &[(usize, usize)],
        map: IndentMap,
    ) -> MatchLocation {
        let lines = snapshot.lines();
        let blank = |line: usize| line < lines.len() && is_blank(lines.content(line));
        let (mut aligned, mut first, mut last) =
            (vec![None; self.base.len()], rows[0].1, rows[rows.len() - 1].1);
        // Blank lines at both ends of `old_text` match as many blank lines as the file has there.
        let lead = rows[0].0;
        for back in 1..=lead {
            if first == 0 || !blank(first - 1) {
                break;
            }
            first -= 1;
            aligned[lead - back] = Some(first);
        }
        for &(mine, line) in rows {
            aligned[mine] = Some(line);
        }
        for pair in rows.windows(2) {
            let ((a, from), (b, to)) = (pair[0], pair[1]);
            for (mine, line) in (a + 1..b).zip(from + 1..to) {
                aligned[mine] = Some(line);
            }
        }
        for slot in &mut aligned[rows[rows.len() - 1].0 + 1..] {
            if !blank(last + 1) {
                break;
            }
            last += 1;
            *slot = Some(last);
        }
        let span = self.span(snapshot, first, last + 1 - first);
        let aligned =
            aligned.into_iter().map(|line: Option<usize>| line.map(|line| line - first)).collect();
        MatchLocation {
            map,
            aligned: Some(aligned),
            whole_lines: true,
            ..MatchLocation::from_span(span, Strategy::BlankLines)
        }
    }

    /// The bytes of whole lines. The last line ending is included only if `old_text` ends with one.
    pub(crate) fn span(&self, snapshot: &Snapshot<'_>, first: usize, count: usize) -> Range<usize> {
        let lines = snapshot.lines();
        let mut span = lines.span(first, count);
        if self.base.last().is_some_and(|text_line| text_line.ending == LineEnding::None) {
            span.end -= lines.ending(first + count - 1).as_str().len();
        }
        span
    }

    /// Verifies candidates within the budget, those nearest to the hint first.
    fn judge_candidates(
        &self,
        mut starts: Vec<usize>,
        hint: Option<usize>,
        mut judge: impl FnMut(usize) -> Option<MatchLocation>,
    ) -> MatchSet {
        let affordable = (MAX_LINE_COMPARISONS / self.base.len().max(1)).clamp(2, MAX_CANDIDATES);
        let more = starts.len() > affordable;
        if starts.len() >= MAX_OCCURRENCES {
            // There may be more about the hint, so nothing can be chosen.
            return MatchSet { places: Vec::new(), more };
        }
        if more {
            if let Some(hint) = hint {
                starts.sort_by_key(|start| start.abs_diff(hint));
            }
            starts.truncate(affordable);
            starts.sort_unstable();
        }
        let mut places: Vec<MatchLocation> = starts.into_iter().filter_map(&mut judge).collect();
        if let Some(best) = places.iter().map(|place| place.strategy).min() {
            places.retain(|place| place.strategy == best);
        }
        MatchSet { places, more }
    }

    /// The strategy and indentation change with which rows (line of `old_text`, line of the file)
    /// are equal; `None` if they are not.
    fn judge_rows(
        &self,
        snapshot: &Snapshot<'_>,
        rows: &[(usize, usize)],
        tier: Tier,
    ) -> Option<(Strategy, IndentMap)> {
        let lines = snapshot.lines();
        let texts =
            || rows.iter().map(|&(mine, line)| (self.base[mine].content, lines.content(line)));
        let same = match tier {
            Tier::Trimmed => texts().all(|(old, file)| trim(old) == trim(file)),
            Tier::Folded => {
                texts().all(|(old, file)| trim(&fold_line(old)) == trim(&fold_line(file)))
            }
            Tier::Collapsed => {
                texts().all(|(old, file)| {
                    collapse(trim(&fold_line(old))) == collapse(trim(&fold_line(file)))
                }) && same_outside_strings(&snapshot.text[..lines.range(rows[0].1).start], texts())
            }
        };
        if !same {
            return None;
        }
        if tier == Tier::Trimmed && texts().all(|(old, file)| trim_end(old) == trim_end(file)) {
            return Some((Strategy::TrailingBlanks, IndentMap::Identity));
        }
        let (map, first_line) = self.fit(snapshot, rows, None)?;
        let strategy = match tier {
            Tier::Trimmed if first_line => Strategy::FirstLine,
            Tier::Trimmed => Strategy::Indentation,
            Tier::Folded => Strategy::Unicode,
            Tier::Collapsed => Strategy::InnerBlanks,
        };
        Some((strategy, map))
    }

    /// Whether `new_text` is indented from column zero although `old_text`, after its first line, has
    /// the file's indentation: `new_text` has lines less deep than the place, which `old_text` never
    /// has, and keeps none of its lines.
    fn is_new_text_from_zero(&self, depth: &str) -> bool {
        let written = |line: &&str| !is_blank(line);
        let below: Vec<&str> =
            self.base.iter().skip(1).map(|text_line| text_line.content).filter(written).collect();
        let new: Vec<&str> = split_lines(self.new)
            .into_iter()
            .map(|text_line| text_line.content)
            .filter(written)
            .collect();
        let is_outside = |line: &&str| !indent(line).starts_with(depth);
        new.first().is_some_and(|line| indent(line).is_empty())
            && new.iter().skip(1).any(is_outside)
            && !below.iter().any(is_outside)
            && !new.iter().any(|line| below.contains(line))
    }

    /// One indentation map for all rows, or for all but a first line that was quoted without
    /// indentation; the flag reports the second case. `near` is the file's style, for lines deeper
    /// than those of the rows.
    pub(crate) fn fit(
        &self,
        snapshot: &Snapshot<'_>,
        rows: &[(usize, usize)],
        near: Option<IndentStyle>,
    ) -> Option<(IndentMap, bool)> {
        let lines = snapshot.lines();
        let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = rows
            .iter()
            .filter(|&&(mine, _)| !self.base[mine].is_blank())
            .map(|&(mine, line)| (lead(self.base[mine].content), lead(lines.content(line))))
            .collect();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(old, file)| (&**old, &**file)).collect();
        if let Some(map) = IndentMap::fit(&pairs, &self.author_indents, near) {
            return Some((map, false));
        }
        let ((old, file), rest) = pairs.split_first()?;
        if old.is_empty() && !file.is_empty() && !rest.is_empty() {
            let map = IndentMap::fit(rest, &self.author_indents, near)?;
            let from_zero = map == IndentMap::Identity && self.is_new_text_from_zero(file);
            let add = || IndentMap::Add { prefix: (*file).to_owned(), retab: Retab::Keep };
            return Some((if from_zero { add() } else { map }, true));
        }
        None
    }
}

/// The indentation of a line, with Unicode blanks as ASCII ones.
fn lead(line: &str) -> Cow<'_, str> {
    let ascii = indent(line);
    if line[ascii.len()..].chars().next().is_none_or(|c| c.is_ascii()) {
        return Cow::Borrowed(ascii);
    }
    let folded = fold_line(line);
    Cow::Owned(indent(&folded).to_owned())
}

/// Drops an unterminated blank line at the end, an artifact of how messages are laid out.
pub(crate) fn without_trailing_blank_line(mut text_lines: Vec<TextLine<'_>>) -> Vec<TextLine<'_>> {
    if text_lines.len() > 1
        && text_lines
            .last()
            .is_some_and(|text_line| text_line.ending == LineEnding::None && text_line.is_blank())
    {
        text_lines.pop();
    }
    text_lines
}

/// Blank lines that may be missing or additional between two lines.
const MAX_BLANK_LINE_DIFFERENCE: usize = 3;

fn gaps_are_close(rows: &[(usize, usize)]) -> bool {
    rows.windows(2).all(|pair| {
        (pair[1].0 - pair[0].0).abs_diff(pair[1].1 - pair[0].1) <= MAX_BLANK_LINE_DIFFERENCE
    })
}
