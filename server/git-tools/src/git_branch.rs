//! `git_branch`: lists, creates, deletes and switches branches.

use git::GitError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commit_output::format_time;
use super::repository_access::{
    display_path, find_repository, read_repo, unsaved_files, write_repo,
};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitBranch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `list`, `create`, `delete` or `switch`.
    action: Action,
    /// The branch; for `list`, a substring filter.
    #[serde(default)]
    name: Option<String>,
    /// For `create`, and for `switch` to a new branch: its start (commit or branch); by default
    /// the last commit.
    #[serde(default)]
    from: Option<String>,
    /// For `list`: include remote branches.
    #[serde(default)]
    remote: bool,
    /// For `delete`: delete a branch even if its commits are on no other.
    #[serde(default)]
    force: bool,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    List,
    Create,
    Delete,
    Switch,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The current branch.
    current: Option<String>,
    /// The branches, for `list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    branches: Option<Vec<Branch>>,
    /// The branch's commit (before a deletion).
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The files that a switch changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<String>>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Branch {
    /// Its name.
    name: String,
    /// Whether it is checked out.
    current: bool,
    /// Whether it is a remote branch.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    remote: bool,
    /// Its last commit.
    commit: String,
    /// The subject of that commit.
    subject: String,
    /// The commit's time, in UTC.
    timestamp: String,
    /// Its upstream.
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<String>,
    /// Commits that the upstream lacks.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<usize>,
    /// Commits that only the upstream has.
    #[serde(skip_serializing_if = "Option::is_none")]
    behind: Option<usize>,
}

/// Limit for the branches and files of one result.
const MAX_ENTRIES: usize = 1_000;

impl Params {
    fn named(&self) -> Result<&str, ToolError> {
        self.name.as_deref().filter(|name| !name.is_empty()).ok_or_else(|| {
            let message = format!("{}: `name` is missing", GitBranch::NAME);
            ToolError::new(Code::InvalidParams, message)
        })
    }
}

impl Tool for GitBranch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_branch";
    const DESCRIPTION: &'static str = "List, create, delete and switch branches. A switch that \
        would overwrite modified, staged, unsaved or untracked files is refused. Hooks and filters \
        do not run.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("branch", "name"), ("start_point", "from")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        if params.action == Action::List {
            return Ok(vec![Effect::read_tree(layout.folder())]);
        }
        let name = params.named()?;
        let mut effects = vec![Effect::repository(&layout.git_folder)];
        if params.action == Action::Switch {
            let budget = &context.budget();
            let files = read_repo(context, Self::NAME, &layout, |repo| {
                match repo.resolve_commit(&format!("refs/heads/{name}")) {
                    Ok(to) => repo.files_changed_by_switch(to, budget),
                    Err(GitError::NotFound { .. }) => match &params.from {
                        Some(from) => {
                            repo.files_changed_by_switch(repo.resolve_commit(from)?, budget)
                        }
                        None => Ok(Vec::new()),
                    },
                    Err(error) => Err(error),
                }
            })?;
            let files = files.iter().filter_map(|path| layout.file(path));
            effects.extend(files.map(|file| Effect::write(&file)));
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let empty =
            Output { current: None, branches: None, commit: None, files: None, truncated: false };
        let from = |repo: &git::Repo| repo.resolve_commit(params.from.as_deref().unwrap_or("HEAD"));
        match params.action {
            Action::List => {
                let (head, mut branches) = read_repo(context, Self::NAME, &layout, |repo| {
                    Ok((repo.head()?, repo.branches(params.remote)?))
                })?;
                if let Some(name) = &params.name {
                    branches.retain(|branch| branch.name.contains(name.as_str()));
                }
                let truncated = branches.len() > MAX_ENTRIES;
                let branches = branches.into_iter().take(MAX_ENTRIES).map(branch_output).collect();
                Ok(Output { current: head.branch, branches: Some(branches), truncated, ..empty })
            }
            Action::Create => {
                let name = params.named()?;
                let (at, head) = write_repo(context, Self::NAME, &layout, |repo| {
                    let at = from(repo)?;
                    repo.create_branch(name, at)?;
                    Ok((at, repo.head()?))
                })?;
                Ok(Output { current: head.branch, commit: Some(at.to_string()), ..empty })
            }
            Action::Delete => {
                let name = params.named()?;
                let (at, head) = write_repo(context, Self::NAME, &layout, |repo| {
                    Ok((repo.delete_branch(name, params.force)?, repo.head()?))
                })?;
                Ok(Output { current: head.branch, commit: Some(at.to_string()), ..empty })
            }
            Action::Switch => {
                let name = params.named()?;
                let unsaved = unsaved_files(context, &layout);
                let budget = &context.budget();
                let (files, head) = write_repo(context, Self::NAME, &layout, |repo| {
                    let makes = params.from.is_some();
                    if makes {
                        repo.create_branch(name, from(repo)?)?;
                    }
                    let switched = repo.switch(name, &unsaved, budget);
                    if makes && switched.is_err() {
                        // Undo the creation; report the reason of the failure.
                        let _ = repo.delete_branch(name, true);
                    }
                    Ok((switched?, repo.head()?))
                })?;
                context.workspace.files_may_have_changed();
                let truncated = files.len() > MAX_ENTRIES;
                let files = files
                    .iter()
                    .take(MAX_ENTRIES)
                    .map(|file| display_path(&layout, file))
                    .collect();
                Ok(Output {
                    current: head.branch,
                    commit: head.commit.map(|id| id.to_string()),
                    files: Some(files),
                    truncated,
                    ..empty
                })
            }
        }
    }
}

fn branch_output(branch: git::Branch) -> Branch {
    Branch {
        name: branch.name,
        current: branch.is_current,
        remote: branch.is_remote,
        commit: branch.commit.to_string(),
        subject: branch.subject,
        timestamp: format_time(branch.committer.seconds),
        upstream: branch.upstream,
        ahead: branch.ahead_behind.map(|(ahead, _)| ahead),
        behind: branch.ahead_behind.map(|(_, behind)| behind),
    }
}
