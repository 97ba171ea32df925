//! The text search behind `grep_search` and `codebase_search`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{CallBudget, Document, FileKind, Folder, Visitor, WalkOptions, walk};

use super::contents::{Contents, search_text};
use super::cursor::Cursor;
use super::globs::FilePattern;
use super::lines::{HitLimits, LineHit, Outcome};
use super::page::{FilePosition, Page};
use super::pattern::Pattern;
use super::scope::{self, OpenDocuments, SearchRoot};
use tools::{
    Context, ToolError,
    results::{Lines, count, list_at, number_at, str_at, strings_at},
};

/// Limits for the page size and the context lines.
pub(super) const MAX_RESULTS: usize = 2_000;
pub(super) const MAX_CONTEXT_LINES: usize = 20;

/// What to search for, and where.
pub(super) struct GrepQuery<'q> {
    pub(super) tool: &'static str,
    pub(super) path: Option<&'q str>,
    pub(super) pattern: Pattern,
    pub(super) files: Option<FilePattern>,
    pub(super) options: WalkOptions,
    pub(super) context_lines: usize,
    pub(super) max_results: usize,
    pub(super) cursor: Option<Cursor>,
    /// See [`super::cursor::query_hash`].
    pub(super) mark: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The matching lines, sorted by path.
    matches: Vec<GrepMatch>,
    /// Files searched for this page.
    files_searched: usize,
    /// Whether there are more matches.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor`, with the same parameters, to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Whether a file could not be searched: unreadable or too large.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

/// A matching line.
#[derive(Serialize, JsonSchema)]
struct GrepMatch {
    /// Relative to the workspace; absolute outside the first root.
    path: String,
    /// 1-based line number.
    line_number: u64,
    /// Last line of a match that spans several.
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u64>,
    /// 1-based column of the match, in UTF-16 units.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    /// The line without its line ending.
    line: String,
    /// Whether the line exceeds 1,000 bytes: `line` is the part around the match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    line_cut: bool,
    /// Lines before.
    context_before: Vec<String>,
    /// Lines after.
    context_after: Vec<String>,
}

/// A line that mentions a name.
#[derive(Serialize, JsonSchema)]
pub struct Mention {
    /// The file, relative to the workspace.
    pub path: String,
    /// 1-based line number.
    pub line: usize,
    /// The line, trimmed.
    pub(crate) text: String,
}

impl Output {
    /// The lines without context.
    pub(super) fn mentions(self) -> Vec<Mention> {
        let mention = |found: GrepMatch| {
            let line = usize::try_from(found.line_number).unwrap_or(usize::MAX);
            Mention { path: found.path, line, text: found.line.trim().to_owned() }
        };
        self.matches.into_iter().map(mention).collect()
    }
}

/// Runs the search.
pub(super) fn grep(context: &Context<'_>, query: &GrepQuery<'_>) -> Result<Output, ToolError> {
    let page = Page::new(query.max_results);
    let (searched, incomplete) = search(context, query, &page)?;
    let (files, last) = page.finish();
    let matches = files.into_iter().flat_map(|(place, hits)| {
        let path = scope::display_path(context, place.root, &place.path);
        hits.into_iter().map(move |hit| GrepMatch::new(path.clone(), hit))
    });
    Ok(Output {
        matches: matches.collect(),
        files_searched: searched,
        truncated: last.is_some(),
        next_cursor: last.map(|(place, line)| Cursor { place, line }.encode(query.mark)),
        incomplete,
    })
}

/// Searches into `page`. Returns the number of files searched, and whether one could not be.
pub(super) fn search(
    context: &Context<'_>,
    query: &GrepQuery<'_>,
    page: &Page<LineHit>,
) -> Result<(usize, bool), ToolError> {
    let budget = context.budget();
    let (mut searched, mut incomplete) = (0, false);
    for start in scope::search_roots(context, query.path)? {
        let open = scope::open_documents(context, &start);
        let search = || GrepVisitor {
            context,
            query,
            page,
            start: &start,
            open: &open,
            pattern: query.pattern.clone(),
            contents: Contents::new(),
            budget: &budget,
            path: Vec::new(),
            searched: 0,
            incomplete: false,
        };
        if !page.may_matter(start.root, start.path.relative().as_os_str().as_bytes()) {
            continue;
        }
        let mut rest = search();
        rest.search_unsaved();
        if !rest.search_single_file()? {
            let walked = walk(&start.path, query.options, context.interrupt, search)
                .map_err(|error| scope::not_searched(query.tool, &start.path, error))?;
            incomplete |= !walked.complete;
            for visitor in walked.visitors {
                searched += visitor.searched;
                incomplete |= visitor.incomplete;
            }
        }
        searched += rest.searched;
        incomplete |= rest.incomplete;
    }
    context.check_interrupt(query.tool)?;
    Ok((searched, incomplete))
}

impl GrepMatch {
    fn new(path: String, hit: LineHit) -> Self {
        Self {
            path,
            line_number: hit.line_number,
            end_line: (hit.end_line > hit.line_number).then_some(hit.end_line),
            column: hit.column,
            line: hit.line,
            line_cut: hit.cut,
            context_before: hit.before,
            context_after: hit.after,
        }
    }
}

/// The matches as lines: `path:line: text`, or `line: text` below the path of several. Context lines
/// have `-` after their numbers, and `--` stands between parts of a file, as `grep` prints them.
pub(super) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let matches = list_at(result, "matches");
    let has_context = matches.iter().any(|found| {
        !list_at(found, "context_before").is_empty() || !list_at(found, "context_after").is_empty()
    });
    if has_context {
        push_with_context(&mut lines, matches);
    } else {
        let entry = |found: &'_ Value| {
            let cut = if found["line_cut"] == true { " [cut]" } else { "" };
            format!("{}: {}{cut}", number_at(found, "line_number"), str_at(found, "line"))
        };
        let entries: Vec<_> =
            matches.iter().map(|found| (str_at(found, "path"), entry(found))).collect();
        lines.push_by_path(&entries);
    }
    lines.push_rest(result);
    let searched = usize::try_from(number_at(result, "files_searched")).unwrap_or(usize::MAX);
    lines.finish(&format!("no matches in {}", count(searched, "file")))
}

fn push_with_context(lines: &mut Lines, matches: &[Value]) {
    let number_of = |found: &Value| number_at(found, "line_number");
    for group in matches.chunk_by(|one, other| one["path"] == other["path"]) {
        lines.push(str_at(&group[0], "path"));
        // The first line that is not printed yet.
        let mut next = 0;
        for (n, found) in group.iter().enumerate() {
            let number = number_of(found);
            let before = strings_at(found, "context_before");
            let first = number.saturating_sub(before.len() as u64);
            if next > 0 && first > next {
                lines.push("--");
            }
            for (at, line) in (first..).zip(before) {
                if at >= next {
                    lines.push(format_args!("{at}- {line}"));
                }
            }
            lines.push(format_args!("{number}: {}", str_at(found, "line")));
            let end = number.max(number_at(found, "end_line"));
            next = end + 1;
            // The next match prints its own line.
            let stop = group.get(n + 1).map_or(u64::MAX, number_of);
            for line in strings_at(found, "context_after") {
                if next < stop {
                    lines.push(format_args!("{next}- {line}"));
                    next += 1;
                }
            }
        }
    }
}

/// One thread's search below one start.
struct GrepVisitor<'s> {
    context: &'s Context<'s>,
    query: &'s GrepQuery<'s>,
    page: &'s Page<LineHit>,
    start: &'s SearchRoot,
    open: &'s OpenDocuments,
    pattern: Pattern,
    contents: Contents,
    budget: &'s CallBudget<'s>,
    path: Vec<u8>,
    searched: usize,
    incomplete: bool,
}

impl GrepVisitor<'_> {
    fn hit_limits(&self, path: &[u8]) -> HitLimits {
        let cursor = self.query.cursor.as_ref();
        HitLimits {
            context: self.query.context_lines,
            after_line: cursor.map_or(0, |cursor| cursor.line_in(self.start.root, path)),
            max_hits: self.page.max_per_file(),
        }
    }

    fn is_pending(&self, path: &[u8]) -> bool {
        let cursor = self.query.cursor.as_ref();
        cursor.is_none_or(|cursor| cursor.is_before(self.start.root, path))
            && self.page.may_matter(self.start.root, path)
    }

    /// Searches the start if it is a single file; false if it is not.
    fn search_single_file(&mut self) -> Result<bool, ToolError> {
        let path = &self.start.path;
        let relative = path.relative().as_os_str().as_bytes();
        if let Some((_, document)) = self.open.get(relative) {
            self.document(relative, document);
            return Ok(true);
        }
        let Some(folder) = self.start.folder_of_single_file()? else { return Ok(false) };
        if self.is_pending(relative) {
            self.visit(&folder, path.file_name(), relative, FileKind::File);
        }
        Ok(true)
    }

    /// Searches open documents that are not on disk.
    fn search_unsaved(&mut self) {
        let (start, files) = (self.start, self.query.files.as_ref());
        for (relative, path, document) in start.unsaved(self.open, self.query.options) {
            if start.includes(files, path.file_name().as_bytes(), relative)
                && self.is_pending(relative)
            {
                self.document(relative, document);
            }
        }
    }

    fn document(&mut self, path: &[u8], document: &Document) {
        if !scope::may_read(self.context, self.start.root, path) {
            return;
        }
        self.searched += 1;
        let text = document.text().to_string();
        let outcome =
            search_text(text, &self.pattern, self.hit_limits(path), self.context.interrupt);
        self.record_outcome(path, outcome);
    }

    fn record_outcome(&mut self, path: &[u8], outcome: Outcome) {
        match outcome {
            Outcome::Searched(hits) if hits.is_empty() => {}
            Outcome::Searched(hits) => {
                let place = FilePosition { root: self.start.root, path: path.to_vec() };
                self.page.add(place, hits);
            }
            Outcome::Binary => {}
            Outcome::Unread => self.incomplete = true,
        }
    }
}

impl Visitor for GrepVisitor<'_> {
    const ARE_VISITS_SLOW: bool = true;

    fn may_contain_matches(&mut self, path: &[u8]) -> bool {
        self.is_pending(path)
    }

    fn should_visit(&mut self, folder: &Folder, name: &[u8], kind: FileKind) -> bool {
        let files = self.query.files.as_ref();
        kind == FileKind::File && self.start.includes_entry(files, folder, name, &mut self.path)
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], _: FileKind) {
        if !self.open.is_empty()
            && let Some((_, document)) = self.open.get(path)
        {
            return self.document(path, document);
        }
        if !scope::may_read(self.context, self.start.root, path) {
            return;
        }
        let wanted = self.hit_limits(path);
        let outcome = match folder.open_file(name) {
            Ok((_, size)) if self.budget.read(size).is_err() => Outcome::Unread,
            Ok((file, size)) => {
                self.searched += 1;
                let interrupt = self.context.interrupt;
                self.contents.search_file(file, size, &self.pattern, wanted, interrupt)
            }
            Err(_) => Outcome::Unread,
        };
        self.record_outcome(path, outcome);
    }
}
