//! `git_merge_base`: the common ancestor of commits.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::commit_output::CommitOutput;
use super::repository_access::{find_repository, read_repo};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitMergeBase;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Commits, branches or tags; a single one is compared with the last commit.
    commits: Vec<String>,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The best common ancestor; null if there is none.
    commit: Option<String>,
    /// All best common ancestors.
    bases: Vec<CommitOutput>,
}

/// Limit for the commits of one call.
const MAX_COMMITS: usize = 50;

impl Tool for GitMergeBase {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_merge_base";
    const DESCRIPTION: &'static str = "The best common ancestor of commits or branches.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut names = params.commits;
        if names.len() == 1 {
            names.push("HEAD".to_owned());
        }
        if !(2..=MAX_COMMITS).contains(&names.len()) {
            let message = format!("{}: from 1 to {MAX_COMMITS} commits are wanted", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), None)?;
        let bases = read_repo(context, Self::NAME, &layout, |repo| {
            let commits: Result<Vec<_>, _> = names.iter().map(|n| repo.resolve_commit(n)).collect();
            let bases = repo.merge_bases(&commits?)?;
            bases.into_iter().map(|id| repo.commit_info(id)).collect::<Result<Vec<_>, _>>()
        })?;
        let bases: Vec<CommitOutput> = bases.iter().map(CommitOutput::from_info).collect();
        Ok(Output { commit: bases.first().map(|base| base.commit.clone()), bases })
    }
}
