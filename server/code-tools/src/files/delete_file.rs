//! `delete_file`: moves a file, link or folder to the trash.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::{Change, FileKind, FilePath, Folder};

use super::entry::Output;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    entries::{check_approved, check_root, commit, entry},
    results::delete_effects,
};

pub(crate) struct DeleteFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file, folder or link: relative to the workspace, absolute inside it, or a file: URI. A
    /// link is deleted itself, not its target.
    path: String,
    /// Required to delete a folder and its content.
    #[serde(default)]
    recursive: bool,
    /// Delete a folder if it is empty.
    #[serde(default)]
    if_empty: bool,
}

impl Tool for DeleteFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "delete_file";
    const DESCRIPTION: &'static str = "Delete a file, a link or (with `recursive`) a folder. It is \
        moved to a trash outside the workspace in one step; `undo_action` restores it. A document \
        with unsaved changes is not deleted.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Delete];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(super::entry::text("deleted", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = target(context, params)?;
        let entry = entry(context, &path)?;
        check_kind(entry.kind, &path, params)?;
        delete_effects(context, &entry)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let path = target(context, &params)?;
        let mut kind = FileKind::File;
        let committed = commit(context, Self::NAME, || {
            let entry = entry(context, &path)?;
            check_kind(entry.kind, &path, &params)?;
            check_approved(context, &path)?;
            kind = entry.kind;
            Ok(Some(Change::Remove { entry }))
        })?;
        let output = Output::new(&path, kind);
        Ok(match committed {
            Some(committed) => output.committed(&committed, None),
            None => output,
        })
    }
}

fn target(context: &Context<'_>, params: &Params) -> Result<FilePath, ToolError> {
    let path = context.snapshot.locate_entry(&params.path)?;
    check_root(&path, "delete_file")?;
    Ok(path)
}

fn check_kind(kind: FileKind, path: &FilePath, params: &Params) -> Result<(), ToolError> {
    if kind != FileKind::Directory || params.recursive {
        return Ok(());
    }
    if params.if_empty {
        if Folder::open(path)?.entries()?.is_empty() {
            return Ok(());
        }
        let message = format!("delete_file: {}: the folder is not empty", path.display_path());
        return Err(ToolError::new(Code::InvalidParams, message)
            .hint("delete what is in it first, or pass `recursive: true` instead of `if_empty`"));
    }
    let message = format!("delete_file: {}: is a folder", path.display_path());
    Err(ToolError::new(Code::InvalidParams, message)
        .hint("`recursive: true` deletes it with everything in it"))
}
