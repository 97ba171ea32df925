//! `git_blame`: who wrote each line, and when.

use std::collections::BTreeMap;

use git::{BlameQuestion, GitError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::FileError;

use super::differences::may_read;
use super::place::{entry, path_in, read, repository, shown};
use super::told::{Commit, time};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitBlame;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, relative to the workspace.
    path: String,
    /// The first line, from 1.
    #[serde(default)]
    start_line: Option<usize>,
    /// The last line.
    #[serde(default)]
    end_line: Option<usize>,
    /// As it was in this commit; by default as it is now, unsaved text included.
    #[serde(default)]
    commit: Option<String>,
    /// Whether lines that moved within the file keep their commit.
    #[serde(default)]
    moved: bool,
    /// Whether changes of blanks count as none.
    #[serde(default)]
    ignore_whitespace: bool,
    /// Whether the commits that `.git-blame-ignore-revs` lists are passed over; true by default.
    #[serde(default)]
    ignore_revs: Option<bool>,
    /// The repository's folder; by default the one that holds the file.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The file's path, relative to the workspace.
    path: String,
    /// Its lines, in order.
    lines: Vec<Line>,
    /// The commits that are named, by name.
    commits: BTreeMap<String, Commit>,
    /// True where there are more lines; ask on with `start_line`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The line to ask on with.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_line: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct Line {
    /// Its number, from 1.
    line: usize,
    /// The commit that it comes from; null for what is not committed.
    commit: Option<String>,
    /// Who wrote it; `Not Committed Yet` for what is not.
    author: String,
    /// When, in UTC; null for what is not committed.
    timestamp: Option<String>,
    /// Its number in that commit.
    original_line: usize,
    /// The file's path in that commit, where it had another.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_path: Option<String>,
    /// Its text.
    text: String,
}

/// Most lines of one result.
const MOST: usize = 1_000;
/// Longest text of a line that is given, in bytes.
const LONGEST_LINE: usize = 200;
/// The list of commits that are passed over.
const IGNORED: &str = ".git-blame-ignore-revs";
const LONGEST_IGNORED: u64 = 1 << 20;

impl Tool for GitBlame {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_blame";
    const DESCRIPTION: &'static str = "Which commit each line of a file comes from, who wrote it \
        and when. Unsaved text counts: what differs from the last commit is nobody's yet.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_WALL: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("rev", "commit"), ("line", "start_line")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&entry(context, &params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = repository(context, Self::NAME, named, Some(&params.path))?;
        let path = path_in(context, Self::NAME, &layout, named.is_some(), &params.path)?;
        let file = layout.file(&path);
        let unsaved = super::place::unsaved(context, &layout);
        let text = match (&params.commit, unsaved.get(&path), &file) {
            (Some(_), ..) => None,
            (None, Some(text), _) => Some(text.to_vec()),
            (None, None, Some(file)) => match context.snapshot.read_bytes(file) {
                Ok(read) => Some(read.bytes),
                // What is not there any more was there in the last commit.
                Err(FileError::NotFound { .. } | FileError::Forbidden { .. }) => None,
                Err(error) => return Err(error.into()),
            },
            _ => None,
        };
        let ignored = params.ignore_revs.unwrap_or(true).then(|| {
            let list = layout.work_tree.at(IGNORED);
            list.root().read_below(list.relative(), LONGEST_IGNORED).ok().flatten()
        });
        let ignored = String::from_utf8_lossy(&ignored.flatten().unwrap_or_default()).into_owned();
        let start = params.start_line.unwrap_or(1);
        let end = params.end_line.unwrap_or(usize::MAX);
        // One more tells whether there are more.
        let last = end.min(start.saturating_add(MOST));
        let budget = &context.budget();
        let blame = read(context, Self::NAME, &layout, |repo| {
            let at = params.commit.as_ref().map(|name| repo.resolve_commit(name)).transpose()?;
            let text = text.map(|text| repo.as_kept(&path, &text)).transpose()?;
            let is_empty = text.as_ref().is_some_and(Vec::is_empty);
            let question = BlameQuestion {
                path: path.clone(),
                at,
                text: text.as_deref(),
                ranges: if is_empty { Vec::new() } else { vec![(start, last)] },
                ignored: repo.ignored_commits(&ignored),
                moved: params.moved,
                ignore_blanks: params.ignore_whitespace,
            };
            let blame = repo.blame(&question, budget)?;
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
        for run in &blame.lines {
            for offset in 0..run.count {
                let line = run.line + offset;
                if lines.len() == MOST {
                    next_line = next_line.or(Some(line));
                    continue;
                }
                let info = run.commit.and_then(|id| blame.commits.get(&id));
                let text = texts.get(line - 1).copied().unwrap_or_default();
                let text = String::from_utf8_lossy(text);
                let text = text.trim_end_matches(['\n', '\r']);
                lines.push(Line {
                    line,
                    commit: run.commit.map(|id| id.to_string()),
                    author: info.map_or("Not Committed Yet", |info| &info.author.name).to_owned(),
                    timestamp: info.map(|info| time(info.author.seconds)),
                    original_line: run.line_there + offset,
                    original_path: (run.path != path && may_read(&run.path))
                        .then(|| shown(&layout, &run.path)),
                    text: text[..text.floor_char_boundary(LONGEST_LINE.min(text.len()))].to_owned(),
                });
            }
        }
        let told =
            |id: &git::Oid| lines.iter().any(|l| l.commit.as_deref() == Some(&id.to_string()));
        let commits = blame.commits.iter().filter(|(id, _)| told(id));
        Ok(Output {
            path: shown(&layout, &path),
            commits: commits.map(|(id, info)| (id.to_string(), Commit::of(info))).collect(),
            lines,
            truncated: next_line.is_some(),
            next_line,
        })
    }
}
