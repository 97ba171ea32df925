//! `copy_file`: copies a file or a whole folder.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::{Change, FileKind, FilePath, Source};

use super::entry::Output;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    entries::{check_approved, check_root, commit, destination_path, entry, entry_to_overwrite},
    results::{create_effects, delete_effects},
};

pub(crate) struct CopyFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file or folder to copy.
    source: String,
    /// Path of the copy, including its name. Missing parent folders are created.
    destination: String,
    /// Replace an existing destination; the replaced entry goes to the trash.
    #[serde(default)]
    overwrite: bool,
}

impl Tool for CopyFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "copy_file";
    const DESCRIPTION: &'static str = "Copy a file or a folder with its content. Modes, times and \
        extended attributes are kept; links inside a folder are copied as links. The copy appears \
        in one step. An existing `destination` is replaced only with `overwrite`. `undo_action` \
        reverts it.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("src", "source"),
        ("from", "source"),
        ("source_path", "source"),
        ("dest", "destination"),
        ("dst", "destination"),
        ("to", "destination"),
        ("destination_path", "destination"),
    ];

    fn text(result: &Value) -> Option<String> {
        Some(super::entry::text("copied", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (from, to) = source_and_target(context, params)?;
        let entry = entry(context, &from)?;
        check_copied(entry.kind, &from)?;
        let over = entry_to_overwrite(context, Self::NAME, &entry, &to, params.overwrite)?;
        let mut effects = vec![match entry.kind {
            FileKind::Directory => Effect::read_tree(&from),
            _ => Effect::read(&from),
        }];
        effects.extend(create_effects(context, &entry, &to)?);
        if let Some(over) = over {
            effects.extend(delete_effects(context, &over)?);
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (from, to) = source_and_target(context, &params)?;
        let (mut kind, mut replaced) = (FileKind::File, None);
        let committed =
            commit(context, Self::NAME, || {
                let entry = entry(context, &from)?;
                check_copied(entry.kind, &from)?;
                kind = entry.kind;
                check_approved(context, &from)?;
                check_approved(context, &to)?;
                replaced = entry_to_overwrite(context, Self::NAME, &entry, &to, params.overwrite)?;
                Ok(Some(unsaved(context, &from, &to, replaced.is_some())?.unwrap_or_else(|| {
                    Change::Copy { entry, to: to.clone(), over: replaced.clone() }
                })))
            })?;
        let output = Output::new(&to, kind).from(&from);
        Ok(match committed {
            Some(committed) => output.committed(&committed, replaced.as_ref()),
            None => output,
        })
    }
}

/// The unsaved text of an open document: it is copied instead of the file on disk, just as
/// `read_file` reads it.
fn unsaved(
    context: &Context<'_>,
    from: &FilePath,
    to: &FilePath,
    replaces: bool,
) -> Result<Option<Change>, ToolError> {
    let now = context.workspace.snapshot();
    if replaces || now.open_document(from).is_none() {
        return Ok(None);
    }
    let file = now.read(from)?;
    let on_disk = now.read_bytes(from)?;
    let is_saved = on_disk.hash == file.hash;
    if !matches!(file.source, Source::Open(_)) || is_saved {
        return Ok(None);
    }
    Ok(Some(Change::Create { path: to.clone(), text: file.text.to_string() }))
}

fn source_and_target(
    context: &Context<'_>,
    params: &Params,
) -> Result<(FilePath, FilePath), ToolError> {
    let from = context.snapshot.locate(&params.source)?;
    let to = destination_path(context.snapshot.locate_entry(&params.destination))?;
    check_root(&to, "copy_file: destination")?;
    if to.absolute().starts_with(from.absolute()) || from.absolute().starts_with(to.absolute()) {
        let message = format!(
            "copy_file: {} and {} lie inside each other, or are the same",
            from.display_path(),
            to.display_path()
        );
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok((from, to))
}

fn check_copied(kind: FileKind, path: &FilePath) -> Result<(), ToolError> {
    if kind != FileKind::Special {
        return Ok(());
    }
    let message = format!("copy_file: {}: is a FIFO, socket or device", path.display_path());
    Err(ToolError::new(Code::Unsupported, message))
}
