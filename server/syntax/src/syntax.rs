//! Parsed text: [`Syntax`].

use std::fmt;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr_iter, memrchr};
use text::Text;
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

use crate::error_cache::ErrorCache;
use crate::language::Language;
use crate::rewrites::{self, Rewrite};
use crate::{jsx, parser_limits};

/// Longest text with errors that is fully parsed again after an edit, in bytes: takes a few
/// milliseconds.
const FULL_REPARSE_MAX_LEN: usize = 64 << 10;

/// A text, its language and its tree: one consistent state. Clones are cheap.
#[derive(Clone)]
pub struct Syntax {
    language: Language,
    text: Text,
    tree: Tree,
    /// Whether the parser was given the whole text.
    is_complete: bool,
    /// An upper bound of the nesting depth of brackets.
    nesting: usize,
    /// Where the parser read something other than the text.
    rewrites: Arc<[Rewrite]>,
    /// The errors, computed on first use; clones share them.
    errors: ErrorCache,
}

impl Syntax {
    /// Parses `text`, reusing the unchanged parts of `old`. `None` once `interrupt` is set.
    ///
    /// The edit is computed here, as the one span in which the two texts differ, so callers need
    /// not record edits. O(n) without `old`, about O(changed span) with it.
    ///
    /// For text without errors the tree is the same as that of a full parse. So it is for text with
    /// errors up to 64 KiB, which is parsed again in full. In longer text with errors, the tree
    /// around the errors may differ from that of a full parse until they are fixed.
    #[must_use]
    pub fn parse(
        language: Language,
        text: &Text,
        old: Option<&Self>,
        interrupt: &AtomicBool,
    ) -> Option<Self> {
        Self::parse_until(language, text, old, &mut || interrupt.load(Ordering::Relaxed))
    }

    /// As [`Syntax::parse`]; `None` once `stop` returns true. `stop` is called every few
    /// microseconds.
    #[must_use]
    pub fn parse_until(
        language: Language,
        text: &Text,
        old: Option<&Self>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let (mut reusable, mut nesting) = (None, None);
        let rewrites = language_rewrites(language, text);
        if let Some(old) = old.filter(|o| o.language == language) {
            let Some((from, to)) = old.text.difference(text) else {
                return Some(old.clone());
            };
            nesting = Some(old.nesting + from.len() + to.len());
            reusable = old.reusable_tree(text, &rewrites, &from, &to);
        }
        let rewrites_again = rewrites.clone();
        let mask_jsx = language.row().entry.jsx;
        let parsed =
            Self::parse_from(language, text, rewrites, reusable.as_ref(), nesting, mask_jsx, stop)?;
        // How the parser recovers from errors depends on the parts of the old tree that it reuses.
        let depends_on_reuse =
            reusable.is_some() && parsed.root().has_error() && text.len() <= FULL_REPARSE_MAX_LEN;
        if depends_on_reuse {
            Self::parse_from(language, text, rewrites_again, None, nesting, mask_jsx, stop)
        } else {
            Some(parsed)
        }
    }

    /// Parses a text that is only inspected and then dropped, reusing unchanged parts of `old`.
    /// Faster than [`Syntax::parse`], but error recovery may depend on `old`. JSX workarounds are
    /// applied only if `mask_jsx` is set.
    pub(crate) fn parse_roughly(
        language: Language,
        text: &Text,
        old: Option<&Self>,
        mask_jsx: bool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let rewrites = language_rewrites(language, text);
        let (mut tree, mut nesting) = (None, None);
        if let Some(old) = old.filter(|o| o.language == language)
            && let Some((from, to)) = old.text.difference(text)
        {
            nesting = Some(old.nesting + from.len() + to.len());
            tree = old.reusable_tree(text, &rewrites, &from, &to);
        }
        let mask_jsx = mask_jsx && language.row().entry.jsx;
        Self::parse_from(language, text, rewrites, tree.as_ref(), nesting, mask_jsx, stop)
    }

    /// The tree that a parse of `text`, in which `to` replaces `from`, may reuse.
    fn reusable_tree(
        &self,
        text: &Text,
        rewrites: &[Rewrite],
        from: &Range<usize>,
        to: &Range<usize>,
    ) -> Option<Tree> {
        self.is_complete.then(|| {
            let mut tree = self.edited_tree(text, from, to);
            let rewritten_spans = rewrites::differences(&self.rewrites, rewrites, from, to);
            edit_in_place(&mut tree, text, &rewritten_spans);
            tree
        })
    }

    /// The tree with its nodes moved to their positions in `text`, in which `to` replaces `from`.
    fn edited_tree(&self, text: &Text, from: &Range<usize>, to: &Range<usize>) -> Tree {
        let mut tree = self.tree.clone();
        // The texts are equal before the edit, so both counters start from the same point.
        let mut points = PointCounter::new(&self.text);
        let start_position = points.at(from.start);
        let mut new = PointCounter { text, ..points };
        tree.edit(&InputEdit {
            start_byte: from.start,
            old_end_byte: from.end,
            new_end_byte: to.end,
            start_position,
            old_end_position: points.at(from.end),
            new_end_position: new.at(to.end),
        });
        tree
    }

    /// This state with the nodes moved to their positions in `text`, in which `to` replaces `from`.
    /// Does not parse: O(depth of the tree), plus one pass over the text.
    pub(crate) fn with_edited_tree(
        &self,
        text: &Text,
        from: &Range<usize>,
        to: &Range<usize>,
    ) -> Self {
        let tree = self.edited_tree(text, from, to);
        let nesting = self.nesting + from.len() + to.len();
        let rewrites = Arc::clone(&self.rewrites);
        let (language, text, errors) = (self.language, text.clone(), ErrorCache::default());
        Self { language, text, tree, is_complete: false, nesting, rewrites, errors }
    }

    /// Parses a text that differs from this one only within `spans`, which are sorted and disjoint
    /// and have the same length and the same newlines in both texts. `None` once `stop` returns
    /// true. About O(spans and what they change), plus one pass over the text.
    #[must_use]
    pub fn parse_with_replaced_spans(
        &self,
        text: &Text,
        spans: &[Range<usize>],
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let mut tree = self.tree.clone();
        edit_in_place(&mut tree, text, spans);
        let rewrites = language_rewrites(self.language, text);
        let rewritten_spans = rewrites::differences(&self.rewrites, &rewrites, &(0..0), &(0..0));
        edit_in_place(&mut tree, text, &rewritten_spans);
        let nesting = self.nesting + spans.iter().map(Range::len).sum::<usize>();
        let reusable = Some(&tree).filter(|_| self.is_complete);
        let mask_jsx = self.language.row().entry.jsx;
        Self::parse_from(self.language, text, rewrites, reusable, Some(nesting), mask_jsx, stop)
    }

    fn parse_from(
        language: Language,
        text: &Text,
        rewrites: Arc<[Rewrite]>,
        reusable: Option<&Tree>,
        nesting: Option<usize>,
        mask_jsx: bool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let mut parser = Parser::new();
        parser.set_language(language.grammar()).ok()?;
        let counts = language.row().entry.counts;
        let end = counts.map_or(text.len(), |counts| counts.safe_len(text));
        // Count again only if the edits since the last count may have exceeded the limit.
        let known =
            nesting.filter(|n| *n <= parser_limits::MAX_BRACKET_DEPTH).map(|n| (n, text.len()));
        let (nesting, max_depth_end) = known.unwrap_or_else(|| parser_limits::bracket_depth(text));
        let end = end.min(max_depth_end);
        let is_complete = end == text.len();
        let reusable = reusable.filter(|_| is_complete);
        let mut tree = Self::parse_tree(&mut parser, text, end, &rewrites, reusable, stop)?;
        for include_doubled in [false, true] {
            if !mask_jsx || !tree.root_node().has_error() {
                break;
            }
            let mut masks = jsx::mask_candidates(text, &tree, include_doubled);
            // A mask in code may break code that was valid, so masks outside JSX are removed and
            // the text is parsed once more.
            for _ in 0..2 {
                if masks.is_empty() {
                    break;
                }
                let masked_rewrites = rewrites::with_identifier_masks(&rewrites, &masks);
                let again = Self::parse_tree(&mut parser, text, end, &masked_rewrites, None, stop)?;
                let kept = jsx::masks_in_jsx(&again, text, &masks);
                let all = kept.len() == masks.len();
                masks = kept;
                if all {
                    tree = again;
                    break;
                }
            }
        }
        let (text, errors) = (text.clone(), ErrorCache::default());
        Some(Self { language, text, tree, is_complete, nesting, rewrites, errors })
    }

    /// Parses the text up to `end`, with the rewrites applied.
    fn parse_tree(
        parser: &mut Parser,
        text: &Text,
        end: usize,
        rewrites: &[Rewrite],
        reusable: Option<&Tree>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Tree> {
        let mut read = |at: usize, _: Point| -> &[u8] {
            if at >= end {
                return b"";
            }
            let next = rewrites.get(rewrites.partition_point(|rewrite| rewrite.end() <= at));
            if let Some(rewrite) = next.filter(|rewrite| rewrite.start <= at) {
                let replacement =
                    &rewrite.replacement[..rewrite.replacement.len().min(end - rewrite.start)];
                return &replacement[at - rewrite.start..];
            }
            let stop = next.map_or(end, |rewrite| rewrite.start.min(end));
            let (chunk, start) = text.chunk_at(at);
            &chunk.as_bytes()[at - start..chunk.len().min(stop - start)]
        };
        let mut watch = |_: &tree_sitter::ParseState| {
            if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = ParseOptions::new().progress_callback(&mut watch);
        parser.parse_with_options(&mut read, reusable, Some(options))
    }

    /// This tree with another text of the same length and the same line breaks.
    pub(crate) fn with_text(self, text: &Text) -> Self {
        Self { text: text.clone(), is_complete: false, errors: ErrorCache::default(), ..self }
    }

    /// The language.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The text that was parsed.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The cache for the errors of this state.
    pub(crate) fn error_cache(&self) -> &ErrorCache {
        &self.errors
    }

    /// The tree.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree's root.
    #[must_use]
    pub fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }
}

fn language_rewrites(language: Language, text: &Text) -> Arc<[Rewrite]> {
    language
        .row()
        .entry
        .rewrites
        .map_or_else(|| Arc::from([]), |rewrites| rewrites.find(text).into())
}

/// Marks sorted spans of a tree as replaced by text of the same length.
fn edit_in_place(tree: &mut Tree, text: &Text, spans: &[Range<usize>]) {
    let mut points = PointCounter::new(text);
    for span in spans {
        let (start_position, end) = (points.at(span.start), points.at(span.end));
        tree.edit(&InputEdit {
            start_byte: span.start,
            old_end_byte: span.end,
            new_end_byte: span.end,
            start_position,
            old_end_position: end,
            new_end_position: end,
        });
    }
}

impl fmt::Debug for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Syntax({:?}, {:?})", self.language, self.text)
    }
}

/// Computes tree-sitter points for ascending offsets. tree-sitter's rows end only with LF, unlike
/// the lines of a [`Text`].
struct PointCounter<'t> {
    text: &'t Text,
    at: usize,
    row: usize,
    row_start: usize,
}

impl<'t> PointCounter<'t> {
    fn new(text: &'t Text) -> Self {
        Self { text, at: 0, row: 0, row_start: 0 }
    }

    fn at(&mut self, offset: usize) -> Point {
        let offset = offset.min(self.text.len());
        while self.at < offset {
            let (chunk, start) = self.text.chunk_at(self.at);
            let end = (start + chunk.len()).min(offset);
            let piece = &chunk.as_bytes()[self.at - start..end - start];
            if let Some(last) = memrchr(b'\n', piece) {
                self.row += memchr_iter(b'\n', piece).count();
                self.row_start = self.at + last + 1;
            }
            self.at = end;
        }
        Point { row: self.row, column: offset.saturating_sub(self.row_start) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static GO: AtomicBool = AtomicBool::new(false);

    fn parse(language: &str, source: &str, old: Option<&Syntax>) -> Syntax {
        let language = Language::by_id(language).unwrap();
        Syntax::parse(language, &Text::new(source), old, &GO).unwrap()
    }

    /// Incremental parsing gives the same tree as a full parse, for edits at every offset of a text
    /// with every kind of line ending.
    #[test]
    fn incremental_equals_full() {
        let source = "def f(a):\r\n    return [a, 'é']\rx = 1\n\nclass C:\n    def m(self): pass\n";
        let boundaries: Vec<_> = source.char_indices().map(|(i, _)| i).collect();
        for (n, &start) in boundaries.iter().enumerate() {
            for &end in boundaries[n..].iter().take(4) {
                for new in ["", "(", "\n", "é = 2\r\n", "\r"] {
                    let edited = format!("{}{new}{}", &source[..start], &source[end..]);
                    let old = parse("python", source, None);
                    let incremental = parse("python", &edited, Some(&old));
                    let full = parse("python", &edited, None);
                    assert_eq!(
                        incremental.root().to_sexp(),
                        full.root().to_sexp(),
                        "{start}..{end} -> {new:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn replaced_spans_give_the_tree_of_a_full_parse() {
        let source = "API int f(int a) {\n  return a;\n}\nAPI\nint g;\nclass API K { int x; };\n";
        let mut cleaned = source.as_bytes().to_vec();
        let spans: Vec<_> = source.match_indices("API").map(|(at, w)| at..at + w.len()).collect();
        spans.iter().for_each(|s| cleaned[s.clone()].fill(b' '));
        let cleaned = String::from_utf8(cleaned).unwrap();
        let replaced = parse("cpp", source, None)
            .parse_with_replaced_spans(&Text::new(&cleaned), &spans, &mut || false)
            .unwrap();
        let full = parse("cpp", &cleaned, None);
        let last = |s: &Syntax| s.root().child(s.root().child_count() - 1).unwrap().range();
        assert_eq!(replaced.root().to_sexp(), full.root().to_sexp());
        assert_eq!(last(&replaced), last(&full));
    }

    #[test]
    fn interrupt_stops_a_parse() {
        let text = Text::new(&"fn f() { let x = 1; }\n".repeat(20_000));
        let language = Language::by_id("rust").unwrap();
        assert!(Syntax::parse(language, &text, None, &AtomicBool::new(true)).is_none());
    }

    #[test]
    fn points_count_line_feeds() {
        let text = Text::new("a\rb\nc\r\nd");
        let mut points = PointCounter::new(&text);
        assert_eq!(points.at(2), Point { row: 0, column: 2 });
        assert_eq!(points.at(8), Point { row: 2, column: 1 });
    }
}
