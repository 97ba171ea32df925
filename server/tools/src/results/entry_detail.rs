//! What an approval displays of entries that will be created or deleted.

use workspace::{Entry, FileKind, FilePath, Folder};

use super::diff;
use crate::Context;

/// Limit for the entries of a folder that are listed.
const MAX_LISTED: usize = 200;
/// Largest file whose text is displayed, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 10;
const NULL_DEVICE: &str = "/dev/null";

/// Describes the content that would be deleted with `entry`.
pub(super) fn deletion_detail(context: &Context<'_>, entry: &Entry) -> Option<String> {
    entry_detail(context, entry, |text| diff(&entry.path.display_path(), NULL_DEVICE, text, ""))
}

/// Describes the content that would be created at `to`, as a copy of `entry`.
pub(super) fn creation_detail(
    context: &Context<'_>,
    entry: &Entry,
    to: &FilePath,
) -> Option<String> {
    entry_detail(context, entry, |text| diff(NULL_DEVICE, &to.display_path(), "", text))
}

fn entry_detail(
    context: &Context<'_>,
    entry: &Entry,
    displayed: impl FnOnce(&str) -> String,
) -> Option<String> {
    let found = context.snapshot.metadata(&entry.path).ok()?;
    Some(match entry.kind {
        FileKind::File if found.size > MAX_FILE_BYTES => format!("a file of {} bytes", found.size),
        FileKind::File => match context.snapshot.read(&entry.path) {
            Ok(file) => displayed(&file.text.to_string()),
            Err(_) => format!("a file of {} bytes that is no text", found.size),
        },
        FileKind::Link => format!("a link to {}", found.link_target.unwrap_or_default()),
        FileKind::Directory => folder_listing(&entry.path),
        FileKind::Special => found.kind.as_str().to_owned(),
    })
}

/// The content of a folder, upper levels first.
fn folder_listing(top: &FilePath) -> String {
    let (mut lines, mut todo) = (Vec::new(), std::collections::VecDeque::from([top.clone()]));
    let mut is_whole = true;
    'all: while let Some(path) = todo.pop_front() {
        let listed = Folder::open(&path).and_then(|folder| Ok((folder.entries()?, folder)));
        let Ok((entries, folder)) = listed else {
            is_whole = false;
            continue;
        };
        for entry in entries {
            if lines.len() == MAX_LISTED {
                is_whole = false;
                break 'all;
            }
            let path = folder.entry(&entry.name);
            let is_folder = entry.kind == FileKind::Directory;
            // A line break in a name would make one entry look like two.
            let displayed = path.display_path().replace('\n', "\\n");
            lines.push(format!("{displayed}{}", if is_folder { "/" } else { "" }));
            if is_folder {
                todo.push_back(path);
            }
        }
    }
    lines.sort_unstable();
    if !is_whole {
        lines.push("[left out: what else it holds]".to_owned());
    }
    if lines.is_empty() { "an empty folder".to_owned() } else { lines.join("\n") }
}
