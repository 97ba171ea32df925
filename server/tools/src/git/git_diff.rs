//! `git_diff`: differences between commits, the index and the work tree.

use git::{Between, DiffQuestion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cursor::{mark, told, written};
use super::differences::{may_read, page};
use super::place::{path_in, read, repository, unsaved};
use super::told::File;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitDiff;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only this file or folder, relative to the workspace.
    #[serde(default)]
    path: Option<String>,
    /// What is staged, compared with the last commit or with `commit`; else the work tree.
    #[serde(default)]
    staged: bool,
    /// Compare with this commit, branch or tag; or two commits: `A..B`, or `A...B` from where they
    /// part.
    #[serde(default)]
    commit: Option<String>,
    /// The repository's folder; by default the one that holds `path`, or the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Unchanged lines around each change; 3 by default.
    #[serde(default)]
    context_lines: Option<u32>,
    /// Also each hunk's lines by themselves, with the words that changed.
    #[serde(default)]
    lines: bool,
    /// Whether files that moved are told as such; true by default.
    #[serde(default)]
    renames: Option<bool>,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The difference as one text, as `git diff` writes it; paths in it start at the repository.
    diff: String,
    /// The files that differ.
    files: Vec<File>,
    /// True where there is more, or a file's text was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Files that rules keep from being read.
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks by reference")]
pub(super) fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Most unchanged lines around a change.
const MOST_CONTEXT: u32 = 1_000;

impl Tool for GitDiff {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_diff";
    const DESCRIPTION: &'static str = "Differences, as one text and by files and hunks: of the \
        work tree from the index (by default), of what is `staged`, from a `commit`, or between \
        two. Unsaved text of open documents counts as the work tree's. No filters, text \
        conversions or external programs are run.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_WALL: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("cached", "staged"), ("range", "commit"), ("rev", "commit")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = params.path.as_deref();
        let layout = repository(context, Self::NAME, params.repository.as_deref(), path)?;
        let read = match path {
            Some(path) => {
                let named = params.repository.is_some();
                let path = path_in(context, Self::NAME, &layout, named, path)?;
                layout.file(&path).map(|file| Effect::read(&file))
            }
            None => None,
        };
        Ok(vec![read.unwrap_or_else(|| Effect::read_tree(layout.folder()))])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = repository(context, Self::NAME, named, params.path.as_deref())?;
        let mut within = Vec::new();
        if let Some(path) = &params.path {
            let path = path_in(context, Self::NAME, &layout, named.is_some(), path)?;
            within.extend(Some(path).filter(|path| !path.bytes().is_empty()));
        }
        let commit = params.commit.as_deref();
        let mark = mark(&[
            Self::NAME,
            &layout.shown(),
            params.path.as_deref().unwrap_or_default(),
            commit.unwrap_or_default(),
            &format!("{}{:?}{:?}", params.staged, params.context_lines, params.renames),
        ]);
        let skip = told(Self::NAME, &mark, params.cursor.as_deref())?;
        let unsaved = unsaved(context, &layout);
        let may_read = may_read(context, &layout);
        let budget = &context.budget();
        let page = read(context, Self::NAME, &layout, |repo| {
            let between = match commit {
                Some(commit) => match repo.range(commit)? {
                    Some((from, to)) => Between::Trees(Some(from), Some(to)),
                    None if params.staged => Between::TreeAndIndex(Some(repo.resolve(commit)?)),
                    None => Between::TreeAndWork(repo.resolve(commit)?),
                },
                None if params.staged => Between::TreeAndIndex(None),
                None => Between::IndexAndWork,
            };
            let question = DiffQuestion {
                between,
                within,
                context: params.context_lines.unwrap_or(3).min(MOST_CONTEXT),
                renames: params.renames.unwrap_or(true),
                words: params.lines,
            };
            page(repo, &question, &unsaved, budget, skip, &may_read)
        })?;
        Ok(Output {
            diff: page.diff,
            files: page.files,
            truncated: page.next.is_some() || page.is_cut,
            next_cursor: page.next.map(|next| written(&mark, next)),
            hidden: page.hidden,
        })
    }
}
