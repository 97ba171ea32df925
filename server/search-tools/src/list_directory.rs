//! `list_directory`: the entries of a folder.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{FileKind, Folder};

use super::cursor::{Cursor, query_hash};
use super::page::{Cost, FilePosition};
use super::scope;
use super::tree::{Entry, path_of, tree};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ListDirectory;

/// Limit for the depth, in levels.
const MAX_DEPTH: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The folder; the first root by default.
    #[serde(default)]
    path: Option<String>,
    /// Levels; 1 (direct content) by default. `.git` is not entered.
    #[serde(default)]
    max_depth: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The folder's path.
    path: String,
    /// The entries, sorted by path.
    entries: Vec<Entry>,
    /// The same as an indented tree.
    tree: String,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

impl Tool for ListDirectory {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "list_directory";
    const ALIASES: &'static [&'static str] = &["list_dir"];
    const DESCRIPTION: &'static str = "List the entries of a folder, as a list and as a tree, \
        including hidden and ignored ones. Links are listed with their targets, not followed.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("dir", "path"), ("directory", "path"), ("depth", "max_depth")];
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
        let depth = params.max_depth.unwrap_or(1).clamp(1, MAX_DEPTH);
        let path = params.path.as_deref().unwrap_or_default();
        let mark = query_hash(&[Self::NAME, path, &depth.to_string()]);
        let cursor = params.cursor.as_deref();
        let after = cursor.map(|c| Cursor::parse(Self::NAME, c, mark)).transpose()?;
        let folder = scope::folder(Self::NAME, &start.path)?;
        let displayed = scope::display_path(context, start.root, folder.relative());
        let mut list = DirectoryLister {
            context,
            root: start.root,
            depth,
            after,
            entries: Vec::new(),
            room: Cost::default(),
            last: None,
        };
        let is_whole = list.folder(&folder, 1)?;
        let next = list.last.take().filter(|_| !is_whole);
        Ok(Output {
            tree: tree(&displayed, &list.entries),
            path: displayed,
            entries: list.entries,
            truncated: !is_whole,
            next_cursor: next.map(|place| Cursor { place, line: 0 }.encode(mark)),
        })
    }
}

struct DirectoryLister<'a> {
    context: &'a Context<'a>,
    root: usize,
    depth: usize,
    after: Option<Cursor>,
    entries: Vec<Entry>,
    room: Cost,
    last: Option<FilePosition>,
}

impl DirectoryLister<'_> {
    /// Lists a folder recursively; false once the page is full.
    fn folder(&mut self, folder: &Folder, depth: usize) -> Result<bool, ToolError> {
        self.context.check_interrupt(ListDirectory::NAME)?;
        for entry in folder.entries()? {
            let path = path_of(folder, &entry.name);
            let is_left = self.after.as_ref().is_none_or(|c| c.is_before(self.root, &path));
            if !is_left || !self.context.may_read(&folder.entry(&entry.name)) {
                continue;
            }
            let place = FilePosition { root: self.root, path };
            let is_new = self.after.as_ref().is_none_or(|cursor| place > cursor.place);
            if is_new {
                let displayed = scope::display_path(self.context, self.root, &place.path);
                let item = Entry::new(folder, &entry, displayed, depth);
                self.room.add(item.cost());
                if !self.entries.is_empty() && self.room.is_over() {
                    return Ok(false);
                }
                self.entries.push(item);
                self.last = Some(place);
            }
            if entry.kind == FileKind::Directory
                && depth < self.depth
                // Git's own files would fill the page.
                && entry.name != ".git"
                // An unreadable folder is listed without content.
                && let Ok(below) = folder.folder(&entry.name)
                && !self.folder(&below, depth + 1)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
