//! `git_conflicts`: lists and resolves merge conflicts.

use git::{Conflict, FileTarget, GitError, RepoLayout, RepoPath};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::repository_access::{
    display_path, find_repository, quoted_path, read_repo, resolve_path, write_repo,
};
use super::restore::{effects, restore};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GitConflicts;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// `list` (default) or `resolve`.
    #[serde(default)]
    action: Action,
    /// The file, relative to the workspace; `list` reports all by default.
    #[serde(default)]
    path: Option<String>,
    /// For `resolve`: the text to keep: `ours`, `theirs`, `both` (ours, then theirs) or `base`.
    #[serde(default)]
    side: Option<SideName>,
    /// For `resolve`: text that replaces the conflict, or the whole file.
    #[serde(default)]
    text: Option<String>,
    /// For `resolve`: which conflict of the file, 1-based; by default all.
    #[serde(default)]
    conflict: Option<usize>,
    /// The repository's folder; by default the one that contains `path`, or the workspace.
    #[serde(default)]
    repository: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    #[default]
    List,
    Resolve,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SideName {
    Ours,
    Theirs,
    Both,
    Base,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Files with unresolved conflicts.
    files: Vec<ConflictedFile>,
    /// For `resolve`: whether the file has no conflicts left and is staged.
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved: Option<bool>,
    /// For `resolve`: id of the action in the history.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    /// The operation in progress: `merge`, `rebase`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'static str>,
    /// Whether texts were cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct ConflictedFile {
    /// The path, relative to the workspace.
    path: String,
    /// The quoted path, if it is not valid text.
    #[serde(skip_serializing_if = "Option::is_none")]
    raw: Option<String>,
    /// Which versions exist: `base`, `ours`, `theirs`; a missing side deleted the file.
    sides: Vec<&'static str>,
    /// The conflicts.
    conflicts: Vec<ConflictOutput>,
}

#[derive(Serialize, JsonSchema)]
struct ConflictOutput {
    /// First line, 1-based.
    start_line: usize,
    /// Last line.
    end_line: usize,
    /// Our side.
    ours: Side,
    /// Their side.
    theirs: Side,
    /// The common ancestor, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    base: Option<Side>,
}

#[derive(Serialize, JsonSchema)]
struct Side {
    /// Its label.
    label: String,
    /// Its lines.
    text: String,
}

/// Limits for all texts of a result and for one, in bytes.
const MAX_TOTAL_BYTES: usize = 100_000;
const MAX_TEXT_BYTES: usize = 10_000;

fn layout(
    context: &Context<'_>,
    params: &Params,
) -> Result<(RepoLayout, Option<RepoPath>), ToolError> {
    let tool = GitConflicts::NAME;
    let named = params.repository.as_deref();
    let layout = find_repository(context, tool, named, params.path.as_deref())?;
    let path = match &params.path {
        Some(path) => Some(resolve_path(context, tool, &layout, named.is_some(), path)?),
        None => None,
    };
    Ok((layout, path.filter(|path| !path.as_bytes().is_empty())))
}

/// The new state of the file.
fn target(
    context: &Context<'_>,
    layout: &RepoLayout,
    path: &RepoPath,
    params: &Params,
) -> Result<FileTarget, ToolError> {
    let tool = GitConflicts::NAME;
    let invalid = |what: &str| Err(ToolError::new(Code::InvalidParams, format!("{tool}: {what}")));
    if params.side.is_some() == params.text.is_some() {
        return invalid("give `side` or `text`");
    }
    // A file that one side deleted has no conflict markers: take a side as a whole.
    let stages = read_repo(context, tool, layout, |repo| repo.stages())?;
    let Some(stages) = stages.into_iter().find(|stages| stages.path == *path) else {
        let message = format!("{tool}: {}: no merge has left it open", display_path(layout, path));
        return Err(ToolError::new(Code::NoMatch, message));
    };
    let whole = |side: usize| read_repo(context, tool, layout, |repo| repo.side_target(path, side));
    let is_deleted = stages.sides[1].is_none() || stages.sides[2].is_none();
    if let (None, Some(side)) = (params.conflict, params.side)
        && (is_deleted || side == SideName::Base)
    {
        return match side {
            SideName::Base => whole(0),
            SideName::Ours => whole(1),
            SideName::Theirs => whole(2),
            SideName::Both => invalid("one side has deleted the file: `ours` or `theirs`"),
        };
    }
    let Some(file) = layout.file(path) else { return invalid("no such file") };
    let found = context.snapshot.read(&file)?;
    let old = found.text.to_string();
    let conflicts = git::conflicts(&old);
    let text = match (params.conflict, &params.text) {
        (None, Some(text)) => text.clone(),
        (number, text) => {
            let chosen: Vec<&Conflict> = match number {
                Some(number) => conflicts.iter().skip(number.wrapping_sub(1)).take(1).collect(),
                None => conflicts.iter().collect(),
            };
            if chosen.is_empty() {
                let message = format!(
                    "{tool}: {}: holds {} conflicts between markers",
                    display_path(layout, path),
                    conflicts.len()
                );
                return Err(ToolError::new(Code::NoMatch, message));
            }
            let replace = |conflict: &Conflict| match (params.side, text) {
                (_, Some(text)) => text.clone(),
                (Some(SideName::Theirs), _) => conflict.theirs.text.clone(),
                (Some(SideName::Both), _) => {
                    format!("{}{}", conflict.ours.text, conflict.theirs.text)
                }
                (Some(SideName::Base), _) => {
                    conflict.base.as_ref().map(|base| base.text.clone()).unwrap_or_default()
                }
                _ => conflict.ours.text.clone(),
            };
            let mut out = String::with_capacity(old.len());
            for (number, line) in old.split_inclusive('\n').enumerate() {
                let number = number + 1;
                match chosen.iter().find(|c| (c.start..=c.end).contains(&number)) {
                    None => out.push_str(line),
                    Some(conflict) if number == conflict.start => out.push_str(&replace(conflict)),
                    Some(_) => {}
                }
            }
            out
        }
    };
    let executable = matches!(stages.sides[1], Some((_, 0o100_755)));
    Ok(FileTarget {
        path: path.clone(),
        content: Some((found.encode(&text), executable)),
        is_link: false,
    })
}

impl Tool for GitConflicts {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "git_conflicts";
    const DESCRIPTION: &'static str = "List unresolved merge conflicts with both sides, or \
        `resolve` one or all of a file with a side or a text. A file without conflicts left is \
        staged. Open documents change in the editor; `undo_action` restores the text.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("file_path", "path")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (layout, path) = layout(context, params)?;
        if params.action == Action::List {
            return Ok(vec![Effect::read_tree(layout.folder())]);
        }
        let path = path.ok_or_else(|| {
            ToolError::new(Code::InvalidParams, format!("{}: `path` is missing", Self::NAME))
        })?;
        let target = target(context, &layout, &path, params)?;
        let own = Effect::repository(&layout.git_folder);
        Ok(std::iter::once(own).chain(effects(&layout, &[target])).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (layout, path) = layout(context, &params)?;
        let mut resolved = None;
        let mut action = None;
        if let (Action::Resolve, Some(path)) = (params.action, &path) {
            let target = target(context, &layout, path, &params)?;
            let is_gone = target.content.is_none();
            let done = restore(context, Self::NAME, &layout, vec![target])?;
            action = done.action;
            let now = context.workspace.snapshot();
            let left = layout.file(path).and_then(|file| now.read(&file).ok());
            let left = left.map_or(0, |file| git::conflicts(&file.text.to_string()).len());
            let is_whole = params.conflict.is_none();
            if is_gone || left == 0 || (is_whole && params.text.is_some()) {
                let unsaved: git::UnsavedFiles = now
                    .unsaved()
                    .into_iter()
                    .filter_map(|(file, bytes)| Some((layout.repo_path(&file)?, bytes)))
                    .collect();
                let budget = &context.budget();
                write_repo(context, Self::NAME, &layout, |repo| {
                    repo.stage(std::slice::from_ref(path), &unsaved, budget)
                })?;
                resolved = Some(true);
            } else {
                resolved = Some(false);
            }
        }
        let (stages, operation) = read_repo(context, Self::NAME, &layout, |repo| {
            Ok::<_, GitError>((repo.stages()?, repo.operation()))
        })?;
        let now = context.workspace.snapshot();
        let mut output =
            Output { files: Vec::new(), resolved, action, operation, truncated: false };
        let mut left = MAX_TOTAL_BYTES;
        for stages in stages {
            if path.as_ref().is_some_and(|path| !stages.path.is_in(path)) {
                continue;
            }
            let names = ["base", "ours", "theirs"].into_iter().zip(stages.sides);
            let sides = names.filter(|(_, side)| side.is_some()).map(|(name, _)| name).collect();
            let file = layout.file(&stages.path);
            let file = file.filter(|file| context.may_read(file));
            let text = file.and_then(|file| now.read(&file).ok()).map(|file| file.text.to_string());
            let mut conflicts = Vec::new();
            for conflict in git::conflicts(&text.unwrap_or_default()) {
                conflicts.push(conflict_output(conflict, &mut left, &mut output.truncated));
            }
            output.files.push(ConflictedFile {
                path: display_path(&layout, &stages.path),
                raw: quoted_path(&layout, &stages.path),
                sides,
                conflicts,
            });
        }
        Ok(output)
    }
}

fn conflict_output(conflict: Conflict, left: &mut usize, is_cut: &mut bool) -> ConflictOutput {
    let mut side = |side: git::ConflictSide| {
        let room = MAX_TEXT_BYTES.min(*left).min(side.text.len());
        let end = side.text.floor_char_boundary(room);
        *is_cut |= end < side.text.len();
        *left -= end;
        Side { label: side.label, text: side.text[..end].to_owned() }
    };
    ConflictOutput {
        start_line: conflict.start,
        end_line: conflict.end,
        ours: side(conflict.ours),
        theirs: side(conflict.theirs),
        base: conflict.base.map(side),
    }
}
