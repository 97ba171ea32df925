//! `git_remote`: lists the remotes of a repository.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repository_access::{find_repository, read_repo};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitRemote;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Only `list`.
    #[serde(default)]
    #[allow(dead_code, reason = "callers may say it")]
    action: Option<Action>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    List,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The remotes, sorted by name.
    remotes: Vec<Remote>,
}

#[derive(Serialize, JsonSchema)]
struct Remote {
    /// Its name.
    name: String,
    /// Its fetch URL, without passwords.
    url: String,
    /// Its push URL, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    push_url: Option<String>,
}

impl Tool for GitRemote {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_remote";
    const DESCRIPTION: &'static str = "List the remotes of a repository with their URLs.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let remotes = read_repo(context, Self::NAME, &layout, |repo| repo.remotes())?;
        let remotes = remotes.into_iter().map(|remote| Remote {
            name: remote.name,
            url: remote.url,
            push_url: remote.push_url,
        });
        Ok(Output { remotes: remotes.collect() })
    }
}
