//! `git_commit`: what is staged, or some files, as a commit.

use git::{CommitOrder, Interrupt, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::git_stage::files_of;
use super::place::{repository, unsaved, write};
use super::told::Commit;
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitCommit;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What it says: a short first line, then an empty one, then why. May be left out with `amend`.
    #[serde(default)]
    message: Option<String>,
    /// Only these files and folders, literal, relative to the workspace, as they are now; what else
    /// is staged stays so. By default what is staged.
    #[serde(default)]
    files: Option<Vec<String>>,
    /// Take the place of the last commit.
    #[serde(default)]
    amend: bool,
    /// Make one that changes nothing.
    #[serde(default)]
    allow_empty: bool,
    /// The repository's folder; by default the one that holds the first file, or the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    commit: Commit,
    /// The branch that it was made on; null where a commit is checked out by itself.
    branch: Option<String>,
    /// The commit whose place it took: it can still be found by this name for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    amended: Option<String>,
    /// Whether the repository has hooks, filters or signing, which were not run: the workspace is
    /// not trusted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    programs_not_run: bool,
}

fn layout(
    context: &Context<'_>,
    params: &Params,
) -> Result<(git::Layout, Option<Vec<git::RepoPath>>), ToolError> {
    let named = params.repository.as_deref();
    match &params.files {
        Some(files) => {
            let (layout, paths) = files_of(context, GitCommit::NAME, named, files)?;
            Ok((layout, Some(paths)))
        }
        None => Ok((repository(context, GitCommit::NAME, named, None)?, None)),
    }
}

impl Tool for GitCommit {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_commit";
    const DESCRIPTION: &'static str = "Make a commit of what is staged, or of some files as they \
        are now. Its author is the one that git's settings name. Hooks of a workspace that the \
        person has not trusted are not run, which the result says; in a trusted one with hooks, \
        git itself has to commit.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const OWN_WALL: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("paths", "files")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (layout, _) = layout(context, params)?;
        Ok(vec![Effect::repository(&layout.git_folder)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (layout, files) = layout(context, &params)?;
        // Never past a hook that would be heeded.
        if layout.trust == Trust::Given && layout.wants_programs {
            let message = format!(
                "{}: the workspace is trusted, and its repository has hooks, filters or signing, \
                 which only git itself runs",
                Self::NAME
            );
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("run_command {command: \"git commit …\", sandbox: false} asks the person"));
        }
        let order = CommitOrder {
            message: params.message,
            files,
            amend: params.amend,
            allow_empty: params.allow_empty,
        };
        let unsaved = unsaved(context, &layout);
        let interrupt = Interrupt(context.interrupt);
        let (made, info, head) = write(context, Self::NAME, &layout, |repo| {
            let made = repo.commit(&order, &unsaved, interrupt)?;
            Ok((made.clone(), repo.commit_info(made.id)?, repo.head()?))
        })?;
        Ok(Output {
            commit: Commit::of(&info),
            branch: head.branch,
            amended: made.instead_of.map(|id| id.to_string()),
            programs_not_run: layout.wants_programs,
        })
    }
}
