//! `git_unstage`: unstages files, hunks or lines.

use schemars::JsonSchema;
use serde::Deserialize;

use super::git_stage::{Output, repo_paths, single_file};
use super::hunk_params::{HunkParam, selection};
use super::repository_access::{display_path, unsaved_files, write_repo};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitUnstage;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Files and folders (literal, relative to the workspace).
    files: Vec<String>,
    /// For one file: only these parts of its staged diff, numbered as in `git_diff` with `staged`.
    #[serde(default)]
    hunks: Option<Vec<HunkParam>>,
    /// The state that `hunks` refer to, from `tandem/hunks`; refused in any other.
    #[serde(default)]
    expected_state: Option<String>,
    /// The repository's folder; by default the one that contains the first file.
    #[serde(default)]
    repository: Option<String>,
}

impl Tool for GitUnstage {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_unstage";
    const DESCRIPTION: &'static str = "Unstage whole files, or hunks and single lines of one. The \
        work tree does not change.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("paths", "files")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let named = params.repository.as_deref();
        let (layout, _) = repo_paths(context, Self::NAME, named, &params.files)?;
        Ok(vec![Effect::repository(&layout.git_folder)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let (layout, paths) = repo_paths(context, Self::NAME, named, &params.files)?;
        let files = match &params.hunks {
            Some(hunks) => {
                let path = single_file(Self::NAME, &paths)?;
                let selection = selection(hunks);
                let unsaved = unsaved_files(context, &layout);
                write_repo(context, Self::NAME, &layout, |repo| {
                    if let Some(expected) = &params.expected_state {
                        repo.check_state_id(path, &unsaved, expected)?;
                    }
                    repo.unstage_lines(path, &selection)
                })?;
                paths.clone()
            }
            None => write_repo(context, Self::NAME, &layout, |repo| repo.unstage(&paths))?,
        };
        let files = files.iter().map(|file| display_path(&layout, file)).collect();
        Ok(Output { files, unsaved: Vec::new() })
    }
}
