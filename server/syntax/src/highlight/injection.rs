//! Injections: embedded code of another language.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use streaming_iterator::StreamingIterator;
use tree_sitter::{Node, Query, QueryCursorOptions};

use super::{Highlight, HighlightCapture};
use crate::query::{TextChunks, interrupt_callback, query_cursor};
use crate::{Language, Syntax};

/// Limit of injections per text.
const MAX_INJECTIONS: usize = 20_000;
/// Longest injection, in bytes.
const MAX_INJECTION_LEN: usize = 1 << 20;

/// An embedded text in another language, which consists of one or more pieces of the host text.
#[derive(Debug)]
pub(crate) struct Injection {
    pub(crate) language: Language,
    pieces: Vec<Range<usize>>,
    /// Whether it combines the contents of several matches (`injection.combined`).
    combined: bool,
}

impl Injection {
    /// The embedded text, without the host language's parts between its pieces.
    pub(crate) fn text(&self, host: &text::Text) -> String {
        let pieces = self.pieces.iter().map(|piece| host.slice(piece.clone()));
        pieces.fold(String::new(), |text, piece| text + &piece)
    }

    /// Its span in the host text, if it is in one piece.
    pub(crate) fn only_piece(&self) -> Option<Range<usize>> {
        match self.pieces.as_slice() {
            [only] => Some(only.clone()),
            _ => None,
        }
    }

    /// Whether a piece overlaps `span`.
    fn touches(&self, span: &Range<usize>) -> bool {
        self.pieces.iter().any(|p| p.start < span.end && p.end > span.start)
    }

    /// Maps a span of the embedded text to the host text, if it lies in one piece.
    pub(crate) fn to_host_span(&self, span: &Range<usize>) -> Option<Range<usize>> {
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

    /// Adds highlights of the embedded text at their positions in the host text.
    pub(crate) fn project_highlights(
        &self,
        inside: &[Highlight],
        captures: &mut Vec<HighlightCapture>,
    ) {
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
                captures.push(HighlightCapture {
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

/// Extends `changed` by injections that only one of two states has, or whose text differs. `now`
/// maps spans of the old state to the new one and reports whether the whole span is left; the
/// states differ within `reparsed`.
pub(super) fn cover_differences(
    old_set: Vec<Injection>,
    new_set: Vec<Injection>,
    now: impl Fn(&Range<usize>) -> (Range<usize>, bool),
    reparsed: &Range<usize>,
    changed: &mut Range<usize>,
) {
    let mut cover = |pieces: &[Range<usize>]| {
        for piece in pieces {
            changed.start = changed.start.min(piece.start);
            changed.end = changed.end.max(piece.end);
        }
    };
    let mut kept = HashSet::new();
    for Injection { language, pieces, .. } in old_set {
        let (moved, whole): (Vec<_>, Vec<_>) = pieces.iter().map(&now).unzip();
        if whole.iter().all(|whole| *whole) {
            kept.insert((language, moved));
        } else {
            cover(&moved);
        }
    }
    for injection in new_set {
        let is_touched = injection.touches(reparsed);
        let code = (injection.language, injection.pieces);
        if !kept.remove(&code) || is_touched {
            cover(&code.1);
        }
    }
    kept.iter().for_each(|(_, pieces)| cover(pieces));
}

/// The language name in `/* sql */`, `'SQL'`, `rust,no_run` or `{.python}`.
fn language_name_in(text: &str) -> &str {
    let name = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end =
        name.find(|c: char| !c.is_alphanumeric() && !matches!(c, '+' | '#' | '-' | '_' | '.'));
    &name[..end.unwrap_or(name.len())]
}

/// Which children of a content node belong to the embedded text.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum IncludedChildren {
    #[default]
    None,
    /// Only unnamed children.
    Unnamed,
    All,
}

/// The `#set!` properties of a pattern in `injections.scm`.
#[derive(Default)]
struct InjectionSettings {
    language: Option<Language>,
    /// All matches form one text.
    combined: bool,
    /// Which children of the node belong to the text.
    children: IncludedChildren,
}

fn settings(query: &Query, own: Language) -> Vec<InjectionSettings> {
    let of = |pattern| {
        let mut setting = InjectionSettings::default();
        for property in query.property_settings(pattern) {
            match &*property.key {
                "injection.language" => {
                    setting.language = property.value.as_deref().and_then(Language::by_name);
                }
                "injection.self" => setting.language = Some(own),
                "injection.combined" => setting.combined = true,
                "injection.include-children" => setting.children = IncludedChildren::All,
                "injection.include-unnamed-children" => {
                    setting.children = IncludedChildren::Unnamed
                }
                _ => {}
            }
        }
        setting
    };
    (0..query.pattern_count()).map(of).collect()
}

impl Language {
    /// The languages that `injections.scm` names itself, rather than reading them from the text.
    pub(crate) fn static_injections(self) -> impl Iterator<Item = Self> {
        let settings = self.injections().map(|query| settings(query, self)).unwrap_or_default();
        settings.into_iter().filter_map(|setting| setting.language)
    }

    /// Whether an embedded text may consist of pieces from all over the host text.
    pub(crate) fn has_combined_injections(self) -> bool {
        let settings = self.injections().map(|query| settings(query, self)).unwrap_or_default();
        settings.iter().any(|setting| setting.combined)
    }
}

impl Syntax {
    /// Whether it embeds code of another language. False once `interrupt` is set.
    #[must_use]
    pub fn has_other_languages(&self, interrupt: &AtomicBool) -> bool {
        let all = self.injections(0..self.text().len(), interrupt).unwrap_or_default();
        all.iter().any(|injection| injection.language != self.language())
    }

    /// The injections that touch `span`, according to `injections.scm` with its captures
    /// `@injection.content` and, if the text names the language, `@injection.language`. `None` once
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

    /// As [`Syntax::injections`], with injections outside `span` whose match touches it: the node
    /// that names the language may be far from the content.
    pub(crate) fn injections_around(
        &self,
        span: Range<usize>,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Injection>> {
        let mut injections: Vec<Injection> = Vec::new();
        let Some(query) = self.language().injections() else { return Some(injections) };
        let settings = settings(query, self.language());
        let content = query.capture_index_for_name("injection.content");
        let language_capture = query.capture_index_for_name("injection.language");
        let mut combined: HashMap<(usize, Language), Vec<Range<usize>>> = HashMap::new();
        let mut cursor = query_cursor();
        if !settings.iter().any(|s| s.combined) {
            cursor.set_byte_range(span.clone());
        }
        for root in self.query_roots() {
            let (mut progress, text) = (interrupt_callback(interrupt), TextChunks(self.text()));
            let options = QueryCursorOptions::new().progress_callback(&mut progress);
            let mut matches = cursor.matches_with_options(query, root, text, options);
            while let Some(found) = matches.next() {
                if interrupt.load(Ordering::Relaxed) {
                    return None;
                }
                let setting = &settings[found.pattern_index];
                let by_name = || {
                    let name =
                        found.captures().iter().find(|c| Some(c.index) == language_capture)?.node;
                    let name = self.text().slice(name.byte_range());
                    Language::by_name(language_name_in(&name))
                };
                let Some(language) = setting.language.or_else(by_name) else { continue };
                let contents = found.captures().iter().filter(|c| Some(c.index) == content);
                let mut pieces = Vec::new();
                contents.for_each(|c| content_pieces(c.node, setting.children, &mut pieces));
                if setting.combined {
                    combined.entry((found.pattern_index, language)).or_default().extend(pieces);
                } else {
                    injections.push(Injection { language, pieces, combined: false });
                }
                if injections.len() >= MAX_INJECTIONS {
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
        injections.retain(|i| i.pieces.iter().map(Range::len).sum::<usize>() <= MAX_INJECTION_LEN);
        Some(injections)
    }
}

/// Appends the spans of a node's text, with or without its children.
fn content_pieces(node: Node<'_>, children: IncludedChildren, pieces: &mut Vec<Range<usize>>) {
    let whole = node.byte_range();
    let mut at = whole.start;
    let mut cursor = node.walk();
    if children != IncludedChildren::All && cursor.goto_first_child() {
        loop {
            let child = cursor.node();
            if children == IncludedChildren::None || child.is_named() {
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

/// Caches the highlights of embedded texts. They depend only on the embedded text, so after a
/// keystroke all but one are still valid. Entries that are no longer used expire.
#[derive(Default)]
pub struct InjectionHighlights {
    kept: Mutex<Generations>,
}

#[derive(Default)]
struct Generations {
    young: HashMap<(Language, String), Arc<[Highlight]>>,
    /// The previous generation, dropped when `young` is full.
    old: HashMap<(Language, String), Arc<[Highlight]>>,
    bytes: usize,
}

/// Size limit of a generation, in bytes of text.
const GENERATION_BYTES: usize = 2 << 20;

impl InjectionHighlights {
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
        if self.bytes + bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.young.insert(key, highlights);
    }
}

impl fmt::Debug for InjectionHighlights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Injected")
    }
}
