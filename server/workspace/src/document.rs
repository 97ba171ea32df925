//! A document: a text under a URI, as the editor has it open or as it lies on disk.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use names::{Facts, FileSymbol};
use parking_lot::Mutex;
use syntax::{
    Budget, Finished, Highlight, HighlightOptions, Injected, Language, Outline, Painted, Runnable,
    Syntax,
};
use text::Text;

use crate::parses::{Parses, Seen};
use crate::path::{FilePath, locate};
use crate::uri::{normal_uri, path_of_uri};
use crate::{FileText, Root, Stamp, uri_of_path};

/// Longest text that is parsed unless somebody says otherwise, in bytes.
pub(crate) const LONGEST: usize = 32 << 20;

/// How long a text is parsed before it is taken for plain text until it changes. Code that somebody wrote
/// takes less than a second; thousands of open tags may take minutes.
pub(crate) const LONGEST_PARSE: Duration = Duration::from_secs(10);

/// Parses a text that is no document's; `None` once `interrupt` is set, and where it takes longer than a
/// document may.
#[must_use]
pub fn parse_in_time(
    language: Language,
    text: &Text,
    before: Option<&Syntax>,
    interrupt: &AtomicBool,
) -> Option<Syntax> {
    Syntax::parse_until(language, text, before, &mut until_late(interrupt))
}

/// Says that a parse which begins now is to stop: once `interrupt` is set, or when it takes too long.
pub(crate) fn until_late(interrupt: &AtomicBool) -> impl FnMut() -> bool {
    let until = Instant::now() + LONGEST_PARSE;
    move || interrupt.load(Ordering::Relaxed) || Instant::now() >= until
}

/// Why a text is not parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// It is too long.
    Long,
    /// It has NUL bytes at its start: it is no text.
    Binary,
    /// It was not parsed within [`LONGEST_PARSE`].
    Slow,
}

/// One state of a document. It never changes: a change makes the next one.
#[derive(Debug)]
pub struct Document {
    uri: Arc<str>,
    key: Arc<str>,
    version: i32,
    revision: u64,
    on_disk: Option<Stamp>,
    text: Text,
    language: Option<Language>,
    /// Longest text that is parsed, in bytes.
    longest: Arc<AtomicUsize>,
    /// Whether parsing it took too long.
    is_slow: AtomicBool,
    parses: Arc<Parses>,
    colours: Arc<Colours>,
    syntax: OnceLock<Syntax>,
    facts: OnceLock<Arc<Facts>>,
    outline: OnceLock<Arc<Outline>>,
}

/// What is known of the highlights of a document's states.
#[derive(Debug, Default)]
struct Colours {
    injected: Injected,
    /// Those of the state whose were asked for last, if all were.
    painted: Mutex<Option<Painted>>,
}

/// What highlights lack that were given in a hurry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// Nothing.
    Nothing,
    /// Some code of other languages, which stands as the text around it.
    Inside,
    /// What the latest changes made of it.
    Latest,
}

impl Document {
    pub(crate) fn new(uri: &str, lsp_id: &str, version: i32, text: &str, revision: u64) -> Self {
        let name = uri.rsplit('/').next().unwrap_or(uri);
        let name = path_of_uri(uri)
            .ok()
            .and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| name.to_owned());
        let said = Language::by_lsp_id(lsp_id);
        let named = Language::detect(&name, text);
        // A name may tell more than an editor that knows one name for several ways to write a
        // language: JSON that has comments.
        let narrower = named.filter(|n| said.is_some_and(|s| s.id() == n.folder()));
        Self {
            uri: uri.into(),
            key: normal_uri(uri).into(),
            version,
            revision,
            on_disk: None,
            text: Text::new(text),
            language: narrower.or(said).or(named),
            longest: Arc::new(AtomicUsize::new(LONGEST)),
            is_slow: AtomicBool::new(false),
            parses: Arc::default(),
            colours: Arc::default(),
            syntax: OnceLock::new(),
            facts: OnceLock::new(),
            outline: OnceLock::new(),
        }
    }

    /// A file that is not open, as it lies on disk.
    pub(crate) fn on_disk(file: &FileText, stamp: Stamp) -> Self {
        let uri = uri_of_path(&file.path.absolute());
        let mut document = Self::new(&uri, "", 0, "", 0);
        document.language = file.language();
        document.text = file.text.clone();
        document.on_disk = Some(stamp);
        document
    }

    /// The same document with another text.
    pub(crate) fn changed(&self, version: i32, text: Text, revision: u64) -> Self {
        Self {
            uri: self.uri.clone(),
            key: self.key.clone(),
            version,
            revision,
            on_disk: None,
            text,
            language: self.language,
            longest: self.longest.clone(),
            is_slow: AtomicBool::new(false),
            parses: self.parses.clone(),
            colours: self.colours.clone(),
            syntax: OnceLock::new(),
            facts: OnceLock::new(),
            outline: OnceLock::new(),
        }
    }

    /// Its URI as the client spells it.
    #[must_use]
    pub fn uri(&self) -> &Arc<str> {
        &self.uri
    }

    /// Its URI in the one spelling that documents are found by.
    pub(crate) fn key(&self) -> &Arc<str> {
        &self.key
    }

    /// The version that the client gave this text.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The workspace's revision with which this text came.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The state of the file that this is the text of; `None` for an open document.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        self.on_disk
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Its language, by the client's word or else by name and content.
    #[must_use]
    pub fn language(&self) -> Option<Language> {
        self.language
    }

    /// The file it stands for; `None` outside the roots. Looked up each time: links move.
    pub(crate) fn path(&self, roots: &[Arc<Root>]) -> Option<FilePath> {
        locate(roots, path_of_uri(&self.uri).ok()?.to_str()?).ok()
    }

    /// Whether it stands for the file at `path`, which is free of links.
    pub(crate) fn is_at(&self, path: &FilePath, roots: &[Arc<Root>]) -> bool {
        let own = path_of_uri(&self.uri);
        own.is_ok_and(|own| own == path.absolute()) || self.path(roots).as_ref() == Some(path)
    }

    /// The same, of a document whose longest text that is parsed is set elsewhere.
    pub(crate) fn with_longest(mut self, longest: &Arc<AtomicUsize>) -> Self {
        self.longest = longest.clone();
        self
    }

    /// Why its text is nobody's code, whatever its name: it is only kept and edited.
    #[must_use]
    pub fn plain(&self) -> Option<Plain> {
        if self.text.len() > self.longest.load(Ordering::Relaxed) {
            return Some(Plain::Long);
        }
        let (start, _) = self.text.chunk_at(0);
        if self.is_slow.load(Ordering::Relaxed) {
            return Some(Plain::Slow);
        }
        memchr::memchr(0, start.as_bytes()).map(|_| Plain::Binary)
    }

    /// Its syntax, parsed at the first question from what is known of earlier states. `None` for
    /// a language without a grammar, for plain text, and once `interrupt` is set.
    #[must_use]
    pub fn syntax(&self, interrupt: &AtomicBool) -> Option<Syntax> {
        let language = self.language.filter(|_| self.plain().is_none())?;
        if let Some(done) = self.syntax.get() {
            return Some(done.clone());
        }
        let _turn = self.parses.turn(interrupt)?;
        if let Some(done) = self.syntax.get() {
            return Some(done.clone());
        }
        // Who has waited for the turn may find that it takes too long.
        if self.is_slow.load(Ordering::Relaxed) {
            return None;
        }
        let until = Instant::now() + LONGEST_PARSE;
        let mut is_late = false;
        let mut stop = || {
            is_late = Instant::now() >= until;
            is_late || interrupt.load(Ordering::Relaxed)
        };
        let parsed = self.parses.parse(language, &self.text, &mut stop);
        if parsed.is_none() && is_late {
            tracing::warn!("{}: not parsed within {LONGEST_PARSE:?}: plain text", self.uri);
            self.is_slow.store(true, Ordering::Relaxed);
        }
        let syntax = parsed?;
        Some(self.syntax.get_or_init(|| syntax).clone())
    }

    /// The text with `name` at `offset` and the line finished as its language would have it. `None`
    /// where that is not known or not in time, for plain text, and once `interrupt` is set.
    pub(crate) fn finish_line(
        &self,
        offset: usize,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Option<Finished> {
        let language = self.language.filter(|_| self.plain().is_none())?;
        self.parses.finish_line(language, &self.text, offset, name, &mut until_late(interrupt))
    }

    /// Its syntax if that can be had within `budget`, else what an earlier state's tree says, for
    /// which nobody waits; [`Document::syntax`] is to be called then, by somebody who can. Where no
    /// state was parsed yet, as [`Document::syntax`].
    #[must_use]
    pub fn syntax_within(&self, budget: Duration, interrupt: &AtomicBool) -> Option<Seen> {
        let language = self.language.filter(|_| self.plain().is_none())?;
        if let Some(done) = self.syntax.get() {
            return Some(Seen::Fresh(done.clone()));
        }
        let until = Instant::now() + budget;
        let Some(before) = self.parses.latest() else {
            return self.syntax(interrupt).map(Seen::Fresh);
        };
        if let Some(_turn) = self.parses.turn_within(budget) {
            if let Some(done) = self.syntax.get() {
                return Some(Seen::Fresh(done.clone()));
            }
            let mut stop = || interrupt.load(Ordering::Relaxed) || Instant::now() >= until;
            if let Some(syntax) = self.parses.parse(language, &self.text, &mut stop) {
                return Some(Seen::Fresh(self.syntax.get_or_init(|| syntax).clone()));
            }
        }
        Some(Seen::Earlier(before.shifted(&self.text)))
    }

    /// The highlights of what touches `span`, as [`Syntax::highlights`]; those of all of the text
    /// cost after a change what the change is worth. Otherwise as [`Document::syntax`].
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        injections: bool,
        interrupt: &AtomicBool,
    ) -> Option<Arc<[Highlight]>> {
        self.coloured(&self.syntax(interrupt)?, span, injections, None, interrupt)
    }

    /// The same of what [`Document::syntax_within`] gives, and what is missing there: code of other
    /// languages that was not seen before has `inside`, from the first of it on.
    #[must_use]
    pub fn highlights_within(
        &self,
        budget: Duration,
        inside: Duration,
        span: Range<usize>,
        injections: bool,
        interrupt: &AtomicBool,
    ) -> Option<(Arc<[Highlight]>, Missing)> {
        let begun = OnceLock::new();
        let is_over = || begun.get_or_init(Instant::now).elapsed() >= inside;
        let left = Budget::new(&is_over);
        Some(match self.syntax_within(budget, interrupt)? {
            Seen::Fresh(syntax) => {
                let found = self.coloured(&syntax, span, injections, Some(&left), interrupt)?;
                (found, if left.is_spent() { Missing::Inside } else { Missing::Nothing })
            }
            Seen::Earlier(shifted) => {
                let known = Some(&self.colours.injected);
                let options = HighlightOptions { injections, known, budget: Some(&left) };
                (shifted.highlights(span, options, interrupt)?.into(), Missing::Latest)
            }
        })
    }

    fn coloured(
        &self,
        syntax: &Syntax,
        span: Range<usize>,
        injections: bool,
        budget: Option<&Budget<'_>>,
        interrupt: &AtomicBool,
    ) -> Option<Arc<[Highlight]>> {
        let options = HighlightOptions { injections, known: Some(&self.colours.injected), budget };
        if span != (0..self.text.len()) {
            return Some(syntax.highlights(span, options, interrupt)?.into());
        }
        let before = self.colours.painted.lock().clone();
        let painted = match &before {
            Some(before) => before.again(syntax, options, interrupt)?,
            None => Painted::new(syntax, options, interrupt)?,
        };
        let highlights = painted.highlights().clone();
        if budget.is_some_and(|budget| budget.is_spent()) {
            return Some(highlights);
        }
        let earlier = self.colours.painted.lock().replace(painted);
        // Outside the lock: a tree that nobody has any more takes its time to go.
        drop((earlier, before));
        Some(highlights)
    }

    /// Its outline, made at the first question; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn outline(&self, interrupt: &AtomicBool) -> Option<Arc<Outline>> {
        if let Some(done) = self.outline.get() {
            return Some(done.clone());
        }
        let outline = self.syntax(interrupt)?.outline(interrupt)?.into();
        Some(self.outline.get_or_init(|| outline).clone())
    }

    /// The outline of what [`Document::syntax_within`] gives, and whether that is fresh.
    #[must_use]
    pub fn outline_within(
        &self,
        budget: Duration,
        interrupt: &AtomicBool,
    ) -> Option<(Arc<Outline>, bool)> {
        match self.syntax_within(budget, interrupt)? {
            Seen::Fresh(_) => self.outline(interrupt).map(|outline| (outline, true)),
            Seen::Earlier(shifted) => Some((shifted.outline(interrupt)?.into(), false)),
        }
    }

    /// Where the names start of what is deprecated, in order of place. Empty once interrupted.
    #[must_use]
    pub fn deprecated(&self, interrupt: &AtomicBool) -> Vec<usize> {
        self.facts(interrupt).map(|facts| facts.deprecated().collect()).unwrap_or_default()
    }

    /// What it defines, as [`Facts::symbols`]; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn symbols(&self, interrupt: &AtomicBool) -> Option<Vec<FileSymbol>> {
        Some(self.facts(interrupt)?.symbols())
    }

    /// Whether definitions, by where their names start, are one symbol; see
    /// [`Facts::are_one_symbol`].
    #[must_use]
    pub fn are_one_symbol(&self, names: &[usize], interrupt: &AtomicBool) -> bool {
        self.facts(interrupt).is_some_and(|facts| facts.are_one_symbol(names))
    }

    /// The places up to the end of a line where variables are named that a debugger finds which is
    /// stopped before the line; see [`Facts::locals_up_to`].
    #[must_use]
    pub fn locals_up_to(&self, line: &Range<usize>, interrupt: &AtomicBool) -> Vec<Range<usize>> {
        let found = self.facts(interrupt).and_then(|facts| facts.locals_up_to(line));
        found.map(|(_, named)| named).unwrap_or_default()
    }

    /// What of it can be run by itself; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn runnables(&self, interrupt: &AtomicBool) -> Vec<Runnable> {
        self.syntax(interrupt).and_then(|syntax| syntax.runnables(interrupt)).unwrap_or_default()
    }

    /// What its text says about names.
    pub(crate) fn facts(&self, interrupt: &AtomicBool) -> Option<Arc<Facts>> {
        if let Some(done) = self.facts.get() {
            return Some(done.clone());
        }
        let facts = Arc::new(Facts::of(&self.syntax(interrupt)?, interrupt)?);
        Some(self.facts.get_or_init(|| facts).clone())
    }
}
