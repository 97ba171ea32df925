//! `worktree_list`: the linked work trees of the repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::repository_access::{find_repository, read_repo};
use super::own_folder;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{list_at, str_at},
};

pub(crate) struct WorktreeList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The worktrees, sorted by name.
    worktrees: Vec<Worktree>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Worktree {
    /// Its name.
    name: String,
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
    /// Why it is locked.
    #[serde(skip_serializing_if = "Option::is_none")]
    locked: Option<String>,
    /// Why it cannot be opened: its folder is gone, or lies where no tool may reach.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable: Option<String>,
}

/// Limit for the worktrees of one result.
const MAX_WORKTREES: usize = 200;

impl Tool for WorktreeList {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "worktree_list";
    const DESCRIPTION: &'static str = "List the repository's git worktrees with folder, branch and \
        distance to the workspace's branch.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        let lines: Vec<String> = list_at(result, "worktrees")
            .iter()
            .map(|one| {
                let mut line = format!(
                    "{} {} +{} -{}",
                    str_at(one, "path"),
                    one["branch"].as_str().unwrap_or("(detached)"),
                    one["ahead"],
                    one["behind"]
                );
                for field in ["locked", "unusable"] {
                    if let Some(why) = one[field].as_str() {
                        line.push_str(&format!(" [{field}: {why}]"));
                    }
                }
                line
            })
            .collect();
        Some(if lines.is_empty() { "no worktrees".to_owned() } else { lines.join("\n") })
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let own = own_folder(Self::NAME, &layout)?;
        let budget = &context.budget();
        let (all, truncated) = read_repo(context, Self::NAME, &layout, |repo| {
            let mut all = repo.linked_worktrees()?;
            let truncated = all.len() > MAX_WORKTREES;
            all.truncate(MAX_WORKTREES);
            let mut found = Vec::new();
            for worktree in all {
                budget.check()?;
                let distance =
                    worktree.commit.map(|commit| repo.ahead_behind(commit)).transpose()?;
                found.push((worktree, distance.unwrap_or_default()));
            }
            Ok((found, truncated))
        })?;
        let worktrees = all.into_iter().map(|(worktree, (ahead, behind))| {
            let opened = layout.of_worktree(&context.snapshot, &worktree, &own);
            Worktree {
                path: worktree.path.display().to_string(),
                name: worktree.name,
                branch: worktree.branch,
                commit: worktree.commit.map(|commit| commit.to_string()),
                ahead,
                behind,
                locked: worktree.locked,
                unusable: opened.err().map(|error| error.to_string()),
            }
        });
        Ok(Output { worktrees: worktrees.collect(), truncated })
    }
}
