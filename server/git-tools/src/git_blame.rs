//! `git_blame`: the commit, author and time of each line.

use std::collections::BTreeMap;

use git::{BlameOptions, GitError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::FileError;

use super::commit_output::short_id;
use super::commit_output::{CommitOutput, format_time};
use super::diff_page::may_read;
use super::repository_access::{
    display_path, find_repository, locate_entry, read_repo, resolve_path,
};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, list_at, number_at, str_at},
};

pub(crate) struct GitBlame;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, relative to the workspace.
    path: String,
    /// First line, 1-based.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line.
    #[serde(default)]
    end_line: Option<usize>,
    /// The file's version; by default the current text, unsaved changes included.
    #[serde(default)]
    commit: Option<String>,
    /// Attribute lines that moved within the file to their original commit.
    #[serde(default)]
    moved: bool,
    /// Ignore whitespace changes.
    #[serde(default)]
    ignore_whitespace: bool,
    /// Skip the commits listed in `.git-blame-ignore-revs`; true by default.
    #[serde(default)]
    ignore_revs: Option<bool>,
    /// The repository's folder; by default the one that contains the file.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The path, relative to the workspace.
    path: String,
    /// The lines.
    lines: Vec<BlameLine>,
    /// The commits by id.
    commits: BTreeMap<String, CommitOutput>,
    /// Whether there are more lines; continue with `start_line`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The line to continue with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_line: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct BlameLine {
    /// Line number, 1-based.
    line: usize,
    /// Its commit; null if uncommitted.
    commit: Option<String>,
    /// Its author; `Not Committed Yet` if uncommitted.
    author: String,
    /// Its time in UTC; null if uncommitted.
    timestamp: Option<String>,
    /// Its line number in that commit.
    original_line: usize,
    /// The file's path in that commit, if different.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_path: Option<String>,
    /// Its text.
    text: String,
}

/// Page size, in lines.
const PAGE_LINES: usize = 1_000;
/// Longest returned text of a line, in bytes.
const MAX_LINE_BYTES: usize = 200;
/// Lists the commits to skip.
const IGNORE_REVS_FILE: &str = ".git-blame-ignore-revs";
const MAX_IGNORE_REVS_BYTES: u64 = 1 << 20;

impl Tool for GitBlame {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_blame";
    const DESCRIPTION: &'static str = "Blame: the commit, author and time of each line of a file. \
        Unsaved text included; uncommitted lines are marked.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("rev", "commit"), ("line", "start_line")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&locate_entry(context, &params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = find_repository(context, Self::NAME, named, Some(&params.path))?;
        let path = resolve_path(context, Self::NAME, &layout, named.is_some(), &params.path)?;
        let file = layout.file(&path);
        let unsaved = super::repository_access::unsaved_files(context, &layout);
        let text = match (&params.commit, unsaved.get(&path), &file) {
            (Some(_), ..) => None,
            (None, Some(text), _) => Some(text.to_vec()),
            (None, None, Some(file)) => match context.snapshot.read_bytes(file) {
                Ok(read) => Some(read.bytes),
                // A deleted or unreadable file: use the last commit's version.
                Err(FileError::NotFound { .. } | FileError::Forbidden { .. }) => None,
                Err(error) => return Err(error.into()),
            },
            _ => None,
        };
        let ignored = params.ignore_revs.unwrap_or(true).then(|| {
            let list = layout.work_tree.descendant(IGNORE_REVS_FILE);
            list.root().read_below(list.relative(), MAX_IGNORE_REVS_BYTES).ok().flatten()
        });
        let ignored = String::from_utf8_lossy(&ignored.flatten().unwrap_or_default()).into_owned();
        let start = params.start_line.unwrap_or(1);
        let end = params.end_line.unwrap_or(usize::MAX);
        // One more, to detect a next page.
        let last = end.min(start.saturating_add(PAGE_LINES));
        let budget = &context.budget();
        let blame = read_repo(context, Self::NAME, &layout, |repo| {
            let at = params.commit.as_ref().map(|name| repo.resolve_commit(name)).transpose()?;
            let text = text.map(|text| repo.to_git_bytes(&path, &text)).transpose()?;
            let is_empty = text.as_ref().is_some_and(Vec::is_empty);
            let options = BlameOptions {
                path: path.clone(),
                at,
                text: text.as_deref(),
                ranges: if is_empty { Vec::new() } else { vec![(start, last)] },
                ignored: repo.ignored_commits(&ignored),
                moved: params.moved,
                ignore_whitespace: params.ignore_whitespace,
            };
            let blame = repo.blame(&options, budget)?;
            if start == 0 || end < start {
                let what = format!("lines {start} to {end} are none");
                return Err(GitError::Invalid { what });
            }
            Ok(blame)
        })?;
        let texts: Vec<&[u8]> = blame.text.split_inclusive(|byte| *byte == b'\n').collect();
        let may_read = may_read(context, &layout);
        let mut lines = Vec::new();
        let mut next_line = None;
        for run in &blame.hunks {
            for offset in 0..run.count {
                let line = run.line + offset;
                if lines.len() == PAGE_LINES {
                    next_line = next_line.or(Some(line));
                    continue;
                }
                let info = run.commit.and_then(|id| blame.commits.get(&id));
                let text = texts.get(line - 1).copied().unwrap_or_default();
                let text = String::from_utf8_lossy(text);
                let text = text.trim_end_matches(['\n', '\r']);
                lines.push(BlameLine {
                    line,
                    commit: run.commit.map(|id| id.to_string()),
                    author: info.map_or("Not Committed Yet", |info| &info.author.name).to_owned(),
                    timestamp: info.map(|info| format_time(info.author.seconds)),
                    original_line: run.original_line + offset,
                    original_path: (run.path != path && may_read(&run.path))
                        .then(|| display_path(&layout, &run.path)),
                    text: text[..text.floor_char_boundary(MAX_LINE_BYTES.min(text.len()))]
                        .to_owned(),
                });
            }
        }
        let is_reported =
            |id: &git::Oid| lines.iter().any(|l| l.commit.as_deref() == Some(&id.to_string()));
        let commits = blame.commits.iter().filter(|(id, _)| is_reported(id));
        Ok(Output {
            path: display_path(&layout, &path),
            commits: commits
                .map(|(id, info)| (id.to_string(), CommitOutput::from_info(info)))
                .collect(),
            lines,
            truncated: next_line.is_some(),
            next_line,
        })
    }
}

/// The lines as `git blame` prints them, each run of one commit below its id.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let runs = list_at(result, "lines").chunk_by(|one, other| one["commit"] == other["commit"]);
    for run in runs {
        let (first, author) = (&run[0], str_at(&run[0], "author"));
        match first["commit"].as_str() {
            Some(id) => {
                let date = str_at(first, "timestamp").get(..10).unwrap_or_default();
                let subject = str_at(&result["commits"][id], "subject");
                lines.push(format_args!("{} {date} {author}: {subject}", short_id(id)));
            }
            None => lines.push(author),
        }
        for line in run {
            lines.push(format_args!("  {}: {}", number_at(line, "line"), str_at(line, "text")));
        }
    }
    if let Some(next) = result["next_line"].as_u64() {
        lines.push(format_args!("[more: start_line {next}]"));
    }
    lines.finish("an empty file")
}
