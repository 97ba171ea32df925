//! `move_file`: moves or renames a file, link or folder.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use syntax::Language;
use workspace::{FileKind, FilePath, Rename, Snapshot, uri_of_path};

use super::entry;
use crate::{
    names::{EntryMove, PlannedFile, RenamePlan, plan_rename_edits},
    review::Review,
};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    entries::{check_approved, check_root, destination_path, entry, entry_to_overwrite},
    from_commit_error, from_query_error,
    results::{UnsurePlace, create_effects, delete_effects, unsure_places},
};

pub(crate) struct MoveFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, folder or link to move. A link is moved itself.
    source: String,
    /// The new path, including the name. Missing parent folders are created.
    destination: String,
    /// Replace an existing destination; the replaced entry goes to the trash.
    #[serde(default)]
    overwrite: bool,
    /// Update imports that refer to the moved files. True by default.
    #[serde(default = "default_true")]
    update_imports: bool,
}

fn default_true() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    moved: entry::Output,
    /// Files whose imports were updated, by their paths before the move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    imports: Vec<Imports>,
    /// Imports that may need an update and were left alone; the first 50.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<UnsurePlace>,
    /// Their number.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out_count: Option<usize>,
    /// What the person left out in review.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Review>,
}

/// A file whose imports were updated.
#[derive(Serialize, JsonSchema)]
struct Imports {
    /// The file, relative to the workspace.
    path: String,
    /// Number of changed places.
    edits: usize,
}

impl Tool for MoveFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "move_file";
    const ALIASES: &'static [&'static str] = &["rename_file"];
    const DESCRIPTION: &'static str = "Move or rename a file, folder or link and update the \
        imports that refer to it, in one step. `destination` is the whole new path. An existing \
        one is replaced only with `overwrite`. `undo_action` reverts it.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("src", "source"),
        ("from", "source"),
        ("source_path", "source"),
        ("old_path", "source"),
        ("dest", "destination"),
        ("dst", "destination"),
        ("to", "destination"),
        ("destination_path", "destination"),
        ("new_path", "destination"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(super::entry::text("moved", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (from, to) = source_and_target(context, params)?;
        if from == to {
            let entry = entry(context, &from)?;
            let mut effects = delete_effects(context, &entry)?;
            effects.extend(create_effects(context, &entry, &to)?);
            return Ok(effects);
        }
        plan(context, params, &context.snapshot, &from, &to)?.1.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (from, to) = source_and_target(context, &params)?;
        if from == to {
            let moved = entry::Output::new(&to, entry(context, &from)?.kind).from(&from);
            return Ok(Output::unchanged(moved, None));
        }
        let cancelled = || {
            ToolError::new(Code::Cancelled, format!("{}: cancelled; nothing changed", Self::NAME))
        };
        let take_turn = || context.workspace.write_lock(context.interrupt).ok_or_else(cancelled);
        let reviews = context.editor.wants_review();
        // The write lock is not held while a person reviews.
        let mut turn = if reviews { None } else { Some(take_turn()?) };
        let snapshot = context.workspace.snapshot();
        let (moving, mut planned) = plan(context, &params, &snapshot, &from, &to)?;
        check_approved(context, &from)?;
        check_approved(context, &to)?;
        if planned.effects(context)?.iter().any(|effect| !context.is_granted(effect)) {
            let message = format!("{}: what it is about has changed meanwhile", Self::NAME);
            return Err(ToolError::new(Code::Conflict, message).hint("call again"));
        }
        let mut review = None;
        if reviews && !planned.files.is_empty() {
            review = planned.review(context, Self::NAME)?;
            if !planned.has_moves() {
                let moved = entry::Output::new(&from, moving.entry.kind);
                return Ok(Output::unchanged(moved, review));
            }
            turn = Some(take_turn()?);
        }
        let turn = match turn {
            Some(turn) => turn,
            None => take_turn()?,
        };
        context.check_interrupt(Self::NAME)?;
        let moved = entry::Output::new(&to, moving.entry.kind).from(&from);
        let mut output = Output {
            moved,
            imports: planned.files.iter().map(Imports::from_planned).collect(),
            left_out: unsure_places(context, &planned.left_out),
            left_out_count: Some(planned.left_out.len()).filter(|count| *count > 0),
            review,
        };
        let changes = planned.changes();
        let committed = context.commit(&turn, Self::NAME, &snapshot, &changes);
        let committed = committed.map_err(|error| from_commit_error(&error))?;
        output.moved = output.moved.committed(&committed, moving.over.as_ref());
        Ok(output)
    }
}

impl Output {
    fn unchanged(moved: entry::Output, review: Option<Review>) -> Self {
        let (imports, left_out) = (Vec::new(), Vec::new());
        Self { moved, imports, left_out, left_out_count: None, review }
    }
}

impl Imports {
    fn from_planned(file: &PlannedFile) -> Self {
        Self { path: file.file.path.display_path(), edits: file.edits.len() }
    }
}

/// The move, with the edits that update imports.
fn plan(
    context: &Context<'_>,
    params: &Params,
    snapshot: &Snapshot,
    from: &FilePath,
    to: &FilePath,
) -> Result<(EntryMove, RenamePlan), ToolError> {
    let tool = MoveFile::NAME;
    let entry = entry(context, from)?;
    let over = entry_to_overwrite(context, tool, &entry, to, params.overwrite)?;
    let moving = EntryMove { entry, to: to.clone(), over };
    let mut rename = Rename::default();
    let is_code = Language::detect(&from.file_name().to_string_lossy(), "").is_some();
    let may_be_imported = match moving.entry.kind {
        FileKind::Directory => true,
        FileKind::File => is_code,
        _ => false,
    };
    if params.update_imports && may_be_imported {
        let pair = (uri_of_path(&from.absolute()), uri_of_path(&to.absolute()));
        let found = snapshot.imports_follow(&[pair], context.interrupt);
        rename = found.map_err(|error| from_query_error(tool, error))?;
        rename.files.retain(|file| !file.edits.is_empty());
    }
    let planned = plan_rename_edits(context, tool, snapshot, rename, &BTreeSet::new(), true)?;
    Ok((moving.clone(), planned.with_move(moving)))
}

fn source_and_target(
    context: &Context<'_>,
    params: &Params,
) -> Result<(FilePath, FilePath), ToolError> {
    let from = context.snapshot.locate_entry(&params.source)?;
    let to = destination_path(context.snapshot.locate_entry(&params.destination))?;
    check_root(&from, "move_file: source")?;
    check_root(&to, "move_file: destination")?;
    if from != to && to.absolute().starts_with(from.absolute()) {
        let message = format!("move_file: {}: cannot be moved into itself", from.display_path());
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok((from, to))
}
