//! The result of a rename.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use text::{PositionEncoding, Text};
use workspace::Committed;

use super::lsp_rename::LspRename;
use super::range::Range;
use super::rename_plan::{Edit, RenamePlan};
use crate::{editing, review::Review};
use search_tools::{Mention, in_documents};
use tools::{
    Context, Tool, ToolError, budget,
    results::{Lines, UnsurePlace, count, line_at, list_at, number_at, str_at, unsure_places},
};

/// Limit for listed edits and for listed places that need confirmation.
const MAX_EDITS: usize = 1_000;
const MAX_WAITING: usize = 200;
/// Limit for listed mentions in documentation.
const MAX_MENTIONS: usize = 10;
/// Most files whose lines are listed as text; of more, only the numbers of places.
const MAX_DETAILED_FILES: usize = 8;
/// Limits for the lines listed for one file, and for files and mentions listed as text.
const MAX_LINES: usize = 10;
const MAX_TEXT_FILES: usize = 20;
const MAX_TEXT_MENTIONS: usize = 5;
/// Replaces a diff once the output budget is used up.
const NO_DIFF: &str = "[left out: the result would be too long]";

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether anything changed (or would, in a dry run).
    pub(super) changed: bool,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// Why it is not in the history and cannot be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    unrecorded: Option<String>,
    /// What the person left out in review.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Review>,
    /// The previous name.
    pub(super) old_name: String,
    /// The edits, by the document's previous URI.
    changes: BTreeMap<String, Vec<EditOutput>>,
    /// Number of edits that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_left_out: Option<usize>,
    /// One entry a file.
    files: Vec<FileOutput>,
    /// Words in comments and strings that did not change. `confirm` with their `reason` changes
    /// them, too.
    needs_confirmation: Vec<WaitingOutput>,
    /// Number of such places that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_confirmation_left_out: Option<usize>,
    /// Uncertain uses that keep their name, with `allow_unsure`; the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<UnsurePlace>,
    /// Their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out_count: Option<usize>,
    /// Remaining mentions of the old name in documentation, comments and strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    mentions: Option<Mentions>,
}

/// Remaining mentions of the old name.
#[derive(Serialize, JsonSchema)]
struct Mentions {
    /// Number of lines.
    count: usize,
    /// The first mentions that `needs_confirmation` does not list: in documentation and
    /// configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<Mention>,
}

#[derive(Serialize, JsonSchema)]
struct EditOutput {
    /// The replaced range in the previous text, 0-based.
    range: Range,
    /// The new text.
    new_text: String,
    /// `definition`, `reference`, `import`, `unsure`, `comment` or `string`.
    reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// Previous path of the file or moved folder, relative to the workspace.
    path: String,
    /// New path, if it was named after the symbol.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    /// Number of changed places.
    edits: usize,
    /// 1-based lines of the first places in the previous text.
    lines: Vec<usize>,
    /// Unified diff.
    diff: String,
}

/// A place that changes only if confirmed.
#[derive(Serialize, JsonSchema)]
pub(super) struct WaitingOutput {
    /// The document's URI.
    uri: String,
    /// The file, relative to the workspace.
    path: String,
    /// 1-based line.
    line: usize,
    /// The range, 0-based.
    range: Range,
    /// The line.
    text: String,
    /// The new text.
    new_text: String,
    /// Why it needs confirmation: `unsure`, `comment` or `string`.
    reason: &'static str,
}

/// # Errors
/// When cancelled.
pub(super) fn report(
    context: &Context<'_>,
    planned: &RenamePlan,
    encoding: PositionEncoding,
) -> Result<Output, ToolError> {
    let mut room = MAX_EDITS;
    let mut changes = BTreeMap::new();
    let mut diffs = 0;
    let mut files = Vec::new();
    for file in &planned.files {
        let text = &file.file.text;
        let listed = &file.edits[..file.edits.len().min(room)];
        room -= listed.len();
        if !listed.is_empty() {
            let edits = listed.iter().map(|edit| edit_output(text, edit, encoding)).collect();
            changes.insert(file.uri.to_string(), edits);
        }
        let mut diff = if diffs > budget::BYTES { NO_DIFF.to_owned() } else { file.diff() };
        diffs += diff.len();
        if diffs > budget::BYTES && diffs > diff.len() {
            NO_DIFF.clone_into(&mut diff);
        }
        files.push(FileOutput {
            path: file.file.path.display_path(),
            moved_to: file.to.as_ref().map(workspace::FilePath::display_path),
            edits: file.edits.len(),
            lines: first_lines(text, &file.edits),
            diff,
        });
    }
    for moved in &planned.moves {
        let (path, to) = (moved.entry.path.display_path(), Some(moved.to.display_path()));
        files.push(FileOutput {
            path,
            moved_to: to,
            edits: 0,
            lines: Vec::new(),
            diff: String::new(),
        });
    }
    let made: usize = planned.files.iter().map(|f| f.edits.len()).sum();
    let all: usize = planned.waiting.iter().map(|w| w.edits.len()).sum();
    let left_out = unsure_places(context, &planned.left_out);
    Ok(Output {
        changed: !files.is_empty() || !planned.moves.is_empty(),
        action: None,
        unrecorded: None,
        review: None,
        old_name: planned.old.clone(),
        changes,
        changes_left_out: made.checked_sub(MAX_EDITS).filter(|n| *n > 0),
        files,
        needs_confirmation: waiting(planned, encoding),
        needs_confirmation_left_out: all.checked_sub(MAX_WAITING).filter(|n| *n > 0),
        left_out,
        left_out_count: Some(planned.left_out.len()).filter(|count| *count > 0),
        mentions: mentions(context, planned, all)?,
    })
}

fn first_lines(text: &Text, edits: &[Edit]) -> Vec<usize> {
    let mut lines: Vec<_> = edits
        .iter()
        .take(MAX_LINES)
        .map(|(span, ..)| text.line_of(span.start.min(text.len())) + 1)
        .collect();
    lines.dedup();
    lines
}

/// A rename as a summary: the number of places and the first lines of each file, and what was left.
pub(crate) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let files = list_at(result, "files");
    let places: u64 = files.iter().map(|file| number_at(file, "edits")).sum();
    let places = usize::try_from(places).unwrap_or(usize::MAX);
    let is_dry_run = result["action"].is_null() && result["unrecorded"].is_null();
    if result["changed"] == true {
        let done = if is_dry_run { "would rename" } else { "renamed" };
        let (places, files) = (count(places, "place"), count(files.len(), "file"));
        lines.push(format_args!("{done} {} in {places} of {files}", str_at(result, "old_name")));
    }
    for file in files.iter().take(MAX_TEXT_FILES) {
        let path = str_at(file, "path");
        if let Some(to) = file["moved_to"].as_str() {
            lines.push(format_args!("{path}: moved to {to}"));
        }
        if files.len() > MAX_DETAILED_FILES && number_at(file, "edits") > 0 {
            lines.push(format_args!("{path}: {}", number_at(file, "edits")));
            continue;
        }
        let at: Vec<_> = list_at(file, "lines")
            .iter()
            .filter_map(Value::as_u64)
            .map(|n| n.to_string())
            .collect();
        let edits = number_at(file, "edits");
        if edits > 0 {
            let more = if edits > at.len() as u64 { ", \u{2026}" } else { "" };
            lines.push(format_args!("{path}: {edits} ({}{more})", at.join(", ")));
        }
    }
    if files.len() > MAX_TEXT_FILES {
        lines.push(format_args!("[{} more files]", files.len() - MAX_TEXT_FILES));
    }
    let waiting = list_at(result, "needs_confirmation");
    let left_out = number_at(result, "needs_confirmation_left_out");
    if !waiting.is_empty() {
        let all = waiting.len() + usize::try_from(left_out).unwrap_or(0);
        let all = count(all, "mention");
        let heading =
            format!("{all} in comments and strings kept the old name (`confirm` renames them)");
        lines.push_places(&heading, &waiting[..waiting.len().min(MAX_TEXT_MENTIONS)]);
    }
    let mentions = list_at(&result["mentions"], "places");
    lines.push_places(
        "mentioned in documentation",
        &mentions[..mentions.len().min(MAX_TEXT_MENTIONS)],
    );
    lines.push_places("uncertain uses that kept the old name", list_at(result, "left_out"));
    if let Some(why) = result["unrecorded"].as_str() {
        lines.push(format_args!("[cannot be undone: {why}]"));
    }
    editing::push_review(&mut lines, &result["review"]);
    lines.finish("nothing changed")
}

/// Remaining mentions, in addition to the `waiting` places. Symbols that no other file can refer
/// to are not searched in documentation.
fn mentions(
    context: &Context<'_>,
    planned: &RenamePlan,
    waiting: usize,
) -> Result<Option<Mentions>, ToolError> {
    let mut places = match planned.is_local {
        true => Vec::new(),
        false => in_documents(context, LspRename::NAME, &planned.old)?,
    };
    let count = waiting + places.len();
    places.truncate(MAX_MENTIONS);
    Ok((count > 0).then_some(Mentions { count, places }))
}

/// The places that need confirmation, up to the limit.
pub(super) fn waiting(planned: &RenamePlan, encoding: PositionEncoding) -> Vec<WaitingOutput> {
    let all = planned.waiting.iter().flat_map(|w| w.edits.iter().map(move |edit| (w, edit)));
    let shown = |(waiting, edit): (&super::rename_plan::Waiting, &Edit)| {
        let (span, new, reason) = edit;
        let range = Range::from_span(&waiting.text, span.clone(), encoding);
        WaitingOutput {
            uri: waiting.uri.to_string(),
            path: waiting.path.clone(),
            line: range.line(),
            range,
            text: line_at(&waiting.text, span.start),
            new_text: new.clone(),
            reason: reason.as_str(),
        }
    };
    all.take(MAX_WAITING).map(shown).collect()
}

fn edit_output(text: &Text, (span, new, reason): &Edit, encoding: PositionEncoding) -> EditOutput {
    let range = Range::from_span(text, span.clone(), encoding);
    EditOutput { range, new_text: new.clone(), reason: reason.as_str() }
}

impl Output {
    /// Adds the outcome of the review.
    pub(super) fn reviewed(mut self, review: Option<Review>) -> Self {
        self.review = review;
        self
    }

    /// Adds the outcome of the commit.
    pub(super) fn committed(mut self, committed: Committed) -> Self {
        self.action = committed.action.map(|id| id.to_string());
        self.unrecorded = committed.unrecorded;
        self
    }
}
