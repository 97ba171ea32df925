//! `git_discard`: restores files from the index, undoably.

use git::{FileTarget, GitError, RepoLayout};
use schemars::JsonSchema;
use serde::Deserialize;

use super::git_stage::{repo_paths, single_file};
use super::hunk_params::{HunkParam, selection};
use super::repository_access::{read_repo, unsaved_files};
use super::restore::{Restored, effects, restore};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitDiscard;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Files and folders (literal, relative to the workspace); a folder means everything that
    /// differs in it.
    files: Vec<String>,
    /// For one file: only these parts of its diff, numbered as in `git_diff`.
    #[serde(default)]
    hunks: Option<Vec<HunkParam>>,
    /// The state that `hunks` refer to, from `tandem/hunks`; refused in any other.
    #[serde(default)]
    expected_state: Option<String>,
    /// Delete untracked files, too.
    #[serde(default)]
    untracked: bool,
    /// The repository's folder; by default the one that contains the first file.
    #[serde(default)]
    repository: Option<String>,
}

/// The files to change, and their new states.
fn targets(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RepoLayout, Vec<FileTarget>), ToolError> {
    let tool = GitDiscard::NAME;
    let named = params.repository.as_deref();
    let (layout, paths) = repo_paths(context, tool, named, &params.files)?;
    let unsaved = unsaved_files(context, &layout);
    let targets = match &params.hunks {
        Some(hunks) => {
            let path = single_file(tool, &paths)?;
            let selection = selection(hunks);
            read_repo(context, tool, &layout, |repo| {
                if let Some(expected) = &params.expected_state {
                    repo.check_state_id(path, &unsaved, expected)?;
                }
                Ok::<_, GitError>(vec![repo.discard_lines_target(path, &selection, &unsaved)?])
            })?
        }
        None => read_repo(context, tool, &layout, |repo| {
            repo.discard_targets(&paths, params.untracked, &unsaved)
        })?,
    };
    Ok((layout, targets))
}

impl Tool for GitDiscard {
    type Params = Params;
    type Output = Restored;
    const NAME: &'static str = "git_discard";
    const DESCRIPTION: &'static str = "Discard changes of the work tree: whole files, or hunks and \
        single lines of one. Open documents change in the editor. `undo_action` brings the changes \
        back.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("paths", "files")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (layout, targets) = targets(context, params)?;
        Ok(effects(&layout, &targets))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Restored, ToolError> {
        let (layout, targets) = targets(context, &params)?;
        super::restore::check_approved(context, Self::NAME, &layout, &targets)?;
        restore(context, Self::NAME, &layout, targets)
    }
}
