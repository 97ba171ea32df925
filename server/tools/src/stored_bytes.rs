//! Stores bytes that a tool received as a file: a transaction that can be undone.

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Change, ContentHash, FileError, FileKind, FilePath};

use crate::entries::{check_approved, check_root, commit, destination_path};
use crate::{Code, Context, Effect, ToolError};

/// A stored file.
#[derive(Debug, Serialize, JsonSchema)]
pub struct StoredFile {
    /// Its path, relative to the workspace.
    pub path: String,
    /// Its size in bytes.
    pub size: usize,
    /// SHA-256 of its content.
    pub hash: String,
    /// Whether an existing file was replaced; `undo_action` restores it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overwritten: bool,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
}

/// The effect of storing a tool's bytes at `written`, if a call names a file for them.
///
/// # Errors
/// As [`storage_path`].
pub fn storage_effect(
    context: &Context<'_>,
    tool: &str,
    written: Option<&str>,
    overwrite: bool,
) -> Result<Option<Effect>, ToolError> {
    let path =
        written.map(|written| storage_path(context, tool, written, overwrite)).transpose()?;
    Ok(path.as_ref().map(Effect::write))
}

/// The file at `written`, where bytes that are not known yet are to be stored.
///
/// # Errors
/// If it cannot be written: it exists and `overwrite` is false, or it is guarded. A person who is asked about
/// a guarded place sees what will be there, and here nobody knows that.
pub fn storage_path(
    context: &Context<'_>,
    tool: &str,
    written: &str,
    overwrite: bool,
) -> Result<FilePath, ToolError> {
    let path = destination_path(context.snapshot.locate(written))?;
    check_root(&path, tool)?;
    if context.asks_about(&path) {
        let message = format!(
            "{tool}: {}: writing there needs approval of the content, which is not known yet",
            path.display_path()
        );
        return Err(ToolError::new(Code::Denied, message)
            .hint("store it elsewhere, then use move_file or copy_file"));
    }
    if context.snapshot.open_document(&path).is_some() {
        let message = format!("{tool}: {}: is open in the editor", path.display_path());
        return Err(ToolError::new(Code::Conflict, message).hint("close it, or name another file"));
    }
    match context.snapshot.entry(&path) {
        Err(FileError::NotFound { .. }) => Ok(path),
        Err(error) => Err(error.into()),
        Ok(entry) if entry.kind != FileKind::File => {
            let message = format!("{tool}: {}: is no file", path.display_path());
            Err(ToolError::new(Code::Unsupported, message).hint("name a file"))
        }
        Ok(_) if overwrite => Ok(path),
        Ok(_) => {
            let message = format!("{tool}: {}: exists already", path.display_path());
            Err(ToolError::new(Code::Exists, message)
                .hint("`overwrite: true` replaces it; undo_action restores it"))
        }
    }
}

/// Stores `bytes` at `path`, which [`storage_path`] returned. Takes the write lock.
///
/// # Errors
/// If the file changed meanwhile, or cannot be written. Then nothing changed.
pub fn store_bytes(
    context: &Context<'_>,
    tool: &'static str,
    path: &FilePath,
    bytes: Vec<u8>,
    overwrite: bool,
) -> Result<StoredFile, ToolError> {
    let (size, hash) = (bytes.len(), ContentHash::digest(&bytes).to_string());
    let mut overwritten = false;
    let committed = commit(context, tool, || {
        check_approved(context, path)?;
        match context.workspace.snapshot().read_bytes(path) {
            Err(FileError::NotFound { .. }) => {
                let path = path.clone();
                Ok(Some(Change::CreateBinary { path, bytes, executable: false }))
            }
            Err(error) => Err(error.into()),
            Ok(_) if !overwrite => {
                let message = format!("{tool}: {}: exists by now", path.display_path());
                Err(ToolError::new(Code::Exists, message).hint("name another file"))
            }
            Ok(file) => {
                overwritten = true;
                Ok((file.bytes != bytes).then_some(Change::Bytes { file, after: bytes }))
            }
        }
    })?;
    let action = committed.and_then(|committed| committed.action).map(|id| id.to_string());
    Ok(StoredFile { path: path.display_path(), size, hash, overwritten, action })
}
