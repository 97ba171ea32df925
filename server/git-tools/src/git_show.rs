//! `git_show`: a commit with its diff, or a file as of a commit.

use git::{Comparison, DiffOptions, UnsavedFiles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit_output::{CommitOutput, FileDiffOutput};
use super::cursor::{format_cursor, parse_cursor, query_hash};
use super::diff_page::{diff_page, may_read};
use super::repository_access::{display_path, find_repository, read_repo, resolve_path};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError, budget,
    results::{Lines, is_zero, str_at},
};

pub(crate) struct GitShow;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The commit, branch or tag; by default the last commit.
    #[serde(default = "default_revision")]
    commit: String,
    /// A file, relative to the workspace: returns its content in that commit. For a folder, only
    /// the diff below it.
    #[serde(default)]
    path: Option<String>,
    /// For `path`: return the diff, not the content.
    #[serde(default)]
    changes: bool,
    /// The repository's folder; by default the one that contains `path`, or the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// Also return each hunk's lines, with changed words marked.
    #[serde(default)]
    lines: bool,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

fn default_revision() -> String {
    "HEAD".to_owned()
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    commit: CommitOutput,
    /// The diff against its first parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// The changed files.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<Vec<FileDiffOutput>>,
    /// The file's content, with `path`.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// The file's path.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The file's size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    /// Whether the file is binary; its content is then omitted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    binary: bool,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// Number of files that rules hide.
    #[serde(skip_serializing_if = "is_zero")]
    hidden: usize,
}

impl Tool for GitShow {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_show";
    const DESCRIPTION: &'static str = "Show a commit with its diff; with `path`, a file's content \
        in that commit.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("rev", "commit"), ("revision", "commit"), ("ref", "commit")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = params.path.as_deref();
        let layout = find_repository(context, Self::NAME, params.repository.as_deref(), path)?;
        let mut file = None;
        if let Some(path) = path {
            let path =
                resolve_path(context, Self::NAME, &layout, params.repository.is_some(), path)?;
            file = layout.file(&path);
        }
        Ok(vec![match file {
            Some(file) => Effect::read(&file),
            None => Effect::read_tree(layout.folder()),
        }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = find_repository(context, Self::NAME, named, params.path.as_deref())?;
        let path = match &params.path {
            Some(path) => Some(resolve_path(context, Self::NAME, &layout, named.is_some(), path)?),
            None => None,
        };
        let path = path.filter(|path| !path.as_bytes().is_empty());
        let may_read = may_read(context, &layout);
        let budget = &context.budget();
        // Accept git's `COMMIT:PATH`.
        let (commit, inside) = match params.commit.split_once(':') {
            Some((commit, inside)) if path.is_none() && !inside.is_empty() => {
                (commit.to_owned(), Some(git::RepoPath::parse(inside)))
            }
            _ => (params.commit.clone(), None),
        };
        let path = path.or(inside);
        if let Some(path) = path.as_ref().filter(|path| layout.contains(path))
            && !may_read(path)
        {
            let message =
                format!("{}: {}: a rule denies reading it", Self::NAME, path.to_string_lossy());
            return Err(ToolError::new(Code::Denied, message));
        }
        let query_hash = query_hash(&[
            Self::NAME,
            &layout.display_path(),
            params.path.as_deref().unwrap_or_default(),
            &params.commit,
        ]);
        let skip = parse_cursor(Self::NAME, &query_hash, params.cursor.as_deref())?;
        let (info, file, page) = read_repo(context, Self::NAME, &layout, |repo| {
            let commit = repo.resolve_commit(&commit)?;
            let info = repo.commit_info(commit)?;
            if let Some(path) = &path
                && !params.changes
                && !repo.is_folder_at(commit, path)?
            {
                return Ok((info, Some(repo.file_at(commit, path)?.0), None));
            }
            let options = DiffOptions {
                comparison: Comparison::TreeToTree(repo.parent(commit)?, Some(commit)),
                paths: path.iter().cloned().collect(),
                context: 3,
                renames: true,
                intraline: params.lines,
            };
            let page =
                diff_page(repo, &options, &UnsavedFiles::default(), budget, skip, &may_read)?;
            Ok((info, None, Some(page)))
        })?;
        let mut output = Output {
            commit: CommitOutput::from_info(&info),
            diff: None,
            files: None,
            content: None,
            path: path.map(|path| display_path(&layout, &path)),
            size: None,
            binary: false,
            truncated: false,
            next_cursor: None,
            hidden: 0,
        };
        if let Some(bytes) = file {
            output.size = Some(bytes.len());
            output.content_of(bytes, &query_hash, skip);
        }
        if let Some(page) = page {
            output.diff = Some(page.diff);
            output.files = Some(page.files);
            output.hidden = page.hidden;
            output.truncated = page.next.is_some() || page.is_cut;
            output.next_cursor = page.next.map(|next| format_cursor(&query_hash, next));
        }
        Ok(output)
    }
}

impl Output {
    /// The page of a file's content that begins at `start`.
    fn content_of(&mut self, bytes: Vec<u8>, query_hash: &str, start: usize) {
        let Ok(text) = String::from_utf8(bytes) else {
            self.binary = true;
            return;
        };
        let start = text.ceil_char_boundary(start.min(text.len()));
        let rest = &text[start..];
        let lines =
            rest.match_indices('\n').nth(budget::LINES - 1).map_or(rest.len(), |(at, _)| at + 1);
        let mut end = rest.floor_char_boundary(lines.min(budget::BYTES));
        if end < rest.len()
            && let Some(line) = rest[..end].rfind('\n')
        {
            end = line + 1;
        }
        self.content = Some(rest[..end].to_owned());
        if end < rest.len() {
            self.truncated = true;
            self.next_cursor = Some(format_cursor(query_hash, start + end));
        }
    }
}

/// The commit as `git show` prints it, or the file's content alone.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    if let Some(content) = result["content"].as_str() {
        lines.push_text(content);
        lines.push_rest(result);
        return lines.finish("");
    }
    let (id, author, time) = (str_at(result, "commit"), str_at(result, "author"), "timestamp");
    lines.push(format_args!("commit {id}\n{author}, {}", str_at(result, time)));
    lines.push_text(str_at(result, "message"));
    if result["binary"] == true {
        lines.push("[a binary file]");
    }
    lines.push_text(str_at(result, "diff"));
    lines.push_rest(result);
    lines.finish("")
}
