//! A parallel walk over code files, for searches that parse them.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use syntax::{Language, Syntax};
use text::Text;
use workspace::{
    CallBudget, Document, FileKind, Folder, Visitor, WalkOptions, is_excluded_from_walk, walk,
};

use super::globs::FilePattern;
use super::scope::{self, OpenDocuments, SearchRoot};
use tools::{Context, ToolError};

/// Largest file that is parsed, in bytes: larger ones are data.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Time limit per file.
const FILE_TIMEOUT: Duration = Duration::from_secs(3);
/// How often the watchdog checks for files over their time limit.
const WATCHDOG_INTERVAL: Duration = Duration::from_millis(20);

/// What a search does with each file, on any of its threads.
pub trait CodeSearch: Sync {
    /// Whether files of this language are searched.
    fn wants(&self, language: Language) -> bool;

    /// Whether results at or below `path` of a root still matter.
    fn is_pending(&self, _root: usize, _path: &[u8]) -> bool {
        true
    }

    /// Whether a file with these bytes cannot match: saves parsing it.
    fn cannot_match(&self, _bytes: &[u8]) -> bool {
        false
    }

    /// Searches a file. It stops once `interrupt` is set: then the file counts as not searched.
    fn search(&self, file: &CodeFile<'_>, interrupt: &AtomicBool);
}

/// A file of the walk.
pub struct CodeFile<'f> {
    /// The number of its root.
    pub root: usize,
    /// Its path below the root.
    pub path: &'f [u8],
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: &'f Text,
    document: Option<&'f Document>,
}

impl CodeFile<'_> {
    /// Its tree: the one that is kept for an open document, otherwise a new one.
    pub fn parse(&self, interrupt: &AtomicBool) -> Option<Syntax> {
        match self.document {
            Some(document) => document.syntax(interrupt),
            None => Syntax::parse(self.language, self.text, None, interrupt),
        }
    }
}

/// Where a search looks.
pub struct CodeScope<'q> {
    /// The tool that searches, for messages.
    pub tool: &'static str,
    /// A folder or file; every root by default.
    pub path: Option<&'q str>,
    /// Only files that match.
    pub files: Option<FilePattern>,
}

/// How far a search got.
#[derive(Default)]
pub struct CodeWalk {
    /// Number of files searched.
    pub searched: usize,
    /// Whether a file was skipped: unreadable, too large, or too slow to parse.
    pub incomplete: bool,
}

/// Searches code files: the texts of open documents, and other files from disk. Hidden and ignored
/// files are skipped, and those that rules hide.
pub fn search_code<S: CodeSearch>(
    context: &Context<'_>,
    scope: &CodeScope<'_>,
    search: &S,
) -> Result<CodeWalk, ToolError> {
    let watchdog = Watchdog::new();
    let budget = context.budget();
    let mut whole = CodeWalk::default();
    std::thread::scope(|threads| {
        threads.spawn(|| watchdog.run(context.interrupt));
        let _end = StopOnDrop(&watchdog);
        for start in scope::search_roots(context, scope.path)? {
            let open = scope::open_documents(context, &start);
            let visitor = || CodeVisitor {
                context,
                scope,
                search,
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
                    .map_err(|error| scope::not_searched(scope.tool, &start.path, error))?;
                whole.incomplete |= !walked.complete;
                for visitor in walked.visitors {
                    whole.searched += visitor.searched;
                    whole.incomplete |= visitor.incomplete;
                }
            }
            whole.searched += rest.searched;
            whole.incomplete |= rest.incomplete;
        }
        Ok::<(), ToolError>(())
    })?;
    context.check_interrupt(scope.tool)?;
    Ok(whole)
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
struct CodeVisitor<'s, S> {
    context: &'s Context<'s>,
    scope: &'s CodeScope<'s>,
    search: &'s S,
    start: &'s SearchRoot,
    open: &'s OpenDocuments,
    thread: (Arc<SearchThread>, Instant),
    budget: &'s CallBudget<'s>,
    searched: usize,
    incomplete: bool,
}

impl<S: CodeSearch> CodeVisitor<'_, S> {
    fn is_pending(&self, path: &[u8]) -> bool {
        self.search.is_pending(self.start.root, path)
    }

    /// Searches open documents, which the walk skips.
    fn search_open_documents(&mut self) {
        let files = self.scope.files.as_ref();
        for (relative, (path, document)) in self.open {
            if path.relative_to(&self.start.path).is_none()
                || (*path != self.start.path
                    && (is_excluded_from_walk(path, &self.start.path, WalkOptions::default())
                        || !self.start.includes(files, path.file_name().as_bytes(), relative)))
                || !self.is_pending(relative)
            {
                continue;
            }
            let Some(language) = document.language() else { continue };
            if !scope::may_read(self.context, self.start.root, relative) {
                continue;
            }
            self.text(relative, document.text(), language, Some(document));
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

    fn text(&mut self, path: &[u8], text: &Text, language: Language, document: Option<&Document>) {
        if !self.search.wants(language) {
            return;
        }
        self.searched += 1;
        let (thread, started) = &self.thread;
        thread.timed_out.store(self.context.interrupt.load(Ordering::Relaxed), Ordering::Relaxed);
        thread.since.store(elapsed_ms(*started), Ordering::Relaxed);
        let file = CodeFile { root: self.start.root, path, language, text, document };
        self.search.search(&file, &thread.timed_out);
        thread.since.store(0, Ordering::Relaxed);
        self.incomplete |= thread.timed_out.load(Ordering::Relaxed);
    }
}

impl<S: CodeSearch> Visitor for CodeVisitor<'_, S> {
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
        self.start.includes(self.scope.files.as_ref(), name, &path)
            && !self.open.contains_key(&path)
            && (self.search.wants(language) || name.ends_with(b".h"))
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
        if !is_utf16 && self.search.cannot_match(&bytes) {
            self.searched += 1;
            return;
        }
        let Ok(decoded) = text::decode(bytes) else { return };
        let Some(language) = Language::detect(&name.to_string_lossy(), &decoded.text) else {
            return;
        };
        self.text(path, &Text::new(&decoded.text), language, None);
    }
}
