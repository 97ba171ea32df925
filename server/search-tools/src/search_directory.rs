//! `search_directory`: finds folders by part of their name.

use std::collections::VecDeque;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::FileKind;

use super::find::Substring;
use super::scope;
use super::tree::path_of;
use super::workspace_structure::EXCLUDED_FOLDERS;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct SearchDirectory;

const DEFAULT_DEPTH: usize = 3;
const MAX_DEPTH: usize = 20;
const DEFAULT_RESULTS: usize = 20;
const MAX_RESULTS: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Part of the folder's name. Case matters only if it has a capital.
    name: String,
    /// Where to search; the first root by default.
    #[serde(default)]
    path: Option<String>,
    /// Levels: 3 by default, at most 20.
    #[serde(default)]
    max_depth: Option<usize>,
    /// 20 by default, at most 200.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The folders, upper levels first.
    directories: Vec<DirectoryOutput>,
    /// Whether there are more within the depth.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct DirectoryOutput {
    /// Relative to the workspace; absolute outside the first root.
    path: String,
    /// Its name.
    name: String,
    /// Levels below the searched folder.
    depth: usize,
}

impl Tool for SearchDirectory {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "search_directory";
    const DESCRIPTION: &'static str = "Find folders by part of their name, upper levels first. \
        Ignored and generated folders are excluded.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] = &[r#"{"name": "src", "path": "."}"#];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("pattern", "name"),
        ("query", "name"),
        ("base", "path"),
        ("depth", "max_depth"),
        ("limit", "max_results"),
    ];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let start = scope::single_root(context, params.path.as_deref())?;
        Ok(vec![Effect::read_tree(&start.path)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if params.name.is_empty() {
            let message = format!("{}: `name` is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("`get_workspace_structure` shows all folders"));
        }
        let start = scope::single_root(context, params.path.as_deref())?;
        let depth = params.max_depth.unwrap_or(DEFAULT_DEPTH).clamp(1, MAX_DEPTH);
        let limit = params.max_results.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        let name = Substring::new(&params.name);
        let mut directories = Vec::new();
        let mut folders = VecDeque::from([scope::folder(Self::NAME, &start.path)?]);
        while let Some(mut folder) = folders.pop_front() {
            context.check_interrupt(Self::NAME)?;
            folder.load_ignore_rules();
            let level = folder.depth() + 1;
            // An unreadable folder has no content.
            for entry in folder.entries().unwrap_or_default() {
                if entry.kind != FileKind::Directory
                    || EXCLUDED_FOLDERS.iter().any(|excluded| entry.name == *excluded)
                    || folder.ignores(&entry.name, entry.kind)
                    || !context.may_read(&folder.entry(&entry.name))
                {
                    continue;
                }
                if name.is_in(entry.name.as_encoded_bytes()) {
                    if directories.len() == limit {
                        return Ok(Output { directories, truncated: true });
                    }
                    let path = path_of(&folder, &entry.name);
                    directories.push(DirectoryOutput {
                        path: scope::display_path(context, start.root, &path),
                        name: entry.name.to_string_lossy().into_owned(),
                        depth: level,
                    });
                }
                if level < depth
                    && let Ok(below) = folder.folder(&entry.name)
                {
                    folders.push_back(below);
                }
            }
        }
        Ok(Output { directories, truncated: false })
    }
}
