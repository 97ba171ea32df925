//! Folder entries as a list and as an indented tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{FileKind, Folder, FolderEntry};

use super::page::{Cost, json_bytes};
use tools::results::{Lines, str_at};

/// An entry of a folder.
#[derive(Serialize, JsonSchema)]
pub(super) struct Entry {
    /// Its name.
    name: String,
    /// Relative to the workspace; absolute outside the first root.
    path: String,
    /// `file`, `directory`, `link` or `other`.
    kind: &'static str,
    /// Levels below the requested folder; 1 is its direct content.
    depth: usize,
    /// A file's size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// A link's target as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

impl Entry {
    /// The entry of `folder`, with `path` as its displayed path.
    pub(super) fn new(folder: &Folder, entry: &FolderEntry, path: String, depth: usize) -> Self {
        let is = |kind| entry.kind == kind;
        let target = if is(FileKind::Link) { folder.link_target(&entry.name) } else { None };
        Self {
            name: entry.name.to_string_lossy().into_owned(),
            path,
            kind: match entry.kind {
                FileKind::File => "file",
                FileKind::Directory => "directory",
                FileKind::Link => "link",
                FileKind::Special => "other",
            },
            depth,
            size: if is(FileKind::File) { folder.size(&entry.name) } else { None },
            target: target.map(|target| target.to_string_lossy().into_owned()),
        }
    }

    /// Its approximate part of the output budget, including its line in the tree.
    pub(super) fn cost(&self) -> Cost {
        let texts = json_bytes(&self.name) * 2 + json_bytes(&self.path);
        let target = self.target.as_deref().map_or(0, |target| 2 * json_bytes(target) + 16);
        Cost { bytes: texts + target + 90 + 4 * self.depth.min(200), lines: 1 }
    }
}

/// The entries, sorted by path, as lines indented by depth. Folders end in `/`; links show their
/// targets.
pub(super) fn tree(top: &str, entries: &[Entry]) -> String {
    let mut tree = format!("{}/\n", visible(top.trim_end_matches('/')));
    for entry in entries {
        tree.extend(std::iter::repeat_n("  ", entry.depth));
        tree.push_str(&visible(&entry.name));
        match &entry.target {
            Some(target) => tree.push_str(&format!(" -> {}", visible(target))),
            None if entry.kind == "directory" => tree.push('/'),
            None => {}
        }
        tree.push('\n');
    }
    tree
}

/// The tree of a result.
pub(super) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    lines.push_text(str_at(result, "tree"));
    lines.push_rest(result);
    lines.finish("an empty folder")
}

/// A name on one line: control characters escaped.
fn visible(name: &str) -> String {
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.into() }
}

/// The path of an entry below the root.
pub(super) fn path_of(folder: &Folder, name: &OsStr) -> Vec<u8> {
    let mut path = Vec::new();
    folder.path_of(name.as_bytes(), &mut path);
    path
}
