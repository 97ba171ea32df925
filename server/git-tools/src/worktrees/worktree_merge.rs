//! `worktree_merge`: merges a work tree's branch into the workspace's, or previews that.

use git::{
    CommitOptions, FileChange, GitError, MergeKind, MergePreview, Repo, RepoPath, StatusOptions,
    UnsavedFiles,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::commit_output::FileChangeOutput;
use super::super::diff_page::may_read;
use super::super::failure::from_git_error;
use super::super::repository_access::{display_path, read_repo, write_repo};
use super::changed_symbols::{ChangedSymbol, symbols_both_changed};
use super::{FoundWorktree, find_worktree};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{list_at, str_at},
};

pub(crate) struct WorktreeMerge;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The worktree's name or branch.
    worktree: String,
    /// Report what the merge would do, and change nothing.
    #[serde(default)]
    dry_run: bool,
    /// First commit all changes in the worktree, with this message.
    #[serde(default)]
    commit: Option<String>,
    /// The merge commit's message.
    #[serde(default)]
    message: Option<String>,
    /// Make a merge commit even if the branch could be fast-forwarded.
    #[serde(default)]
    no_ff: bool,
    /// The repository's folder; by default the one that contains the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// `up_to_date`, `fast_forward`, `merge`, or, in a dry run, `conflicts`.
    result: &'static str,
    /// The workspace's commit afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The commit of the worktree's changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    committed: Option<String>,
    /// The files that change in the workspace.
    files: Vec<FileChangeOutput>,
    /// Files that git cannot merge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    conflicts: Vec<BothSides>,
    /// Files that git can merge although both sides changed the same symbols: read them again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    review: Vec<BothSides>,
    /// Changes in the worktree that are not committed, so not part of the merge.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    uncommitted: Vec<String>,
    /// Whether a list was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct BothSides {
    /// The path, relative to the workspace.
    path: String,
    /// Which versions exist: `base`, `ours`, `theirs`.
    sides: Vec<&'static str>,
    /// The symbols that both sides changed; null if the file's language is not known.
    symbols: Option<Vec<ChangedSymbol>>,
}

/// What is known before the merge.
struct Preview {
    merge: MergePreview,
    conflicts: Vec<BothSides>,
    review: Vec<BothSides>,
}

/// Limit for each list.
const MAX_FILES: usize = 1_000;
/// Limit for files whose symbols are compared.
const MAX_COMPARED: usize = 100;

impl Tool for WorktreeMerge {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "worktree_merge";
    const DESCRIPTION: &'static str = "Merge a git worktree's branch into the workspace's branch. \
        `dry_run` previews it: files, conflicts, and which functions and classes both sides \
        changed. Conflicts, or files with unsaved or uncommitted changes, refuse the merge as a \
        whole.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "worktree"), ("branch", "worktree"), ("preview", "dry_run")];

    fn text(result: &Value) -> Option<String> {
        let mut lines = vec![str_at(result, "result").to_owned()];
        if let Some(commit) = result["commit"].as_str() {
            lines[0].push_str(&format!(" at {}", commit.chars().take(10).collect::<String>()));
        }
        for one in list_at(result, "files") {
            lines.push(format!("{} {}", str_at(one, "status"), str_at(one, "path")));
        }
        for (field, word) in [("conflicts", "conflict"), ("review", "both changed")] {
            for one in list_at(result, field) {
                lines.push(format!("{word} {}", str_at(one, "path")));
                for symbol in list_at(one, "symbols") {
                    lines.push(format!(
                        "  {} {}: ours {}, theirs {}",
                        str_at(symbol, "kind"),
                        str_at(symbol, "name"),
                        str_at(symbol, "ours"),
                        str_at(symbol, "theirs")
                    ));
                }
            }
        }
        for path in list_at(result, "uncommitted") {
            lines.push(format!("uncommitted {}", path.as_str().unwrap_or_default()));
        }
        Some(lines.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let repository = params.repository.as_deref();
        let found = find_worktree(context, Self::NAME, repository, &params.worktree)?;
        if params.dry_run {
            return Ok(vec![Effect::read_tree(found.layout.folder())]);
        }
        let preview = preview(context, &found, found.tip(Self::NAME)?)?;
        let mut paths: Vec<RepoPath> =
            preview.merge.files.into_iter().map(|changed| changed.path).collect();
        if params.commit.is_some() {
            paths.extend(uncommitted(context, &found)?);
        }
        let mut effects = vec![Effect::repository(&found.layout.common_folder)];
        effects.extend(write_effects(&found, &paths));
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let repository = params.repository.as_deref();
        let found = find_worktree(context, Self::NAME, repository, &params.worktree)?;
        let changed = uncommitted(context, &found)?;
        if params.dry_run {
            let preview = preview(context, &found, found.tip(Self::NAME)?)?;
            return Ok(preview_output(context, &found, preview, &changed));
        }
        let committed = match (&params.commit, changed.is_empty()) {
            (_, true) => None,
            (Some(message), false) => Some(commit_changes(context, &found, message)?),
            (None, false) => {
                let paths: Vec<_> = changed.iter().map(RepoPath::to_string_lossy).collect();
                let message = format!(
                    "{}: {}: has {} uncommitted files, which would not be merged",
                    Self::NAME,
                    found.worktree.name,
                    paths.len()
                );
                return Err(ToolError::new(Code::Conflict, message)
                    .hint("`commit: \"message\"` commits them first")
                    .details(json!({ "files": &paths[..paths.len().min(MAX_FILES)] })));
            }
        };
        let tip = match committed {
            Some(commit) => commit,
            None => found.tip(Self::NAME)?,
        };
        merge(context, &found, &params, tip)
            .map_err(|error| match committed {
                Some(commit) => {
                    let hint = error.hint.clone().unwrap_or_default();
                    error.hint(format!(
                        "the worktree's changes are committed there as {commit:.10}. {hint}"
                    ))
                }
                None => error,
            })
            .map(|output| Output { committed: committed.map(|id| id.to_string()), ..output })
    }
}

impl FoundWorktree {
    /// Its current commit, if it can be opened.
    fn tip(&self, tool: &str) -> Result<git::Oid, ToolError> {
        self.opened(tool)?;
        self.worktree.commit.ok_or_else(|| {
            let message = format!("{tool}: {}: has no commit", self.worktree.name);
            ToolError::new(Code::Conflict, message)
        })
    }
}

fn merge(
    context: &Context<'_>,
    found: &FoundWorktree,
    params: &Params,
    tip: git::Oid,
) -> Result<Output, ToolError> {
    let tool = WorktreeMerge::NAME;
    let preview = preview(context, found, tip)?;
    if !preview.conflicts.is_empty() {
        let (count, first) = (preview.conflicts.len(), &preview.conflicts[0].path);
        let message = format!("{tool}: {count} files have conflicts: {first}, …; nothing changed");
        return Err(ToolError::new(Code::Conflict, message)
            .hint("merge the workspace's branch in the worktree, resolve there, and call again")
            .details(json!({ "conflicts": preview.conflicts })));
    }
    let paths: Vec<RepoPath> =
        preview.merge.files.iter().map(|changed| changed.path.clone()).collect();
    if !write_effects(found, &paths).iter().all(|effect| context.is_granted(effect)) {
        let message = format!("{tool}: other files differ than a moment ago");
        return Err(ToolError::new(Code::Conflict, message).hint("call again"));
    }
    let message = params.message.clone().unwrap_or_else(|| {
        let branch = found.worktree.branch.as_deref().unwrap_or(&found.worktree.name);
        format!("Merge branch '{branch}'")
    });
    // Typed since the call began: such a document must not change on disk.
    let now = context.workspace.snapshot();
    let unsaved: UnsavedFiles = now
        .unsaved()
        .into_iter()
        .filter_map(|(file, bytes)| Some((found.layout.repo_path(&file)?, bytes)))
        .collect();
    let budget = &context.budget();
    let merged = write_repo(context, tool, &found.layout, |repo| {
        repo.merge(tip, &message, params.no_ff, &unsaved, budget)
    })?;
    context.workspace.files_may_have_changed();
    let (files, truncated) = outputs(context, found, &merged.files);
    Ok(Output {
        result: kind_name(merged.kind),
        commit: Some(merged.commit.to_string()),
        committed: None,
        files,
        conflicts: Vec::new(),
        review: preview.review,
        uncommitted: Vec::new(),
        truncated,
    })
}

/// Commits everything in the work tree.
fn commit_changes(
    context: &Context<'_>,
    found: &FoundWorktree,
    message: &str,
) -> Result<git::Oid, ToolError> {
    let order = CommitOptions {
        message: Some(message.to_owned()),
        files: Some(vec![RepoPath::default()]),
        amend: false,
        allow_empty: false,
    };
    let budget = &context.budget();
    let layout = found.opened(WorktreeMerge::NAME)?;
    let made = write_repo(context, WorktreeMerge::NAME, layout, |repo| {
        repo.commit(&order, &UnsavedFiles::default(), budget)
    })?;
    Ok(made.id)
}

/// The files with uncommitted changes in the work tree.
fn uncommitted(context: &Context<'_>, found: &FoundWorktree) -> Result<Vec<RepoPath>, ToolError> {
    let tool = WorktreeMerge::NAME;
    let options = StatusOptions { paths: Vec::new(), all_untracked: true };
    let (budget, unsaved) = (&context.budget(), UnsavedFiles::default());
    let status = read_repo(context, tool, found.opened(tool)?, |repo| {
        repo.status_with_budget(&options, &unsaved, budget)
    })?;
    if let Some(operation) = status.operation {
        let what = format!("{}: a {operation} is in progress there", found.worktree.name);
        return Err(from_git_error(tool, GitError::Conflict { what }));
    }
    let mut paths: Vec<RepoPath> = Vec::new();
    for changed in status.staged.into_iter().chain(status.unstaged) {
        paths.push(changed.path);
        paths.extend(changed.old_path);
    }
    paths.extend(status.untracked);
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn preview(
    context: &Context<'_>,
    found: &FoundWorktree,
    tip: git::Oid,
) -> Result<Preview, ToolError> {
    let tool = WorktreeMerge::NAME;
    let budget = &context.budget();
    let look = |repo: &Repo, merge: &MergePreview| {
        let symbols = |path: &RepoPath, sides, number: usize| {
            (number < MAX_COMPARED)
                .then(|| symbols_both_changed(repo, path, sides, context.interrupt))
                .flatten()
        };
        let mut conflicts = Vec::new();
        for (number, conflict) in merge.conflicts.iter().enumerate() {
            let names = ["base", "ours", "theirs"].into_iter().zip(conflict.sides);
            conflicts.push(BothSides {
                path: display_path(&found.layout, &conflict.path),
                sides: names.filter(|(_, side)| side.is_some()).map(|(name, _)| name).collect(),
                symbols: symbols(&conflict.path, conflict.sides, number),
            });
        }
        let mut review = Vec::new();
        for (number, both) in merge.merged.iter().enumerate() {
            let found_symbols = symbols(&both.path, both.sides.map(Some), number);
            if let Some(symbols) = found_symbols.filter(|symbols| !symbols.is_empty()) {
                review.push(BothSides {
                    path: display_path(&found.layout, &both.path),
                    sides: vec!["base", "ours", "theirs"],
                    symbols: Some(symbols),
                });
            }
        }
        (conflicts, review)
    };
    let (merge, (conflicts, review)) = read_repo(context, tool, &found.layout, |repo| {
        found.layout.check_whole()?;
        repo.preview_merge(tip, budget, look)
    })?;
    context.check_interrupt(tool)?;
    Ok(Preview { merge, conflicts, review })
}

fn preview_output(
    context: &Context<'_>,
    found: &FoundWorktree,
    preview: Preview,
    changed: &[RepoPath],
) -> Output {
    let (files, truncated) = outputs(context, found, &preview.merge.files);
    let is_open = !preview.conflicts.is_empty();
    Output {
        result: if is_open { "conflicts" } else { kind_name(preview.merge.kind) },
        commit: None,
        committed: None,
        files,
        conflicts: preview.conflicts,
        review: preview.review,
        uncommitted: changed.iter().take(MAX_FILES).map(RepoPath::to_string_lossy).collect(),
        truncated: truncated || changed.len() > MAX_FILES,
    }
}

fn outputs(
    context: &Context<'_>,
    found: &FoundWorktree,
    files: &[FileChange],
) -> (Vec<FileChangeOutput>, bool) {
    let may = may_read(context, &found.layout);
    let shown = files.iter().filter(|changed| may(&changed.path)).take(MAX_FILES);
    let outputs = shown.map(|changed| FileChangeOutput::from_change(&found.layout, changed));
    (outputs.collect(), files.len() > MAX_FILES)
}

fn write_effects(found: &FoundWorktree, paths: &[RepoPath]) -> Vec<Effect> {
    let files = paths.iter().filter_map(|path| found.layout.file(path));
    files.map(|file| Effect::write(&file)).collect()
}

fn kind_name(kind: MergeKind) -> &'static str {
    match kind {
        MergeKind::UpToDate => "up_to_date",
        MergeKind::FastForward => "fast_forward",
        MergeKind::Merge => "merge",
    }
}
