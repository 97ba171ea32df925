//! Suggestions for errors: files with a similar name, and other files that contain a line.
//!
//! The search is cut off after a short time and returns what it found until then.

use std::ffi::OsStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use workspace::{FileKind, FilePath, Folder, Visitor, WalkOptions, walk};

use super::grep::Mention;
use super::grep::{GrepQuery, grep};
use super::pattern::{Pattern, PatternOptions};
use super::scope;
use tools::{Context, ToolError};

/// Time limit of the search.
const TIME_LIMIT: Duration = Duration::from_millis(300);

/// Largest edit distance of a suggested name.
const MAX_EDIT_DISTANCE: usize = 2;

/// Limit for suggested files.
const MAX_FILES: usize = 3;

/// Limit for matching lines to check.
const MAX_LINES: usize = 20;

const OPTIONS: WalkOptions = WalkOptions { hidden: false, no_ignore: false, max_depth: None };

/// Runs `work` with a flag that is set when the time is over.
fn with_time_limit<T>(work: impl FnOnce(&AtomicBool) -> T) -> T {
    let late = AtomicBool::new(false);
    let (done, ended) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let late = &late;
        scope.spawn(move || {
            // An error means that the work has ended.
            if ended.recv_timeout(TIME_LIMIT) == Err(mpsc::RecvTimeoutError::Timeout) {
                late.store(true, Ordering::Relaxed);
            }
        });
        let made = work(late);
        drop(done);
        made
    })
}

/// Files whose name equals that of `path` or is similar, best first.
pub fn files(context: &Context<'_>, path: &FilePath) -> Vec<String> {
    let wanted = path.file_name().to_string_lossy().into_owned();
    let displayed = path.display_path();
    let mut found: Vec<(usize, usize, String)> = with_time_limit(|late| {
        let mut found = Vec::new();
        for start in scope::search_roots(context, None).unwrap_or_default() {
            let root = start.root;
            let search = || SimilarNames { context, wanted: &wanted, found: Vec::new() };
            let Ok(walked) = walk(&start.path, OPTIONS, late, search) else { continue };
            for (distance, path) in walked.visitors.into_iter().flat_map(|search| search.found) {
                let there = scope::display_path(context, root, &path);
                found.push((distance, strsim::levenshtein(&there, &displayed), there));
            }
        }
        found
    });
    found.sort();
    found.truncate(MAX_FILES);
    found.into_iter().map(|(.., path)| path).collect()
}

struct SimilarNames<'s> {
    context: &'s Context<'s>,
    wanted: &'s str,
    found: Vec<(usize, Vec<u8>)>,
}

impl Visitor for SimilarNames<'_> {
    const ARE_VISITS_SLOW: bool = false;

    fn may_contain_matches(&mut self, _: &[u8]) -> bool {
        true
    }

    fn should_visit(&mut self, _: &Folder, name: &[u8], kind: FileKind) -> bool {
        kind == FileKind::File && name.len().abs_diff(self.wanted.len()) <= MAX_EDIT_DISTANCE
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], _: FileKind) {
        let distance = strsim::damerau_levenshtein(&name.to_string_lossy(), self.wanted);
        if distance <= MAX_EDIT_DISTANCE
            && 3 * distance < self.wanted.len()
            && self.context.may_read(&folder.entry(name))
        {
            self.found.push((distance, path.to_vec()));
        }
    }
}

/// Lines equal to `line` except for leading and trailing blanks.
pub fn lines(context: &Context<'_>, tool: &'static str, line: &str) -> Vec<Mention> {
    let options =
        PatternOptions { case_sensitive: true, whole_word: false, literal: true, multiline: false };
    with_time_limit(|late| -> Result<Vec<Mention>, ToolError> {
        let query = GrepQuery {
            tool,
            path: None,
            pattern: Pattern::new(tool, line.trim(), options)?,
            files: None,
            options: OPTIONS,
            context_lines: 0,
            max_results: MAX_LINES,
            cursor: None,
            mark: 0,
        };
        Ok(grep(&context.until(late), &query)?.mentions())
    })
    .unwrap_or_default()
}
