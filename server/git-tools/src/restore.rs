//! Restores files from git objects, by a transaction: open documents change in the editor, and the
//! action can be undone.

use git::{FileTarget, RepoLayout};
use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Change, FileError, FileKind, Source};

use super::repository_access::display_path;
use tools::{Code, Context, Effect, ToolError, from_commit_error};

/// The outcome.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Restored {
    /// The changed files, relative to the workspace.
    pub(super) files: Vec<String>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) action: Option<String>,
    /// Links and nested repositories, which are left alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) left: Vec<String>,
}

/// The effects of a restore, for policy.
pub(super) fn effects(layout: &RepoLayout, targets: &[FileTarget]) -> Vec<Effect> {
    let effect = |target: &FileTarget| {
        let file = layout.file(&target.path)?;
        Some(match target.content {
            Some(_) => Effect::write(&file),
            None => Effect::delete(&file),
        })
    };
    targets.iter().filter(|target| !target.is_link).filter_map(effect).collect()
}

/// Restores each target. All of them change, or none.
pub(super) fn restore(
    context: &Context<'_>,
    tool: &'static str,
    layout: &RepoLayout,
    targets: Vec<FileTarget>,
) -> Result<Restored, ToolError> {
    let cancelled =
        || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
    let turn = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
    let seen = context.workspace.snapshot();
    let mut restored = Restored::default();
    let mut changes = Vec::new();
    for target in targets {
        let name = display_path(layout, &target.path);
        let Some(file) = layout.file(&target.path).filter(|_| !target.is_link) else {
            restored.left.push(name);
            continue;
        };
        let entry = match seen.entry(&file) {
            Ok(entry) => Some(entry),
            Err(FileError::NotFound { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let change = match (target.content, entry) {
            (None, None) => continue,
            (None, Some(entry)) if entry.kind == FileKind::Directory => {
                restored.left.push(name);
                continue;
            }
            (None, Some(entry)) => Change::Remove { entry },
            (Some((bytes, executable)), None) => {
                Change::CreateBinary { path: file, bytes, executable }
            }
            (Some((bytes, _)), Some(entry)) if entry.kind == FileKind::File => {
                match change_to(&seen, file, bytes)? {
                    Some(change) => change,
                    None => continue,
                }
            }
            (Some(_), Some(_)) => {
                restored.left.push(name);
                continue;
            }
        };
        restored.files.push(name);
        changes.push(change);
    }
    if changes.is_empty() {
        return Ok(restored);
    }
    context.check_interrupt(tool)?;
    let committed = context
        .workspace
        .commit(&turn, tool, &seen, &changes, context.editor)
        .map_err(|error| from_commit_error(&error))?;
    restored.action = committed.action.map(|id| id.to_string());
    Ok(restored)
}

/// The change that gives a file other bytes; `None` if it has them already.
fn change_to(
    seen: &workspace::Snapshot,
    path: workspace::FilePath,
    bytes: Vec<u8>,
) -> Result<Option<Change>, ToolError> {
    if seen.open_document(&path).is_none() {
        let file = seen.read_bytes(&path)?;
        return Ok((file.bytes != bytes).then_some(Change::Bytes { file, after: bytes }));
    }
    let file = seen.read(&path)?;
    let Ok(decoded) = text::decode(bytes) else {
        let message = format!("{}: is open, and is to hold what is no text", path.display_path());
        return Err(ToolError::new(Code::Encoding, message).hint("close it in the editor first"));
    };
    let (old, after) = (file.text.to_string(), decoded.text);
    if old == after || !matches!(file.source, Source::Open(_)) {
        return Ok(None);
    }
    // Replace only the differing middle, so cursors elsewhere stay.
    let same = |a: &str, b: &str| a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    let start = old.floor_char_boundary(same(&old, &after));
    let start = after.floor_char_boundary(start);
    let (old_rest, new_rest) = (&old[start..], &after[start..]);
    let back = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b);
    let mut end = old_rest.len() - back.count();
    while !old_rest.is_char_boundary(end)
        || !new_rest.is_char_boundary(new_rest.len() - (old_rest.len() - end))
    {
        end += 1;
    }
    let new = new_rest[..new_rest.len() - (old_rest.len() - end)].to_owned();
    let edits = vec![(start..start + end, new)];
    Ok(Some(Change::Edit { file, edits, after }))
}

/// Refuses files that policy has not decided on: more files may differ now than then.
pub(super) fn check_approved(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    targets: &[FileTarget],
) -> Result<(), ToolError> {
    if effects(layout, targets).iter().all(|effect| context.is_granted(effect)) {
        return Ok(());
    }
    let message = format!("{tool}: other files differ than a moment ago");
    Err(ToolError::new(Code::Conflict, message).hint("call again"))
}
