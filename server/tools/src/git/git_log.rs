//! `git_log`: the history of a repository or a path.

use git::LogOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cursor::{mark, told, written};
use super::dates;
use super::differences::may_read;
use super::place::{path_in, read, repository, shown};
use super::told::Commit;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitLog;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only commits that changed this file or folder, relative to the workspace. Renames of a file
    /// are followed.
    #[serde(default)]
    path: Option<String>,
    /// Page size: 30 by default, at most 500.
    #[serde(default)]
    limit: Option<usize>,
    /// Only commits since: `2025-01-15`, `2025-01-15T10:30:00Z`, `2 weeks ago`.
    #[serde(default)]
    since: Option<String>,
    /// Only commits until.
    #[serde(default)]
    until: Option<String>,
    /// Where to start (default: last commit), or a range `A..B`.
    #[serde(default)]
    commit: Option<String>,
    /// Only commits whose author's name or email contains this.
    #[serde(default)]
    author: Option<String>,
    /// Only commits whose message contains this.
    #[serde(default)]
    grep: Option<String>,
    /// Include all branches and tags.
    #[serde(default)]
    all: bool,
    /// The repository's folder; by default the one that contains `path`, or the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The commits, newest first.
    commits: Vec<Row>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Row {
    #[serde(flatten)]
    commit: Commit,
    /// Branches and tags at this commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    refs: Vec<String>,
    /// The followed path in this commit, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The previous path, if this commit renamed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
}

/// Default and largest page size.
const FEW: usize = 30;
const MOST: usize = 500;
/// Limit for the messages of one result, in bytes.
const MOST_BYTES: usize = 150_000;

impl Tool for GitLog {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_log";
    const DESCRIPTION: &'static str = "The history, newest first: author, time, message and \
        parents. With `path`, of one file through its renames.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("max_count", "limit"),
        ("after", "since"),
        ("before", "until"),
        ("from", "commit"),
        ("range", "commit"),
        ("branch", "commit"),
        ("rev", "commit"),
    ];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = params.path.as_deref();
        let layout = repository(context, Self::NAME, params.repository.as_deref(), path)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = repository(context, Self::NAME, named, params.path.as_deref())?;
        let path = match &params.path {
            Some(path) => Some(path_in(context, Self::NAME, &layout, named.is_some(), path)?),
            None => None,
        };
        let path = path.filter(|path| !path.as_bytes().is_empty());
        let time = |written: &Option<String>, to_end| match written {
            Some(written) => dates::seconds(Self::NAME, written, to_end).map(Some),
            None => Ok(None),
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let mark = mark(&[
            Self::NAME,
            &layout.display_path(),
            &text(&params.path),
            &text(&params.since),
            &text(&params.until),
            &text(&params.commit),
            &text(&params.author),
            &text(&params.grep),
            &params.all.to_string(),
        ]);
        let skip = told(Self::NAME, &mark, params.cursor.as_deref())?;
        let mut question = LogOptions {
            follow: true,
            path: path.clone(),
            since: time(&params.since, false)?,
            until: time(&params.until, true)?,
            author: params.author.clone(),
            message: params.grep.clone(),
            skip,
            limit: params.limit.unwrap_or(FEW).clamp(1, MOST),
            ..LogOptions::default()
        };
        let budget = &context.budget();
        let log = read(context, Self::NAME, &layout, |repo| {
            match &params.commit {
                Some(commit) => match repo.range(commit)? {
                    Some((from, to)) => {
                        question.start = vec![to];
                        question.exclude = vec![from];
                    }
                    None => question.start = vec![repo.resolve_commit(commit)?],
                },
                None if params.all => question.start = repo.tips()?,
                // A repository without commits has no history.
                None => question.start.extend(repo.head()?.commit),
            }
            repo.log(&question, budget)
        })?;
        let mut left = MOST_BYTES;
        let total = log.commits.len();
        let rows = log.commits.into_iter().take_while(|logged| {
            let is_first = left == MOST_BYTES;
            let size = logged.info.message.len().min(8_000) + 300;
            let fits = size <= left || is_first;
            left = left.saturating_sub(size);
            fits
        });
        let may_read = may_read(context, &layout);
        let row = |logged: git::LogEntry| Row {
            commit: Commit::of(&logged.info),
            refs: logged.refs,
            path: logged
                .path
                .filter(|there| Some(there) != path.as_ref() && may_read(there))
                .map(|there| shown(&layout, &there)),
            renamed_from: logged.old_path.filter(&may_read).map(|from| shown(&layout, &from)),
        };
        let commits: Vec<Row> = rows.map(row).collect();
        let has_more = log.has_more || commits.len() < total;
        Ok(Output {
            next_cursor: has_more.then(|| written(&mark, skip + commits.len())),
            truncated: has_more,
            commits,
        })
    }
}
