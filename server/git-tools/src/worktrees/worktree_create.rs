//! `worktree_create`: a branch with a folder of its own.

use git::{NewWorktree, Placement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::failure::from_git_error;
use super::super::repository_access::find_repository;
use super::own_folder;
use super::placement_rules::placement_rules;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{list_at, str_at, strings_at},
};

pub(crate) struct WorktreeCreate;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The new branch.
    branch: String,
    /// Its start (commit or branch); by default the last commit.
    #[serde(default)]
    from: Option<String>,
    /// Check out a branch that exists.
    #[serde(default)]
    existing: bool,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The worktree's name.
    name: String,
    /// Its folder.
    path: String,
    /// Its commit.
    commit: String,
    /// The number of its files.
    files: usize,
    /// Ignored files copied from the workspace.
    copied: Vec<String>,
    /// Ignored files and folders linked to the workspace's.
    linked: Vec<String>,
    /// Files that a rule names but that were not placed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<LeftOut>,
    /// Whether attributes name filter programs (such as Git LFS): they did not run, so those files
    /// hold what git stores.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    filters_not_run: bool,
}

#[derive(Serialize, JsonSchema)]
struct LeftOut {
    /// The path in the repository.
    path: String,
    /// Why it was not placed.
    reason: &'static str,
}

impl Tool for WorktreeCreate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "worktree_create";
    const DESCRIPTION: &'static str = "Create a git worktree: a new branch in a folder of its own, \
        for a task that must not disturb the workspace. Ignored files that the project needs \
        (`.env`, `node_modules`, …) are copied or linked. Returns the folder.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const OWN_SANDBOX: bool = true;
    // It writes no file of the workspace: twenty may be created at once.
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "branch"), ("base", "from"), ("start_point", "from")];

    fn text(result: &Value) -> Option<String> {
        let mut text = format!("{}, {} files", str_at(result, "path"), result["files"].as_u64()?);
        for (field, word) in [("copied", "copied"), ("linked", "linked")] {
            let files = strings_at(result, field);
            if !files.is_empty() {
                text.push_str(&format!("\n{word}: {}", files.join(", ")));
            }
        }
        for left in list_at(result, "left_out") {
            let (path, reason) = (str_at(left, "path"), str_at(left, "reason"));
            text.push_str(&format!("\nnot placed: {path}: {reason}"));
        }
        if result["filters_not_run"] == true {
            text.push_str("\nfilter programs (Git LFS) did not run");
        }
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::repository(&layout.common_folder)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let own = own_folder(Self::NAME, &layout)?;
        let order = NewWorktree {
            branch: &params.branch,
            from: params.from.as_deref(),
            existing: params.existing,
            parent: &own,
            rules: &placement_rules(&context.snapshot),
        };
        let policy = &context.session.policy;
        let made = layout
            .create_worktree(
                &context.snapshot,
                &order,
                &|path| policy.may_read(path),
                &context.budget(),
            )
            .map_err(|error| from_git_error(Self::NAME, error))?;
        let placed = |wanted: Placement| {
            let files = made.placements.placed.iter().filter(|(_, placement)| *placement == wanted);
            files.map(|(path, _)| path.to_string_lossy()).collect()
        };
        let left_out = made.placements.left_out.iter();
        Ok(Output {
            path: made.path.display().to_string(),
            commit: made.commit.to_string(),
            files: made.files,
            copied: placed(Placement::Copy),
            linked: placed(Placement::Link),
            left_out: left_out
                .map(|(path, reason)| LeftOut { path: path.to_string_lossy(), reason })
                .collect(),
            filters_not_run: made.has_filters,
            name: made.name,
        })
    }
}
