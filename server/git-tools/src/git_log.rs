//! `git_log`: the history of a repository or a path.

use git::LogOptions;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit_output::CommitOutput;
use super::commit_output::short_id;
use super::cursor::{format_cursor, parse_cursor, query_hash};
use super::dates;
use super::diff_page::may_read;
use super::repository_access::{display_path, find_repository, read_repo, resolve_path};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, list_at, str_at, strings_at},
};

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
    commits: Vec<LogEntryOutput>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct LogEntryOutput {
    #[serde(flatten)]
    commit: CommitOutput,
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
const DEFAULT_PAGE_SIZE: usize = 30;
const MAX_PAGE_SIZE: usize = 500;
/// Limit for the messages of one result, in bytes.
const MAX_MESSAGE_BYTES: usize = 150_000;

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

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = params.path.as_deref();
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), path)?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = find_repository(context, Self::NAME, named, params.path.as_deref())?;
        let path = match &params.path {
            Some(path) => Some(resolve_path(context, Self::NAME, &layout, named.is_some(), path)?),
            None => None,
        };
        let path = path.filter(|path| !path.as_bytes().is_empty());
        let time = |written: &Option<String>, to_end| match written {
            Some(written) => dates::seconds(Self::NAME, written, to_end).map(Some),
            None => Ok(None),
        };
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let query_hash = query_hash(&[
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
        let skip = parse_cursor(Self::NAME, &query_hash, params.cursor.as_deref())?;
        let mut options = LogOptions {
            follow: true,
            path: path.clone(),
            since: time(&params.since, false)?,
            until: time(&params.until, true)?,
            author: params.author.clone(),
            message: params.grep.clone(),
            skip,
            limit: params.limit.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE),
            ..LogOptions::default()
        };
        let budget = &context.budget();
        let log = read_repo(context, Self::NAME, &layout, |repo| {
            match &params.commit {
                Some(commit) => match repo.range(commit)? {
                    Some((from, to)) => {
                        options.start = vec![to];
                        options.exclude = vec![from];
                    }
                    None => options.start = vec![repo.resolve_commit(commit)?],
                },
                None if params.all => options.start = repo.tips()?,
                // A repository without commits has no history.
                None => options.start.extend(repo.head()?.commit),
            }
            repo.log(&options, budget)
        })?;
        let mut left = MAX_MESSAGE_BYTES;
        let total = log.commits.len();
        let rows = log.commits.into_iter().take_while(|logged| {
            let is_first = left == MAX_MESSAGE_BYTES;
            let size = logged.info.message.len().min(8_000) + 300;
            let fits = size <= left || is_first;
            left = left.saturating_sub(size);
            fits
        });
        let may_read = may_read(context, &layout);
        let row = |logged: git::LogEntry| LogEntryOutput {
            commit: CommitOutput::from_info(&logged.info),
            refs: logged.refs,
            path: logged
                .path
                .filter(|there| Some(there) != path.as_ref() && may_read(there))
                .map(|there| display_path(&layout, &there)),
            renamed_from: logged
                .old_path
                .filter(&may_read)
                .map(|from| display_path(&layout, &from)),
        };
        let commits: Vec<LogEntryOutput> = rows.map(row).collect();
        let has_more = log.has_more || commits.len() < total;
        Ok(Output {
            next_cursor: has_more.then(|| format_cursor(&query_hash, skip + commits.len())),
            truncated: has_more,
            commits,
        })
    }
}

/// The commits as lines: `commit date author: subject (refs)`.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for commit in list_at(result, "commits") {
        let refs = strings_at(commit, "refs").join(", ");
        let refs = if refs.is_empty() { refs } else { format!(" ({refs})") };
        lines.push(format_args!(
            "{} {} {}: {}{refs}",
            short_id(str_at(commit, "commit")),
            str_at(commit, "timestamp").get(..10).unwrap_or_default(),
            str_at(commit, "author"),
            str_at(commit, "subject")
        ));
    }
    lines.push_rest(result);
    lines.finish("no commits")
}
