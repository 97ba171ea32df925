//! What a rename changed, or would change.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use text::{PositionEncoding, Text};
use workspace::Committed;

use super::locations::line_at;
use super::lsp_rename::LspRename;
use super::range::Range;
use super::rename_plan::{Edit, Planned};
use super::unsure::{UnsurePlace, unsure_places};
use crate::review::Review;
use crate::search::{Mention, in_documents};
use crate::{Context, Tool, ToolError, budget};

/// Most edits, and most places to be confirmed, that are listed.
const MOST_EDITS: usize = 1_000;
const MOST_WAITING: usize = 200;
/// Most mentions in documents that are listed.
const MOST_MENTIONS: usize = 10;
/// Said in place of a diff, once the others have used the budget up.
const NO_DIFF: &str = "[left out: the result would be too long]";

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether anything changed (or would, in a dry run).
    pub(super) changed: bool,
    /// The number of the action in the history: `undo_action` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// Why it is in no history and cannot be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    unrecorded: Option<String>,
    /// What the person left out when they looked at the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Review>,
    /// The name as it was.
    pub(super) old_name: String,
    /// What changed, by the URI that the document had before.
    changes: BTreeMap<String, Vec<EditOutput>>,
    /// How many edits more were made than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes_left_out: Option<usize>,
    /// One entry a file.
    files: Vec<FileOutput>,
    /// What did not change because nobody has said so: words in comments and strings. `confirm`
    /// with the `reason` changes them, too.
    needs_confirmation: Vec<WaitingOutput>,
    /// How many places more wait than are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_confirmation_left_out: Option<usize>,
    /// Uses that may mean it and keep their name, with `allow_unsure`; the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<UnsurePlace>,
    /// How many those are.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out_count: Option<usize>,
    /// Where the old name is still mentioned in documents, comments and strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    mentions: Option<Mentions>,
}

/// Words that are the old name, and were not changed.
#[derive(Serialize, JsonSchema)]
struct Mentions {
    /// How many lines.
    count: usize,
    /// The first of those that `needs_confirmation` does not list: in documents and configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<Mention>,
}

#[derive(Serialize, JsonSchema)]
struct EditOutput {
    /// What went, 0-based, in the text before.
    range: Range,
    /// What came instead.
    new_text: String,
    /// `definition`, `reference`, `import`, `unsure`, `comment` or `string`.
    reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The path before of the file, or of a folder that moves, relative to the workspace.
    path: String,
    /// Its path now, where it is named for what was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to: Option<String>,
    /// How many places changed in it.
    edits: usize,
    /// Unified diff.
    diff: String,
}

/// A place that changes only once somebody has said so.
#[derive(Serialize, JsonSchema)]
pub(super) struct WaitingOutput {
    /// The document's URI.
    uri: String,
    /// The file, relative to the workspace.
    path: String,
    /// 1-based line.
    line: usize,
    /// The place, 0-based.
    range: Range,
    /// The line.
    text: String,
    /// What would come there.
    new_text: String,
    /// Why it is not sure: `unsure`, `comment` or `string`.
    reason: &'static str,
}

/// # Errors
/// When cancelled.
pub(super) fn report(
    context: &Context<'_>,
    planned: &Planned,
    encoding: PositionEncoding,
) -> Result<Output, ToolError> {
    let mut room = MOST_EDITS;
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
            path: file.file.path.shown(),
            moved_to: file.to.as_ref().map(workspace::FilePath::shown),
            edits: file.edits.len(),
            diff,
        });
    }
    for moved in &planned.moves {
        let (path, to) = (moved.entry.path.shown(), Some(moved.to.shown()));
        files.push(FileOutput { path, moved_to: to, edits: 0, diff: String::new() });
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
        changes_left_out: made.checked_sub(MOST_EDITS).filter(|n| *n > 0),
        files,
        needs_confirmation: waiting(planned, encoding),
        needs_confirmation_left_out: all.checked_sub(MOST_WAITING).filter(|n| *n > 0),
        left_out,
        left_out_count: Some(planned.left_out.len()).filter(|count| *count > 0),
        mentions: mentions(context, planned, all)?,
    })
}

/// Where the old name stays, beside the `waiting` places in comments and strings. Documents do not
/// name what no other file can.
fn mentions(
    context: &Context<'_>,
    planned: &Planned,
    waiting: usize,
) -> Result<Option<Mentions>, ToolError> {
    let mut places = match planned.is_local {
        true => Vec::new(),
        false => in_documents(context, LspRename::NAME, &planned.old)?,
    };
    let count = waiting + places.len();
    places.truncate(MOST_MENTIONS);
    Ok((count > 0).then_some(Mentions { count, places }))
}

/// The places that wait for a word, as far as one result can tell them.
pub(super) fn waiting(planned: &Planned, encoding: PositionEncoding) -> Vec<WaitingOutput> {
    let all = planned.waiting.iter().flat_map(|w| w.edits.iter().map(move |edit| (w, edit)));
    let shown = |(waiting, edit): (&super::rename_plan::Waiting, &Edit)| {
        let (span, new, reason) = edit;
        let range = Range::of(&waiting.text, span.clone(), encoding);
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
    all.take(MOST_WAITING).map(shown).collect()
}

fn edit_output(text: &Text, (span, new, reason): &Edit, encoding: PositionEncoding) -> EditOutput {
    let range = Range::of(text, span.clone(), encoding);
    EditOutput { range, new_text: new.clone(), reason: reason.as_str() }
}

impl Output {
    /// The same, with what the person left out of it.
    pub(super) fn reviewed(mut self, review: Option<Review>) -> Self {
        self.review = review;
        self
    }

    /// The same, once it has happened.
    pub(super) fn committed(mut self, committed: Committed) -> Self {
        self.action = committed.action.map(|id| id.to_string());
        self.unrecorded = committed.unrecorded;
        self
    }
}
