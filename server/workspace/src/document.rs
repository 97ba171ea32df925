//! A document: a text under a URI, as the editor has it open or as it lies on disk.

use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

use names::{Facts, FileSymbol};
use parking_lot::Mutex;
use syntax::{Highlight, HighlightOptions, Injected, Language, OutlineItem, Runnable, Syntax};
use text::Text;

use crate::path::{FilePath, locate};
use crate::uri::{normal_uri, path_of_uri};
use crate::{FileText, Root, Stamp, uri_of_path};

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
    latest: Arc<Mutex<Option<Syntax>>>,
    injected: Arc<Injected>,
    syntax: OnceLock<Syntax>,
    facts: OnceLock<Arc<Facts>>,
    outline: OnceLock<Arc<[OutlineItem]>>,
}

impl Document {
    pub(crate) fn new(uri: &str, lsp_id: &str, version: i32, text: &str, revision: u64) -> Self {
        let name = uri.rsplit('/').next().unwrap_or(uri);
        let name = path_of_uri(uri)
            .ok()
            .and_then(|p| Some(p.file_name()?.to_string_lossy().into_owned()))
            .unwrap_or_else(|| name.to_owned());
        Self {
            uri: uri.into(),
            key: normal_uri(uri).into(),
            version,
            revision,
            on_disk: None,
            text: Text::new(text),
            language: Language::by_lsp_id(lsp_id).or_else(|| Language::detect(&name, text)),
            latest: Arc::default(),
            injected: Arc::default(),
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
            latest: self.latest.clone(),
            injected: self.injected.clone(),
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

    /// Its syntax, parsed at the first question from what is known of earlier states. `None` for
    /// a language without a grammar, and once `interrupt` is set.
    #[must_use]
    pub fn syntax(&self, interrupt: &AtomicBool) -> Option<Syntax> {
        let language = self.language?;
        if let Some(done) = self.syntax.get() {
            return Some(done.clone());
        }
        // One parse of a document at a time: the second finds the first one's tree.
        let mut latest = self.latest.lock();
        if let Some(done) = self.syntax.get() {
            return Some(done.clone());
        }
        let syntax = Syntax::parse(language, &self.text, latest.as_ref(), interrupt)?;
        *latest = Some(syntax.clone());
        Some(self.syntax.get_or_init(|| syntax).clone())
    }

    /// The highlights of what touches `span`, as [`Syntax::highlights`]; otherwise as
    /// [`Document::syntax`].
    #[must_use]
    pub fn highlights(
        &self,
        span: Range<usize>,
        injections: bool,
        interrupt: &AtomicBool,
    ) -> Option<Vec<Highlight>> {
        let options = HighlightOptions { injections, known: Some(&self.injected) };
        self.syntax(interrupt)?.highlights(span, options, interrupt)
    }

    /// Its outline, made at the first question; otherwise as [`Document::syntax`].
    #[must_use]
    pub fn outline(&self, interrupt: &AtomicBool) -> Option<Arc<[OutlineItem]>> {
        if let Some(done) = self.outline.get() {
            return Some(done.clone());
        }
        let outline = self.syntax(interrupt)?.outline().into();
        Some(self.outline.get_or_init(|| outline).clone())
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
        self.syntax(interrupt).map(|syntax| syntax.runnables()).unwrap_or_default()
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
