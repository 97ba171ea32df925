//! Finds matching lines in a text, with context lines.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use grep_matcher::{LineMatchKind, Matcher};
use memchr::{memchr, memchr_iter, memrchr};

use super::page::{Cost, Hit, json_bytes};
use super::pattern::Pattern;

/// Longest line that is returned whole, in bytes; and for longer lines, the bytes before the
/// match.
const MAX_LINE_BYTES: usize = 1_000;
const BYTES_BEFORE_MATCH: usize = 200;
/// Bytes searched between two checks of the interrupt flag.
const STEP_BYTES: usize = 1 << 20;

/// A matching line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineHit {
    pub(super) line_number: u64,
    /// Last line of the match; differs from `line_number` only if it spans lines.
    pub(super) end_line: u64,
    /// 1-based column of the match, in UTF-16 units, if known.
    pub(super) column: Option<usize>,
    pub(super) line: String,
    /// The line is longer than the returned part.
    pub(super) cut: bool,
    pub(super) before: Vec<String>,
    pub(super) after: Vec<String>,
}

/// The result for one file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Searched, with its matching lines.
    Searched(Vec<LineHit>),
    /// Not text.
    Binary,
    /// Unreadable, or too large for this search.
    Unread,
}

impl Hit for LineHit {
    fn cost(&self) -> Cost {
        let around = self.before.iter().chain(&self.after);
        let bytes: usize = around.map(|line| json_bytes(line) + 3).sum();
        let bytes = bytes + json_bytes(&self.line) + 120;
        let lines = usize::try_from(self.end_line - self.line_number).unwrap_or(0) + 1;
        Cost { bytes, lines: lines + self.before.len() + self.after.len() }
    }

    fn line(&self) -> u64 {
        self.line_number
    }
}

/// Which matches to return.
#[derive(Debug, Clone, Copy)]
pub(super) struct HitLimits {
    /// Context lines before and after each match.
    pub(super) context: usize,
    /// Only lines after this one.
    pub(super) after_line: u64,
    /// Limit for the number of matches.
    pub(super) max_hits: usize,
}

/// A part of a text: whole lines, except for the text's last one.
#[derive(Debug, Clone)]
pub(super) struct Piece<'b> {
    /// The bytes in memory.
    pub(super) bytes: &'b [u8],
    /// The part to search; the rest is context.
    pub(super) region: Range<usize>,
    /// Line number of the region's first line.
    pub(super) first_line: u64,
}

/// The matches so far.
#[derive(Debug, Default)]
pub(super) struct LineHits {
    pub(super) hits: Vec<LineHit>,
    room: Cost,
}

impl LineHits {
    /// Whether the page is full.
    pub(super) fn is_enough(&self, limits: HitLimits) -> bool {
        self.hits.len() >= limits.max_hits || self.room.is_over()
    }

    pub(super) fn push(&mut self, hit: LineHit) {
        self.room.add(hit.cost());
        self.hits.push(hit);
    }
}

/// Adds the matching lines of `piece` to `found` until it is full or `interrupt` is set. O(text)
/// for any pattern.
pub(super) fn search(
    pattern: &Pattern,
    piece: &Piece<'_>,
    limits: HitLimits,
    interrupt: &AtomicBool,
    found: &mut LineHits,
) {
    if pattern.multiline {
        return across_lines(pattern, piece, limits, interrupt, found);
    }
    let Range { start, end } = piece.region;
    let text = &piece.bytes[..end];
    let mut lines = LineCounter { text, at: start, line: piece.first_line };
    let mut pos = start;
    while pos < end && !interrupt.load(Ordering::Relaxed) {
        let stop = match text.get(pos + STEP_BYTES..).map(|rest| memchr(b'\n', rest)) {
            Some(Some(newline)) => pos + STEP_BYTES + newline + 1,
            _ => end,
        };
        let Ok(Some(at)) = pattern.matcher.find_candidate_line(&text[pos..stop]) else {
            pos = stop;
            continue;
        };
        let (LineMatchKind::Confirmed(at) | LineMatchKind::Candidate(at)) = at;
        let at = pos + at;
        let line_start = memrchr(b'\n', &text[pos..at]).map_or(pos, |newline| pos + newline + 1);
        let line_end = memchr(b'\n', &text[at..stop]).map_or(stop, |newline| at + newline + 1);
        pos = line_end;
        let line = trimmed(&text[line_start..line_end]);
        // An empty match after the last line ending is not in a line.
        if line_start == line_end {
            continue;
        }
        let Some(hit) = pattern.find(line, 0) else { continue };
        let number = lines.number_at(line_start);
        if number > limits.after_line {
            found.push(piece.hit(line_start..line_end, &hit, (number, number), limits.context));
            if found.is_enough(limits) {
                return;
            }
        }
    }
}

/// Finds matches that may span lines; each belongs to the line in which it begins.
fn across_lines(
    pattern: &Pattern,
    piece: &Piece<'_>,
    limits: HitLimits,
    interrupt: &AtomicBool,
    found: &mut LineHits,
) {
    let text = &piece.bytes[..piece.region.end];
    let mut lines = LineCounter { text, at: piece.region.start, line: piece.first_line };
    let mut pos = piece.region.start;
    while pos < text.len() && !interrupt.load(Ordering::Relaxed) {
        let Some(hit) = pattern.find(text, pos) else { return };
        if hit.start == text.len() && text.last() == Some(&b'\n') {
            return;
        }
        let start = memrchr(b'\n', &text[..hit.start]).map_or(0, |newline| newline + 1);
        let last = hit.end.max(hit.start + 1) - 1;
        let end = memchr(b'\n', &text[last.min(text.len())..])
            .map_or(text.len(), |newline| last + newline + 1);
        let number = lines.number_at(start);
        let end_line = number + newlines(trimmed(&text[start..end]));
        if number > limits.after_line {
            let in_line = hit.start - start..hit.end - start;
            found.push(piece.hit(start..end, &in_line, (number, end_line), limits.context));
            if found.is_enough(limits) {
                return;
            }
        }
        pos = end;
    }
}

impl Piece<'_> {
    /// The match at `span`, which covers one line or several.
    fn hit(
        &self,
        span: Range<usize>,
        hit: &Range<usize>,
        (line_number, end_line): (u64, u64),
        context: usize,
    ) -> LineHit {
        let whole = trimmed(&self.bytes[span.clone()]);
        let (line, cut) = display_line(whole, hit);
        let column = utf16_units(&whole[..hit.start.min(whole.len())]) + 1;
        let mut before = Vec::new();
        let mut start = span.start;
        while before.len() < context && start > 0 {
            let above = memrchr(b'\n', &self.bytes[..start - 1]).map_or(0, |newline| newline + 1);
            before.push(clipped(trimmed(&self.bytes[above..start])));
            start = above;
        }
        before.reverse();
        let mut after = Vec::new();
        let mut end = span.end;
        while after.len() < context && end < self.bytes.len() {
            let next = memchr(b'\n', &self.bytes[end..])
                .map_or(self.bytes.len(), |newline| end + newline + 1);
            after.push(clipped(trimmed(&self.bytes[end..next])));
            end = next;
        }
        LineHit { line_number, end_line, column: Some(column), line, cut, before, after }
    }
}

/// The returned part of a line with a match, and whether it was cut.
pub(super) fn display_line(line: &[u8], hit: &Range<usize>) -> (String, bool) {
    if line.len() <= MAX_LINE_BYTES {
        return (String::from_utf8_lossy(line).into_owned(), false);
    }
    let start =
        if hit.end <= MAX_LINE_BYTES { 0 } else { hit.start.saturating_sub(BYTES_BEFORE_MATCH) };
    let start = boundary(line, start.min(line.len()));
    let end = boundary(line, (start + MAX_LINE_BYTES).min(line.len()));
    (String::from_utf8_lossy(&line[start..end]).into_owned(), true)
}

/// The returned part of a context line.
fn clipped(line: &[u8]) -> String {
    if line.len() <= MAX_LINE_BYTES {
        return String::from_utf8_lossy(line).into_owned();
    }
    let end = boundary(line, MAX_LINE_BYTES / 2);
    let left_out = line.len() - end;
    format!("{} [left out: {left_out} bytes]", String::from_utf8_lossy(&line[..end]))
}

/// The start of the UTF-8 character at `at`.
fn boundary(line: &[u8], at: usize) -> usize {
    let is_inside = |at: usize| line.get(at).is_some_and(|byte| byte & 0xC0 == 0x80);
    (at.saturating_sub(3)..=at).rev().find(|&at| !is_inside(at)).unwrap_or(at)
}

/// A line without its line ending.
fn trimmed(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

fn utf16_units(bytes: &[u8]) -> usize {
    if bytes.is_ascii() {
        return bytes.len();
    }
    String::from_utf8_lossy(bytes).chars().map(char::len_utf16).sum()
}

pub(super) fn newlines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// Counts lines lazily.
struct LineCounter<'t> {
    text: &'t [u8],
    at: usize,
    line: u64,
}

impl LineCounter<'_> {
    /// The number of the line that starts at `start`; `start` must not decrease between calls.
    fn number_at(&mut self, start: usize) -> u64 {
        if start > self.at {
            self.line += newlines(&self.text[self.at..start]);
            self.at = start;
        }
        self.line
    }
}

/// Replaces lone CRs by LF, so lines are counted as editors count them. The last byte is left
/// alone unless `is_end`, because a LF may follow.
pub(super) fn end_lines_alike(bytes: &mut [u8], is_end: bool) {
    let mut at = 0;
    while let Some(found) = memchr(b'\r', &bytes[at..]) {
        at += found + 1;
        let is_lone = match bytes.get(at) {
            Some(next) => *next != b'\n',
            None => is_end,
        };
        if is_lone {
            bytes[at - 1] = b'\n';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::pattern::PatternOptions;
    use super::*;

    static GO: AtomicBool = AtomicBool::new(false);
    const ALL: HitLimits = HitLimits { context: 0, after_line: 0, max_hits: usize::MAX };

    fn found(pattern: &str, multiline: bool, text: &str, limits: HitLimits) -> Vec<LineHit> {
        let options =
            PatternOptions { case_sensitive: true, whole_word: false, literal: false, multiline };
        let pattern = Pattern::new("t", pattern, options).unwrap();
        let piece = Piece { bytes: text.as_bytes(), region: 0..text.len(), first_line: 1 };
        let mut found = LineHits::default();
        search(&pattern, &piece, limits, &GO, &mut found);
        found.hits
    }

    fn lines(pattern: &str, text: &str) -> Vec<(u64, String)> {
        let hits = found(pattern, false, text, ALL);
        hits.into_iter().map(|hit| (hit.line_number, hit.line)).collect()
    }

    #[test]
    fn finds_matching_lines() {
        for (pattern, text, expected) in [
            ("b", "a\nb\nab\n", vec![(2, "b"), (3, "ab")]),
            ("b$", "b\r\nab\r\nba", vec![(1, "b"), (2, "ab")]),
            ("^", "a\n\nb", vec![(1, "a"), (2, ""), (3, "b")]),
            ("$", "a\n", vec![(1, "a")]),
            ("x*", "", vec![]),
            ("[^a]", "a\na\n", vec![]),
            ("\\w+ foo \\w+", "x foo y\n foo \nx foo z", vec![(1, "x foo y"), (3, "x foo z")]),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(n, line)| (n, line.to_owned())).collect();
            assert_eq!(lines(pattern, text), expected, "{pattern:?} in {text:?}");
        }
    }

    #[test]
    fn every_line_is_found_across_steps() {
        let line = format!("{}needle\n", "x".repeat(993));
        let text = line.repeat(3_000);
        let numbers: Vec<_> = lines("needle", &text).into_iter().map(|(n, _)| n).collect();
        // The budget ends the page before the text ends.
        assert!(numbers.len() > 40 && numbers.iter().copied().eq(1..=numbers.len() as u64));
        let rare = format!("{}{}rare\n{text}", text, text);
        assert_eq!(lines("rare", &rare)[0].0, 6_001);
    }

    #[test]
    fn context_stays_within_the_text() {
        let limits = HitLimits { context: 2, ..ALL };
        let hits = found("hit", false, "hit\r\nb\nc\nd\nhit", limits);
        assert_eq!((hits[0].before.len(), &hits[0].after[..]), (0, &["b".into(), "c".into()][..]));
        assert_eq!((&hits[1].before[..], hits[1].after.len()), (&["c".into(), "d".into()][..], 0));
    }

    #[test]
    fn matches_across_lines_count_for_their_first() {
        let hits = found("b\nc|d", true, "a\nb\nc d\nd\n", ALL);
        let all: Vec<_> =
            hits.iter().map(|h| (h.line_number, h.end_line, h.line.as_str())).collect();
        assert_eq!(all, [(2, 3, "b\nc d"), (4, 4, "d")]);
        assert_eq!(found("x*", true, "", ALL), []);
        assert_eq!(found("\\n", true, "a\n\nb", ALL).len(), 2);
    }

    #[test]
    fn columns_are_utf16_and_long_lines_are_cut_around_the_match() {
        assert_eq!(found("b", false, "\u{1f600}\u{e9}b", ALL)[0].column, Some(4));
        let long = format!("{}needle{}", "\u{e9}".repeat(50_000), "y".repeat(50_000));
        let hit = &found("needle", false, &long, ALL)[0];
        assert!(hit.cut && hit.line.contains("needle") && hit.line.len() <= MAX_LINE_BYTES);
        assert_eq!(hit.column, Some(50_001));
    }

    #[test]
    fn a_lone_cr_ends_a_line() {
        let mut text = b"a\rb\r\nc\r".to_vec();
        end_lines_alike(&mut text, false);
        assert_eq!(text, b"a\nb\r\nc\r");
        end_lines_alike(&mut text, true);
        assert_eq!(text, b"a\nb\r\nc\n");
    }
}
