//! `git_push`: pushes branches and tags to a remote.

use git::{GitError, Remote, Repo, RepoLayout, Upstream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure::from_git_error;
use super::program::{GitCommand, check_trusted, timeout};
use super::repository_access::{find_repository, read_repo};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitPush;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The remote; by default the branch's, else `origin`.
    #[serde(default)]
    remote: Option<String>,
    /// The local branch; by default the current one.
    #[serde(default)]
    branch: Option<String>,
    /// The remote branch; by default the upstream, else the same name.
    #[serde(default)]
    to: Option<String>,
    /// Tags to push; then branches only if named.
    #[serde(default)]
    tags: Vec<String>,
    /// Make the remote branch the upstream.
    #[serde(default)]
    set_upstream: bool,
    /// Allow the remote branch to lose commits, if it is where it was last seen.
    #[serde(default)]
    force_with_lease: bool,
    /// Delete the remote branch `to`.
    #[serde(default)]
    delete: bool,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Timeout in milliseconds, at most 600,000.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The remote.
    remote: String,
    /// Its URL, without passwords.
    url: String,
    /// The result for each reference.
    refs: Vec<Pushed>,
    /// The output of git, hooks and the remote.
    output: String,
    /// The duration.
    duration_ms: u64,
    /// Whether something was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Pushed {
    /// The local reference; empty for a deletion.
    from: String,
    /// The remote reference.
    to: String,
    /// `updated`, `forced`, `deleted`, `new`, `up_to_date` or `rejected`.
    status: &'static str,
    /// Git's summary.
    summary: String,
}

/// The refspecs to push.
fn refspecs(
    params: &Params,
    followed: Option<Upstream>,
    here: Option<String>,
) -> Result<Vec<String>, ToolError> {
    let tool = GitPush::NAME;
    let check = |name: &str| Repo::check_name(name).map_err(|error| from_git_error(tool, error));
    let invalid = |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{tool}: {why}")));
    let mut refspecs = Vec::new();
    for tag in &params.tags {
        check(tag)?;
        refspecs.push(format!("refs/tags/{tag}:refs/tags/{tag}"));
    }
    if params.delete {
        let Some(to) = &params.to else {
            return invalid("`to` names the branch to delete");
        };
        check(to)?;
        refspecs.push(format!(":refs/heads/{to}"));
        return Ok(refspecs);
    }
    if !refspecs.is_empty() && params.branch.is_none() {
        return Ok(refspecs);
    }
    let Some(branch) = params.branch.clone().or_else(|| here.clone()) else {
        return invalid("no branch is checked out; name `branch`");
    };
    check(&branch)?;
    let is_here = here.as_ref() == Some(&branch);
    let follows = followed
        .filter(|followed| is_here && params.remote.as_ref().is_none_or(|r| *r == followed.remote));
    let to = params.to.clone().or(follows.map(|followed| followed.branch));
    let to = to.unwrap_or_else(|| branch.clone());
    check(&to)?;
    refspecs.push(format!("refs/heads/{branch}:refs/heads/{to}"));
    Ok(refspecs)
}

fn prepare(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RepoLayout, Remote, GitCommand), ToolError> {
    let tool = GitPush::NAME;
    let layout = find_repository(context, tool, params.repository.as_deref(), None)?;
    check_trusted(tool, &layout)?;
    let (remote, followed, head) = read_repo(context, tool, &layout, |repo| {
        Ok::<_, GitError>((repo.remote(params.remote.as_deref())?, repo.upstream()?, repo.head()?))
    })?;
    let mut arguments = vec!["push".to_owned(), "--porcelain".to_owned()];
    arguments.push("--no-recurse-submodules".to_owned());
    arguments.extend(params.set_upstream.then(|| "--set-upstream".to_owned()));
    arguments.extend(params.force_with_lease.then(|| "--force-with-lease".to_owned()));
    arguments.extend(["--".to_owned(), remote.name.clone()]);
    arguments.extend(refspecs(params, followed, head.branch)?);
    let command = GitCommand { arguments, location: remote.push_location.clone() };
    command.check(tool)?;
    Ok((layout, remote, command))
}

impl Tool for GitPush {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_push";
    const DESCRIPTION: &'static str = "Push a branch or tags with the `git` program: needs a \
        trusted workspace and approval. The repository's hooks run, and a failing one prevents the \
        push. Remote commits are lost only with `force_with_lease` or `delete`.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        let (layout, _, command) = prepare(context, params)?;
        Ok(command.effects(&layout))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let time = timeout(Self::NAME, params.timeout_ms)?;
        let (layout, remote, command) = prepare(context, &params)?;
        let done = command.run(context, Self::NAME, &layout, time)?;
        if done.exit_code != 0 {
            return Err(done.error(Self::NAME, "nothing, or not all, was pushed"));
        }
        let url = remote.push_url.unwrap_or(remote.url);
        Ok(Output {
            remote: remote.name,
            url,
            refs: done.stdout.lines().filter_map(pushed).collect(),
            output: done.output(),
            duration_ms: done.duration_ms,
            truncated: done.truncated,
        })
    }
}

/// A line of `git push --porcelain`: `<flag>\t<from>:<to>\t<summary>`.
fn pushed(line: &str) -> Option<Pushed> {
    let mut fields = line.splitn(3, '\t');
    let status = match fields.next()? {
        " " => "updated",
        "+" => "forced",
        "-" => "deleted",
        "*" => "new",
        "=" => "up_to_date",
        "!" => "rejected",
        _ => return None,
    };
    let (from, to) = fields.next()?.split_once(':')?;
    let summary = fields.next()?.to_owned();
    Some(Pushed { from: from.to_owned(), to: to.to_owned(), status, summary })
}
