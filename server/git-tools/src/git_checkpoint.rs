//! `git_checkpoint`: snapshots of the work tree.

use git::{Comparison, DiffOptions, FileTarget, GitError, RepoLayout, RepoPath, UnsavedFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commit_output::{FileDiffOutput, format_time};
use super::cursor::{format_cursor, parse_cursor, query_hash};
use super::diff_page::{DiffPage, diff_page, may_read};
use super::repository_access::{
    display_path, find_repository, read_repo, resolve_path, unsaved_files, write_repo,
};
use super::restore::{check_approved, effects, restore};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitCheckpoint;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `create`, `list`, `diff`, `restore` or `prune`.
    action: Action,
    /// The checkpoint; by default the last one. For `prune`: only this one.
    #[serde(default)]
    id: Option<String>,
    /// Message of a new checkpoint.
    #[serde(default)]
    message: Option<String>,
    /// For `diff` and `restore`: only these files and folders, relative to the workspace.
    #[serde(default)]
    files: Vec<String>,
    /// For `prune`: remove checkpoints older than this; 30 by default.
    #[serde(default)]
    older_than_days: Option<u64>,
    /// For `prune`: number of newest checkpoints to keep.
    #[serde(default)]
    keep: usize,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// For `diff`: `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Create,
    List,
    Diff,
    Restore,
    Prune,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The checkpoint.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<Checkpoint>,
    /// For `list`: all of them, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoints: Option<Vec<Checkpoint>>,
    /// For `create`: number of files that differ from the last commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    changed: Option<usize>,
    /// For `create`: files too large to keep (over 10 MB).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
    /// For `diff`: the changes since, in `git diff` format.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// For `diff`: the changed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileDiffOutput>>,
    /// For `restore`: the changed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<Vec<String>>,
    /// For `restore`: links and nested repositories, which are left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left: Vec<String>,
    /// For `restore`: id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// For `prune`: the removed checkpoints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pruned: Option<Vec<String>>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Checkpoint {
    /// Its id.
    id: String,
    /// The commit that stores it.
    commit: String,
    /// Its time, in UTC.
    timestamp: String,
    /// Its message.
    message: String,
    /// The last commit at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
}

impl Checkpoint {
    fn from_checkpoint(checkpoint: &git::Checkpoint) -> Self {
        Self {
            id: checkpoint.id.clone(),
            commit: checkpoint.commit.to_string(),
            timestamp: format_time(checkpoint.seconds),
            message: checkpoint.message.clone(),
            head: checkpoint.head.map(|id| id.to_string()),
        }
    }
}

/// Limit for one list.
const MAX_CHECKPOINTS: usize = 200;
const SECONDS_PER_DAY: u64 = 86_400;
const RETENTION_DAYS: u64 = 30;

fn layout(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RepoLayout, Vec<RepoPath>), ToolError> {
    let tool = GitCheckpoint::NAME;
    let named = params.repository.as_deref();
    let layout = find_repository(context, tool, named, None)?;
    let paths: Result<Vec<_>, _> = params
        .files
        .iter()
        .map(|file| resolve_path(context, tool, &layout, named.is_some(), file))
        .collect();
    Ok((layout, paths?))
}

/// The changes that a restore would make. Stores the work tree as unreferenced objects.
fn targets(
    context: &Context<'_>,
    layout: &RepoLayout,
    id: Option<&str>,
    paths: &[RepoPath],
    unsaved: &UnsavedFiles,
) -> Result<(git::Checkpoint, Vec<FileTarget>), ToolError> {
    let budget = &context.budget();
    write_repo(context, GitCheckpoint::NAME, layout, |repo| {
        let checkpoint = repo.find_checkpoint(id)?;
        let targets = repo.restore_targets(&checkpoint, paths, unsaved, budget)?;
        Ok::<_, GitError>((checkpoint, targets))
    })
}

impl Tool for GitCheckpoint {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_checkpoint";
    const DESCRIPTION: &'static str = "Snapshots of the work tree, unsaved text included; index, \
        HEAD, branches and stash stay untouched. Create one before risky work, diff against it, \
        restore all or some files. Ignored files are not kept. A restore changes open documents in \
        the editor and can be undone with `undo_action`.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("paths", "files"), ("checkpoint", "id"), ("name", "message")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (layout, paths) = layout(context, params)?;
        let own = Effect::repository(&layout.git_folder);
        match params.action {
            Action::List => Ok(vec![Effect::read_tree(layout.folder())]),
            Action::Create | Action::Prune => Ok(vec![own]),
            Action::Diff => Ok(vec![own, Effect::read_tree(layout.folder())]),
            Action::Restore => {
                let unsaved = unsaved_files(context, &layout);
                let id = params.id.as_deref();
                let (_, targets) = targets(context, &layout, id, &paths, &unsaved)?;
                Ok(std::iter::once(own).chain(effects(&layout, &targets)).collect())
            }
        }
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (layout, paths) = layout(context, &params)?;
        let tool = Self::NAME;
        let unsaved = unsaved_files(context, &layout);
        let budget = &context.budget();
        let id = params.id.as_deref();
        match params.action {
            Action::Create => {
                let message = params.message.as_deref().unwrap_or("checkpoint");
                let made = write_repo(context, tool, &layout, |repo| {
                    repo.checkpoint(message, &unsaved, budget)
                })?;
                Ok(Output {
                    checkpoint: Some(Checkpoint::from_checkpoint(&made.checkpoint)),
                    changed: Some(made.changed),
                    left_out: made
                        .left_out
                        .iter()
                        .map(|path| display_path(&layout, path))
                        .collect(),
                    ..Output::default()
                })
            }
            Action::List => {
                let found = read_repo(context, tool, &layout, |repo| repo.checkpoints())?;
                Ok(Output {
                    truncated: found.len() > MAX_CHECKPOINTS,
                    checkpoints: Some(
                        found
                            .iter()
                            .take(MAX_CHECKPOINTS)
                            .map(Checkpoint::from_checkpoint)
                            .collect(),
                    ),
                    ..Output::default()
                })
            }
            Action::Diff => {
                let query_hash = query_hash(&[
                    tool,
                    &layout.display_path(),
                    id.unwrap_or_default(),
                    &params.files.join("\0"),
                ]);
                let skip = parse_cursor(tool, &query_hash, params.cursor.as_deref())?;
                let may_read = may_read(context, &layout);
                let (checkpoint, found): (_, DiffPage) =
                    write_repo(context, tool, &layout, |repo| {
                        let checkpoint = repo.find_checkpoint(id)?;
                        let now = repo.current_tree(&unsaved, budget)?;
                        let options = DiffOptions {
                            comparison: Comparison::TreeToTree(Some(checkpoint.commit), Some(now)),
                            paths,
                            context: 3,
                            renames: true,
                            intraline: false,
                        };
                        let none = UnsavedFiles::default();
                        let found = diff_page(repo, &options, &none, budget, skip, &may_read)?;
                        Ok((checkpoint, found))
                    })?;
                Ok(Output {
                    checkpoint: Some(Checkpoint::from_checkpoint(&checkpoint)),
                    truncated: found.next.is_some() || found.is_cut,
                    next_cursor: found.next.map(|next| format_cursor(&query_hash, next)),
                    diff: Some(found.diff),
                    files: Some(found.files),
                    ..Output::default()
                })
            }
            Action::Restore => {
                let (checkpoint, targets) = targets(context, &layout, id, &paths, &unsaved)?;
                check_approved(context, tool, &layout, &targets)?;
                let done = restore(context, tool, &layout, targets)?;
                Ok(Output {
                    checkpoint: Some(Checkpoint::from_checkpoint(&checkpoint)),
                    restored: Some(done.files),
                    left: done.left,
                    action: done.action,
                    ..Output::default()
                })
            }
            Action::Prune => {
                let days = params.older_than_days.unwrap_or(RETENTION_DAYS);
                let gone = write_repo(context, tool, &layout, |repo| {
                    repo.prune_checkpoints(id, days.saturating_mul(SECONDS_PER_DAY), params.keep)
                })?;
                Ok(Output { pruned: Some(gone), ..Output::default() })
            }
        }
    }
}
