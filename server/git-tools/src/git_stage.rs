//! `git_stage`: stages files, hunks or lines.

use git::{RemoteLocation, RepoLayout, RepoPath, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::hunk_params::{HunkParam, selection};
use super::program::{GitCommand, check_saved, path_arguments, timeout};
use super::repository_access::{
    display_path, find_repository, read_repo, resolve_path, unsaved_files, write_repo,
};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitStage;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Files and folders (literal, relative to the workspace); a folder means everything that
    /// differs in it.
    files: Vec<String>,
    /// For one file: only these parts of its diff, numbered as in `git_diff`. For part of a hunk,
    /// give its line range.
    #[serde(default)]
    hunks: Option<Vec<HunkParam>>,
    /// The state that `hunks` refer to, from `tandem/hunks`; refused in any other.
    #[serde(default)]
    expected_state: Option<String>,
    /// The repository's folder; by default the one that contains the first file.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The files whose staged state changed, relative to the workspace.
    pub(super) files: Vec<String>,
    /// Those staged with unsaved text from the editor.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unsaved: Vec<String>,
}

pub(super) const MAX_FILES: usize = 10_000;

/// The repository of a list of files, and their paths in it.
pub(super) fn repo_paths(
    context: &Context<'_>,
    tool: &str,
    named: Option<&str>,
    files: &[String],
) -> Result<(RepoLayout, Vec<RepoPath>), ToolError> {
    if files.is_empty() || files.len() > MAX_FILES {
        let message = format!("{tool}: from 1 to {MAX_FILES} files are wanted");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    let layout = find_repository(context, tool, named, files.first().map(String::as_str))?;
    let paths: Result<Vec<_>, _> = files
        .iter()
        .map(|file| resolve_path(context, tool, &layout, named.is_some(), file))
        .collect();
    Ok((layout, paths?))
}

/// The single file that `hunks` refer to.
pub(super) fn single_file<'f>(
    tool: &str,
    files: &'f [RepoPath],
) -> Result<&'f RepoPath, ToolError> {
    match files {
        [file] => Ok(file),
        _ => {
            let message = format!("{tool}: `hunks` are of one file; `files` names {}", files.len());
            Err(ToolError::new(Code::InvalidParams, message))
        }
    }
}

/// The `git` command that stages files with a filter. `None` if it is not needed, or must not run.
fn stage_command(
    context: &Context<'_>,
    layout: &RepoLayout,
    params: &Params,
    paths: &[RepoPath],
) -> Result<Option<(GitCommand, Vec<RepoPath>)>, ToolError> {
    let tool = GitStage::NAME;
    if layout.trust == Trust::Untrusted || params.hunks.is_some() {
        return Ok(None);
    }
    let found = read_repo(context, tool, layout, |repo| repo.unstaged_changes(paths))?;
    if !found.has_filter {
        return Ok(None);
    }
    check_saved(context, tool, layout, paths)?;
    let mut arguments = vec!["add".to_owned(), "--".to_owned()];
    arguments.extend(path_arguments(tool, layout, paths)?);
    let command = GitCommand { arguments, location: RemoteLocation::Folder };
    command.check(tool)?;
    Ok(Some((command, found.changed)))
}

impl Tool for GitStage {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_stage";
    const ALIASES: &'static [&'static str] = &["git_add"];
    const DESCRIPTION: &'static str = "Stage whole files, or hunks and single lines of one. \
        Unsaved text of open documents is staged. The work tree does not change. In a trusted \
        workspace, files with a filter are staged by the `git` program, after approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Write, EffectKind::Execute, EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("paths", "files")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let repository = params.repository.as_deref();
        let (layout, paths) = repo_paths(context, Self::NAME, repository, &params.files)?;
        let mut effects = vec![Effect::repository(&layout.git_folder)];
        if let Some((command, _)) = stage_command(context, &layout, params, &paths)? {
            effects.extend(command.effects(&layout));
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let repository = params.repository.as_deref();
        let (layout, paths) = repo_paths(context, Self::NAME, repository, &params.files)?;
        if let Some((command, changed)) = stage_command(context, &layout, &params, &paths)? {
            let done = command.run(context, Self::NAME, &layout, timeout(Self::NAME, None)?)?;
            if done.exit_code != 0 {
                return Err(done.error(Self::NAME, "not everything was staged"));
            }
            let files = changed.iter().map(|file| display_path(&layout, file)).collect();
            return Ok(Output { files, unsaved: Vec::new() });
        }
        let unsaved = unsaved_files(context, &layout);
        let budget = &context.budget();
        let files = match &params.hunks {
            Some(hunks) => {
                let path = single_file(Self::NAME, &paths)?;
                let selection = selection(hunks);
                write_repo(context, Self::NAME, &layout, |repo| {
                    if let Some(expected) = &params.expected_state {
                        repo.check_state_id(path, &unsaved, expected)?;
                    }
                    repo.stage_lines(path, &selection, &unsaved)
                })?;
                paths.clone()
            }
            None => write_repo(context, Self::NAME, &layout, |repo| {
                repo.stage(&paths, &unsaved, budget)
            })?,
        };
        let taken = files.iter().filter(|file| unsaved.get(file).is_some());
        Ok(Output {
            unsaved: taken.map(|file| display_path(&layout, file)).collect(),
            files: files.iter().map(|file| display_path(&layout, file)).collect(),
        })
    }
}
