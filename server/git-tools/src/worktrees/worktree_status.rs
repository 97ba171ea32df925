//! `worktree_status`: the changes in one linked work tree.

use git::{StatusOptions, UnsavedFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::commit_output::FileChangeOutput;
use super::super::repository_access::read_repo;
use super::find_worktree;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{list_at, str_at, strings_at},
};

pub(crate) struct WorktreeStatus;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The worktree's name or branch.
    worktree: String,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its folder.
    path: String,
    /// Its branch; null if HEAD is detached.
    branch: Option<String>,
    /// Its commit.
    commit: Option<String>,
    /// Commits that the workspace's branch lacks.
    ahead: usize,
    /// Commits that only the workspace's branch has.
    behind: usize,
    /// Staged changes; paths are relative to the worktree.
    staged: Vec<FileChangeOutput>,
    /// Unstaged changes.
    unstaged: Vec<FileChangeOutput>,
    /// Untracked files.
    untracked: Vec<String>,
    /// Files with unresolved conflicts.
    conflicts: Vec<String>,
    /// The operation in progress: `merge`, `rebase`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'static str>,
    /// Why it is locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    locked: Option<String>,
    /// Whether a list was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// Limit for each list.
const MAX_ENTRIES: usize = 1_000;

impl Tool for WorktreeStatus {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "worktree_status";
    const DESCRIPTION: &'static str = "Uncommitted changes in a git worktree, and its distance to \
        the workspace's branch.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "worktree"), ("branch", "worktree")];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![format!(
            "{} {} +{} -{}",
            str_at(result, "path"),
            result["branch"].as_str().unwrap_or("(detached)"),
            result["ahead"],
            result["behind"]
        )];
        for field in ["staged", "unstaged"] {
            for one in list_at(result, field) {
                lines.push(format!("{field} {} {}", str_at(one, "status"), str_at(one, "path")));
            }
        }
        for (field, word) in [("untracked", "untracked"), ("conflicts", "conflict")] {
            lines.extend(strings_at(result, field).iter().map(|path| format!("{word} {path}")));
        }
        for field in ["operation", "locked"] {
            lines.extend(result[field].as_str().map(|text| format!("{field}: {text}")));
        }
        Some(lines.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let repository = params.repository.as_deref();
        let found = find_worktree(context, Self::NAME, repository, &params.worktree)?;
        Ok(vec![Effect::read_tree(found.layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let repository = params.repository.as_deref();
        let found = find_worktree(context, Self::NAME, repository, &params.worktree)?;
        let layout = found.opened(Self::NAME)?;
        let (budget, unsaved) = (&context.budget(), UnsavedFiles::default());
        let options = StatusOptions { paths: Vec::new(), all_untracked: false };
        let status = read_repo(context, Self::NAME, layout, |repo| {
            repo.status_with_budget(&options, &unsaved, budget)
        })?;
        let distance = match status.head.commit {
            Some(commit) => {
                read_repo(context, Self::NAME, &found.layout, |repo| repo.ahead_behind(commit))?
            }
            None => (0, 0),
        };
        let lists = [status.staged.len(), status.unstaged.len(), status.untracked.len()];
        let changes = |list: &[git::FileChange]| {
            let list = list.iter().take(MAX_ENTRIES);
            list.map(|changed| FileChangeOutput::from_change(layout, changed)).collect()
        };
        let paths = |paths: Vec<git::RepoPath>| {
            paths.iter().take(MAX_ENTRIES).map(git::RepoPath::to_string_lossy).collect()
        };
        Ok(Output {
            path: found.worktree.path.display().to_string(),
            branch: status.head.branch,
            commit: status.head.commit.map(|id| id.to_string()),
            ahead: distance.0,
            behind: distance.1,
            staged: changes(&status.staged),
            unstaged: changes(&status.unstaged),
            untracked: paths(status.untracked),
            conflicts: paths(status.conflicts.into_iter().map(|one| one.path).collect()),
            operation: status.operation,
            locked: found.worktree.locked,
            truncated: lists.into_iter().any(|length| length > MAX_ENTRIES),
        })
    }
}
