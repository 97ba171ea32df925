//! `move_file`: a file, link or folder gets another path.

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::{Change, FileKind, FilePath};

use super::entry::{Output, check_approved, check_root, comes, commit, entry, goes, over, place};
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct MoveFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What is moved: a file, a folder, or a link itself.
    source: String,
    /// Its path afterwards, its name included. Folders on the way are created.
    destination: String,
    /// Replace what stands there; it goes to the trash.
    #[serde(default)]
    overwrite: bool,
}

impl Tool for MoveFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "move_file";
    const ALIASES: &'static [&'static str] = &["rename_file"];
    const DESCRIPTION: &'static str = "Move or rename a file, a folder or a link, in one step; \
        `destination` is the whole new path. What exists there is replaced with `overwrite` only, \
        and `undo_action` puts everything back.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write, EffectKind::Delete];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("src", "source"),
        ("from", "source"),
        ("source_path", "source"),
        ("old_path", "source"),
        ("dest", "destination"),
        ("dst", "destination"),
        ("to", "destination"),
        ("destination_path", "destination"),
        ("new_path", "destination"),
    ];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (from, to) = ends(context, params)?;
        let entry = entry(context, &from)?;
        let over = over(context, Self::NAME, &entry, &to, params.overwrite || from == to)?;
        let mut effects = goes(context, &entry)?;
        effects.extend(comes(context, &entry, &to)?);
        if let Some(over) = over.filter(|_| from != to) {
            effects.extend(goes(context, &over)?);
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (from, to) = ends(context, &params)?;
        let (mut kind, mut replaced) = (FileKind::File, None);
        let committed = commit(context, Self::NAME, || {
            let entry = entry(context, &from)?;
            kind = entry.kind;
            if from == to {
                return Ok(None);
            }
            check_approved(context, &from)?;
            check_approved(context, &to)?;
            replaced = over(context, Self::NAME, &entry, &to, params.overwrite)?;
            Ok(Some(Change::Rename { entry, to: to.clone(), over: replaced.clone() }))
        })?;
        let output = Output::new(&to, kind).from(&from);
        Ok(match committed {
            Some(committed) => output.committed(&committed, replaced.as_ref()),
            None => output,
        })
    }
}

fn ends(context: &Context<'_>, params: &Params) -> Result<(FilePath, FilePath), ToolError> {
    let from = context.snapshot.locate_entry(&params.source)?;
    let to = place(context.snapshot.locate_entry(&params.destination))?;
    check_root(&from, "move_file: source")?;
    check_root(&to, "move_file: destination")?;
    if from != to && to.absolute().starts_with(from.absolute()) {
        let message = format!("move_file: {}: cannot be moved into itself", from.shown());
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok((from, to))
}
