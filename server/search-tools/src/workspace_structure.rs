//! `get_workspace_structure`: the upper levels of the workspace's tree.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::FileKind;

use super::page::FilePosition;
use super::scope;
use super::tree::{Entry, path_of, tree};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct WorkspaceStructure;

/// Default and largest depth and number of entries.
const DEFAULT_DEPTH: usize = 2;
const DEFAULT_LIMIT: usize = 50;
const MAX_DEPTH: usize = 20;
const MAX_LIMIT: usize = 200;

/// Folders filled by tools, excluded even if no ignore file lists them.
pub(super) const EXCLUDED_FOLDERS: &[&str] = &[
    ".cache",
    ".eggs",
    ".git",
    ".gradle",
    ".hg",
    ".idea",
    ".mypy_cache",
    ".next",
    ".nox",
    ".nuxt",
    ".parcel-cache",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".terraform",
    ".tox",
    ".venv",
    ".vs",
    "__pycache__",
    "bower_components",
    "node_modules",
    "target",
    "venv",
];

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The folder; the first root by default.
    #[serde(default)]
    path: Option<String>,
    /// Levels: 2 by default, at most 20.
    #[serde(default)]
    depth: Option<usize>,
    /// Number of entries: 50 by default, at most 200. Upper levels come first.
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The folder's path.
    path: String,
    /// The entries as an indented tree.
    tree: String,
    /// The entries, sorted by path.
    entries: Vec<Entry>,
    /// Whether there are more within the depth.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl Tool for WorkspaceStructure {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "get_workspace_structure";
    const DESCRIPTION: &'static str = "Show the tree of the workspace, upper levels first. Ignored \
        files and generated folders (`.git`, `node_modules`, `target`, `__pycache__`, …) are \
        excluded.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("max_depth", "depth"), ("max_results", "limit")];
    const VERBOSE_FIELDS: &'static [&'static str] = &["entries"];

    fn text(result: &Value) -> Option<String> {
        Some(super::tree::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let start = scope::single_root(context, params.path.as_deref())?;
        Ok(vec![Effect::read_tree(&start.path)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let start = scope::single_root(context, params.path.as_deref())?;
        let depth = params.depth.unwrap_or(DEFAULT_DEPTH).clamp(1, MAX_DEPTH);
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let top = scope::folder(Self::NAME, &start.path)?;
        let displayed = scope::display_path(context, start.root, top.relative());
        let (mut found, mut truncated) = (Vec::new(), false);
        let mut folders = VecDeque::from([top]);
        'folders: while let Some(mut folder) = folders.pop_front() {
            context.check_interrupt(Self::NAME)?;
            folder.load_ignore_rules();
            let level = folder.depth() + 1;
            for entry in folder.entries()? {
                let is_folder = entry.kind == FileKind::Directory;
                let is_common = EXCLUDED_FOLDERS.iter().any(|common| entry.name == *common);
                if (is_folder && is_common)
                    || folder.ignores(&entry.name, entry.kind)
                    || !context.may_read(&folder.entry(&entry.name))
                {
                    continue;
                }
                if found.len() == limit {
                    truncated = true;
                    break 'folders;
                }
                let path = path_of(&folder, &entry.name);
                let name = scope::display_path(context, start.root, &path);
                let item = Entry::new(&folder, &entry, name, level);
                found.push((FilePosition { root: start.root, path }, item));
                // An unreadable folder is listed without content.
                if is_folder
                    && level < depth
                    && let Ok(below) = folder.folder(&entry.name)
                {
                    folders.push_back(below);
                }
            }
        }
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        let entries: Vec<Entry> = found.into_iter().map(|(_, entry)| entry).collect();
        Ok(Output { tree: tree(&displayed, &entries), path: displayed, entries, truncated })
    }
}
