//! `git_stash`: stashes changes and restores them.

use git::StashEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repository_access::{find_repository, read_repo_mut, unsaved_files, write_repo_mut};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitStash;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `push`, `list`, `apply`, `pop` or `drop`.
    action: Action,
    /// Message of a new stash.
    #[serde(default)]
    message: Option<String>,
    /// Which stash; 0 is the newest.
    #[serde(default)]
    index: usize,
    /// For `push`: include untracked files.
    #[serde(default)]
    include_untracked: bool,
    /// For `push`: keep staged changes in the work tree.
    #[serde(default)]
    keep_index: bool,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Push,
    List,
    Apply,
    Pop,
    Drop,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The stashes, newest first.
    stashes: Vec<StashOutput>,
    /// The stash concerned. A dropped one can be restored for a while: `git stash store COMMIT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    stash: Option<StashOutput>,
}

#[derive(Serialize, JsonSchema)]
struct StashOutput {
    /// Its index.
    index: usize,
    /// Its message.
    message: String,
    /// Its commit.
    commit: String,
}

impl StashOutput {
    fn from_entry(stashed: StashEntry) -> Self {
        let StashEntry { number, message, commit } = stashed;
        Self { index: number, message, commit: commit.to_string() }
    }
}

/// Limit for one list.
const MAX_ENTRIES: usize = 500;

impl Tool for GitStash {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_stash";
    const DESCRIPTION: &'static str = "Stash changes, and restore them. Refused if unsaved \
        changes, or modified files that a restore would overwrite, are in the way: nothing is \
        lost. Hooks and filters do not run.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let own = Effect::repository(&layout.git_folder);
        let stash = match params.action {
            Action::List => return Ok(vec![Effect::read_tree(layout.folder())]),
            Action::Drop => return Ok(vec![own]),
            Action::Push => None,
            Action::Apply | Action::Pop => Some(params.index),
        };
        let budget = &context.budget();
        let files = read_repo_mut(context, Self::NAME, &layout, |repo| {
            repo.files_changed_by_stash(stash, params.include_untracked, budget)
        })?;
        let files = files.iter().filter_map(|path| layout.file(path));
        let files = files.map(|file| Effect::write(&file));
        Ok(std::iter::once(own).chain(files).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let unsaved = unsaved_files(context, &layout);
        let number = params.index;
        let budget = &context.budget();
        let (stash, stashes) = if params.action == Action::List {
            (None, read_repo_mut(context, Self::NAME, &layout, |repo| repo.stashes())?)
        } else {
            write_repo_mut(context, Self::NAME, &layout, |repo| {
                let stash = match params.action {
                    Action::Push => repo.push_stash(
                        params.message.as_deref(),
                        params.include_untracked,
                        params.keep_index,
                        &unsaved,
                        budget,
                    )?,
                    Action::Apply => repo.apply_stash(number, false, &unsaved, budget)?,
                    Action::Pop => repo.apply_stash(number, true, &unsaved, budget)?,
                    Action::Drop | Action::List => repo.drop_stash(number)?,
                };
                Ok((Some(stash), repo.stashes()?))
            })?
        };
        if !matches!(params.action, Action::List | Action::Drop) {
            context.workspace.files_may_have_changed();
        }
        Ok(Output {
            stashes: stashes.into_iter().take(MAX_ENTRIES).map(StashOutput::from_entry).collect(),
            stash: stash.map(StashOutput::from_entry),
        })
    }
}
