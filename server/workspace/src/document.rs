//! A document: the text of a URI, open in the editor or read from disk, with its syntax and facts.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use names::{Facts, FileSymbol};
use parking_lot::Mutex;
use syntax::{
    FinishedLine, Highlight, HighlightCache, HighlightOptions, InjectionBudget,
    InjectionHighlights, Language, Outline, Runnable, Syntax,
};
use text::Text;

use crate::locate::locate;
use crate::parse_cache::{AvailableSyntax, ParseCache};
use crate::path::FilePath;
use crate::uri::{normal_uri, path_of_uri};
use crate::{FileText, Root, Stamp, uri_of_path};

/// Default size limit of a text that is parsed, in bytes.
pub(crate) const DEFAULT_MAX_PARSED_BYTES: usize = 32 << 20;

/// Time after which a parse is given up and the text treated as plain text until it changes. Code
/// written by people takes less than a second; thousands of unclosed tags may take minutes.
pub(crate) const PARSE_TIMEOUT: Duration = Duration::from_secs(10);

/// Parses a text that does not belong to a document; `None` once `interrupt` is set or after
/// [`PARSE_TIMEOUT`].
#[must_use]
pub fn parse_with_timeout(
    language: Language,
    text: &Text,
    before: Option<&Syntax>,
    interrupt: &AtomicBool,
) -> Option<Syntax> {
    Syntax::parse_until(language, text, before, &mut parse_stop_condition(interrupt))
}

/// A stop condition for a parse that begins now: `interrupt` or [`PARSE_TIMEOUT`].
pub(crate) fn parse_stop_condition(interrupt: &AtomicBool) -> impl FnMut() -> bool {
    let deadline = Instant::now() + PARSE_TIMEOUT;
    move || interrupt.load(Ordering::Relaxed) || Instant::now() >= deadline
}

/// Why a text is not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainTextReason {
    /// It exceeds the size limit.
    TooLong,
    /// It starts with binary data (NUL bytes).
    Binary,
    /// It was not parsed within [`PARSE_TIMEOUT`].
    ParseTimeout,
}

/// One immutable version of a document. A change creates a new value.
#[derive(Debug)]
pub struct Document {
    uri: Arc<str>,
    key: Arc<str>,
    version: i32,
    revision: u64,
    on_disk: Option<Stamp>,
    text: Text,
    language: Option<Language>,
    /// Size limit of a text that is parsed, in bytes.
    max_parsed_bytes: Arc<AtomicUsize>,
    /// Whether parsing this text has timed out.
    has_timed_out: AtomicBool,
    parse_cache: Arc<ParseCache>,
    highlight_state: Arc<HighlightState>,
    syntax: OnceLock<Syntax>,
    facts: OnceLock<Arc<Facts>>,
    outline: OnceLock<Arc<Outline>>,
}

/// Highlight state that all versions of a document share.
#[derive(Debug, Default)]
struct HighlightState {
    injected: InjectionHighlights,
    /// The highlights of the last full request, if it was answered in full.
    highlight_cache: Mutex<Option<HighlightCache>>,
}

/// What is missing from highlights that were computed within a time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MissingHighlights {
    /// Nothing.
    Nothing,
    /// Some embedded languages, highlighted as the text around them.
    EmbeddedLanguages,
    /// The latest changes.
    LatestChanges,
}

impl Document {
    pub(crate) fn new(uri: &str, lsp_id: &str, version: i32, text: &str, revision: u64) -> Self {
        let name = uri.rsplit('/').next().unwrap_or(uri);
        let name = path_of_uri(uri)
            .ok()
            .and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| name.to_owned());
        let declared = Language::by_lsp_id(lsp_id);
        let detected = Language::detect(&name, text);
        // The file name may be more specific than the editor's language id, which can cover several
        // dialects: JSON with comments.
        let narrower = detected.filter(|n| declared.is_some_and(|s| s.id() == n.queries_folder()));
        Self {
            uri: uri.into(),
            key: normal_uri(uri).into(),
            version,
            revision,
            on_disk: None,
            text: Text::new(text),
            language: narrower.or(declared).or(detected),
            max_parsed_bytes: Arc::new(AtomicUsize::new(DEFAULT_MAX_PARSED_BYTES)),
            has_timed_out: AtomicBool::new(false),
            parse_cache: Arc::default(),
            highlight_state: Arc::default(),
            syntax: OnceLock::new(),
            facts: OnceLock::new(),
            outline: OnceLock::new(),
        }
    }

    /// The document of a file on disk that is not open.
    pub(crate) fn on_disk(file: &FileText, stamp: Stamp) -> Self {
        let uri = uri_of_path(&file.path.absolute());
        let mut document = Self::new(&uri, "", 0, "", 0);
        document.language = file.language();
        document.text = file.text.clone();
        document.on_disk = Some(stamp);
        document
    }

    /// The document of a file with a text that it may not have.
    pub(crate) fn supposed(uri: &str, text: Text, language: Option<Language>) -> Self {
        let mut document = Self::new(uri, "", 0, "", 0);
        document.language = language;
        document.text = text;
        document
    }

    /// A new version with another text.
    pub(crate) fn changed(&self, version: i32, text: Text, revision: u64) -> Self {
        Self {
            uri: self.uri.clone(),
            key: self.key.clone(),
            version,
            revision,
            on_disk: None,
            text,
            language: self.language,
            max_parsed_bytes: self.max_parsed_bytes.clone(),
            has_timed_out: AtomicBool::new(false),
            parse_cache: self.parse_cache.clone(),
            highlight_state: self.highlight_state.clone(),
            syntax: OnceLock::new(),
            facts: OnceLock::new(),
            outline: OnceLock::new(),
        }
    }

    /// The URI as the client spells it.
    #[must_use]
    pub fn uri(&self) -> &Arc<str> {
        &self.uri
    }

    /// The normalized URI, by which documents are looked up.
    pub(crate) fn key(&self) -> &Arc<str> {
        &self.key
    }

    /// The version that the client gave this text.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The workspace revision that introduced this text.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The stamp of the file that was read; `None` for an open document.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.on_disk
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// The language: the client's language id, else detected by name and content.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// The file of this document; `None` outside the roots. Resolved on each call because links
    /// change.
    pub(crate) fn path(&self, roots: &[Arc<Root>]) -> Option<FilePath> {
        locate(roots, path_of_uri(&self.uri).ok()?.to_str()?).ok()
    }

    /// Whether this is the document of the file at `path`, which contains no links.
    pub(crate) fn is_at(&self, path: &FilePath, roots: &[Arc<Root>]) -> bool {
        let own = path_of_uri(&self.uri);
        own.is_ok_and(|own| own == path.absolute()) || self.path(roots).as_ref() == Some(path)
    }

    /// Shares the size limit of parsed texts with its owner.
    pub(crate) fn with_max_parsed_bytes(mut self, max_parsed_bytes: &Arc<AtomicUsize>) -> Self {
        self.max_parsed_bytes = max_parsed_bytes.clone();
        self
    }

    /// Why the text is treated as plain text: it is stored and edited but not parsed.
    #[must_use]
    pub fn plain_text_reason(&self) -> Option<PlainTextReason> {
        if self.text.len() > self.max_parsed_bytes.load(Ordering::Relaxed) {
            return Some(PlainTextReason::TooLong);
        }
        let (start, _) = self.text.chunk_at(0);
        if self.has_timed_out.load(Ordering::Relaxed) {
            return Some(PlainTextReason::ParseTimeout);
        }
        memchr::memchr(0, start.as_bytes()).map(|_| PlainTextReason::Binary)
    }

    /// The syntax tree, parsed on first use, incrementally from earlier versions. `None` for a
    /// language without a grammar, for plain text, and once `interrupt` is set.
    #[must_use]
    pub fn syntax(&self, interrupt: &AtomicBool) -> Option<Syntax> {
        let language = self.language.filter(|_| self.plain_text_reason().is_none())?;
        if let Some(done) = self.syntax.get() {
            return Some(done.clone());
        }
        let _lock = self.parse_cache.lock(interrupt)?;
        if let Some(done) = self.syntax.get() {
            return Some(done.clone());
        }
        // Another thread may have run into the timeout while this one waited for the lock.
        if self.has_timed_out.load(Ordering::Relaxed) {
            return None;
        }
        let deadline = Instant::now() + PARSE_TIMEOUT;
        let mut is_timed_out = false;
        let mut stop = || {
            is_timed_out = Instant::now() >= deadline;
            is_timed_out || interrupt.load(Ordering::Relaxed)
        };
        let parsed = self.parse_cache.parse(language, &self.text, &mut stop);
        if parsed.is_none() && is_timed_out {
            tracing::warn!("{}: not parsed within {PARSE_TIMEOUT:?}: plain text", self.uri);
            self.has_timed_out.store(true, Ordering::Relaxed);
        }
        let syntax = parsed?;
        Some(self.syntax.get_or_init(|| syntax).clone())
    }

    /// The text with `name` inserted at `offset` and the line completed to valid syntax. `None` if
    /// the language has no such rule, on timeout, for plain text, and once `interrupt` is set.
    pub(crate) fn finish_line(
        &self,
        offset: usize,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Option<FinishedLine> {
        let language = self.language.filter(|_| self.plain_text_reason().is_none())?;
        self.parse_cache.finish_line(
            language,
            &self.text,
            offset,
            name,
            &mut parse_stop_condition(interrupt),
        )
    }

    /// The syntax tree if it is parsed within `budget`, else an earlier version's tree shifted to
    /// this text without waiting; the caller then schedules [`Document::syntax`] in the background.
    /// If no version was parsed yet, it waits as [`Document::syntax`] does.
    #[must_use]
    pub fn syntax_within(
        &self,
        budget: Duration,
        interrupt: &AtomicBool,
    ) -> Option<AvailableSyntax> {
        let language = self.language.filter(|_| self.plain_text_reason().is_none())?;
        if let Some(done) = self.syntax.get() {
            return Some(AvailableSyntax::Current(done.clone()));
        }
        let deadline = Instant::now() + budget;
        let Some(before) = self.parse_cache.latest() else {
            return self.syntax(interrupt).map(AvailableSyntax::Current);
        };
        if let Some(_lock) = self.parse_cache.lock_within(budget) {
            if let Some(done) = self.syntax.get() {
                return Some(AvailableSyntax::Current(done.clone()));
            }
            let mut stop = || interrupt.load(Ordering::Relaxed) || Instant::now() >= deadline;
            if let Some(syntax) = self.parse_cache.parse(language, &self.text, &mut stop) {
                return Some(AvailableSyntax::Current(self.syntax.get_or_init(|| syntax).clone()));
            }
        }
        Some(AvailableSyntax::Stale(before.stale_tree(&self.text)))
    }

    /// The highlights that touch `span`, as [`Syntax::highlights`]. For the whole text, the cost
    /// after a change is proportional to the change. Otherwise as [`Document::syntax`].
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        injections: bool,
        interrupt: &AtomicBool,
    ) -> Option<Arc<[Highlight]>> {
        self.compute_highlights(&self.syntax(interrupt)?, span, injections, None, interrupt)
    }

    /// The highlights of [`Document::syntax_within`], and what they lack. Embedded languages that
    /// were not parsed before get the time `inside`, counted from the first of them.
    #[must_use]
    pub fn highlights_within(
        &self,
        budget: Duration,
        inside: Duration,
        span: Range<usize>,
        injections: bool,
        interrupt: &AtomicBool,
    ) -> Option<(Arc<[Highlight]>, MissingHighlights)> {
        let begun = OnceLock::new();
        let is_over = || begun.get_or_init(Instant::now).elapsed() >= inside;
        let left = InjectionBudget::new(&is_over);
        Some(match self.syntax_within(budget, interrupt)? {
            AvailableSyntax::Current(syntax) => {
                let found =
                    self.compute_highlights(&syntax, span, injections, Some(&left), interrupt)?;
                (
                    found,
                    if left.is_spent() {
                        MissingHighlights::EmbeddedLanguages
                    } else {
                        MissingHighlights::Nothing
                    },
                )
            }
            AvailableSyntax::Stale(shifted) => {
                let known = Some(&self.highlight_state.injected);
                let options = HighlightOptions { injections, cache: known, budget: Some(&left) };
                (
                    shifted.highlights(span, options, interrupt)?.into(),
                    MissingHighlights::LatestChanges,
                )
            }
        })
    }

    /// Computes highlights; those of the whole text reuse and update the cache.
    fn compute_highlights(
        &self,
        syntax: &Syntax,
        span: Range<usize>,
        injections: bool,
        budget: Option<&InjectionBudget<'_>>,
        interrupt: &AtomicBool,
    ) -> Option<Arc<[Highlight]>> {
        let options =
            HighlightOptions { injections, cache: Some(&self.highlight_state.injected), budget };
        if span != (0..self.text.len()) {
            return Some(syntax.highlights(span, options, interrupt)?.into());
        }
        let before = self.highlight_state.highlight_cache.lock().clone();
        let highlight_cache = match &before {
            Some(before) => before.updated(syntax, options, interrupt)?,
            None => HighlightCache::new(syntax, options, interrupt)?,
        };
        let highlights = highlight_cache.highlights().clone();
        if budget.is_some_and(|budget| budget.is_spent()) {
            return Some(highlights);
        }
        let earlier = self.highlight_state.highlight_cache.lock().replace(highlight_cache);
        // Drop outside the lock: freeing the last reference to a tree takes time.
        drop((earlier, before));
        Some(highlights)
    }

    /// The outline, computed on first use; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn outline(&self, interrupt: &AtomicBool) -> Option<Arc<Outline>> {
        if let Some(done) = self.outline.get() {
            return Some(done.clone());
        }
        let outline = self.syntax(interrupt)?.outline(interrupt)?.into();
        Some(self.outline.get_or_init(|| outline).clone())
    }

    /// The outline of [`Document::syntax_within`], and whether it is current.
    #[must_use]
    pub fn outline_within(
        &self,
        budget: Duration,
        interrupt: &AtomicBool,
    ) -> Option<(Arc<Outline>, bool)> {
        match self.syntax_within(budget, interrupt)? {
            AvailableSyntax::Current(_) => self.outline(interrupt).map(|outline| (outline, true)),
            AvailableSyntax::Stale(shifted) => Some((shifted.outline(interrupt)?.into(), false)),
        }
    }

    /// The offsets of the names of deprecated definitions, sorted. Empty once interrupted.
    #[must_use]
    pub fn deprecated(&self, interrupt: &AtomicBool) -> Vec<usize> {
        self.facts(interrupt).map(|facts| facts.deprecated().collect()).unwrap_or_default()
    }

    /// The symbols it defines, as [`Facts::symbols`]; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn symbols(&self, interrupt: &AtomicBool) -> Option<Vec<FileSymbol>> {
        Some(self.facts(interrupt)?.symbols())
    }

    /// The names that other files may find in it. Empty once interrupted.
    #[must_use]
    pub fn visible_names(&self, interrupt: &AtomicBool) -> BTreeSet<String> {
        let facts = self.facts(interrupt);
        facts.map(|facts| facts.visible_names().map(str::to_owned).collect()).unwrap_or_default()
    }

    /// Whether the definitions whose names start at these offsets are one symbol; see
    /// [`Facts::are_one_symbol`].
    #[must_use]
    pub fn are_one_symbol(&self, names: &[usize], interrupt: &AtomicBool) -> bool {
        self.facts(interrupt).is_some_and(|facts| facts.are_one_symbol(names))
    }

    /// Spans up to the end of `line` that name variables visible to a debugger stopped before it;
    /// see [`Facts::locals_up_to`].
    #[must_use]
    pub fn locals_up_to(&self, line: &Range<usize>, interrupt: &AtomicBool) -> Vec<Range<usize>> {
        let found = self.facts(interrupt).and_then(|facts| facts.frame_locals_up_to(line));
        found.map(|(_, spans)| spans).unwrap_or_default()
    }

    /// The tests and programs in it that can be run; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn runnables(&self, interrupt: &AtomicBool) -> Vec<Runnable> {
        self.syntax(interrupt).and_then(|syntax| syntax.runnables(interrupt)).unwrap_or_default()
    }

    /// The definitions and references in its text.
    pub(crate) fn facts(&self, interrupt: &AtomicBool) -> Option<Arc<Facts>> {
        if let Some(done) = self.facts.get() {
            return Some(done.clone());
        }
        let facts = Arc::new(Facts::lower(&self.syntax(interrupt)?, interrupt)?);
        Some(self.facts.get_or_init(|| facts).clone())
    }
}
