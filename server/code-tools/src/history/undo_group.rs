//! Undoes the actions of a group, such as a workflow's, together.

use std::collections::HashSet;
use std::path::PathBuf;

use workspace::{ActionGroup, ActionLabel, CommitError, OnConflict, UndoError, UndoPlan};

use super::from_history_error;
use tools::{Code, Context, Effect, ToolError, from_commit_error};

/// A group that has actions to undo.
pub(super) struct Group {
    pub(super) name: String,
    /// Their ids, newest first.
    ids: Vec<i64>,
}

/// What was undone.
pub(super) struct UndoneGroup {
    pub(super) plans: Vec<UndoPlan>,
    /// The group that undoes the undo.
    pub(super) redo: String,
}

impl Group {
    /// The group called `name`; without a name, that of the last action. `None` if there is none, or nothing to
    /// undo in it.
    pub(super) fn find(
        context: &Context<'_>,
        tool: &str,
        name: Option<&str>,
    ) -> Result<Option<Self>, ToolError> {
        let of_history = |error| from_history_error(tool, &error);
        let name = match name {
            Some(name) => name.to_owned(),
            None => match context.workspace.last_action().map_err(of_history)? {
                Some(last) => match last.group {
                    Some(name) => name,
                    None => return Ok(None),
                },
                None => return Ok(None),
            },
        };
        let actions = context.workspace.action_group(&name).map_err(of_history)?;
        let ids: Vec<i64> = actions.into_iter().map(|(id, _)| id).collect();
        Ok((!ids.is_empty()).then_some(Self { name, ids }))
    }

    /// The plans to undo the actions one after the other, as far as they are known before. Files that changed
    /// after the last action that changed them are conflicts.
    pub(super) fn preview(
        &self,
        context: &Context<'_>,
        on_conflict: OnConflict,
    ) -> Result<Vec<UndoPlan>, UndoError> {
        let mut undone = HashSet::<PathBuf>::new();
        let mut plans = Vec::new();
        for id in &self.ids {
            let plan = context.workspace.undo_after(Some(*id), on_conflict, &undone)?;
            let paths = plan.emptied_paths.iter().chain(&plan.written_paths);
            undone.extend(paths.map(workspace::FilePath::absolute));
            plans.push(plan);
        }
        Ok(plans)
    }

    /// Undoes all actions, newest first. If one cannot be undone after all, those that were are done again.
    pub(super) fn undo(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        on_conflict: OnConflict,
        of_undo_error: &dyn Fn(&UndoError) -> ToolError,
    ) -> Result<UndoneGroup, ToolError> {
        let cancelled =
            || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
        let turn = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
        let preview = self.preview(context, on_conflict).map_err(|error| of_undo_error(&error))?;
        context.check_interrupt(tool)?;
        let mut checked = HashSet::<PathBuf>::new();
        for plan in &preview {
            super::undo_action::check_approved(context, plan, &checked)?;
            let paths = plan.emptied_paths.iter().chain(&plan.written_paths);
            checked.extend(paths.map(workspace::FilePath::absolute));
        }
        let redo = format!("undo-{}", self.name);
        let group = Some(ActionGroup { name: &redo, part: "" });
        let label = ActionLabel { tool, renamed: None, group };
        let commit = |plan: &UndoPlan| -> Result<Option<i64>, CommitError> {
            let done = context.workspace.commit_undo(&turn, label, plan, context.editor)?;
            Ok(done.action)
        };
        let mut plans = Vec::new();
        let mut undos = Vec::new();
        for id in &self.ids {
            let plan = context.workspace.undo(Some(*id), on_conflict);
            let failure = match plan.map_err(|error| of_undo_error(&error)) {
                Ok(plan) => match commit(&plan) {
                    Ok(undo) => {
                        undos.extend(undo);
                        plans.push(plan);
                        continue;
                    }
                    Err(error) => from_commit_error(&error),
                },
                Err(error) => error,
            };
            for undo in undos.iter().rev() {
                let again = context.workspace.undo(Some(*undo), OnConflict::Refuse);
                let again = again.map_err(|error| of_undo_error(&error));
                again.and_then(|plan| commit(&plan).map_err(|error| from_commit_error(&error))).map_err(
                    |error| {
                        let message = format!(
                            "{tool}: action {id} could not be undone ({}), nor could the later actions \
                             of the group be done again",
                            failure.message
                        );
                        error_with(message, &error)
                    },
                )?;
            }
            return Err(failure);
        }
        Ok(UndoneGroup { plans, redo })
    }
}

fn error_with(message: String, error: &ToolError) -> ToolError {
    let hint = format!("{}; `get_action_history` lists what is done and undone", error.message);
    ToolError::new(Code::Conflict, message).hint(hint)
}

/// The effects of plans that are carried out one after the other: each once.
pub(super) fn merged(effects: Vec<Effect>) -> Vec<Effect> {
    let mut all: Vec<Effect> = Vec::new();
    for effect in effects {
        let same = |known: &&mut Effect| known.kind == effect.kind && known.target == effect.target;
        match all.iter_mut().find(same) {
            // What is displayed of one would not be all of it.
            Some(known) => known.detail = None,
            None => all.push(effect),
        }
    }
    all
}
