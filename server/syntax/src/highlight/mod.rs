//! Syntax highlights.
//!
//! They are read off the existing tree with `queries/<language>/highlights.scm`. Embedded languages
//! (`injections.scm`) are highlighted as such and take precedence over the host language. The
//! precedence rules are those of the `tree-sitter-highlight` crate, and a test compares the two;
//! that crate parses the whole text on every call, which is too slow per keystroke.

mod cache;
mod flatten;
mod injection;
mod parallel;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use streaming_iterator::StreamingIterator;
use text::Text;
use tree_sitter::{Node, QueryCursorOptions};

pub use cache::HighlightCache;
use flatten::{HighlightCapture, flatten};
pub use injection::InjectionHighlights;

use crate::highlight_class::HighlightClass;
use crate::language_queries::HighlightQuery;
use crate::query::{TextChunks, interrupt_callback, query_cursor};
use crate::{Language, Syntax};

/// Limit of highlights per text.
const MAX_HIGHLIGHTS: usize = 1_000_000;
/// Deepest nesting of injections.
const MAX_INJECTION_DEPTH: usize = 4;

/// A span and its highlight class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// The span in bytes. Highlights are sorted and disjoint.
    pub span: Range<usize>,
    /// The class.
    pub class: HighlightClass,
}

/// Options for computing highlights.
#[derive(Debug, Clone, Copy)]
pub struct HighlightOptions<'a> {
    /// Whether embedded languages are highlighted.
    pub injections: bool,
    /// A cache of highlights of embedded texts.
    pub cache: Option<&'a InjectionHighlights>,
    /// Limits the time for embedded texts that are not cached.
    pub budget: Option<&'a InjectionBudget<'a>>,
}

/// Limits the time for highlighting embedded texts that are not in the cache.
pub struct InjectionBudget<'a> {
    is_over: &'a (dyn Fn() -> bool + Sync),
    is_spent: AtomicBool,
}

impl<'a> InjectionBudget<'a> {
    /// A budget that lasts until `is_over` returns true; it is called before each embedded text.
    #[must_use]
    pub fn new(is_over: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { is_over, is_spent: AtomicBool::new(false) }
    }

    /// Whether embedded texts were skipped.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// Whether another embedded text may be highlighted.
    fn has_time_left(&self) -> bool {
        if !self.is_spent() && (self.is_over)() {
            self.is_spent.store(true, Ordering::Relaxed);
        }
        !self.is_spent()
    }
}

impl fmt::Debug for InjectionBudget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("is_spent", &self.is_spent()).finish_non_exhaustive()
    }
}

impl Syntax {
    /// The highlights that touch `span`. `None` once `interrupt` is set.
    ///
    /// O(nodes within `span`), plus parsing the injections there. Long spans use several threads.
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        self.highlights_parallel(span, options, interrupt)
    }

    fn highlights_sequential(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        depth: usize,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        // tree-sitter treats an empty range as unlimited.
        if span.is_empty() {
            return Some(Vec::new());
        }
        let mut captures = self.captures_in(span.clone(), interrupt)?;
        if options.injections && depth < MAX_INJECTION_DEPTH {
            for injection in self.injections(span.clone(), interrupt)? {
                let text = injection.text(self.text());
                let known = options.cache.and_then(|k| k.find(injection.language, &text));
                let inside = match known {
                    Some(inside) => inside,
                    None if options.budget.is_some_and(|budget| !budget.has_time_left()) => {
                        continue;
                    }
                    None => {
                        let rope = Text::new(&text);
                        let syntax = Self::parse(injection.language, &rope, None, interrupt)?;
                        let whole = 0..rope.len();
                        let inside =
                            syntax.highlights_sequential(whole, options, depth + 1, interrupt)?;
                        let inside: std::sync::Arc<[Highlight]> = inside.into();
                        let is_whole = !options.budget.is_some_and(InjectionBudget::is_spent);
                        if let Some(known) = options.cache.filter(|_| is_whole) {
                            known.keep(injection.language, text, inside.clone());
                        }
                        inside
                    }
                };
                injection.project_highlights(&inside, &mut captures);
                if captures.len() > MAX_HIGHLIGHTS {
                    break;
                }
            }
        }
        let mut highlights = flatten(captures);
        highlights.retain(|h| h.span.start < span.end && h.span.end > span.start);
        Some(highlights)
    }

    /// All captures of matches that touch `span`, including captures outside of it.
    fn captures_touching(
        &self,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<HighlightCapture>> {
        let mut captures: Vec<HighlightCapture> = Vec::new();
        let Some(HighlightQuery { query, classes }) = self.language().highlights() else {
            return Some(captures);
        };
        let mut cursor = query_cursor();
        cursor.set_byte_range(span);
        let (mut progress, text) = (interrupt_callback(interrupt), TextChunks(self.text()));
        let options = QueryCursorOptions::new().progress_callback(&mut progress);
        let mut matches = cursor.matches_with_options(query, self.root(), text, options);
        while let Some(found) = matches.next() {
            captures.extend(found.captures().iter().filter_map(|capture| {
                let class = classes[capture.index as usize]?;
                Some(HighlightCapture::new(capture.node, found.pattern_index, class))
            }));
        }
        (!interrupt.load(Ordering::Relaxed)).then_some(captures)
    }

    /// The captures of the language's own query that touch `span`.
    fn captures_in(
        &self,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<HighlightCapture>> {
        let mut captures: Vec<HighlightCapture> = Vec::new();
        let Some(HighlightQuery { query, classes }) = self.language().highlights() else {
            return Some(captures);
        };
        let mut cursor = query_cursor();
        cursor.set_byte_range(span);
        for root in self.query_roots() {
            let (mut progress, text) = (interrupt_callback(interrupt), TextChunks(self.text()));
            let options = QueryCursorOptions::new().progress_callback(&mut progress);
            let mut matches = cursor.captures_with_options(query, root, text, options);
            while let Some((found, at)) = matches.next() {
                let capture = found.captures()[*at];
                let Some(class) = classes[capture.index as usize] else { continue };
                captures.push(HighlightCapture::new(capture.node, found.pattern_index, class));
                if captures.len().is_multiple_of(1024) && interrupt.load(Ordering::Relaxed) {
                    return None;
                }
                if captures.len() > MAX_HIGHLIGHTS {
                    return Some(captures);
                }
            }
        }
        (!interrupt.load(Ordering::Relaxed)).then_some(captures)
    }
}

impl HighlightCapture {
    fn new(node: Node<'_>, pattern: usize, class: HighlightClass) -> Self {
        Self {
            span: node.byte_range(),
            layer: 0,
            inside: u32::MAX - u32::try_from(node.descendant_count()).unwrap_or(u32::MAX),
            pattern: u32::try_from(pattern).unwrap_or(u32::MAX),
            class,
        }
    }
}

/// The highlights of a text that is not an open document. `None` once `interrupt` is set.
#[must_use]
pub fn highlight(language: Language, text: &str, interrupt: &AtomicBool) -> Option<Vec<Highlight>> {
    let text = Text::new(text);
    let syntax = Syntax::parse(language, &text, None, interrupt)?;
    let options = HighlightOptions { injections: true, cache: None, budget: None };
    syntax.highlights(0..text.len(), options, interrupt)
}
