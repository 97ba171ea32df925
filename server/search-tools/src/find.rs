//! The file search behind `find_files` and `find_files_glob`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use globset::GlobSet;
use memchr::{memchr2_iter, memmem};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{FileKind, Folder, Visitor, WalkOptions, path_order, walk};

use super::cursor::Cursor;
use super::page::{Cost, FilePosition, json_bytes};
use super::scope::{self, SearchRoot};
use tools::{
    Context, ToolError,
    results::{Lines, strings_at},
};

/// Largest page, in files.
pub(super) const MAX_RESULTS: usize = 2_000;

/// What to search for, and where.
pub(super) struct FileQuery<'q> {
    pub(super) tool: &'static str,
    pub(super) path: Option<&'q str>,
    pub(super) names: NameFilter,
    pub(super) options: WalkOptions,
    pub(super) max_results: usize,
    pub(super) cursor: Option<Cursor>,
    /// See [`super::cursor::query_hash`].
    pub(super) mark: u64,
}

/// The name filter.
pub(super) enum NameFilter {
    /// Names that contain a text; paths, if the text has a slash.
    Containing(Substring),
    /// Paths below the start that match a glob.
    Glob(GlobSet),
}

/// A substring search, case-insensitive unless the text has capitals.
pub(super) struct Substring {
    text: String,
    any_case: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Paths relative to the workspace (absolute outside the first root), sorted.
    files: Vec<String>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor`, with the same parameters, to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Whether a folder could not be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    incomplete: bool,
}

/// Runs the search.
pub(super) fn find(context: &Context<'_>, query: &FileQuery<'_>) -> Result<Output, ToolError> {
    let mut found: Vec<FilePosition> = Vec::new();
    let mut incomplete = false;
    for start in scope::search_roots(context, query.path)? {
        if found.len() > query.max_results {
            break;
        }
        let root = start.root;
        let search =
            || FileVisitor { context, query, start: &start, path: Vec::new(), found: Vec::new() };
        let walked = walk(&start.path, query.options, context.interrupt, search)
            .map_err(|error| scope::not_found(query.tool, &start.path, error))?;
        incomplete |= !walked.complete;
        let mut here: Vec<_> = walked.visitors.into_iter().flat_map(|v| v.found).collect();
        here.sort_unstable_by(|one, other| path_order(one, other));
        found.extend(here.into_iter().map(|path| FilePosition { root, path }));
    }
    context.check_interrupt(query.tool)?;
    let (mut files, mut room, mut last) = (Vec::new(), Cost::default(), None);
    let mut truncated = false;
    for place in found {
        let displayed = scope::display_path(context, place.root, &place.path);
        room.add(Cost { bytes: json_bytes(&displayed) + 3, lines: 1 });
        if files.len() == query.max_results || (!files.is_empty() && room.is_over()) {
            truncated = true;
            break;
        }
        files.push(displayed);
        last = Some(place);
    }
    let next = last.filter(|_| truncated).map(|place| Cursor { place, line: 0 });
    let next_cursor = next.map(|cursor| cursor.encode(query.mark));
    Ok(Output { files, truncated, next_cursor, incomplete })
}

/// The paths, one a line.
pub(super) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    strings_at(result, "files").into_iter().for_each(|path| lines.push(path));
    lines.push_rest(result);
    lines.finish("no files")
}

/// One thread's search below one start.
struct FileVisitor<'s> {
    context: &'s Context<'s>,
    query: &'s FileQuery<'s>,
    start: &'s SearchRoot,
    path: Vec<u8>,
    /// The first paths found; sorted and truncated from time to time.
    found: Vec<Vec<u8>>,
}

impl FileVisitor<'_> {
    /// The path of `name` below the start.
    fn relative_path(&mut self, folder: &Folder, name: &[u8]) -> &[u8] {
        folder.path_of(name, &mut self.path);
        let start = self.start.path.relative().as_os_str().len();
        let relative_path = &self.path[start.min(self.path.len())..];
        relative_path.strip_prefix(b"/").unwrap_or(relative_path)
    }

    /// Keeps the first `limit` paths; the last of them becomes the bound for others.
    fn trim_results(&mut self) {
        let most = self.query.max_results + 1;
        if self.found.len() >= 2 * most {
            self.found.sort_unstable_by(|one, other| path_order(one, other));
            self.found.truncate(most);
        }
    }
}

impl Visitor for FileVisitor<'_> {
    const ARE_VISITS_SLOW: bool = false;

    fn may_contain_matches(&mut self, path: &[u8]) -> bool {
        let cursor = self.query.cursor.as_ref();
        cursor.is_none_or(|cursor| cursor.is_before(self.start.root, path))
    }

    fn should_visit(&mut self, folder: &Folder, name: &[u8], kind: FileKind) -> bool {
        if !matches!(kind, FileKind::File | FileKind::Link) {
            return false;
        }
        let query = self.query;
        match &query.names {
            NameFilter::Containing(text) if !text.text.contains('/') => text.is_in(name),
            NameFilter::Containing(text) => text.is_in(self.relative_path(folder, name)),
            NameFilter::Glob(glob) => {
                glob.is_match(Path::new(OsStr::from_bytes(self.relative_path(folder, name))))
            }
        }
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], kind: FileKind) {
        let cursor = self.query.cursor.as_ref();
        let is_done = cursor.is_some_and(|cursor| {
            cursor.place.root == self.start.root && path_order(path, &cursor.place.path).is_le()
        });
        let file = folder.entry(name);
        if is_done || !self.context.may_read(&file) {
            return;
        }
        // A link to a folder is not listed; dangling and escaping links are.
        if kind == FileKind::Link
            && let Some(written) = file.absolute().to_str()
            && let Ok(target) = self.context.snapshot.locate(written)
            && scope::kind_of(&target) == Some(FileKind::Directory)
        {
            return;
        }
        self.found.push(path.to_vec());
        self.trim_results();
    }
}

impl Substring {
    pub(super) fn new(text: &str) -> Self {
        let any_case = !text.chars().any(char::is_uppercase);
        Self { text: text.to_owned(), any_case }
    }

    pub(super) fn is_in(&self, name: &[u8]) -> bool {
        let text = self.text.as_bytes();
        if !self.any_case {
            return memmem::find(name, text).is_some();
        }
        let Some(first) = text.first() else { return true };
        if !(name.is_ascii() && self.text.is_ascii()) {
            return String::from_utf8_lossy(name).to_lowercase().contains(&self.text);
        }
        memchr2_iter(*first, first.to_ascii_uppercase(), name).any(|at| {
            name.get(at..at + text.len()).is_some_and(|part| part.eq_ignore_ascii_case(text))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capital_letter_makes_the_search_case_sensitive() {
        let is_in = |text: &str, name: &str| Substring::new(text).is_in(name.as_bytes());
        assert!(is_in("test", "MyTest.rs") && is_in("Test", "MyTest.rs"));
        assert!(!is_in("TEST", "MyTest.rs"));
        assert!(is_in("\u{e9}t\u{e9}", "\u{c9}T\u{c9}.txt"));
        assert!(is_in("", "a") && !is_in("abc", "ab"));
        assert!(Substring::new("b").is_in(b"\xff\xfeB"));
    }
}
