//! Code of another language inside a text.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query, QueryCursorOptions};

use super::{Highlight, Marked};
use crate::query::{TextChunks, query_cursor, watching};
use crate::{Language, Syntax};

/// Most pieces of injected code that are looked at in one text.
const MOST: usize = 20_000;
/// Longest injected text that is looked at, in bytes.
const LONGEST: usize = 1 << 20;

/// One stretch of code of another language, in one piece or several.
#[derive(Debug)]
pub(crate) struct Injection {
    pub(crate) language: Language,
    pieces: Vec<Range<usize>>,
    /// It is made of many matches.
    combined: bool,
}

impl Injection {
    /// Its text: what belongs to the language around it is left out.
    pub(crate) fn text(&self, around: &text::Text) -> String {
        let pieces = self.pieces.iter().map(|piece| around.slice(piece.clone()));
        pieces.fold(String::new(), |text, piece| text + &piece)
    }

    /// Where it stands, if that is in one piece.
    pub(crate) fn only_piece(&self) -> Option<Range<usize>> {
        match self.pieces.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// Whether some of it is in `span`.
    fn touches(&self, span: &Range<usize>) -> bool {
        self.pieces.iter().any(|p| p.start < span.end && p.end > span.start)
    }

    /// Where a span of its text stands in the text around it, if that is in one piece.
    pub(crate) fn place(&self, span: &Range<usize>) -> Option<Range<usize>> {
        let mut start = 0;
        for piece in &self.pieces {
            if span.start < start + piece.len() {
                let from = piece.start + span.start - start;
                return (span.end <= start + piece.len()).then(|| from..from + span.len());
            }
            start += piece.len();
        }
        None
    }

    /// Puts highlights of its text where they stand in the text around it.
    pub(crate) fn lay_over(&self, inside: &[Highlight], marked: &mut Vec<Marked>) {
        let mut pieces = self.pieces.iter();
        let (mut start, mut piece) = (0, pieces.next());
        for highlight in inside {
            let mut from = highlight.span.start;
            while let Some(current) = piece {
                let end = start + current.len();
                if from >= end {
                    (start, piece) = (end, pieces.next());
                    continue;
                }
                let to = highlight.span.end.min(end);
                let here = |offset: usize| current.start + offset - start;
                marked.push(Marked {
                    span: here(from)..here(to),
                    layer: 1,
                    inside: 0,
                    pattern: 0,
                    class: highlight.class,
                });
                from = to;
                if from == highlight.span.end {
                    break;
                }
            }
        }
    }
}

/// Adds to `changed` where code is that only one of two states has, or that is not the same in both;
/// `now` says where the earlier state's spans are in the later one, which differ within `anew`, and
/// whether all of such a span is left.
pub(super) fn only_in_one(
    was: Vec<Injection>,
    is: Vec<Injection>,
    now: impl Fn(&Range<usize>) -> (Range<usize>, bool),
    anew: &Range<usize>,
    changed: &mut Range<usize>,
) {
    let mut cover = |pieces: &[Range<usize>]| {
        for piece in pieces {
            changed.start = changed.start.min(piece.start);
            changed.end = changed.end.max(piece.end);
        }
    };
    let mut kept = HashSet::new();
    for Injection { language, pieces, .. } in was {
        let (moved, whole): (Vec<_>, Vec<_>) = pieces.iter().map(&now).unzip();
        if whole.iter().all(|whole| *whole) {
            kept.insert((language, moved));
        } else {
            cover(&moved);
        }
    }
    for injection in is {
        let is_touched = injection.touches(anew);
        let code = (injection.language, injection.pieces);
        if !kept.remove(&code) || is_touched {
            cover(&code.1);
        }
    }
    kept.iter().for_each(|(_, pieces)| cover(pieces));
}

/// The name in what names a language: in `/* sql */`, `'SQL'`, `rust,no_run`, `{.python}`.
fn spoken(said: &str) -> &str {
    let name = said.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end =
        name.find(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '-' | '_' | '.'));
    &name[..end.unwrap_or(name.len())]
}

/// Which children of a node are part of the code that it holds.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Children {
    #[default]
    None,
    /// Tokens, but not what the language around has a name for.
    Unnamed,
    All,
}

/// What an `injections.scm` says of one of its patterns.
#[derive(Default)]
struct Setting {
    language: Option<Language>,
    /// All matches are one text.
    combined: bool,
    /// What inside the node belongs to it.
    children: Children,
}

fn settings(query: &Query, own: Language) -> Vec<Setting> {
    let of = |pattern| {
        let mut setting = Setting::default();
        for property in query.property_settings(pattern) {
            match &*property.key {
                "injection.language" => {
                    setting.language = property.value.as_deref().and_then(Language::called);
                }
                "injection.self" => setting.language = Some(own),
                "injection.combined" => setting.combined = true,
                "injection.include-children" => setting.children = Children::All,
                "injection.include-unnamed-children" => setting.children = Children::Unnamed,
                _ => {}
            }
        }
        setting
    };
    (0..query.pattern_count()).map(of).collect()
}

impl Language {
    /// The languages that its `injections.scm` names, whatever a text says.
    pub(crate) fn injected(self) -> impl Iterator<Item = Self> {
        let settings = self.injections().map(|query| settings(query, self)).unwrap_or_default();
        settings.into_iter().filter_map(|setting| setting.language)
    }

    /// Whether code of another language may be in pieces all over a text.
    pub(crate) fn combines(self) -> bool {
        let settings = self.injections().map(|query| settings(query, self)).unwrap_or_default();
        settings.iter().any(|setting| setting.combined)
    }
}

impl Syntax {
    /// Whether there is code of other languages in it. False once `interrupt` is set.
    #[must_use]
    pub fn has_other_languages(&self, interrupt: &AtomicBool) -> bool {
        let all = self.injections(0..self.text().len(), interrupt).unwrap_or_default();
        all.iter().any(|injection| injection.language != self.language())
    }

    /// The code of other languages that touches `span`, by `injections.scm`, whose captures are
    /// `@injection.content` and, where the text names it, `@injection.language`. `None` once
    /// `interrupt` is set.
    pub(crate) fn injections(
        &self,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Injection>> {
        let mut injections = self.injections_around(span.clone(), interrupt)?;
        injections.retain(|i| i.combined || i.touches(&span));
        Some(injections)
    }

    /// The same, and the code that stands elsewhere of what is matched there: what says what code
    /// is in may stand apart from it.
    pub(crate) fn injections_around(
        &self,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Injection>> {
        let mut injections: Vec<Injection> = Vec::new();
        let Some(query) = self.language().injections() else { return Some(injections) };
        let settings = settings(query, self.language());
        let content = query.capture_index_for_name("injection.content");
        let named = query.capture_index_for_name("injection.language");
        let mut combined: HashMap<(usize, Language), Vec<Range<usize>>> = HashMap::new();
        let mut cursor = query_cursor();
        if !settings.iter().any(|s| s.combined) {
            cursor.set_byte_range(span.clone());
        }
        for root in self.searchable() {
            let (mut watch, text) = (watching(interrupt), TextChunks(self.text()));
            let options = QueryCursorOptions::new().progress_callback(&mut watch);
            let mut matches = cursor.matches_with_options(query, root, text, options);
            while let Some(found) = matches.next() {
                if interrupt.load(Ordering::Relaxed) {
                    return None;
                }
                let setting = &settings[found.pattern_index];
                let by_name = || {
                    let name = found.captures().iter().find(|c| Some(c.index) == named)?.node;
                    let name = self.text().slice(name.byte_range());
                    Language::called(spoken(&name))
                };
                let Some(language) = setting.language.or_else(by_name) else { continue };
                let contents = found.captures().iter().filter(|c| Some(c.index) == content);
                let mut pieces = Vec::new();
                contents.for_each(|c| pieces_of(c.node, setting.children, &mut pieces));
                if setting.combined {
                    combined.entry((found.pattern_index, language)).or_default().extend(pieces);
                } else {
                    injections.push(Injection { language, pieces, combined: false });
                }
                if injections.len() >= MOST {
                    break;
                }
            }
        }
        if interrupt.load(Ordering::Relaxed) {
            return None;
        }
        let combined = combined.into_iter().map(|((_, language), mut pieces)| {
            pieces.sort_by_key(|p| p.start);
            pieces.dedup();
            Injection { language, pieces, combined: true }
        });
        injections.extend(combined);
        injections.retain(|i| i.pieces.iter().map(Range::len).sum::<usize>() <= LONGEST);
        Some(injections)
    }
}

/// A node's text, with or without what its children cover.
fn pieces_of(node: Node<'_>, children: Children, pieces: &mut Vec<Range<usize>>) {
    let whole = node.byte_range();
    let mut at = whole.start;
    let mut cursor = node.walk();
    if children != Children::All && cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if children == Children::None || child.is_named() {
                let child = child.byte_range();
                if child.start > at {
                    pieces.push(at..child.start);
                }
                at = at.max(child.end);
            }
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    if whole.end > at {
        pieces.push(at..whole.end);
    }
}

/// What injected code was highlighted as: it depends on nothing around it, so between two
/// keystrokes all of it but one piece is as before. What is not asked for any more is forgotten.
#[derive(Default)]
pub struct Injected {
    kept: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<(Language, String), Arc<[Highlight]>>,
    /// Of before `young` was begun.
    old: HashMap<(Language, String), Arc<[Highlight]>>,
    bytes: usize,
}

/// How much text a generation is made of, in bytes.
const GENERATION: usize = 2 << 20;

impl Injected {
    pub(crate) fn find(&self, language: Language, text: &str) -> Option<Arc<[Highlight]>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (language, text.to_owned());
        if let Some(found) = kept.young.get(&key) {
            return Some(found.clone());
        }
        let found = kept.old.remove(&key)?;
        kept.put(key, found.clone());
        Some(found)
    }

    pub(crate) fn keep(&self, language: Language, text: String, highlights: Arc<[Highlight]>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.put((language, text), highlights);
    }
}

impl Generations {
    fn put(&mut self, key: (Language, String), highlights: Arc<[Highlight]>) {
        let bytes = key.1.len();
        if self.bytes + bytes > GENERATION {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.young.insert(key, highlights);
    }
}

impl fmt::Debug for Injected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Injected")
    }
}
