//! The text that all patches of a call are matched against, with indexes that are built when a
//! tier first needs them.

use std::cell::{OnceCell, RefCell};
use std::hash::Hasher;
use std::ops::{Range, RangeInclusive};

use rustc_hash::{FxHashMap, FxHasher};

use crate::code_tokens::{Token, scan};
use crate::eol::LfText;
use crate::fold::{FoldedText, collapse, fold_line};
use crate::indent::IndentStyle;
use crate::lines::{LineEnding, Lines, is_blank, trim};
use crate::occurrences::overlapping;

/// Lines examined on either side of a place to detect the indentation style.
const STYLE_CONTEXT_LINES: usize = 60;

/// Number of patches from which building a line index is faster than searching.
const MIN_PATCHES_FOR_INDEX: usize = 12;

/// Occurrences of a line up to which each is compared; more go to a text search.
const MAX_RARE_OCCURRENCES: usize = 64;

/// Length of the byte order mark.
const BOM_LEN: usize = '\u{feff}'.len_utf8();

pub(crate) struct Snapshot<'t> {
    pub(crate) text: &'t str,
    lines: OnceCell<Lines<'t>>,
    normal: OnceCell<LfText<'t>>,
    folded: OnceCell<Option<FoldedText>>,
    trimmed_keys: OnceCell<Vec<u64>>,
    folded_keys: OnceCell<Option<Vec<u64>>>,
    collapsed_keys: OnceCell<Vec<u64>>,
    non_blank_lines: OnceCell<Vec<usize>>,
    tokens: OnceCell<Vec<Token<'t>>>,
    has_cr: OnceCell<bool>,
    /// Whether the call has enough patches for the line index to pay off.
    use_line_index: bool,
    index: OnceCell<LineIndex>,
    /// The last result of `ending_near`, and the bytes for which it holds.
    last_ending: RefCell<Option<(Range<usize>, LineEnding)>>,
}

impl<'t> Snapshot<'t> {
    /// `patches` is the number of patches that will be matched.
    pub(crate) fn new(text: &'t str, patches: usize) -> Snapshot<'t> {
        Snapshot {
            text,
            lines: OnceCell::new(),
            normal: OnceCell::new(),
            folded: OnceCell::new(),
            trimmed_keys: OnceCell::new(),
            folded_keys: OnceCell::new(),
            collapsed_keys: OnceCell::new(),
            non_blank_lines: OnceCell::new(),
            tokens: OnceCell::new(),
            has_cr: OnceCell::new(),
            use_line_index: patches >= MIN_PATCHES_FOR_INDEX,
            index: OnceCell::new(),
            last_ending: RefCell::new(None),
        }
    }

    /// Whether any line may end with a CR.
    pub(crate) fn has_cr(&self) -> bool {
        *self.has_cr.get_or_init(|| memchr::memchr(b'\r', self.text.as_bytes()).is_some())
    }

    /// Every occurrence of `old`, byte for byte. O(text), or O(occurrences of its rarest
    /// line) once the lines are indexed.
    pub(crate) fn occurrences(&self, old: &str) -> Vec<usize> {
        if self.use_line_index
            && let Some(hits) = self.occurrences_by_rarest_line(old)
        {
            return hits;
        }
        overlapping(self.text.as_bytes(), old.as_bytes())
    }

    /// Finds occurrences through the rarest complete line of `old`; `None` if that cannot be used.
    fn occurrences_by_rarest_line(&self, old: &str) -> Option<Vec<usize>> {
        let start = memchr::memchr(b'\n', old.as_bytes())? + 1;
        let end = memchr::memrchr(b'\n', old.as_bytes())?;
        if start > end || self.has_cr() || old.contains('\r') {
            return None;
        }
        let lines = self.lines();
        let index = self.index.get_or_init(|| LineIndex::new(self.trimmed_keys()));
        let mut rarest: Option<(usize, usize, u64)> = None;
        let mut at = start;
        for line in old[start..end].split('\n').take(64) {
            let key = key(trim(line));
            let count = index.count(key);
            if rarest.is_none_or(|(fewest, ..)| count < fewest) {
                rarest = Some((count, at, key));
            }
            at += line.len() + 1;
        }
        let (count, offset, key) = rarest?;
        if count > MAX_RARE_OCCURRENCES {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut hits: Vec<usize> = index
            .lines(key)
            .filter_map(|line| lines.range(line).start.checked_sub(offset))
            .filter(|&hit| bytes[hit..].starts_with(old.as_bytes()))
            .collect();
        hits.sort_unstable();
        Some(hits)
    }

    /// The tokens of the text, as far as most languages agree on them.
    pub(crate) fn tokens(&self) -> &[Token<'t>] {
        self.tokens.get_or_init(|| scan(self.text))
    }

    /// Where the text begins, after a byte order mark.
    pub(crate) fn body_start(&self) -> usize {
        if self.text.starts_with('\u{feff}') { BOM_LEN } else { 0 }
    }

    pub(crate) fn lines(&self) -> &Lines<'t> {
        self.lines.get_or_init(|| Lines::new(self.text, self.body_start()))
    }

    /// Whether the line table exists already.
    pub(crate) fn has_lines(&self) -> bool {
        self.lines.get().is_some()
    }

    pub(crate) fn lf_text(&self) -> &LfText<'t> {
        self.normal.get_or_init(|| LfText::new(self.text))
    }

    /// The folded text; `None` if it is ASCII, which folds to itself.
    pub(crate) fn folded(&self) -> Option<&FoldedText> {
        self.folded
            .get_or_init(|| {
                let normal = &self.lf_text().text;
                (!normal.is_ascii()).then(|| FoldedText::new(normal))
            })
            .as_ref()
    }

    /// A key of each line without blanks at its ends.
    pub(crate) fn trimmed_keys(&self) -> &[u64] {
        self.trimmed_keys.get_or_init(|| {
            let lines = self.lines();
            (0..lines.len()).map(|line| key(trim(lines.content(line)))).collect()
        })
    }

    /// A key of each line, folded and trimmed.
    pub(crate) fn folded_keys(&self) -> &[u64] {
        self.folded_keys
            .get_or_init(|| {
                let lines = self.lines();
                (!self.text.is_ascii())
                    .then(|| (0..lines.len()).map(|line| folded_key(lines.content(line))).collect())
            })
            .as_deref()
            .unwrap_or_else(|| self.trimmed_keys())
    }

    /// A key of each line, folded and trimmed, with each run of blanks as one.
    pub(crate) fn collapsed_keys(&self) -> &[u64] {
        self.collapsed_keys.get_or_init(|| {
            let (lines, folded) = (self.lines(), self.folded_keys());
            (0..lines.len())
                .map(|line| {
                    let content = lines.content(line);
                    if needs_collapse(trim(content)) {
                        collapsed_key(content)
                    } else {
                        folded[line]
                    }
                })
                .collect()
        })
    }

    /// The lines that are not blank.
    pub(crate) fn non_blank_lines(&self) -> &[usize] {
        self.non_blank_lines.get_or_init(|| {
            let lines = self.lines();
            (0..lines.len()).filter(|&line| !is_blank(lines.content(line))).collect()
        })
    }

    /// The 1-based lines that a span of bytes touches.
    pub(crate) fn lines_of(&self, span: &Range<usize>) -> RangeInclusive<usize> {
        let last = span.end.saturating_sub(1).max(span.start);
        if self.has_lines() {
            let lines = self.lines();
            return lines.line_at(span.start) + 1..=lines.line_at(last) + 1;
        }
        // For a single place, counting is cheaper than building the table.
        let first = 1 + crate::lines::count_endings(&self.text[..span.start]);
        let inside = &self.text[span.clone()];
        let ends = usize::from(inside.ends_with(['\n', '\r']));
        first..=first + crate::lines::count_endings(inside).saturating_sub(ends)
    }

    /// The ending in use around a span: on the line before it, on its own, or the first.
    pub(crate) fn ending_near(&self, span: &Range<usize>) -> LineEnding {
        let bytes = self.text.as_bytes();
        let from = |at: usize| match bytes[at] {
            b'\n' if at > 0 && bytes[at - 1] == b'\r' => LineEnding::CrLf,
            b'\n' => LineEnding::Lf,
            _ if bytes.get(at + 1) == Some(&b'\n') => LineEnding::CrLf,
            _ => LineEnding::Cr,
        };
        // Cached: places on one long line share the result.
        if let Some((known, ending)) = self.last_ending.borrow().as_ref()
            && known.contains(&span.start)
        {
            return *ending;
        }
        let next = memchr::memchr2(b'\n', b'\r', &bytes[span.start..]).map(|at| span.start + at);
        let before = || memchr::memrchr2(b'\n', b'\r', &bytes[..span.start]);
        let ending = next.or_else(before).map_or(LineEnding::None, from);
        *self.last_ending.borrow_mut() =
            Some((span.start..next.map_or(bytes.len(), |at| at + 1), ending));
        ending
    }

    /// How the file is indented around a line, or anywhere.
    pub(crate) fn style_near(&self, line: usize) -> Option<IndentStyle> {
        let lines = self.lines();
        let around =
            line.saturating_sub(STYLE_CONTEXT_LINES)..lines.len().min(line + STYLE_CONTEXT_LINES);
        IndentStyle::from_lines(around.map(|line| lines.content(line))).or_else(|| {
            IndentStyle::from_lines((0..lines.len().min(2000)).map(|line| lines.content(line)))
        })
    }
}

/// Maps each key to the lines that have it, as linked lists.
struct LineIndex {
    /// The last line with a key, and how many have it.
    last: FxHashMap<u64, (u32, u32)>,
    /// For each line the one before it with the same key.
    before: Vec<u32>,
}

impl LineIndex {
    fn new(keys: &[u64]) -> LineIndex {
        let mut last: FxHashMap<u64, (u32, u32)> =
            FxHashMap::with_capacity_and_hasher(keys.len(), Default::default());
        let mut before = Vec::with_capacity(keys.len());
        for (line, &key) in keys.iter().enumerate() {
            let entry = last.entry(key).or_insert((u32::MAX, 0));
            before.push(entry.0);
            *entry = (line as u32, entry.1 + 1);
        }
        LineIndex { last, before }
    }

    fn count(&self, key: u64) -> usize {
        self.last.get(&key).map_or(0, |entry| entry.1 as usize)
    }

    fn lines(&self, key: u64) -> impl Iterator<Item = usize> {
        let first = self.last.get(&key).map(|entry| entry.0);
        std::iter::successors(first, |&line| {
            self.before.get(line as usize).copied().filter(|&line| line != u32::MAX)
        })
        .map(|line| line as usize)
    }
}

/// A hash of a string. A match that was found by keys is verified on the strings before it counts.
pub(crate) fn key(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.write_usize(text.len());
    hasher.finish()
}

pub(crate) fn folded_key(line: &str) -> u64 {
    if line.is_ascii() { key(trim(line)) } else { key(trim(&fold_line(line))) }
}

pub(crate) fn collapsed_key(line: &str) -> u64 {
    let folded = fold_line(line);
    key(&collapse(trim(&folded)))
}

fn needs_collapse(trimmed: &str) -> bool {
    let bytes = trimmed.as_bytes();
    !trimmed.is_ascii()
        || memchr::memchr3(b'\t', 0x0b, 0x0c, bytes).is_some()
        || memchr::memmem::find(bytes, b"  ").is_some()
}
