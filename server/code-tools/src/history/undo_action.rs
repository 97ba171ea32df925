//! `undo_action`: reverts an action.

use std::collections::HashSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use workspace::{CommitError, OnConflict, UndoError, UndoPlan};

use super::from_undo_error;
use super::undo_group::{Group, merged};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, from_commit_error,
    results::{Lines, diff, list_at, str_at, strings_at},
};

pub(crate) struct UndoAction;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The action's id from a result or `get_action_history`, or the id of a workflow's run: all that
    /// it changed; by default the last action that is not undone.
    #[serde(default)]
    action: Option<Id>,
    /// If files changed after the action: `refuse` undoes nothing, `skip` leaves these files
    /// alone, `merge` reverts only the action's own change in them.
    #[serde(default)]
    on_conflict: Conflicts,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, Default)]
#[serde(rename_all = "snake_case")]
enum Conflicts {
    #[default]
    Refuse,
    Skip,
    Merge,
}

impl From<Conflicts> for OnConflict {
    fn from(conflicts: Conflicts) -> Self {
        match conflicts {
            Conflicts::Refuse => Self::Refuse,
            Conflicts::Skip => Self::Skip,
            Conflicts::Merge => Self::Merge,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The undone action (in a dry run, the one that would be).
    undone: String,
    /// Its summary.
    summary: String,
    /// Whether anything changed (or would).
    changed: bool,
    /// Id of this undo; undoing it redoes the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// The changed files.
    files: Vec<FileOutput>,
    /// Number of changed files that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_left_out: Option<usize>,
    /// Files left alone because they changed after the action.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    skipped: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct FileOutput {
    /// The path, relative to the workspace.
    path: String,
    /// `edited` (previous text), `merged` (action's change removed), `restored`, `removed`, or
    /// `already` (undone in the editor).
    kind: &'static str,
    /// Unified diff, if its text changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

const MAX_FILES: usize = 100;
/// Limit for all diffs of a result, in bytes.
const MAX_DIFF_BYTES: usize = 40_000;
/// Limit for the lines of a diff in an error.
const MAX_ERROR_DIFF_LINES: usize = 40;
/// A document that changes meanwhile is tried once more.
const MAX_ATTEMPTS: usize = 2;

impl Tool for UndoAction {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "undo_action";
    const ALIASES: &'static [&'static str] = &["rollback_action"];
    const DESCRIPTION: &'static str = "Undo what a tool changed, by default the last action that \
        is not undone: edits (in open documents, too), created, deleted, moved and copied files. \
        If files changed since, nothing is undone and the error lists them; `on_conflict` skips or \
        merges them. The undo is an action itself and can be undone.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("action_id", "action"), ("id", "action")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let plans = match group(context, params)? {
            Some(group) => {
                let plans = group.preview(context, params.on_conflict.into());
                plans.map_err(|error| undo_error(context, &error))?
            }
            None => vec![undo(context, params)?],
        };
        plans.iter().try_for_each(|plan| check_open(context, plan))?;
        let effects = plans.iter().flat_map(|plan| effects_of(plan, params.dry_run));
        Ok(merged(effects.collect()))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if let Some(group) = group(context, &params)? {
            return run_group(context, &params, &group);
        }
        if params.dry_run {
            return Ok(output(&undo(context, &params)?));
        }
        let name = Self::NAME;
        let cancelled =
            || ToolError::new(Code::Cancelled, format!("{name}: cancelled; nothing changed"));
        // The action is chosen once: another call may undo one meanwhile.
        let id = undo(context, &params)?.action.id;
        let params = Params { action: Some(Id::Number(id)), ..params };
        let turn = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
        for attempt in 1.. {
            let undo = undo(context, &params)?;
            context.check_interrupt(name)?;
            check_approved(context, &undo, &HashSet::new())?;
            match context.workspace.commit_undo(&turn, name, &undo, context.editor) {
                Err(CommitError::DocumentChanged { .. }) if attempt < MAX_ATTEMPTS => {}
                Err(error) => return Err(from_commit_error(&error)),
                Ok(committed) => {
                    let mut output = output(&undo);
                    output.action = committed.action.map(|id| id.to_string());
                    return Ok(output);
                }
            }
        }
        let message = format!("{name}: other programs kept changing the files");
        Err(ToolError::new(Code::Conflict, message).hint("try again"))
    }
}

/// The group that is undone, if it is one.
fn group(context: &Context<'_>, params: &Params) -> Result<Option<Group>, ToolError> {
    match &params.action {
        None => Group::find(context, UndoAction::NAME, None),
        Some(Id::Number(_)) => Ok(None),
        Some(Id::Text(text)) if text.trim().parse::<i64>().is_ok() => Ok(None),
        Some(Id::Text(text)) => Group::find(context, UndoAction::NAME, Some(text.trim())),
    }
}

fn run_group(context: &Context<'_>, params: &Params, group: &Group) -> Result<Output, ToolError> {
    let on_conflict = params.on_conflict.into();
    let of_error = |error: &UndoError| undo_error(context, error);
    if params.dry_run {
        let plans = group.preview(context, on_conflict).map_err(|error| of_error(&error))?;
        return Ok(group_output(group, &plans));
    }
    let undone = group.undo(context, UndoAction::NAME, on_conflict, &of_error)?;
    let mut output = group_output(group, &undone.plans);
    output.action = Some(undone.redo);
    Ok(output)
}

/// What plans that were carried out one after the other did. A file is listed once.
fn group_output(group: &Group, plans: &[UndoPlan]) -> Output {
    let mut all = Output {
        undone: group.name.clone(),
        summary: format!("{} changes of {}", plans.len(), group.name),
        changed: plans.iter().any(UndoPlan::changes_anything),
        action: None,
        files: Vec::new(),
        files_left_out: None,
        skipped: Vec::new(),
    };
    for plan in plans {
        let one = output(plan);
        for mut file in one.files {
            if let Some(at) = all.files.iter().position(|known| known.path == file.path) {
                all.files.remove(at);
                file.diff = None;
            }
            all.files.push(file);
        }
        all.skipped.extend(one.skipped);
        all.files_left_out = all.files_left_out.max(one.files_left_out);
    }
    all.skipped.dedup();
    all
}

fn effects_of(undo: &UndoPlan, is_dry_run: bool) -> Vec<Effect> {
    if is_dry_run {
        return undo.emptied_paths.iter().chain(&undo.written_paths).map(Effect::read).collect();
    }
    let goes = undo.emptied_paths.iter().map(Effect::delete);
    let comes = undo.written_paths.iter().map(|path| {
        let mut effect = Effect::write(path);
        let text = undo.texts.iter().find(|(own, ..)| own == path);
        let displayed = path.display_path();
        effect.detail = text.map(|(_, now, back)| diff(&displayed, &displayed, now, back));
        effect
    });
    goes.chain(comes).collect()
}

fn undo(context: &Context<'_>, params: &Params) -> Result<UndoPlan, ToolError> {
    let id = match &params.action {
        None => None,
        Some(Id::Number(id)) => Some(*id),
        Some(Id::Text(text)) => Some(text.trim().parse::<i64>().map_err(|_| {
            let message = format!("undo_action: there is no action `{text:.60}`");
            ToolError::new(Code::InvalidParams, message)
                .hint("get_action_history lists the actions; without `action` it is the last one")
        })?),
    };
    let undo = context.workspace.undo(id, params.on_conflict.into());
    let undo = undo.map_err(|error| undo_error(context, &error))?;
    check_open(context, &undo)?;
    Ok(undo)
}

/// Refuses if the editor would have to change a document and cannot.
fn check_open(context: &Context<'_>, undo: &UndoPlan) -> Result<(), ToolError> {
    if !undo.open.is_empty() && !context.editor.can_apply() {
        let message = format!(
            "undo_action: {}: is open in an editor that cannot apply edits",
            undo.open[0].display_path()
        );
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("close it, or use a client with workspace/applyEdit"));
    }
    Ok(())
}

/// Refuses if the change differs from the one that the person approved.
/// Paths in `checked` were compared before.
pub(super) fn check_approved(
    context: &Context<'_>,
    undo: &UndoPlan,
    checked: &HashSet<PathBuf>,
) -> Result<(), ToolError> {
    let now = context.workspace.snapshot();
    for path in undo.emptied_paths.iter().chain(&undo.written_paths) {
        if checked.contains(&path.absolute()) {
            continue;
        }
        let Some(Some(approved)) = context.approved(path) else { continue };
        let hash = match now.open_document(path) {
            Some(_) => now.read(path).ok().map(|file| file.hash),
            None => now.read_bytes(path).ok().map(|file| file.hash),
        };
        if hash != Some(approved) {
            let message = format!("{}: changed since it was approved", path.display_path());
            return Err(ToolError::new(Code::Conflict, message).hint("call again"));
        }
    }
    Ok(())
}

fn output(undo: &UndoPlan) -> Output {
    let mut room = MAX_DIFF_BYTES;
    let goes = undo.emptied_paths.iter().map(|path| (path, "removed"));
    let comes = undo.written_paths.iter().map(|path| (path, "restored"));
    let mut all: Vec<FileOutput> = goes
        .chain(comes)
        .map(|(path, kind)| {
            let text = undo.texts.iter().find(|(own, ..)| own == path && kind == "restored");
            let displayed = path.display_path();
            let diff = text.map(|(_, now, back)| diff(&displayed, &displayed, now, back));
            let diff = diff.filter(|diff| {
                let fits = diff.len() <= room;
                room = room.saturating_sub(diff.len());
                fits
            });
            let kind = match text {
                Some((path, ..)) if undo.merged.contains(path) => "merged",
                Some(_) => "edited",
                None => kind,
            };
            FileOutput { path: displayed, kind, diff }
        })
        .collect();
    let already = undo.already_reverted.iter();
    all.extend(already.map(|path| FileOutput {
        path: path.display_path(),
        kind: "already",
        diff: None,
    }));
    let files_left_out = all.len().checked_sub(MAX_FILES).filter(|n| *n > 0);
    Output {
        undone: undo.action.id.to_string(),
        summary: undo.action.summary.clone(),
        changed: undo.changes_anything(),
        action: None,
        files: all.into_iter().take(MAX_FILES).collect(),
        files_left_out,
        skipped: undo.skipped.iter().map(|it| it.path.clone()).take(MAX_FILES).collect(),
    }
}

/// The tool error, with the differences.
fn undo_error(context: &Context<'_>, error: &UndoError) -> ToolError {
    let made = from_undo_error(UndoAction::NAME, error);
    let UndoError::Conflict { id, conflicts } = error else { return made };
    let error_conflicts = conflicts;
    let conflicts: Vec<Value> = error_conflicts
        .iter()
        .take(MAX_FILES)
        .map(|conflict| {
            let mut value = json!({
                "path": conflict.path, "expected": conflict.expected, "actual": conflict.actual,
                "can_merge": conflict.can_merge,
            });
            if let Some((left, now)) =
                conflict.texts.as_ref().filter(|_| !context.restricts_reading())
            {
                let diff = diff(&conflict.path, &conflict.path, left, now);
                let short: Vec<&str> = diff.lines().take(MAX_ERROR_DIFF_LINES).collect();
                value["diff"] = short.join("\n").into();
            }
            value
        })
        .collect();
    let hint = if error_conflicts.iter().all(|conflict| conflict.can_merge) {
        "nothing was changed; call again with on_conflict: \"merge\" to keep what was changed after the action, \
         or with \"skip\" to leave these files as they are"
    } else {
        "nothing was changed; call again with on_conflict: \"skip\" to leave these files as they are"
    };
    made.details(json!({ "action": id.to_string(), "conflicts": conflicts })).hint(hint)
}

/// What was undone, and the files that changed or were left alone. A dry run shows the diffs.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let is_dry_run = result["changed"] == true && result["action"].is_null();
    let done = if is_dry_run { "would undo" } else { "undone" };
    lines.push(format_args!("{done}: {}", str_at(result, "summary")));
    for file in list_at(result, "files") {
        // The summary says the rest.
        if matches!(str_at(file, "kind"), "merged" | "already") {
            lines.push(format_args!("{}: {}", str_at(file, "path"), str_at(file, "kind")));
        }
        if is_dry_run {
            lines.push_text(str_at(file, "diff"));
        }
    }
    for path in strings_at(result, "skipped") {
        lines.push(format_args!("{path}: changed since, left alone"));
    }
    lines.finish("")
}
