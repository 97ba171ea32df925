//! `git_diff`: diffs between commits, the index and the work tree.

use git::{Comparison, DiffOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit_output::FileDiffOutput;
use super::cursor::{format_cursor, parse_cursor, query_hash};
use super::diff_page::{diff_page, may_read};
use super::repository_access::{find_repository, read_repo, resolve_path, unsaved_files};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, is_zero, str_at},
};

pub(crate) struct GitDiff;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only this file or folder, relative to the workspace.
    #[serde(default)]
    path: Option<String>,
    /// Diff the index against the last commit or `commit`; otherwise the work tree.
    #[serde(default)]
    staged: bool,
    /// Diff against this commit, branch or tag; or between two: `A..B`, or `A...B` from their
    /// merge base.
    #[serde(default)]
    commit: Option<String>,
    /// The repository's folder; by default the one that contains `path`, or the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Context lines; 3 by default.
    #[serde(default)]
    context_lines: Option<u32>,
    /// Also return each hunk's lines, with changed words marked.
    #[serde(default)]
    lines: bool,
    /// Detect renames; true by default.
    #[serde(default)]
    renames: Option<bool>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The diff in `git diff` format; its paths are relative to the repository.
    diff: String,
    /// The changed files.
    files: Vec<FileDiffOutput>,
    /// Whether there are more files, or a file's diff was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Number of files that rules hide.
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
}

/// Limit for the context lines.
const MAX_CONTEXT_LINES: u32 = 1_000;

impl Tool for GitDiff {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_diff";
    const DESCRIPTION: &'static str = "Diff as text and by file and hunk: work tree against index \
        (default), `staged`, against a `commit`, or between two. The work tree includes unsaved \
        text. Filters, textconv and external diff programs do not run.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("cached", "staged"), ("range", "commit"), ("rev", "commit")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = params.path.as_deref();
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), path)?;
        let read = match path {
            Some(path) => {
                let named = params.repository.is_some();
                let path = resolve_path(context, Self::NAME, &layout, named, path)?;
                layout.file(&path).map(|file| Effect::read(&file))
            }
            None => None,
        };
        Ok(vec![read.unwrap_or_else(|| Effect::read_tree(layout.folder()))])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = find_repository(context, Self::NAME, named, params.path.as_deref())?;
        let mut within = Vec::new();
        if let Some(path) = &params.path {
            let path = resolve_path(context, Self::NAME, &layout, named.is_some(), path)?;
            within.extend(Some(path).filter(|path| !path.as_bytes().is_empty()));
        }
        let commit = params.commit.as_deref();
        let query_hash = query_hash(&[
            Self::NAME,
            &layout.display_path(),
            params.path.as_deref().unwrap_or_default(),
            commit.unwrap_or_default(),
            &format!("{}{:?}{:?}", params.staged, params.context_lines, params.renames),
        ]);
        let skip = parse_cursor(Self::NAME, &query_hash, params.cursor.as_deref())?;
        let unsaved = unsaved_files(context, &layout);
        let may_read = may_read(context, &layout);
        let budget = &context.budget();
        let page = read_repo(context, Self::NAME, &layout, |repo| {
            let between = match commit {
                Some(commit) => match repo.range(commit)? {
                    Some((from, to)) => Comparison::TreeToTree(Some(from), Some(to)),
                    None if params.staged => Comparison::TreeToIndex(Some(repo.resolve(commit)?)),
                    None => Comparison::TreeToWorkTree(repo.resolve(commit)?),
                },
                None if params.staged => Comparison::TreeToIndex(None),
                None => Comparison::IndexToWorkTree,
            };
            let options = DiffOptions {
                comparison: between,
                paths: within,
                context: params.context_lines.unwrap_or(3).min(MAX_CONTEXT_LINES),
                renames: params.renames.unwrap_or(true),
                intraline: params.lines,
            };
            diff_page(repo, &options, &unsaved, budget, skip, &may_read)
        })?;
        Ok(Output {
            diff: page.diff,
            files: page.files,
            truncated: page.next.is_some() || page.is_cut,
            next_cursor: page.next.map(|next| format_cursor(&query_hash, next)),
            hidden: page.hidden,
        })
    }
}

/// The diff itself; files without one (binary, mode only) are in it, too.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    lines.push_text(str_at(result, "diff"));
    lines.push_rest(result);
    lines.finish("no changes")
}
