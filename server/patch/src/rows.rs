//! Places that are whole lines: blanks at line ends, indentation, folded characters, inner
//! blanks and blank lines.

use std::borrow::Cow;
use std::ops::Range;

use crate::fold::{collapse, fold_line};
use crate::indent::{IndentMap, Retab, Style};
use crate::lines::{Ending, Piece, indent, is_blank, pieces, trim, trim_end};
use crate::occurrences::{LIMIT, of_keys};
use crate::places::{Found, Place, Wanted};
use crate::plan::Strategy;
use crate::quoted::same_outside_strings;
use crate::snapshot::{Snapshot, collapsed_key, folded_key, key};

/// Candidates that are kept; of more, those about the hint.
const KEPT: usize = 4096;

/// Line comparisons a tier may spend before it calls the place ambiguous.
const BUDGET: usize = 500_000;

/// What must hold beyond equal keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tier {
    Trimmed,
    Folded,
    Collapsed,
}

/// `old_text` as lines, without surplus at its end.
pub(crate) struct WantedLines<'w> {
    pub(crate) base: Vec<Piece<'w>>,
    /// Indentations of both texts.
    author: Vec<&'w str>,
    /// Whether more than blank lines changes.
    rewrites: bool,
    new: &'w str,
}

impl<'w> WantedLines<'w> {
    pub(crate) fn new(wanted: &'w Wanted<'_>) -> WantedLines<'w> {
        let base = without_surplus(pieces(&wanted.old));
        let author = base
            .iter()
            .map(|piece| piece.content)
            .filter(|line| !is_blank(line))
            .map(indent)
            .chain(
                pieces(&wanted.new)
                    .into_iter()
                    .map(|piece| piece.content)
                    .filter(|line| !is_blank(line))
                    .map(indent),
            )
            .collect();
        let written = |text: &'w str| {
            pieces(text)
                .into_iter()
                .map(|piece| piece.content)
                .filter(|line| !is_blank(line))
                .collect::<Vec<_>>()
        };
        let rewrites = wanted.old == wanted.new || written(&wanted.old) != written(&wanted.new);
        WantedLines { base, author, rewrites, new: &wanted.new }
    }

    /// Whole lines that are those of `old_text` when the tier's differences are overlooked.
    pub(crate) fn search(&self, snapshot: &Snapshot<'_>, tier: Tier, hint: Option<usize>) -> Found {
        let (keys, key): (&[u64], fn(&str) -> u64) = match tier {
            Tier::Trimmed => (snapshot.trimmed_keys(), |line| key(trim(line))),
            Tier::Folded => (snapshot.folded_keys(), folded_key),
            Tier::Collapsed => (snapshot.collapsed_keys(), collapsed_key),
        };
        let wanted: Vec<u64> = self.base.iter().map(|piece| key(piece.content)).collect();
        let starts = of_keys(keys, &wanted);
        let lines: Vec<usize> = (0..self.base.len()).collect();
        self.judged(starts, hint, |start| {
            let rows: Vec<(usize, usize)> =
                lines.iter().map(|&line| (line, start + line)).collect();
            let (strategy, map) = self.judge(snapshot, &rows, tier)?;
            let span = self.span(snapshot, start, self.base.len());
            Some(Place { map, whole_lines: true, ..Place::text(span, strategy) })
        })
    }

    /// Like [`WantedLines::search`], with blank lines passed over on both sides.
    pub(crate) fn search_written(&self, snapshot: &Snapshot<'_>, hint: Option<usize>) -> Found {
        let mine: Vec<usize> =
            (0..self.base.len()).filter(|&line| !self.base[line].is_blank()).collect();
        // One line alone is not held together by anything, and a change of blank lines
        // needs those that it changes.
        if !self.rewrites || (mine.len() < 2 && self.base.len() == mine.len()) {
            return Found::default();
        }
        let written = snapshot.written();
        let keys = snapshot.folded_keys();
        let keys: Vec<u64> = written.iter().map(|&line| keys[line]).collect();
        let wanted: Vec<u64> =
            mine.iter().map(|&line| folded_key(self.base[line].content)).collect();
        let hint = hint.map(|line| written.partition_point(|&at| at < line));
        self.judged(of_keys(&keys, &wanted), hint, |start| {
            let rows: Vec<(usize, usize)> = mine
                .iter()
                .enumerate()
                .map(|(step, &line)| (line, written[start + step]))
                .collect();
            if !gaps_are_close(&rows) {
                return None;
            }
            let (_, map) = self.judge(snapshot, &rows, Tier::Folded)?;
            Some(self.with_blank_lines(snapshot, &rows, map))
        })
    }

    fn with_blank_lines(
        &self,
        snapshot: &Snapshot<'_>,
        rows: &[(usize, usize)],
        map: IndentMap,
    ) -> Place {
        let lines = snapshot.lines();
        let blank = |line: usize| line < lines.len() && is_blank(lines.content(line));
        let (mut aligned, mut first, mut last) =
            (vec![None; self.base.len()], rows[0].1, rows[rows.len() - 1].1);
        // Blank lines at either end of `old_text` take the file's, as far as there are any.
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
        Place {
            map,
            aligned: Some(aligned),
            whole_lines: true,
            ..Place::text(span, Strategy::BlankLines)
        }
    }

    /// The bytes of whole lines; the last ending belongs to them if `old_text` has one.
    pub(crate) fn span(&self, snapshot: &Snapshot<'_>, first: usize, count: usize) -> Range<usize> {
        let lines = snapshot.lines();
        let mut span = lines.span(first, count);
        if self.base.last().is_some_and(|piece| piece.ending == Ending::None) {
            span.end -= lines.ending(first + count - 1).as_str().len();
        }
        span
    }

    /// Judges candidates, the nearest to the hint first, as far as the budget goes.
    fn judged(
        &self,
        mut starts: Vec<usize>,
        hint: Option<usize>,
        mut judge: impl FnMut(usize) -> Option<Place>,
    ) -> Found {
        let affordable = (BUDGET / self.base.len().max(1)).clamp(2, KEPT);
        let more = starts.len() > affordable;
        if starts.len() >= LIMIT {
            // There may be more about the hint, so nothing can be chosen.
            return Found { places: Vec::new(), more };
        }
        if more {
            if let Some(hint) = hint {
                starts.sort_by_key(|start| start.abs_diff(hint));
            }
            starts.truncate(affordable);
            starts.sort_unstable();
        }
        let mut places: Vec<Place> = starts.into_iter().filter_map(&mut judge).collect();
        if let Some(best) = places.iter().map(|place| place.strategy).min() {
            places.retain(|place| place.strategy == best);
        }
        Found { places, more }
    }

    /// What has to be overlooked for these rows (line of old, line of the file) to be the
    /// same; `None` if they are not.
    fn judge(
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

    /// Whether `new_text` is written from the margin, though the lines of `old_text` below its first
    /// are as deep as the file's: it goes less deep than the place, which `old_text` never does, and
    /// keeps none of those lines.
    fn is_new_text_from_zero(&self, depth: &str) -> bool {
        let written = |line: &&str| !is_blank(line);
        let below: Vec<&str> =
            self.base.iter().skip(1).map(|piece| piece.content).filter(written).collect();
        let new: Vec<&str> =
            pieces(self.new).into_iter().map(|piece| piece.content).filter(written).collect();
        let is_outside = |line: &&str| !indent(line).starts_with(depth);
        new.first().is_some_and(|line| indent(line).is_empty())
            && new.iter().skip(1).any(is_outside)
            && !below.iter().any(is_outside)
            && !new.iter().any(|line| below.contains(line))
    }

    /// One map for the indentation of all rows, or of all but a first line that was given
    /// without any.
    /// `near` is needed only to write lines deeper than those of the rows.
    pub(crate) fn fit(
        &self,
        snapshot: &Snapshot<'_>,
        rows: &[(usize, usize)],
        near: Option<Style>,
    ) -> Option<(IndentMap, bool)> {
        let lines = snapshot.lines();
        let pairs: Vec<(Cow<'_, str>, Cow<'_, str>)> = rows
            .iter()
            .filter(|&&(mine, _)| !self.base[mine].is_blank())
            .map(|&(mine, line)| (lead(self.base[mine].content), lead(lines.content(line))))
            .collect();
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(old, file)| (&**old, &**file)).collect();
        if let Some(map) = IndentMap::fit(&pairs, &self.author, near) {
            return Some((map, false));
        }
        let ((old, file), rest) = pairs.split_first()?;
        if old.is_empty() && !file.is_empty() && !rest.is_empty() {
            let map = IndentMap::fit(rest, &self.author, near)?;
            let from_zero = map == IndentMap::Identity && self.is_new_text_from_zero(file);
            let add = || IndentMap::Add { prefix: (*file).to_owned(), retab: Retab::Keep };
            return Some((if from_zero { add() } else { map }, true));
        }
        None
    }
}

/// The indentation of a line, with the blanks of Unicode as plain ones.
fn lead(line: &str) -> Cow<'_, str> {
    let ascii = indent(line);
    if line[ascii.len()..].chars().next().is_none_or(|c| c.is_ascii()) {
        return Cow::Borrowed(ascii);
    }
    let folded = fold_line(line);
    Cow::Owned(indent(&folded).to_owned())
}

/// Drops an unterminated blank line at the end, as left by the layout of a message.
pub(crate) fn without_surplus(mut pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    if pieces.len() > 1
        && pieces.last().is_some_and(|piece| piece.ending == Ending::None && piece.is_blank())
    {
        pieces.pop();
    }
    pieces
}

/// Blank lines that may be missing or surplus in one gap.
const GAP: usize = 3;

fn gaps_are_close(rows: &[(usize, usize)]) -> bool {
    rows.windows(2).all(|pair| (pair[1].0 - pair[0].0).abs_diff(pair[1].1 - pair[0].1) <= GAP)
}
