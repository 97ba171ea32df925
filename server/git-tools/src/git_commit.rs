//! `git_commit`: commits staged changes, or given files.

use git::{CommitOptions, RemoteLocation, RepoLayout, RepoPath, Trust, UnstagedChanges};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit_output::CommitOutput;
use super::commit_output::short_id;
use super::commit_secrets::commit_secrets_effect;
use super::git_stage::repo_paths;
use super::program::{GitCommand, check_saved, path_arguments, timeout};
use super::repository_access::{find_repository, read_repo, unsaved_files, write_repo};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, str_at},
};

pub(crate) struct GitCommit;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The message: subject, empty line, body. Optional with `amend`.
    #[serde(default)]
    message: Option<String>,
    /// Commit only these files and folders (literal, relative to the workspace) in their current
    /// state; other staged changes stay staged. By default all staged changes.
    #[serde(default)]
    files: Option<Vec<String>>,
    /// Replace the last commit.
    #[serde(default)]
    amend: bool,
    /// Allow a commit without changes.
    #[serde(default)]
    allow_empty: bool,
    /// The repository's folder; by default the one that contains the first file, or the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    commit: CommitOutput,
    /// The branch; null if HEAD is detached.
    branch: Option<String>,
    /// The replaced commit; it can be found by this id for a while.
    #[serde(skip_serializing_if = "Option::is_none")]
    amended: Option<String>,
    /// Whether hooks, filters or signing of the repository did not run because the workspace is
    /// not trusted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    programs_not_run: bool,
    /// The output of git and its hooks, if they ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

/// Time limit for hooks, in milliseconds.
const HOOK_TIMEOUT_MS: u64 = 600_000;

fn layout(
    context: &Context<'_>,
    params: &Params,
) -> Result<(git::RepoLayout, Option<Vec<git::RepoPath>>), ToolError> {
    let named = params.repository.as_deref();
    match &params.files {
        Some(files) => {
            let (layout, paths) = repo_paths(context, GitCommit::NAME, named, files)?;
            Ok((layout, Some(paths)))
        }
        None => Ok((find_repository(context, GitCommit::NAME, named, None)?, None)),
    }
}

impl Tool for GitCommit {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_commit";
    const DESCRIPTION: &'static str = "Commit staged changes, or given files in their current \
        state. The author comes from git's settings. In an untrusted workspace hooks do not run, \
        and the result says so. In a trusted one with hooks, filters or signing, the `git` program \
        commits after approval, and a failing hook prevents the commit. A commit that would add \
        secrets needs approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Write, EffectKind::Execute, EffectKind::Admin];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("paths", "files")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (layout, files) = layout(context, params)?;
        let mut effects = vec![Effect::repository(&layout.git_folder)];
        effects.extend(commit_secrets_effect(context, Self::NAME, &layout, files.as_deref()));
        if let Some(by_program) =
            ProgramCommit::from_params(context, &layout, params, files.as_deref())?
        {
            effects.extend(by_program.add.iter().flat_map(|command| command.effects(&layout)));
            effects.extend(by_program.commit.effects(&layout));
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (layout, files) = layout(context, &params)?;
        // Never bypass a hook that would run.
        if let Some(by_program) =
            ProgramCommit::from_params(context, &layout, &params, files.as_deref())?
        {
            return by_program.make(context, &layout, params.amend);
        }
        let options = CommitOptions {
            message: params.message,
            files,
            amend: params.amend,
            allow_empty: params.allow_empty,
        };
        let unsaved = unsaved_files(context, &layout);
        let budget = &context.budget();
        let (made, info, head) = write_repo(context, Self::NAME, &layout, |repo| {
            let made = repo.commit(&options, &unsaved, budget)?;
            Ok((made.clone(), repo.commit_info(made.id)?, repo.head()?))
        })?;
        Ok(Output {
            commit: CommitOutput::from_info(&info),
            branch: head.branch,
            amended: made.amended.map(|id| id.to_string()),
            programs_not_run: layout.wants_programs,
            output: None,
        })
    }
}

/// The `git` commands that make a commit.
struct ProgramCommit {
    /// Adds untracked files first.
    add: Option<GitCommand>,
    commit: GitCommand,
    unknown: Vec<RepoPath>,
}

impl ProgramCommit {
    /// `None` if the program is not needed, or must not run.
    fn from_params(
        context: &Context<'_>,
        layout: &RepoLayout,
        params: &Params,
        files: Option<&[RepoPath]>,
    ) -> Result<Option<Self>, ToolError> {
        let tool = GitCommit::NAME;
        if layout.trust == Trust::Untrusted {
            return Ok(None);
        }
        let UnstagedChanges { untracked: unknown, has_filter: converts, .. } = match files {
            Some(files) => read_repo(context, tool, layout, |repo| repo.unstaged_changes(files))?,
            None => UnstagedChanges::default(),
        };
        if !converts && !layout.commits_by_program() {
            return Ok(None);
        }
        if let Some(files) = files {
            check_saved(context, tool, layout, files)?;
        }
        let text = |text: &str| text.to_owned();
        let mut arguments = vec![text("commit"), text("--quiet"), text("--cleanup=whitespace")];
        match &params.message {
            Some(message) if !message.trim().is_empty() => {
                arguments.push(format!("--message={message}"));
            }
            None if params.amend => arguments.push(text("--no-edit")),
            _ => {
                let message = format!("{tool}: a message is wanted");
                return Err(ToolError::new(Code::InvalidParams, message));
            }
        }
        arguments.extend(params.amend.then(|| text("--amend")));
        arguments.extend(params.allow_empty.then(|| text("--allow-empty")));
        if let Some(files) = files {
            arguments.extend([text("--only"), text("--")]);
            arguments.extend(path_arguments(tool, layout, files)?);
        }
        let commit = GitCommand { arguments, location: RemoteLocation::Folder };
        commit.check(tool)?;
        let add = match unknown.is_empty() {
            true => None,
            false => {
                let mut arguments = vec![text("add"), text("--intent-to-add"), text("--")];
                arguments.extend(path_arguments(tool, layout, &unknown)?);
                let add = GitCommand { arguments, location: RemoteLocation::Folder };
                add.check(tool)?;
                Some(add)
            }
        };
        Ok(Some(Self { add, commit, unknown }))
    }

    fn make(
        self,
        context: &Context<'_>,
        layout: &RepoLayout,
        amend: bool,
    ) -> Result<Output, ToolError> {
        let tool = GitCommit::NAME;
        let time = timeout(tool, Some(HOOK_TIMEOUT_MS))?;
        let before = read_repo(context, tool, layout, |repo| repo.head())?.commit;
        let failed = "nothing was committed";
        let made = (|| {
            if let Some(add) = self.add {
                let done = add.run(context, tool, layout, time)?;
                if done.exit_code != 0 {
                    return Err(done.error(tool, failed));
                }
            }
            let done = self.commit.run(context, tool, layout, time)?;
            match done.exit_code {
                0 => Ok(done),
                _ => Err(done.error(tool, failed)),
            }
        })();
        let done = match made {
            Ok(done) => done,
            Err(error) => {
                // Restore the index; report the reason of the failure.
                if !self.unknown.is_empty() {
                    let _ = write_repo(context, tool, layout, |repo| repo.unstage(&self.unknown));
                }
                return Err(error);
            }
        };
        let (info, head) = read_repo(context, tool, layout, |repo| {
            let head = repo.head()?;
            let made = head.commit.filter(|made| Some(*made) != before);
            let made = made.ok_or_else(|| git::GitError::Conflict {
                what: "git ended without a complaint, and has made no commit".to_owned(),
            })?;
            Ok((repo.commit_info(made)?, head))
        })?;
        Ok(Output {
            commit: CommitOutput::from_info(&info),
            branch: head.branch,
            amended: before.filter(|_| amend).map(|id| id.to_string()),
            programs_not_run: false,
            output: Some(done.output()).filter(|output| !output.is_empty()),
        })
    }
}

/// The new commit in one line, and what ran or did not.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let branch = result["branch"].as_str().unwrap_or("a detached HEAD");
    lines.push(format_args!("committed {} on {branch}", short_id(str_at(result, "commit"))));
    if let Some(amended) = result["amended"].as_str() {
        lines.push(format_args!("[replaces {}]", short_id(amended)));
    }
    if result["programs_not_run"] == true {
        lines.push("[hooks and signing did not run: the workspace is not trusted]");
    }
    lines.push_text(str_at(result, "output"));
    lines.finish("")
}
