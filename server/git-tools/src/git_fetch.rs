//! `git_fetch`: fetches from a remote.

use std::collections::BTreeMap;

use git::{Oid, Remote, Repo, RepoLayout};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure::from_git_error;
use super::program::{GitCommand, check_trusted, timeout};
use super::repository_access::{find_repository, read_repo};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitFetch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The remote; by default the branch's, else `origin`.
    #[serde(default)]
    remote: Option<String>,
    /// Only these branches.
    #[serde(default)]
    branches: Vec<String>,
    /// Remove remote branches that no longer exist there.
    #[serde(default)]
    prune: bool,
    /// Fetch all tags.
    #[serde(default)]
    tags: bool,
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
    /// The updated remote branches and tags.
    updated: Vec<ReferenceUpdate>,
    /// The output of git.
    output: String,
    /// The duration.
    duration_ms: u64,
    /// Whether something was left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

/// An updated reference.
#[derive(Serialize, JsonSchema)]
pub(super) struct ReferenceUpdate {
    /// Its full name.
    #[serde(rename = "ref")]
    name: String,
    /// Its previous commit; null if new.
    old: Option<String>,
    /// Its commit; null if deleted.
    new: Option<String>,
}

/// Limit for the references of one result.
const MAX_REFERENCES: usize = 1_000;

/// The references that differ between two states.
pub(super) fn updated_references(
    before: &BTreeMap<String, Oid>,
    after: &BTreeMap<String, Oid>,
) -> Vec<ReferenceUpdate> {
    let names: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let changed = names.into_iter().filter(|name| before.get(*name) != after.get(*name));
    changed
        .map(|name| ReferenceUpdate {
            name: name.clone(),
            old: before.get(name).map(Oid::to_string),
            new: after.get(name).map(Oid::to_string),
        })
        .collect()
}

fn prepare(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RepoLayout, Remote, GitCommand), ToolError> {
    let tool = GitFetch::NAME;
    let layout = find_repository(context, tool, params.repository.as_deref(), None)?;
    check_trusted(tool, &layout)?;
    let remote = read_repo(context, tool, &layout, |repo| repo.remote(params.remote.as_deref()))?;
    let mut arguments = vec!["fetch".to_owned(), "--no-recurse-submodules".to_owned()];
    arguments.extend(params.prune.then(|| "--prune".to_owned()));
    arguments.extend(params.tags.then(|| "--tags".to_owned()));
    arguments.extend(["--".to_owned(), remote.name.clone()]);
    for branch in &params.branches {
        Repo::check_name(branch).map_err(|error| from_git_error(tool, error))?;
        arguments.push(format!("refs/heads/{branch}"));
    }
    let command = GitCommand { arguments, location: remote.fetch_location.clone() };
    command.check(tool)?;
    Ok((layout, remote, command))
}

impl Tool for GitFetch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_fetch";
    const DESCRIPTION: &'static str = "Fetch from a remote with the `git` program: needs a trusted \
        workspace and approval. Does not change the work tree.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        timeout(Self::NAME, params.timeout_ms)?;
        let (layout, _, command) = prepare(context, params)?;
        Ok(command.effects(&layout))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let time = timeout(Self::NAME, params.timeout_ms)?;
        let (layout, remote, command) = prepare(context, &params)?;
        let look = || read_repo(context, Self::NAME, &layout, |repo| repo.fetched_refs());
        let before = look()?;
        let done = command.run(context, Self::NAME, &layout, time)?;
        if done.exit_code != 0 {
            return Err(done.error(Self::NAME, "nothing, or not all, was fetched"));
        }
        let mut updated = updated_references(&before, &look()?);
        let is_long = updated.len() > MAX_REFERENCES;
        updated.truncate(MAX_REFERENCES);
        Ok(Output {
            remote: remote.name,
            url: remote.url,
            updated,
            output: done.output(),
            duration_ms: done.duration_ms,
            truncated: done.truncated || is_long,
        })
    }
}
