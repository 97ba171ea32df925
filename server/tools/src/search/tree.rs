//! Entries of folders as a list and as a tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{FileKind, Folder, FolderEntry};

use super::page::{Cost, json_bytes};

/// What stands in a folder.
#[derive(Serialize, JsonSchema)]
pub(super) struct Entry {
    /// Its name.
    name: String,
    /// Its path: relative to the workspace; absolute in any root but the first.
    path: String,
    /// `file`, `directory`, `link` or `other`.
    kind: &'static str,
    /// How many levels below the folder asked for: 1 is what stands in it.
    depth: usize,
    /// A file's size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// What a link says it leads to.
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<String>,
}

impl Entry {
    /// The entry of `folder`, shown as `path`.
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

    /// About what it takes of an answer, its line of the tree included.
    pub(super) fn cost(&self) -> Cost {
        let texts = json_bytes(&self.name) * 2 + json_bytes(&self.path);
        let target = self.target.as_deref().map_or(0, |target| 2 * json_bytes(target) + 16);
        Cost { bytes: texts + target + 90 + 4 * self.depth.min(200), lines: 1 }
    }
}

/// The entries, which are in path order, as lines indented by their depth. Folders end in `/`,
/// links show what they say they lead to.
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

/// A name on one line, whatever it holds.
fn visible(name: &str) -> String {
    if name.chars().any(char::is_control) { name.escape_debug().to_string() } else { name.into() }
}

/// The path below the root of an entry.
pub(super) fn path_of(folder: &Folder, name: &OsStr) -> Vec<u8> {
    let mut path = Vec::new();
    folder.path_of(name.as_bytes(), &mut path);
    path
}
