//! The search behind `structural_search`.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use memchr::memmem;
use syntax::{CodePattern, Language, PatternError, StructuralMatch, StructuralQuery, Syntax};
use text::Text;
use workspace::{
    CallBudget, Document, FileKind, FilePath, Folder, Visitor, WalkOptions, is_excluded_from_walk,
    walk,
};

use super::cursor::Cursor;
use super::globs::FilePattern;
use super::page::{FilePosition, Files, LastHit, Page};
use super::scope::{self, SearchRoot};
use super::structural_search::CodeHit;
use crate::{Code, Context, ToolError};

/// Largest file that is parsed, in bytes: larger ones are data.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Time limit per file.
const FILE_TIMEOUT: Duration = Duration::from_secs(3);
/// How often the watchdog checks for files over their time limit.
const WATCHDOG_INTERVAL: Duration = Duration::from_millis(20);

/// The pattern or query, compiled for each language in which it parses.
pub(super) struct CompiledPatterns(Vec<CompiledPattern>);

enum CompiledPattern {
    Pattern(CodePattern),
    Query(StructuralQuery),
}

impl CompiledPatterns {
    /// # Errors
    /// If it does not parse in the requested language, or in any.
    pub(super) fn new(
        source: &str,
        is_query: bool,
        language: Option<Language>,
    ) -> Result<Self, PatternError> {
        let read = |language| {
            if is_query {
                StructuralQuery::new(language, source).map(CompiledPattern::Query)
            } else {
                CodePattern::new(language, source).map(CompiledPattern::Pattern)
            }
        };
        if let Some(language) = language {
            return Ok(Self(vec![read(language)?]));
        }
        let (mut all, mut first_error) = (Vec::new(), None);
        for language in Language::all() {
            match read(language) {
                Ok(one) => all.push(one),
                Err(error) => first_error = first_error.or(Some(error)),
            }
        }
        match first_error {
            Some(error) if all.is_empty() => Err(error),
            _ => Ok(Self(all)),
        }
    }

    fn for_language(&self, language: Language) -> Option<&CompiledPattern> {
        self.0.iter().find(|one| match one {
            CompiledPattern::Pattern(pattern) => pattern.language() == language,
            CompiledPattern::Query(query) => query.language() == language,
        })
    }
}

impl CompiledPattern {
    /// Whether the file cannot match, judged by its bytes alone: saves parsing it.
    fn cannot_match(&self, bytes: &[u8]) -> bool {
        let Self::Pattern(pattern) = self else { return false };
        pattern.word().is_some_and(|word| memmem::find(bytes, word.as_bytes()).is_none())
    }

    fn find(&self, syntax: &Syntax, most: usize, interrupt: &AtomicBool) -> Vec<StructuralMatch> {
        match self {
            Self::Pattern(pattern) => pattern.find(syntax, most, interrupt),
            Self::Query(query) => query.find(syntax, most, interrupt),
        }
    }
}

/// What to search for, and where.
pub(super) struct StructuralRequest<'q> {
    pub(super) tool: &'static str,
    pub(super) path: Option<&'q str>,
    pub(super) patterns: CompiledPatterns,
    pub(super) files: Option<FilePattern>,
    pub(super) max_results: usize,
    pub(super) cursor: Option<Cursor>,
}

/// The matches of a page.
pub(super) struct StructuralResults {
    pub(super) files: Files<CodeHit>,
    /// Position to continue from, if there are more.
    pub(super) last: Option<LastHit>,
    pub(super) searched: usize,
    pub(super) incomplete: bool,
}

/// Runs the search.
pub(super) fn search(
    context: &Context<'_>,
    request: &StructuralRequest<'_>,
) -> Result<StructuralResults, ToolError> {
    let page = Page::new(request.max_results);
    let watchdog = Watchdog::new();
    let budget = context.budget();
    let (mut searched, mut incomplete) = (0, false);
    std::thread::scope(|scope| {
        scope.spawn(|| watchdog.run(context.interrupt));
        let _end = StopOnDrop(&watchdog);
        for start in scope::search_roots(context, request.path)? {
            let open = scope::open_documents(context, &start);
            let visitor = || StructuralVisitor {
                context,
                request,
                page: &page,
                start: &start,
                open: &open,
                thread: watchdog.thread(),
                budget: &budget,
                searched: 0,
                incomplete: false,
            };
            let mut rest = visitor();
            rest.search_open_documents();
            if !rest.search_single_file() {
                let walked = walk(&start.path, WalkOptions::default(), context.interrupt, visitor)
                    .map_err(|error| match error {
                        workspace::FileError::NotFound { path } => ToolError::new(
                            Code::PathNotFound,
                            format!("{}: {path}: no such file or folder", request.tool),
                        ),
                        error => scope::not_found(request.tool, &start.path, error),
                    })?;
                incomplete |= !walked.complete;
                for visitor in walked.visitors {
                    searched += visitor.searched;
                    incomplete |= visitor.incomplete;
                }
            }
            searched += rest.searched;
            incomplete |= rest.incomplete;
        }
        Ok::<(), ToolError>(())
    })?;
    context.check_interrupt(request.tool)?;
    let (files, last) = page.finish();
    Ok(StructuralResults { files, last, searched, incomplete })
}

/// A watchdog that cancels files over the time limit: a hostile file can keep a parser busy for
/// minutes.
struct Watchdog {
    started: Instant,
    is_over: AtomicBool,
    threads: parking_lot::Mutex<Vec<Arc<SearchThread>>>,
}

/// The state of one search thread.
struct SearchThread {
    /// When it started its current file, in milliseconds since the start of the search; 0 if it
    /// has none.
    since: AtomicU64,
    timed_out: AtomicBool,
}

impl Watchdog {
    fn new() -> Self {
        Self {
            started: Instant::now(),
            is_over: AtomicBool::new(false),
            threads: parking_lot::Mutex::default(),
        }
    }

    fn thread(&self) -> (Arc<SearchThread>, Instant) {
        let thread =
            Arc::new(SearchThread { since: AtomicU64::new(0), timed_out: AtomicBool::new(false) });
        self.threads.lock().push(thread.clone());
        (thread, self.started)
    }

    fn run(&self, interrupt: &AtomicBool) {
        while !self.is_over.load(Ordering::Relaxed) {
            std::thread::park_timeout(WATCHDOG_INTERVAL);
            let now = elapsed_ms(self.started);
            for thread in self.threads.lock().iter() {
                let since = thread.since.load(Ordering::Relaxed);
                let is_long =
                    since > 0 && now.saturating_sub(since) > FILE_TIMEOUT.as_millis() as u64;
                if is_long || interrupt.load(Ordering::Relaxed) {
                    thread.timed_out.store(true, Ordering::Relaxed);
                }
            }
        }
    }
}

fn elapsed_ms(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX) + 1
}

/// Stops the watchdog when dropped, even if the search panics.
struct StopOnDrop<'w>(&'w Watchdog);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

/// One thread's search below one start.
struct StructuralVisitor<'s> {
    context: &'s Context<'s>,
    request: &'s StructuralRequest<'s>,
    page: &'s Page<CodeHit>,
    start: &'s SearchRoot,
    open: &'s HashMap<Vec<u8>, (FilePath, Arc<Document>)>,
    thread: (Arc<SearchThread>, Instant),
    budget: &'s CallBudget<'s>,
    searched: usize,
    incomplete: bool,
}

impl StructuralVisitor<'_> {
    fn is_pending(&self, path: &[u8]) -> bool {
        let cursor = self.request.cursor.as_ref();
        cursor.is_none_or(|cursor| cursor.is_before(self.start.root, path))
            && self.page.may_matter(self.start.root, path)
    }

    fn is_included(&self, name: &[u8], path: &[u8]) -> bool {
        let start = self.start.path.relative().as_os_str().as_bytes();
        let below = || path.strip_prefix(start).map_or(path, |p| p.strip_prefix(b"/").unwrap_or(p));
        self.request.files.as_ref().is_none_or(|files| files.wants(name, below))
    }

    /// Searches open documents, which the walk skips.
    fn search_open_documents(&mut self) {
        for (relative, (path, document)) in self.open {
            if path.relative_to(&self.start.path).is_none()
                || (*path != self.start.path
                    && (is_excluded_from_walk(path, &self.start.path, WalkOptions::default())
                        || !self.is_included(path.file_name().as_bytes(), relative)))
                || !self.is_pending(relative)
            {
                continue;
            }
            let Some(language) = document.language() else { continue };
            if !scope::may_read(self.context, self.start.root, relative) {
                continue;
            }
            self.text(relative, document.text(), language);
        }
    }

    /// Searches the start if it is a single file; false if it is not.
    fn search_single_file(&mut self) -> bool {
        let path = &self.start.path;
        let relative = path.relative().as_os_str().as_bytes();
        if self.open.contains_key(relative) {
            return true;
        }
        let Some(folder) = path.parent().and_then(|parent| Folder::open(&parent).ok()) else {
            return false;
        };
        if folder.kind(path.file_name()) != Some(FileKind::File) {
            return false;
        }
        self.visit(&folder, path.file_name(), relative, FileKind::File);
        true
    }

    fn text(&mut self, path: &[u8], text: &Text, language: Language) {
        let Some(one) = self.request.patterns.for_language(language) else { return };
        self.searched += 1;
        let (thread, started) = &self.thread;
        thread.timed_out.store(self.context.interrupt.load(Ordering::Relaxed), Ordering::Relaxed);
        thread.since.store(elapsed_ms(*started), Ordering::Relaxed);
        let cursor = self.request.cursor.as_ref();
        let after = cursor.map_or(0, |cursor| cursor.line_in(self.start.root, path));
        let most =
            usize::try_from(after).unwrap_or(usize::MAX).saturating_add(self.page.max_per_file());
        let found = Syntax::parse(language, text, None, &thread.timed_out)
            .map(|syntax| one.find(&syntax, most, &thread.timed_out));
        thread.since.store(0, Ordering::Relaxed);
        self.incomplete |= thread.timed_out.load(Ordering::Relaxed);
        let hits: Vec<_> = (1..)
            .zip(found.unwrap_or_default())
            .filter(|(number, _)| *number > after)
            .map(|(number, found)| CodeHit::new(number, found, text))
            .collect();
        if !hits.is_empty() {
            self.page.add(FilePosition { root: self.start.root, path: path.to_vec() }, hits);
        }
    }
}

impl Visitor for StructuralVisitor<'_> {
    const ARE_VISITS_SLOW: bool = true;

    fn may_contain_matches(&mut self, path: &[u8]) -> bool {
        self.is_pending(path)
    }

    fn should_visit(&mut self, folder: &Folder, name: &[u8], kind: FileKind) -> bool {
        if kind != FileKind::File {
            return false;
        }
        let Some(language) = Language::detect(&String::from_utf8_lossy(name), "") else {
            return false;
        };
        let mut path = Vec::new();
        folder.path_of(name, &mut path);
        self.is_included(name, &path)
            && !self.open.contains_key(&path)
            && (self.request.patterns.for_language(language).is_some() || name.ends_with(b".h"))
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], _: FileKind) {
        if !self.is_pending(path) || !scope::may_read(self.context, self.start.root, path) {
            return;
        }
        let mut bytes = Vec::new();
        let read = folder.open_file(name).ok().filter(|(_, size)| *size <= MAX_FILE_BYTES);
        let Some((file, size)) = read else {
            self.incomplete = true;
            return;
        };
        if self.budget.read(size).is_err() {
            self.incomplete = true;
            return;
        }
        if file.take(MAX_FILE_BYTES).read_to_end(&mut bytes).is_err() {
            self.incomplete = true;
            return;
        }
        let is_utf16 = matches!(bytes.get(..2), Some(b"\xFF\xFE" | b"\xFE\xFF"));
        if !is_utf16 && self.request.patterns.0.iter().all(|one| one.cannot_match(&bytes)) {
            self.searched += 1;
            return;
        }
        let Ok(decoded) = text::decode(bytes) else { return };
        let Some(language) = Language::detect(&name.to_string_lossy(), &decoded.text) else {
            return;
        };
        self.text(path, &Text::new(&decoded.text), language);
    }
}
