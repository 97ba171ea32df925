//! `git_status`: changed files, branch and upstream.

use git::{Status, StatusOptions};
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::commit_output::FileChangeOutput;
use super::diff_page::may_read;
use super::repository_access::{
    display_path, find_repository, quoted_path, read_repo, resolve_path, unsaved_files,
};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, list_at, number_at, str_at, strings_at},
};

pub(crate) struct GitStatus;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A path in the repository, relative to the workspace; below the repository's top, limits the
    /// result to it.
    #[serde(default)]
    path: Option<String>,
    /// The repository's folder; by default the one that contains `path`, or the workspace.
    #[serde(default)]
    repository: Option<String>,
    /// List every untracked file instead of untracked folders.
    #[serde(default)]
    all_untracked: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The repository's top, relative to the workspace.
    repository: String,
    /// The branch; null if HEAD is detached.
    branch: Option<String>,
    /// The last commit; null if there is none.
    commit: Option<String>,
    /// The upstream branch.
    upstream: Option<String>,
    /// Commits that the upstream lacks.
    ahead: usize,
    /// Commits that only the upstream has.
    behind: usize,
    /// Staged changes.
    staged: Vec<FileChangeOutput>,
    /// Unstaged changes; unsaved text of documents included.
    unstaged: Vec<FileChangeOutput>,
    /// Untracked files; folders end in a slash.
    untracked: Vec<String>,
    /// Files with unresolved conflicts; see `git_conflicts`.
    conflicts: Vec<Conflict>,
    /// The operation in progress: `merge`, `rebase`, `cherry-pick`, `revert`, `bisect`, `am`.
    operation: Option<&'static str>,
    /// Submodules.
    submodules: Vec<Submodule>,
    /// Other work trees.
    worktrees: Vec<WorkTree>,
    /// Whether its settings name programs (hooks, filters, signing) that do not run because the
    /// workspace is not trusted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    programs_not_run: bool,
    /// Whether a list was cut; narrow it with `path`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Conflict {
    /// The path, relative to the workspace.
    path: String,
    /// The quoted path, if it is not valid text.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    /// Which versions exist: `base`, `ours`, `theirs`.
    sides: Vec<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Submodule {
    /// The path, relative to the workspace.
    path: String,
    /// Whether it is checked out.
    present: bool,
}

#[derive(Serialize, JsonSchema)]
struct WorkTree {
    /// Its name.
    name: String,
    /// Its folder.
    path: String,
    /// Whether it is locked.
    locked: bool,
}

/// Limit for each list.
const MAX_ENTRIES: usize = 1_000;

impl Tool for GitStatus {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_status";
    const DESCRIPTION: &'static str = "Staged, unstaged and untracked files, branch, distance to \
        the upstream, conflicts, and the operation in progress. Unsaved text of open documents \
        included. Runs nothing that the repository names.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let layout = find_repository(
            context,
            Self::NAME,
            params.repository.as_deref(),
            params.path.as_deref(),
        )?;
        Ok(vec![Effect::read_tree(layout.folder())])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let named = params.repository.as_deref();
        let layout = find_repository(context, Self::NAME, named, params.path.as_deref())?;
        let mut question =
            StatusOptions { all_untracked: params.all_untracked, ..StatusOptions::default() };
        if let Some(path) = &params.path {
            let path = resolve_path(context, Self::NAME, &layout, named.is_some(), path)?;
            question.paths.extend(Some(path).filter(|path| !path.as_bytes().is_empty()));
        }
        let unsaved = unsaved_files(context, &layout);
        let budget = &context.budget();
        let mut status = read_repo(context, Self::NAME, &layout, |repo| {
            repo.status_with_budget(&question, &unsaved, budget)
        })?;
        if context.session.policy.hides_files() {
            remove_hidden(context, &layout, &mut status);
        }
        Ok(output(&layout, status))
    }
}

/// Removes files that rules hide; not even their names are returned.
fn remove_hidden(context: &Context<'_>, layout: &git::RepoLayout, status: &mut Status) {
    let may = may_read(context, layout);
    for list in [&mut status.staged, &mut status.unstaged] {
        list.retain(|changed| may(&changed.path));
        for changed in list {
            changed.old_path = changed.old_path.take().filter(&may);
        }
    }
    status.untracked.retain(|path| may(path));
    status.conflicts.retain(|conflict| may(&conflict.path));
}

fn output(layout: &git::RepoLayout, mut status: Status) -> Output {
    let is_long = [status.staged.len(), status.unstaged.len(), status.untracked.len()];
    let truncated = is_long.into_iter().any(|length| length > MAX_ENTRIES);
    status.untracked.truncate(MAX_ENTRIES);
    let entries = |list: &[git::FileChange]| {
        list.iter()
            .take(MAX_ENTRIES)
            .map(|changed| FileChangeOutput::from_change(layout, changed))
            .collect()
    };
    let sides = |sides: [bool; 3]| {
        let names = ["base", "ours", "theirs"].into_iter().zip(sides);
        names.filter(|(_, is)| *is).map(|(name, _)| name).collect()
    };
    Output {
        repository: layout.display_path(),
        branch: status.head.branch,
        commit: status.head.commit.map(|id| id.to_string()),
        upstream: status.head.upstream,
        ahead: status.head.ahead.unwrap_or_default(),
        behind: status.head.behind.unwrap_or_default(),
        staged: entries(&status.staged),
        unstaged: entries(&status.unstaged),
        // Return invalid text in a form that can be passed back.
        untracked: status
            .untracked
            .iter()
            .map(|path| quoted_path(layout, path).unwrap_or_else(|| display_path(layout, path)))
            .collect(),
        conflicts: status
            .conflicts
            .iter()
            .take(MAX_ENTRIES)
            .map(|conflict| Conflict {
                path: display_path(layout, &conflict.path),
                raw: quoted_path(layout, &conflict.path),
                sides: sides(conflict.sides),
            })
            .collect(),
        operation: status.operation,
        submodules: status
            .submodules
            .iter()
            .take(MAX_ENTRIES)
            .map(|module| Submodule {
                path: display_path(layout, &module.path),
                present: module.is_present,
            })
            .collect(),
        worktrees: status
            .work_trees
            .into_iter()
            .take(MAX_ENTRIES)
            .map(|tree| WorkTree { name: tree.name, path: tree.path, locked: tree.is_locked })
            .collect(),
        programs_not_run: layout.wants_programs && layout.trust == git::Trust::Untrusted,
        truncated,
    }
}

/// The status as `git status --short --branch` prints it.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let branch = result["branch"].as_str().unwrap_or("HEAD (detached)");
    let upstream = result["upstream"].as_str().map_or_else(String::new, |u| format!("...{u}"));
    let (ahead, behind) = (number_at(result, "ahead"), number_at(result, "behind"));
    let distance = match (ahead, behind) {
        (0, 0) => String::new(),
        (ahead, 0) => format!(" [ahead {ahead}]"),
        (0, behind) => format!(" [behind {behind}]"),
        (ahead, behind) => format!(" [ahead {ahead}, behind {behind}]"),
    };
    lines.push(format_args!("## {branch}{upstream}{distance}"));
    if let Some(operation) = result["operation"].as_str() {
        lines.push(format_args!("[{operation} in progress]"));
    }
    for conflict in list_at(result, "conflicts") {
        lines.push(format_args!("UU {}", str_at(conflict, "path")));
    }
    // A file may be staged and changed again.
    let mut changes: BTreeMap<&str, (char, char, &str)> = BTreeMap::new();
    for change in list_at(result, "staged") {
        let letter = status_letter(str_at(change, "status"));
        changes.insert(str_at(change, "path"), (letter, ' ', str_at(change, "from")));
    }
    for change in list_at(result, "unstaged") {
        let letter = status_letter(str_at(change, "status"));
        let entry = changes.entry(str_at(change, "path"));
        entry.or_insert((' ', ' ', str_at(change, "from"))).1 = letter;
    }
    for (path, (staged, unstaged, from)) in changes {
        let from = if from.is_empty() { String::new() } else { format!("{from} -> ") };
        lines.push(format_args!("{staged}{unstaged} {from}{path}"));
    }
    for path in strings_at(result, "untracked") {
        lines.push(format_args!("?? {path}"));
    }
    if result["programs_not_run"] == true {
        lines.push("[hooks, filters and signing do not run: the workspace is not trusted]");
    }
    lines.push_rest(result);
    lines.finish("")
}

fn status_letter(status: &str) -> char {
    match status {
        "type_changed" => 'T',
        status => status.chars().next().map_or('?', |first| first.to_ascii_uppercase()),
    }
}
