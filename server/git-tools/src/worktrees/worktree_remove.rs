//! `worktree_remove`: removes a linked work tree, and its branch if asked.

use git::{StatusOptions, UnsavedFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::failure::from_git_error;
use super::super::repository_access::{read_repo, write_repo};
use super::{FoundWorktree, find_worktree};
use tools::{
    Code, Context, Effect, EffectKind, Target, Tool, ToolError,
    results::{str_at, strings_at},
};

pub(crate) struct WorktreeRemove;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The worktree's name or branch.
    worktree: String,
    /// Delete its branch too.
    #[serde(default)]
    delete_branch: bool,
    /// Remove it although uncommitted changes, or commits that no other branch has, are lost.
    #[serde(default)]
    force: bool,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The folder that was removed.
    path: String,
    /// The branch; it still exists unless `branch_deleted`.
    branch: Option<String>,
    /// Whether the branch was deleted.
    branch_deleted: bool,
    /// The branch's last commit, by which it can be restored.
    commit: Option<String>,
    /// Files with uncommitted changes that were lost.
    lost: Vec<String>,
}

/// What would be lost.
#[derive(Debug, Default)]
struct Loss {
    files: Vec<String>,
    commits: usize,
}

/// Limit for listed files.
const MAX_FILES: usize = 100;

fn loss(
    context: &Context<'_>,
    found: &FoundWorktree,
    delete_branch: bool,
) -> Result<Loss, ToolError> {
    let tool = WorktreeRemove::NAME;
    let mut loss = Loss::default();
    match &found.opened {
        Ok(layout) => {
            let options = StatusOptions { paths: Vec::new(), all_untracked: true };
            let (budget, unsaved) = (&context.budget(), UnsavedFiles::default());
            let status = read_repo(context, tool, layout, |repo| {
                repo.status_with_budget(&options, &unsaved, budget)
            })?;
            let changed = status.staged.iter().chain(&status.unstaged).map(|one| &one.path);
            let conflicts = status.conflicts.iter().map(|one| &one.path);
            let all = changed.chain(&status.untracked).chain(conflicts);
            loss.files = all.map(git::RepoPath::to_string_lossy).collect();
            loss.files.sort();
            loss.files.dedup();
        }
        // Nothing is there any more.
        Err(git::GitError::NotFound { .. }) => {}
        Err(_) if is_unfinished(found) => {}
        Err(error) => return Err(from_git_error(tool, error.clone())),
    }
    if let (true, Some(branch)) = (delete_branch, &found.worktree.branch) {
        loss.commits =
            read_repo(context, tool, &found.layout, |repo| match found.worktree.commit {
                Some(_) => repo.commits_only_on(branch),
                None => Ok(0),
            })?;
    }
    Ok(loss)
}

/// Whether the server that created it was ended meanwhile.
fn is_unfinished(found: &FoundWorktree) -> bool {
    found.worktree.locked.as_deref() == Some(git::INITIALIZING)
}

impl Tool for WorktreeRemove {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "worktree_remove";
    const DESCRIPTION: &'static str = "Remove a git worktree and, with `delete_branch`, its branch. \
        Refused if uncommitted changes or commits would be lost, unless forced; the error lists \
        them. Locked worktrees are never removed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "worktree"), ("branch", "worktree")];

    fn text(result: &Value) -> Option<String> {
        let mut text = format!("removed {}", str_at(result, "path"));
        if let Some(branch) = result["branch"].as_str() {
            let what = if result["branch_deleted"] == true { "deleted" } else { "kept" };
            let commit: String = str_at(result, "commit").chars().take(10).collect();
            text.push_str(&format!("; branch {branch} {what} (at {commit})"));
        }
        let lost = strings_at(result, "lost");
        if !lost.is_empty() {
            text.push_str(&format!("\nlost: {}", lost.join(", ")));
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let repository = params.repository.as_deref();
        let found = find_worktree(context, Self::NAME, repository, &params.worktree)?;
        let mut effects = vec![Effect::repository(&found.layout.common_folder)];
        if params.force {
            let loss = loss(context, &found, params.delete_branch)?;
            if !loss.files.is_empty() || loss.commits > 0 {
                // Not in any history or trash: a person decides.
                effects.push(Effect {
                    kind: EffectKind::Delete,
                    target: Target::Named(format!("worktree {}", found.worktree.name)),
                    detail: Some(describe(&loss)),
                });
            }
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let repository = params.repository.as_deref();
        let found = find_worktree(context, Self::NAME, repository, &params.worktree)?;
        let worktree = &found.worktree;
        if let Some(reason) = &worktree.locked
            && !(params.force && is_unfinished(&found))
        {
            let why = if reason.is_empty() { "no reason given" } else { reason };
            let message = format!("{}: {}: is locked ({why})", Self::NAME, worktree.name);
            return Err(ToolError::new(Code::Conflict, message)
                .hint("`git worktree unlock` unlocks it, when its owner has finished"));
        }
        let loss = loss(context, &found, params.delete_branch)?;
        if !params.force && (!loss.files.is_empty() || loss.commits > 0) {
            let message = format!("{}: {}: {}", Self::NAME, worktree.name, describe(&loss));
            let files: Vec<&String> = loss.files.iter().take(MAX_FILES).collect();
            return Err(ToolError::new(Code::Conflict, message)
                .hint("merge it with `worktree_merge`, or remove it with `force: true`")
                .details(json!({ "files": files, "commits": loss.commits })));
        }
        found
            .layout
            .remove_worktree(worktree, &found.own)
            .map_err(|error| from_git_error(Self::NAME, error))?;
        let branch = worktree.branch.clone().filter(|_| worktree.commit.is_some());
        let branch_deleted = params.delete_branch && branch.is_some();
        if let (true, Some(branch)) = (branch_deleted, &branch) {
            // What would be lost was checked above, and was not refused.
            write_repo(context, Self::NAME, &found.layout, |repo| {
                repo.delete_branch(branch, true)
            })?;
        }
        Ok(Output {
            path: worktree.path.display().to_string(),
            branch,
            branch_deleted,
            commit: worktree.commit.map(|commit| commit.to_string()),
            lost: loss.files.into_iter().take(MAX_FILES).collect(),
        })
    }
}

fn describe(loss: &Loss) -> String {
    let mut parts = Vec::new();
    if let Some(first) = loss.files.first() {
        let more = if loss.files.len() > 1 { ", …" } else { "" };
        parts.push(format!("{} uncommitted files ({first}{more})", loss.files.len()));
    }
    if loss.commits > 0 {
        parts.push(format!("{} commits that no other branch has", loss.commits));
    }
    format!("would lose {}", parts.join(" and "))
}
