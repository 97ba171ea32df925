//! The result of an edit.

use patch::{Outcome, OutcomeKind};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use text::Text;
use workspace::{Committed, ContentHash, FileText, Source};

use super::plan::{MAX_COUNTED_ERRORS, Planned, WHOLE_TEXT_NOTE, encoded_hash};
use super::trees::TreeCache;
use crate::review::Review;
use tools::{
    Context, Effect, Target, budget,
    results::{
        Lines, UnsurePlace, count, diff, line_range, list_at, number_at, str_at, strings_at,
    },
};

/// What became of an edit as a whole.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ActionOutput {
    /// Whether any file changed (or would, in a dry run).
    pub(crate) changed: bool,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// Why it is not in the history and cannot be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    unrecorded: Option<String>,
    /// The editor accepted the edit but has not reported the change yet: until then, tools see the
    /// previous text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unconfirmed: bool,
    /// What the person rejected in review.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Review>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    pub(crate) whole: ActionOutput,
    /// One entry a file, in the given order.
    files: Vec<FileOutput>,
    /// Number of changed files that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_left_out: Option<usize>,
    /// Imports of moved files that were not updated; the first 50. `move_file` would update them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imports_left: Vec<UnsurePlace>,
    /// Their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    imports_left_count: Option<usize>,
    /// Number of patches that were applied, those of files that are not listed included.
    #[serde(skip)]
    applied: usize,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The path, relative to the workspace.
    path: String,
    /// Whether it changed.
    changed: bool,
    /// `created`, `deleted` or `moved`, if it is more than an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<&'static str>,
    /// Its new path.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    /// SHA-256 of its new bytes; null if deleted.
    hash: Option<String>,
    /// Unified diff.
    diff: String,
    /// One entry a patch, in the given order.
    patches: Vec<PatchOutput>,
    /// Number of patches that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    patches_left_out: Option<usize>,
    /// Syntax errors that the edit introduced.
    new_syntax_errors: Vec<SyntaxErrorOutput>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    /// Number of patches that were applied, those that are not listed included.
    #[serde(skip)]
    applied: usize,
}

#[derive(Serialize, JsonSchema)]
struct PatchOutput {
    /// `applied`, `already_applied` or `unchanged`.
    outcome: &'static str,
    /// How the place was found, for instance `exact` or `indentation`.
    strategy: &'static str,
    /// Similarity to `old_text`, up to 1, if found by similarity.
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    /// First line of the place in the previous text, 1-based.
    start_line: usize,
    /// Last line of the place, 1-based.
    end_line: usize,
    /// Distance from the line hint.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint_off_by: Option<usize>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// An edit as numbers of replacements.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary {
    #[serde(flatten)]
    whole: ActionOutput,
    /// Number of replacements that change something.
    count: usize,
    /// The changed files, sorted by path.
    files: Vec<FileSummary>,
    /// Number of changed files that are not listed; those with new syntax errors are.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_left_out: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct FileSummary {
    /// The path, relative to the workspace.
    path: String,
    /// Number of replacements.
    count: usize,
    /// 1-based lines of the first ones, in the previous text.
    lines: Vec<usize>,
    /// Syntax errors that the replacements introduced.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    new_syntax_errors: Vec<SyntaxErrorOutput>,
    /// Remarks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct SyntaxErrorOutput {
    /// Line in the new text, 1-based.
    line: usize,
    /// The error.
    message: String,
}

/// Limit for listed syntax errors.
const MAX_LISTED_ERRORS: usize = 20;
/// Limit for the files and patches listed in a result.
const MAX_FILES: usize = 200;
const MAX_PATCHES: usize = 200;
/// Most lines of a file in a summary.
const MAX_SUMMARY_LINES: usize = 10;
/// Most places of a file that its line names.
const MAX_TEXT_PLACES: usize = 8;
/// Replaces a diff once the output budget is used up.
const NO_DIFF: &str = "[left out: the result would be too long]";

impl Output {
    /// Adds the outcome of the commit. The diff of a new file is dropped: the caller has just sent
    /// its text.
    pub(super) fn committed(mut self, committed: Committed) -> Self {
        for file in self.files.iter_mut().filter(|file| file.action == Some("created")) {
            let lines = file.diff.lines().filter(|line| line.starts_with('+')).count();
            file.diff = format!("[new file, {} lines]", lines.saturating_sub(1));
        }
        self.whole.action = committed.action.map(|id| id.to_string());
        self.whole.unrecorded = committed.unrecorded;
        self.whole.unconfirmed = committed.unconfirmed;
        self
    }

    /// Adds the outcome of the review.
    pub(super) fn with_review(mut self, review: Option<Review>) -> Self {
        self.whole.review = review;
        self
    }

    /// Adds the imports that were not updated.
    pub(super) fn with_imports_left(mut self, (places, count): (Vec<UnsurePlace>, usize)) -> Self {
        self.imports_left = places;
        self.imports_left_count = Some(count).filter(|count| *count > 0);
        self
    }

    /// The same as a summary without diffs and single patches.
    pub(crate) fn into_summary(self) -> Summary {
        let file = |file: FileOutput| {
            let applied = file.patches.iter().filter(|patch| patch.outcome == "applied");
            FileSummary {
                path: file.path,
                count: file.applied,
                lines: applied.take(MAX_SUMMARY_LINES).map(|patch| patch.start_line).collect(),
                new_syntax_errors: file.new_syntax_errors,
                notes: file.notes,
            }
        };
        Summary {
            whole: self.whole,
            count: self.applied,
            files: self.files.into_iter().filter(|file| file.changed).map(file).collect(),
            files_left_out: self.files_left_out,
        }
    }

    /// Adds the diff of its file to an effect.
    pub(super) fn with_detail(&self, mut effect: Effect) -> Effect {
        if let Target::Path(path) = &effect.target {
            let shown = path.display_path();
            let of_path = |f: &&FileOutput| {
                f.path == shown || f.moved_to.as_ref().is_some_and(|to| *to == shown)
            };
            effect.detail = self.files.iter().find(of_path).map(|f| f.diff.clone());
        }
        effect
    }
}

/// What a report has of each file: diffs and syntax errors cost a comparison and two parses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Diffs and new syntax errors.
    Full,
    /// New syntax errors, for a [`Summary`].
    Errors,
    /// Neither: the caller has checked the syntax.
    #[cfg(feature = "rewrite")]
    Counts,
}

pub(super) fn report(planned: &[Planned], context: &Context<'_>, detail: Detail) -> Output {
    let mut files: Vec<_> = planned.iter().map(|planned| file(planned, context, detail)).collect();
    let changed = files.iter().any(|f| f.changed);
    let applied = files.iter().map(|file| file.applied).sum();
    if files.len() > MAX_FILES {
        files.sort_by_key(|file| file.new_syntax_errors.is_empty());
    }
    let files_left_out = files.len().checked_sub(MAX_FILES).filter(|n| *n > 0);
    files.truncate(MAX_FILES);
    let (mut diffs, mut patches) = (0, 0);
    for file in &mut files {
        diffs += file.diff.len();
        if diffs > budget::BYTES && diffs > file.diff.len() {
            NO_DIFF.clone_into(&mut file.diff);
        }
        let room = MAX_PATCHES.saturating_sub(patches).max(1);
        patches += file.patches.len();
        file.patches_left_out = file.patches.len().checked_sub(room).filter(|n| *n > 0);
        file.patches.truncate(room);
    }
    Output {
        whole: ActionOutput { changed, ..ActionOutput::default() },
        files,
        files_left_out,
        imports_left: Vec::new(),
        imports_left_count: None,
        applied,
    }
}

fn file(planned: &Planned, context: &Context<'_>, detail: Detail) -> FileOutput {
    let diff = |from: &str, to: &str, old: &str, new: &str| match detail {
        Detail::Full => diff(from, to, old, new),
        _ => String::new(),
    };
    let new_errors = |file: &FileText, after: &str| match detail {
        #[cfg(feature = "rewrite")]
        Detail::Counts => Vec::new(),
        _ => new_errors(file, after, context),
    };
    match planned {
        Planned::Edit { file, plan, after } => {
            let path = file.path.display_path();
            let diff = diff(&path, &path, &file.text.to_string(), after);
            let hash = encoded_hash(file, after).to_string();
            FileOutput {
                path,
                changed: !plan.is_unchanged(),
                action: None,
                moved_to: None,
                hash: Some(hash),
                diff,
                patches: outcomes(&plan.outcomes),
                applied: applied(&plan.outcomes),
                patches_left_out: None,
                new_syntax_errors: new_errors(file, after),
                notes: other_names(file, plan.is_unchanged(), context),
            }
        }
        Planned::Bytes { file, plan, after } => {
            let (path, lossy) = (file.path.display_path(), String::from_utf8_lossy);
            FileOutput {
                changed: !plan.is_unchanged(),
                action: None,
                moved_to: None,
                hash: Some(ContentHash::digest(after).to_string()),
                diff: diff(&path, &path, &lossy(&file.bytes), &lossy(after)),
                patches: outcomes(&plan.outcomes),
                applied: applied(&plan.outcomes),
                patches_left_out: None,
                new_syntax_errors: Vec::new(),
                notes: Vec::new(),
                path,
            }
        }
        Planned::Create { path, text, .. } => FileOutput {
            path: path.display_path(),
            changed: true,
            action: Some("created"),
            moved_to: None,
            hash: Some(ContentHash::digest(text.as_bytes()).to_string()),
            diff: diff("/dev/null", &path.display_path(), "", text),
            patches: Vec::new(),
            applied: 0,
            patches_left_out: None,
            new_syntax_errors: Vec::new(),
            notes: Vec::new(),
        },
        Planned::Delete { file } => FileOutput {
            path: file.path.display_path(),
            changed: true,
            action: Some("deleted"),
            moved_to: None,
            hash: None,
            diff: diff(&file.path.display_path(), "/dev/null", &file.text.to_string(), ""),
            patches: Vec::new(),
            applied: 0,
            patches_left_out: None,
            new_syntax_errors: Vec::new(),
            notes: Vec::new(),
        },
        Planned::Link { entry, to } => FileOutput {
            path: entry.path.display_path(),
            changed: true,
            action: Some(if to.is_some() { "moved" } else { "deleted" }),
            moved_to: to.as_ref().map(workspace::FilePath::display_path),
            hash: None,
            diff: String::new(),
            patches: Vec::new(),
            applied: 0,
            patches_left_out: None,
            new_syntax_errors: Vec::new(),
            notes: Vec::new(),
        },
        Planned::Move { file, to, plan, after } => FileOutput {
            path: file.path.display_path(),
            changed: true,
            action: Some("moved"),
            moved_to: Some(to.display_path()),
            hash: Some(encoded_hash(file, after).to_string()),
            diff: diff(
                &file.path.display_path(),
                &to.display_path(),
                &file.text.to_string(),
                after,
            ),
            patches: outcomes(&plan.outcomes),
            applied: applied(&plan.outcomes),
            patches_left_out: None,
            new_syntax_errors: new_errors(file, after),
            notes: Vec::new(),
        },
    }
}

/// The result as lines: that it is done and where, and only what the caller cannot know: how text
/// was found that did not match exactly, syntax errors, remarks. A dry run shows the diffs.
pub(crate) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let committed = ["action", "unrecorded"].iter().any(|field| !result[*field].is_null())
        || result["unconfirmed"] == true;
    let is_dry_run = result["changed"] == true && !committed;
    for file in list_at(result, "files") {
        push_file(&mut lines, file, is_dry_run);
    }
    if let Some(left_out) = result["files_left_out"].as_u64() {
        lines.push(format_args!("[{left_out} more files]"));
    }
    strings_at(result, "notes").into_iter().for_each(|note| lines.push(note));
    lines.push_places("imports that were not updated", list_at(result, "imports_left"));
    lines.push_places("uncertain uses that were left", list_at(result, "left_out"));
    if let Some(why) = result["unrecorded"].as_str() {
        lines.push(format_args!("[cannot be undone: {why}]"));
    }
    if result["unconfirmed"] == true {
        lines.push("[the editor has not reported the change yet: tools see the previous text]");
    }
    push_review(&mut lines, &result["review"]);
    lines.finish("nothing changed")
}

/// Adds what a person rejected in review.
pub(crate) fn push_review(lines: &mut Lines, review: &Value) {
    for file in list_at(review, "left_out") {
        let hunks = list_at(file, "hunks");
        let at: Vec<_> =
            hunks.iter().map(|hunk| number_at(hunk, "old_start").to_string()).collect();
        let (path, at) = (str_at(file, "path"), at.join(", "));
        lines.push(format_args!("rejected in review: {path}, changes at {at}"));
    }
}

fn push_file(lines: &mut Lines, file: &Value, is_dry_run: bool) {
    let path = str_at(file, "path");
    let patches = list_at(file, "patches");
    let is_applied = |patch: &&Value| patch["outcome"] == "applied";
    let at: Vec<_> = patches
        .iter()
        .filter(is_applied)
        .map(|patch| line_range(number_at(patch, "start_line"), number_at(patch, "end_line")))
        .collect();
    let would = if is_dry_run { "would be " } else { "" };
    match (file["changed"] == true, file["action"].as_str()) {
        (false, _) => {
            let known = patches.iter().all(|patch| patch["outcome"] == "already_applied");
            let why = if known && !patches.is_empty() { "already applied" } else { "unchanged" };
            lines.push(format_args!("{path}: {why}"));
        }
        (true, Some(action)) => {
            let to = match str_at(file, "moved_to") {
                "" => String::new(),
                to => format!(" to {to}"),
            };
            lines.push(format_args!("{path}: {would}{action}{to}"));
        }
        // The numbers of a few lines are new to the caller; those of many are not worth it.
        (true, None) => match at.len() {
            0 => lines.push(format_args!("{path}: {would}edited")),
            1..=MAX_TEXT_PLACES => {
                lines.push(format_args!("{path}: {would}edited at {}", at.join(", ")));
            }
            places => {
                lines.push(format_args!("{path}: {would}edited at {}", count(places, "place")))
            }
        },
    }
    let inexact = patches.iter().filter(is_applied).filter(|patch| {
        !matches!(str_at(patch, "strategy"), "exact" | "line_endings" | "trailing_blanks")
    });
    let mut is_similar = false;
    for patch in inexact {
        is_similar |= patch["similarity"].is_number();
        let (line, strategy) = (number_at(patch, "start_line"), str_at(patch, "strategy"));
        lines.push(format_args!("  line {line}: `old_text` matched by {strategy}"));
    }
    // The caller does not know which text was replaced.
    if is_dry_run || is_similar {
        lines.push_text(str_at(file, "diff"));
    }
    for error in list_at(file, "new_syntax_errors") {
        let (line, message) = (number_at(error, "line"), str_at(error, "message"));
        lines.push(format_args!("  new syntax error, line {line}: {message}"));
    }
    let notes = patches.iter().flat_map(|patch| strings_at(patch, "notes"));
    let notes = notes.filter(|note| *note != WHOLE_TEXT_NOTE);
    for note in notes.chain(strings_at(file, "notes")) {
        lines.push(format_args!("  {note}"));
    }
}

/// A note that other hard links keep the old content, because the file is replaced.
fn other_names(file: &FileText, unchanged: bool, context: &Context<'_>) -> Vec<String> {
    if unchanged || matches!(file.source, Source::Open(_)) {
        return Vec::new();
    }
    let names = context.snapshot.hard_links(&file.path);
    let note =
        format!("the file has {names} names (hard links); under the others it keeps its old text");
    (names > 1).then_some(note).into_iter().collect()
}

fn applied(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.kind == OutcomeKind::Applied).count()
}

fn outcomes(outcomes: &[Outcome]) -> Vec<PatchOutput> {
    let output = |outcome: &Outcome| PatchOutput {
        outcome: outcome.kind.as_str(),
        strategy: outcome.strategy.as_str(),
        similarity: outcome.similarity,
        start_line: outcome.start_line,
        end_line: outcome.end_line,
        hint_off_by: outcome.hint_off_by,
        notes: outcome.notes.clone(),
    };
    outcomes.iter().map(output).collect()
}

/// An error is old if its message and its line's text existed before; line numbers inside messages
/// may differ.
fn new_errors(file: &FileText, after: &str, context: &Context<'_>) -> Vec<SyntaxErrorOutput> {
    let errors = |text: &Text| -> Option<Vec<(usize, String)>> {
        let tree = context.session.family::<TreeCache>().tree_for(file, text, context.interrupt)?;
        let errors = tree.errors(MAX_COUNTED_ERRORS).into_iter();
        Some(errors.map(|e| (text.line_of(e.span.start), e.message)).collect())
    };
    let after = Text::new(after);
    let Some(language) = file.language() else { return Vec::new() };
    if super::around::adds_no_errors(language, &file.text, &after, context.interrupt) {
        return Vec::new();
    }
    let Some(mut known) = errors(&file.text) else { return Vec::new() };
    let Some(errors) = errors(&after) else { return Vec::new() };
    let without_digits =
        |message: &str| -> String { message.chars().filter(|c| !c.is_ascii_digit()).collect() };
    errors
        .into_iter()
        .filter(|(line, message)| {
            let old = known.iter().position(|(old_line, old_message)| {
                without_digits(old_message) == without_digits(message)
                    && file.text.line(*old_line) == after.line(*line)
            });
            old.map(|at| known.swap_remove(at)).is_none()
        })
        .take(MAX_LISTED_ERRORS)
        .map(|(line, message)| SyntaxErrorOutput { line: line + 1, message })
        .collect()
}
