//! `file_exists`: whether a path exists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::EntryKind;

use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FileExists;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The path: relative to the workspace, absolute inside it, or a file: URI. Links are not
    /// followed.
    path: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether it exists, on disk or as an unsaved document.
    exists: bool,
    /// Whether it is a folder.
    is_directory: bool,
}

impl Tool for FileExists {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "file_exists";
    const DESCRIPTION: &'static str = "Whether a path exists, and whether it is a folder. A path \
        that cannot be inspected does not exist. `get_file_info` returns more.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("file_path", "path"), ("filepath", "path"), ("filename", "path")];
    const EXAMPLES: &'static [&'static str] = &[r#"{"path": "app.py"}"#, r#"{"path": "missing"}"#];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_entry(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let path = context.snapshot.locate_entry(&params.path)?;
        let found = context.snapshot.metadata(&path).ok();
        let is_directory = found.as_ref().is_some_and(|found| found.kind == EntryKind::Directory);
        let exists = found.is_some() || context.snapshot.open_document(&path).is_some();
        Ok(Output { exists, is_directory })
    }
}
