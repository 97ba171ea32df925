//! `git_pull`: fetches a remote branch and merges it into the current one.

use git::{GitError, Remote, Repo, RepoLayout};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure::from_git_error;
use super::program::{GitCommand, check_trusted, timeout};
use super::repository_access::{display_path, find_repository, read_repo, unsaved_files};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitPull;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The remote; by default the branch's.
    #[serde(default)]
    remote: Option<String>,
    /// The remote branch; by default the upstream.
    #[serde(default)]
    branch: Option<String>,
    /// If both sides have commits: `ff_only` (default) refuses; `merge` and `rebase` combine them.
    #[serde(default)]
    mode: Mode,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Timeout in milliseconds, at most 600,000.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    FfOnly,
    Merge,
    Rebase,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The remote.
    remote: String,
    /// Its URL, without passwords.
    url: String,
    /// The remote branch.
    branch: String,
    /// The previous commit.
    old: Option<String>,
    /// The current commit.
    new: Option<String>,
    /// The files that differ between the two, relative to the workspace.
    files: Vec<String>,
    /// Files with conflicts; see `git_conflicts`.
    conflicts: Vec<String>,
    /// The operation left in progress: `merge` or `rebase`.
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'static str>,
    /// The output of git.
    output: String,
    /// The duration.
    duration_ms: u64,
    /// Whether something was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// Limit for the files of one result.
const MAX_FILES: usize = 1_000;

fn prepare(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RepoLayout, Remote, String, GitCommand), ToolError> {
    let tool = GitPull::NAME;
    let layout = find_repository(context, tool, params.repository.as_deref(), None)?;
    check_trusted(tool, &layout)?;
    layout.check_whole().map_err(|error| from_git_error(tool, error))?;
    let (remote, followed) = read_repo(context, tool, &layout, |repo| {
        if let Some(operation) = repo.operation() {
            let what = format!("a {operation} is under way; end it first");
            return Err(GitError::Conflict { what });
        }
        if !repo.conflicted_files()?.is_empty() {
            let what = "conflicts are open: resolve and stage them first".to_owned();
            return Err(GitError::Conflict { what });
        }
        Ok((repo.remote(params.remote.as_deref())?, repo.upstream()?))
    })?;
    let followed = followed.filter(|followed| followed.remote == remote.name);
    let branch = params.branch.clone().or(followed.map(|followed| followed.branch));
    let Some(branch) = branch else {
        let message = format!("{tool}: the branch follows none of this remote; name `branch`");
        return Err(ToolError::new(Code::InvalidParams, message));
    };
    Repo::check_name(&branch).map_err(|error| from_git_error(tool, error))?;
    let mode: &[&str] = match params.mode {
        Mode::FfOnly => &["--ff-only", "--no-rebase"],
        Mode::Merge => &["--no-rebase", "--no-edit", "--ff"],
        Mode::Rebase => &["--rebase"],
    };
    let mut arguments = vec!["pull".to_owned(), "--no-recurse-submodules".to_owned()];
    arguments.extend(mode.iter().map(|&option| option.to_owned()));
    arguments.extend(["--".to_owned(), remote.name.clone(), format!("refs/heads/{branch}")]);
    let command = GitCommand { arguments, location: remote.fetch_location.clone() };
    command.check(tool)?;
    let unsaved = unsaved_files(context, &layout);
    if let Some((path, _)) = unsaved.iter().next() {
        let message =
            format!("{tool}: {}: has changes that are not saved", display_path(&layout, path));
        return Err(ToolError::new(Code::Conflict, message).hint("save or close it first"));
    }
    Ok((layout, remote, branch, command))
}

impl Tool for GitPull {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_pull";
    const DESCRIPTION: &'static str = "Fetch a remote branch and merge or rebase with the `git` \
        program: needs a trusted workspace and approval. Refused if modified or unsaved files \
        would be overwritten. Conflicts are a result that lists the files.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        let (layout, _, _, command) = prepare(context, params)?;
        Ok(command.effects(&layout))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let time = timeout(Self::NAME, params.timeout_ms)?;
        let (layout, remote, branch, command) = prepare(context, &params)?;
        let before = read_repo(context, Self::NAME, &layout, |repo| repo.head())?.commit;
        let done = command.run(context, Self::NAME, &layout, time)?;
        let budget = &context.budget();
        let (after, changed, conflicts, operation) =
            read_repo(context, Self::NAME, &layout, |repo| {
                let after = repo.head()?.commit;
                let changed = match (before, after) {
                    (before, Some(after)) if before != Some(after) => {
                        repo.files_changed_between(before, after, budget)?
                    }
                    _ => Vec::new(),
                };
                Ok::<_, GitError>((after, changed, repo.conflicted_files()?, repo.operation()))
            })?;
        if done.exit_code != 0 && conflicts.is_empty() {
            return Err(done.error(Self::NAME, "the branch was not brought up to date"));
        }
        let is_long = changed.len() > MAX_FILES || conflicts.len() > MAX_FILES;
        Ok(Output {
            remote: remote.name,
            url: remote.url,
            branch,
            old: before.map(|id| id.to_string()),
            new: after.map(|id| id.to_string()),
            files: changed.iter().take(MAX_FILES).map(|path| display_path(&layout, path)).collect(),
            conflicts: conflicts
                .iter()
                .take(MAX_FILES)
                .map(|one| display_path(&layout, &one.path))
                .collect(),
            operation,
            output: done.output(),
            duration_ms: done.duration_ms,
            truncated: done.truncated || is_long,
        })
    }
}
