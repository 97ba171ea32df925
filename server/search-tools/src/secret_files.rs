//! A scan of files for secrets: the texts of open documents, and other files from disk.

use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use secrets::{Finding, Scanner};
use workspace::{
    CallBudget, Document, FileKind, FilesystemSandbox, Folder, Visitor, WalkOptions, walk,
};

use super::globs::FilePattern;
use super::scope::{self, OpenDocuments, SearchRoot};
use tools::{Code, Context, ToolError};

/// Largest file that is scanned, in bytes. Larger ones count as not searched.
const MAX_FILE_BYTES: u64 = 64 << 20;
/// Bytes at the start of a file among which a NUL marks it as binary, as in git.
const BINARY_PREFIX: usize = 8_000;
/// Findings after which a scan ends.
const MAX_FINDINGS: usize = 10_000;

/// What to scan.
pub struct SecretFiles<'q> {
    /// The tool that searches, for messages.
    pub tool: &'static str,
    /// The file or folder; the workspace by default.
    pub path: Option<&'q str>,
    /// Only files that match.
    pub files: Option<FilePattern>,
    /// Which files the walk visits.
    pub options: WalkOptions,
    /// What finds secrets in a text.
    pub scanner: &'q Scanner,
}

/// The findings of a scan.
#[derive(Default)]
pub struct ScannedFiles {
    /// Each with the path as results show it.
    pub findings: Vec<(String, Finding)>,
    /// Number of files scanned.
    pub scanned: usize,
    /// Whether a file was not scanned: unreadable, too large, or one too many.
    pub incomplete: bool,
}

/// Scans on threads that are confined to the roots: the call's own thread is not, because the git part of the tool needs
/// a ruleset of its own.
pub fn scan_files(
    context: &Context<'_>,
    query: &SecretFiles<'_>,
) -> Result<ScannedFiles, ToolError> {
    let roots = context.snapshot.roots().iter().map(Arc::as_ref);
    let sandbox = FilesystemSandbox::for_roots(roots);
    let confined = || {
        // Without a sandbox (`tandem doctor` reports that), files are still opened through the roots' handles only.
        if let Err(error) = sandbox.and_then(|sandbox| sandbox.restrict_thread()) {
            tracing::debug!("secrets are searched without a sandbox: {error}");
        }
        scan_confined(context, query)
    };
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("secrets".to_owned());
        thread.spawn_scoped(scope, confined).map(std::thread::ScopedJoinHandle::join)
    });
    let failed = |what: String| ToolError::new(Code::Internal, format!("{}: {what}", query.tool));
    match done {
        Ok(Ok(scanned)) => scanned,
        Ok(Err(_)) => Err(failed("the scan ended unexpectedly".to_owned())),
        Err(error) => Err(failed(format!("cannot start a thread: {error}"))),
    }
}

fn scan_confined(
    context: &Context<'_>,
    query: &SecretFiles<'_>,
) -> Result<ScannedFiles, ToolError> {
    let (budget, count) = (context.budget(), AtomicUsize::new(0));
    let mut whole = ScannedFiles::default();
    for start in scope::search_roots(context, query.path)? {
        let open = scope::open_documents(context, &start);
        let visitor = || SecretVisitor {
            context,
            query,
            start: &start,
            open: &open,
            budget: &budget,
            count: &count,
            buffer: Vec::new(),
            path: Vec::new(),
            scanned: ScannedFiles::default(),
        };
        let mut rest = visitor();
        rest.scan_unsaved();
        if !rest.scan_single_file()? {
            let walked = walk(&start.path, query.options, context.interrupt, visitor)
                .map_err(|error| scope::not_searched(query.tool, &start.path, error))?;
            whole.incomplete |= !walked.complete;
            walked.visitors.into_iter().for_each(|visitor| whole.add(visitor.scanned));
        }
        whole.add(rest.scanned);
    }
    context.check_interrupt(query.tool)?;
    whole.incomplete |= count.into_inner() >= MAX_FINDINGS;
    Ok(whole)
}

impl ScannedFiles {
    fn add(&mut self, other: Self) {
        self.findings.extend(other.findings);
        self.scanned += other.scanned;
        self.incomplete |= other.incomplete;
    }
}

/// One thread's scan below one start.
struct SecretVisitor<'s> {
    context: &'s Context<'s>,
    query: &'s SecretFiles<'s>,
    start: &'s SearchRoot,
    open: &'s OpenDocuments,
    budget: &'s CallBudget<'s>,
    /// The findings of all threads.
    count: &'s AtomicUsize,
    buffer: Vec<u8>,
    path: Vec<u8>,
    scanned: ScannedFiles,
}

impl SecretVisitor<'_> {
    /// Scans the start if it is a single file; false if it is not.
    fn scan_single_file(&mut self) -> Result<bool, ToolError> {
        let path = &self.start.path;
        let relative = path.relative().as_os_str().as_bytes();
        if let Some((_, document)) = self.open.get(relative) {
            self.document(relative, document);
            return Ok(true);
        }
        let Some(folder) = self.start.folder_of_single_file()? else { return Ok(false) };
        self.visit(&folder, path.file_name(), relative, FileKind::File);
        Ok(true)
    }

    /// Scans open documents that are not on disk.
    fn scan_unsaved(&mut self) {
        let (start, files) = (self.start, self.query.files.as_ref());
        for (relative, path, document) in start.unsaved(self.open, self.query.options) {
            if start.includes(files, path.file_name().as_bytes(), relative) {
                self.document(relative, document);
            }
        }
    }

    fn document(&mut self, path: &[u8], document: &Document) {
        if scope::may_read(self.context, self.start.root, path) {
            self.scan(path, document.text().to_string().as_bytes());
        }
    }

    fn scan(&mut self, path: &[u8], text: &[u8]) {
        let path = scope::display_path(self.context, self.start.root, path);
        let found = self.query.scanner.scan(&path, text, self.context.interrupt);
        self.scanned.scanned += 1;
        self.count.fetch_add(found.len(), Ordering::Relaxed);
        self.scanned.findings.extend(found.into_iter().map(|finding| (path.clone(), finding)));
    }

    /// Reads a file into the buffer; false if that is not possible.
    fn read(&mut self, folder: &Folder, name: &OsStr) -> bool {
        self.buffer.clear();
        let Ok((file, size)) = folder.open_file(name) else { return false };
        if size > MAX_FILE_BYTES || self.budget.read(size).is_err() {
            return false;
        }
        file.take(MAX_FILE_BYTES).read_to_end(&mut self.buffer).is_ok()
    }
}

impl Visitor for SecretVisitor<'_> {
    const ARE_VISITS_SLOW: bool = true;

    fn should_visit(&mut self, folder: &Folder, name: &[u8], kind: FileKind) -> bool {
        let files = self.query.files.as_ref();
        kind == FileKind::File
            && self.count.load(Ordering::Relaxed) < MAX_FINDINGS
            && self.start.includes_entry(files, folder, name, &mut self.path)
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], _: FileKind) {
        if let Some((_, document)) = self.open.get(path) {
            return self.document(path, document);
        }
        if !scope::may_read(self.context, self.start.root, path) {
            return;
        }
        if !self.read(folder, name) {
            self.scanned.incomplete = true;
            return;
        }
        let bytes = std::mem::take(&mut self.buffer);
        if matches!(bytes.get(..2), Some(b"\xFF\xFE" | b"\xFE\xFF")) {
            if let Ok(decoded) = text::decode(bytes) {
                self.scan(path, decoded.text.as_bytes());
            }
            return;
        }
        if !bytes[..bytes.len().min(BINARY_PREFIX)].contains(&0) {
            self.scan(path, &bytes);
        }
        self.buffer = bytes;
    }
}
