//! The field `diagnostics` of a result, and its lines.

use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};
use workspace::FilePath;

use super::Problem;
use super::compare::compare;
use super::editor_diagnostics::{EditorEntry, compare_reports};
use super::parameter::{NAME, wanted};
use super::text_problems::compare_texts;
use crate::Context;
use crate::results::{Lines, is_zero, list_at, number_at, str_at};

/// Limits for listed problems, of each kind, and for files.
const MAX_LISTED: usize = 50;
const MAX_FILES: usize = 200;

/// Why an entry is unsure.
const UNVERSIONED: &str = "its source does not say which text it saw";
const BROKEN_BEFORE: &str = "the previous text had syntax errors";

#[derive(Default, Serialize)]
struct Field {
    files: Vec<Value>,
    introduced: Vec<Entry>,
    fixed: Vec<Entry>,
    pending: Vec<Value>,
    #[serde(skip_serializing_if = "is_zero")]
    left_out: usize,
}

#[derive(Serialize)]
struct Entry {
    path: String,
    line: usize,
    severity: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    code: String,
    message: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    source: String,
    /// Why it may have another cause than the edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    unsure: Option<&'static str>,
}

impl Entry {
    fn new(path: &str, problem: &Problem) -> Self {
        Self {
            path: path.to_owned(),
            line: problem.line + 1,
            severity: problem.severity,
            code: problem.code.clone().into_owned(),
            message: problem.message.clone(),
            source: problem.source.clone().into_owned(),
            unsure: None,
        }
    }

    fn reported(path: &str, entry: &EditorEntry) -> Self {
        Self { unsure: (!entry.is_exact).then_some(UNVERSIONED), ..Self::new(path, &entry.problem) }
    }
}

/// Runs a call, and adds `diagnostics` to its result if its parameters ask for it.
///
/// # Errors
/// The errors of `run`.
pub(crate) fn add<E>(
    context: &Context<'_>,
    params: &Value,
    edits: bool,
    run: impl FnOnce() -> Result<Value, E>,
) -> Result<Value, E> {
    let Some(wait) = wanted(params).filter(|_| edits) else { return run() };
    context.edits.start();
    let mut result = run()?;
    let deadline = Instant::now() + wait;
    let changes = context.edits.take();
    let comparison = compare_texts(context, &changes);
    let mut field = Field::default();
    for changed in changes.texts.iter().take(MAX_FILES) {
        if let Some(after) = &changed.after {
            let (path, hash) = (after.path.display_path(), after.hash.to_string());
            field.files.push(json!({ "path": path, "hash": hash }));
        }
    }
    for file in &comparison.files {
        let (before, after) = (&file.before, &file.after);
        let (introduced, fixed) = compare((&before.0, &before.1), (&after.0, &after.1));
        let path = file.path.display_path();
        let (knew_names, knows_names) = file.knows_names;
        field.introduced.extend(introduced.iter().map(|index| {
            let problem = &after.1[*index];
            let unsure = (problem.is_of_names && !knew_names).then_some(BROKEN_BEFORE);
            Entry { unsure, ..Entry::new(&path, problem) }
        }));
        // What a deleted file had is not fixed, and neither is what is no longer known.
        if file.is_kept {
            let gone = fixed.iter().map(|index| &before.1[*index]);
            let gone = gone.filter(|problem| knows_names || !problem.is_of_names);
            field.fixed.extend(gone.map(|problem| Entry::new(&path, problem)));
        }
    }
    if let Some(why) = comparison.names_pending {
        field.pending.push(json!({ "source": "names", "why": why }));
    }
    // The texts are compared with what the call made, so that it need not keep others from editing.
    context.editor.end_changes();
    for changed in &changes.texts {
        let wait = deadline.saturating_duration_since(Instant::now());
        let found = compare_reports(context, changed, changes.is_dry_run, wait);
        let path = changed.path().map(FilePath::display_path).unwrap_or_default();
        let entry = |one: &EditorEntry| Entry::reported(&path, one);
        field.introduced.extend(found.introduced.iter().map(entry));
        field.fixed.extend(found.fixed.iter().map(entry));
        field.pending.extend(
            found
                .pending
                .into_iter()
                .map(|(source, why)| json!({ "path": path, "source": source, "why": why })),
        );
    }
    for list in [&mut field.introduced, &mut field.fixed] {
        let rank = |entry: &Entry| match entry.severity {
            "error" => 0,
            "warning" => 1,
            _ => 2,
        };
        list.sort_by(|a, b| {
            (rank(a), &a.path, a.line, &a.message).cmp(&(rank(b), &b.path, b.line, &b.message))
        });
        field.left_out += list.len().saturating_sub(MAX_LISTED);
        list.truncate(MAX_LISTED);
    }
    field.pending.truncate(MAX_LISTED);
    if let (Some(result), Ok(field)) = (result.as_object_mut(), serde_json::to_value(field)) {
        result.insert(NAME.to_owned(), field);
    }
    Ok(result)
}

/// Adds the lines of the field to the text of a result, if it has one.
pub(crate) fn push_text(text: &mut String, result: &Value) {
    let field = &result[NAME];
    if !field.is_object() {
        return;
    }
    let mut lines = Lines::default();
    for kind in ["introduced", "fixed"] {
        for one in list_at(field, kind) {
            let (path, line) = (str_at(one, "path"), number_at(one, "line"));
            let (severity, message) = (str_at(one, "severity"), str_at(one, "message"));
            let by = match (str_at(one, "source"), str_at(one, "code")) {
                ("", code) | (code, "") => code.to_owned(),
                (source, code) => format!("{source} {code}"),
            };
            let unsure = match str_at(one, "unsure") {
                "" => String::new(),
                why => format!(" (unsure: {why})"),
            };
            lines.push(format_args!("{kind}: {path}:{line}: {severity}: {message} [{by}]{unsure}"));
        }
    }
    if let Some(left_out) = field["left_out"].as_u64() {
        lines.push(format_args!("[{left_out} more]"));
    }
    for one in list_at(field, "pending") {
        let (source, why) = (str_at(one, "source"), str_at(one, "why"));
        match str_at(one, "path") {
            "" => lines.push(format_args!("pending: {source}: {why}")),
            path => lines.push(format_args!("pending: {path}: {source}: {why}")),
        }
    }
    let lines = lines.finish("no problems introduced or fixed");
    text.push('\n');
    text.push_str(&lines);
}
