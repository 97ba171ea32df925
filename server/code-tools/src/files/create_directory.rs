//! `create_directory`: creates a folder and its missing parents.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use workspace::{Change, FileError, FileKind, FilePath};

use super::entry::Output;
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    entries::{commit, destination_path},
};

pub(crate) struct CreateDirectory;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The folder. Missing parents are created.
    path: String,
}

impl Tool for CreateDirectory {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "create_directory";
    const ALIASES: &'static [&'static str] = &["create_dir", "make_directory"];
    const DESCRIPTION: &'static str = "Create a folder and its missing parents. If it exists \
        already, `changed` is false.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("dir", "path"), ("directory", "path"), ("dir_path", "path")];

    fn text(result: &Value) -> Option<String> {
        Some(super::entry::text("created", result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let path = destination_path(context.snapshot.locate(&params.path))?;
        Ok(match is_there(context, &path)? {
            true => vec![Effect::read(&path)],
            false => vec![Effect::write(&path)],
        })
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let path = destination_path(context.snapshot.locate(&params.path))?;
        let committed = commit(context, Self::NAME, || {
            let change = Change::Folder { path: path.clone() };
            Ok((!is_there(context, &path)?).then_some(change))
        })?;
        let output = Output::new(&path, FileKind::Directory);
        Ok(match committed {
            Some(committed) => output.committed(&committed, None),
            None => output,
        })
    }
}

/// Whether the folder exists; an error if something else has its path.
fn is_there(context: &Context<'_>, path: &FilePath) -> Result<bool, ToolError> {
    match context.snapshot.entry(path) {
        Ok(entry) if entry.kind == FileKind::Directory => Ok(true),
        Ok(_) => {
            let message = format!(
                "create_directory: {}: exists already, and is no folder",
                path.display_path()
            );
            Err(ToolError::new(Code::Exists, message))
        }
        Err(FileError::NotFound { .. }) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
