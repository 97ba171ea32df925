//! Finds what rules match in code files, and what would replace it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rewrite::{FileEdits, Refusal, Rules, ScanError};
use serde_json::{Value, json};
use syntax::Language;
use text::Text;
use workspace::FilePath;

use crate::editing::{Action, RequestedEdit};
use search_tools::{CodeFile, CodeScope, CodeSearch, file_path, search_code};
use tools::{Code, Context, ToolError};

/// Limits for one call: files and matches, the texts that change and what replaces them, in bytes.
const MAX_FILES: usize = 2_000;
const MAX_MATCHES: usize = 100_000;
const MAX_TEXT_BYTES: usize = 128 << 20;
const MAX_NEW_BYTES: usize = 32 << 20;
/// Limit for the refused files of an error.
const MAX_FAILURES: usize = 20;

/// What would change, in files sorted by path.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) files: Vec<FilePlan>,
    /// Matches inside code that another match replaces.
    pub(super) nested: usize,
    pub(super) searched: usize,
    pub(super) incomplete: bool,
}

/// The edits of one file, for the text in which they were found.
pub(super) struct FilePlan {
    root: usize,
    pub(super) path: FilePath,
    pub(super) before: Text,
    pub(super) edits: Vec<rewrite::Edit>,
}

impl Plan {
    /// The edits of all files.
    pub(super) fn requested(&self) -> Vec<RequestedEdit> {
        let edit = |file: &FilePlan| RequestedEdit {
            path: file.path.clone(),
            action: Action::unless_changed(file.before.clone(), file.edits.clone()),
            expected_hash: None,
        };
        self.files.iter().map(edit).collect()
    }

    /// Number of replacements.
    pub(super) fn count(&self) -> usize {
        self.files.iter().map(|file| file.edits.len()).sum()
    }
}

/// Applies rules to all files of the scope, without changing any.
pub(super) fn plan(
    context: &Context<'_>,
    scope: &CodeScope<'_>,
    rules: &Rules,
) -> Result<Plan, ToolError> {
    let search =
        RuleSearch { context, rules, found: Mutex::default(), is_full: AtomicBool::new(false) };
    let walked = search_code(context, scope, &search)?;
    let Found { mut files, nested, mut refused, matches, text_bytes, new_bytes } =
        search.found.into_inner();
    let too_much = |what: String| {
        let message = format!("{}: {what}; nothing changed", scope.tool);
        Err(ToolError::new(Code::TooLarge, message).hint("narrow it with `path` or `file_pattern`"))
    };
    if files.len() > MAX_FILES {
        return too_much(format!("more than {MAX_FILES} files match"));
    }
    if matches > MAX_MATCHES {
        return too_much(format!("more than {MAX_MATCHES} matches"));
    }
    if text_bytes > MAX_TEXT_BYTES || new_bytes > MAX_NEW_BYTES {
        return too_much(format!(
            "the files have {text_bytes} bytes and their new code {new_bytes}, more than {MAX_TEXT_BYTES} and {MAX_NEW_BYTES}"
        ));
    }
    if !refused.is_empty() {
        refused.sort_by(|one, other| (one.root, &one.path).cmp(&(other.root, &other.path)));
        return Err(refusal(scope.tool, &refused));
    }
    files.sort_by(|one, other| {
        let paths = |file: &FilePlan| (file.root, file.path.display_path());
        paths(one).cmp(&paths(other))
    });
    let (searched, incomplete) = (walked.searched, walked.incomplete);
    Ok(Plan { files, nested, searched, incomplete })
}

/// A file whose edits are refused.
struct Refused {
    root: usize,
    path: String,
    refusal: Refusal,
    text: Text,
}

#[derive(Default)]
struct Found {
    files: Vec<FilePlan>,
    nested: usize,
    refused: Vec<Refused>,
    matches: usize,
    text_bytes: usize,
    new_bytes: usize,
}

struct RuleSearch<'s> {
    context: &'s Context<'s>,
    rules: &'s Rules,
    found: Mutex<Found>,
    /// Set once a limit is exceeded: then the call fails.
    is_full: AtomicBool,
}

impl CodeSearch for RuleSearch<'_> {
    fn wants(&self, language: Language) -> bool {
        self.rules.languages().contains(&language)
    }

    fn is_pending(&self, _: usize, _: &[u8]) -> bool {
        !self.is_full.load(Ordering::Relaxed)
    }

    fn cannot_match(&self, bytes: &[u8]) -> bool {
        self.rules.cannot_match(bytes)
    }

    fn search(&self, file: &CodeFile<'_>, interrupt: &AtomicBool) {
        let relative = Path::new(OsStr::from_bytes(file.path));
        let rules = self.rules.for_file(relative, file.language);
        if rules.is_empty() {
            return;
        }
        let Some(path) = file_path(self.context, file.root, file.path) else { return };
        let Some(syntax) = file.parse(interrupt) else { return };
        let matches = match rules.scan(&syntax, MAX_MATCHES + 1, interrupt) {
            Ok(matches) if matches.is_empty() => return,
            Ok(matches) => matches,
            Err(ScanError::Interrupted) => return,
            Err(ScanError::TooMany) => {
                self.found.lock().matches += MAX_MATCHES + 1;
                return self.is_full.store(true, Ordering::Relaxed);
            }
            Err(ScanError::NotText(at)) => {
                let message = "the replacement cuts a character".to_owned();
                let refusal = Refusal::Syntax { line: file.text.line_of(at), message };
                return self.refuse(file, &path, refusal);
            }
        };
        let edits = FileEdits::new(&matches)
            .and_then(|edits| edits.check_syntax(&syntax, interrupt).map(|()| edits));
        match edits {
            Ok(edits) if edits.edits.is_empty() => {}
            Ok(FileEdits { edits, nested }) => {
                let mut found = self.found.lock();
                found.matches += edits.len();
                found.nested += nested;
                found.text_bytes += file.text.len();
                found.new_bytes += edits.iter().map(|(_, new)| new.len()).sum::<usize>();
                let before = file.text.clone();
                found.files.push(FilePlan { root: file.root, path, before, edits });
                let is_full = found.files.len() > MAX_FILES
                    || found.matches > MAX_MATCHES
                    || found.text_bytes > MAX_TEXT_BYTES
                    || found.new_bytes > MAX_NEW_BYTES;
                self.is_full.fetch_or(is_full, Ordering::Relaxed);
            }
            Err(Refusal::Interrupted) => {}
            Err(refusal) => self.refuse(file, &path, refusal),
        }
    }
}

impl RuleSearch<'_> {
    fn refuse(&self, file: &CodeFile<'_>, path: &FilePath, refusal: Refusal) {
        let (root, path, text) = (file.root, path.display_path(), file.text.clone());
        self.found.lock().refused.push(Refused { root, path, refusal, text });
    }
}

/// The error for files whose edits are refused: the first as its message, all in its details.
fn refusal(tool: &str, refused: &[Refused]) -> ToolError {
    let (mut code, mut hint) = (
        Code::Guard,
        "narrow the rule, correct its `fix`, or leave the file out: `file_pattern: \"!NAME\"`",
    );
    let described: Vec<Value> = refused
        .iter()
        .take(MAX_FAILURES)
        .map(|refused| {
            let line_of = |offset: usize| refused.text.line_of(offset) + 1;
            let (line, why) = match &refused.refusal {
                Refusal::Overlap { first, second } => (
                    line_of(*first),
                    format!("two matches overlap, here and in line {}", line_of(*second)),
                ),
                Refusal::Syntax { line, message } => {
                    (line + 1, format!("the new code would not parse: {message}"))
                }
                Refusal::Interrupted => (1, "interrupted".to_owned()),
            };
            json!({ "path": refused.path, "line": line, "message": why })
        })
        .collect();
    if let Some(Refused { refusal: Refusal::Overlap { .. }, .. }) = refused.first() {
        code = Code::Overlap;
        hint =
            "narrow the rules so that each place is matched once, or apply them one after another";
    }
    let first = &described[0];
    let (path, why) = (first["path"].as_str().unwrap_or_default(), &first["message"]);
    let others = match refused.len() {
        1 => String::new(),
        count => format!("; {} other files are refused, too", count - 1),
    };
    let why = why.as_str().unwrap_or_default();
    let message = format!("{tool}: {path}:{}: {why}{others}; nothing changed", first["line"]);
    ToolError::new(code, message).hint(hint).details(json!({ "failures": described }))
}
