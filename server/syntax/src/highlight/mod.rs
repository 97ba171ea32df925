//! Highlights: what each piece of a text is, for colours.
//!
//! Read off the tree that is kept anyway, by `queries/<language>/highlights.scm`. Code of another
//! language inside (`injections.scm`) is highlighted as that language and laid over what stands
//! around it. The rules are those of the `tree-sitter-highlight` crate, which a test holds this
//! against; it parses every text from nothing, and a keystroke cannot wait for that.

mod class;
mod flatten;
mod injection;
mod painted;
mod stretches;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use streaming_iterator::StreamingIterator;
use text::Text;
use tree_sitter::{Node, Query, QueryCursorOptions};

pub use class::HighlightClass;
use flatten::{Marked, flatten};
pub use injection::Injected;
pub use painted::Painted;

use crate::query::{TextChunks, query_cursor, watching};
use crate::{Language, Syntax};

/// Most highlights of one text.
const MOST: usize = 1_000_000;
/// Languages inside languages inside languages.
const DEEPEST: usize = 4;

/// A piece of text and what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Highlight {
    /// Where, in bytes. Highlights are in order and do not overlap.
    pub span: Range<usize>,
    /// What.
    pub class: HighlightClass,
}

/// A compiled `highlights.scm`, and the classes of its captures.
pub(crate) struct HighlightQuery {
    query: Query,
    classes: Vec<Option<HighlightClass>>,
}

impl HighlightQuery {
    pub(crate) fn new(query: Query) -> Self {
        let classes = query.capture_names().iter().map(|n| HighlightClass::of_capture(n)).collect();
        Self { query, classes }
    }
}

/// What of a text's highlights is asked for.
#[derive(Debug, Clone, Copy)]
pub struct HighlightOptions<'a> {
    /// Whether code of other languages inside is looked into.
    pub injections: bool,
    /// What injected code was highlighted as before.
    pub known: Option<&'a Injected>,
    /// What bounds the looking at injected code that is not known.
    pub budget: Option<&'a Budget<'a>>,
}

/// What bounds the looking at injected code that was not seen before.
pub struct Budget<'a> {
    is_over: &'a (dyn Fn() -> bool + Sync),
    is_spent: AtomicBool,
}

impl<'a> Budget<'a> {
    /// Lasts until `is_over` says so, which is asked before each piece of such code.
    #[must_use]
    pub fn new(is_over: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { is_over, is_spent: AtomicBool::new(false) }
    }

    /// Whether code was left out.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.is_spent.load(Ordering::Relaxed)
    }

    /// Whether there is something left for more.
    fn lasts(&self) -> bool {
        if !self.is_spent() && (self.is_over)() {
            self.is_spent.store(true, Ordering::Relaxed);
        }
        !self.is_spent()
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("is_spent", &self.is_spent()).finish_non_exhaustive()
    }
}

impl Syntax {
    /// The highlights of what touches `span`. `None` once `interrupt` is set.
    ///
    /// O(nodes within `span`), plus parsing what is injected there; long spans are looked through
    /// on several threads.
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        self.highlights_of(span, options, interrupt)
    }

    fn highlights_at(
        &self,
        span: Range<usize>,
        options: HighlightOptions<'_>,
        depth: usize,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        // An empty range means everything to tree-sitter.
        if span.is_empty() {
            return Some(Vec::new());
        }
        let mut marked = self.marked(span.clone(), interrupt)?;
        if options.injections && depth < DEEPEST {
            for injection in self.injections(span.clone(), interrupt)? {
                let text = injection.text(self.text());
                let known = options.known.and_then(|k| k.find(injection.language, &text));
                let inside = match known {
                    Some(inside) => inside,
                    None if options.budget.is_some_and(|budget| !budget.lasts()) => continue,
                    None => {
                        let rope = Text::new(&text);
                        let syntax = Self::parse(injection.language, &rope, None, interrupt)?;
                        let whole = 0..rope.len();
                        let inside = syntax.highlights_at(whole, options, depth + 1, interrupt)?;
                        let inside: std::sync::Arc<[Highlight]> = inside.into();
                        let is_whole = !options.budget.is_some_and(Budget::is_spent);
                        if let Some(known) = options.known.filter(|_| is_whole) {
                            known.keep(injection.language, text, inside.clone());
                        }
                        inside
                    }
                };
                injection.lay_over(&inside, &mut marked);
                if marked.len() > MOST {
                    break;
                }
            }
        }
        let mut highlights = flatten(marked);
        highlights.retain(|h| h.span.start < span.end && h.span.end > span.start);
        Some(highlights)
    }

    /// What the language's own query marks in matches that touch `span`, inside of it or not.
    fn marked_around(&self, span: Range<usize>, interrupt: &AtomicBool) -> Option<Vec<Marked>> {
        let mut marked: Vec<Marked> = Vec::new();
        let Some(HighlightQuery { query, classes }) = self.language().highlights() else {
            return Some(marked);
        };
        let mut cursor = query_cursor();
        cursor.set_byte_range(span);
        let (mut watch, text) = (watching(interrupt), TextChunks(self.text()));
        let options = QueryCursorOptions::new().progress_callback(&mut watch);
        let mut matches = cursor.matches_with_options(query, self.root(), text, options);
        while let Some(found) = matches.next() {
            let captures = found.captures().iter();
            marked.extend(captures.filter_map(|capture| {
                let class = classes[capture.index as usize]?;
                Some(Marked::of(capture.node, found.pattern_index, class))
            }));
        }
        (!interrupt.load(Ordering::Relaxed)).then_some(marked)
    }

    /// What the language's own query marks.
    fn marked(&self, span: Range<usize>, interrupt: &AtomicBool) -> Option<Vec<Marked>> {
        let mut marked: Vec<Marked> = Vec::new();
        let Some(HighlightQuery { query, classes }) = self.language().highlights() else {
            return Some(marked);
        };
        let mut cursor = query_cursor();
        cursor.set_byte_range(span);
        for root in self.searchable() {
            let (mut watch, text) = (watching(interrupt), TextChunks(self.text()));
            let options = QueryCursorOptions::new().progress_callback(&mut watch);
            let mut captures = cursor.captures_with_options(query, root, text, options);
            while let Some((found, at)) = captures.next() {
                let capture = found.captures()[*at];
                let Some(class) = classes[capture.index as usize] else { continue };
                marked.push(Marked::of(capture.node, found.pattern_index, class));
                if marked.len().is_multiple_of(1024) && interrupt.load(Ordering::Relaxed) {
                    return None;
                }
                if marked.len() > MOST {
                    return Some(marked);
                }
            }
        }
        (!interrupt.load(Ordering::Relaxed)).then_some(marked)
    }
}

impl Marked {
    fn of(node: Node<'_>, pattern: usize, class: HighlightClass) -> Self {
        Self {
            span: node.byte_range(),
            layer: 0,
            inside: u32::MAX - u32::try_from(node.descendant_count()).unwrap_or(u32::MAX),
            pattern: u32::try_from(pattern).unwrap_or(u32::MAX),
            class,
        }
    }
}

/// The highlights of a text that is nobody's document. `None` once `interrupt` is set.
#[must_use]
pub fn highlight(language: Language, text: &str, interrupt: &AtomicBool) -> Option<Vec<Highlight>> {
    let text = Text::new(text);
    let syntax = Syntax::parse(language, &text, None, interrupt)?;
    let options = HighlightOptions { injections: true, known: None, budget: None };
    syntax.highlights(0..text.len(), options, interrupt)
}
