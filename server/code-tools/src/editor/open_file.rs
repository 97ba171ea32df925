//! `open_file`: shows a file to the person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{EntryKind, FileError, uri_of_path};

use super::editor_position::{line_and_column, offset};
use super::show::show;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct OpenFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: relative to the workspace, absolute inside it, or a file: URI.
    path: String,
    /// Line for the cursor, 1-based.
    #[serde(default)]
    line: Option<usize>,
    /// Column for the cursor, 1-based, in UTF-16 units; 1 by default.
    #[serde(default)]
    column: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The file, relative to the workspace.
    path: String,
    /// Line of the cursor, if requested; 1-based.
    line: Option<usize>,
    /// Column of the cursor, 1-based, in UTF-16 units.
    column: Option<usize>,
}

impl Tool for OpenFile {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "open_file";
    const DESCRIPTION: &'static str = "Show a file in the person's editor, with the cursor at \
        `line` and `column` if given. File and position must exist.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file_path", "path"),
        ("filepath", "path"),
        ("filename", "path"),
        ("line_number", "line"),
    ];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&params.path)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let path = snapshot.locate(&params.path)?;
        let displayed = path.display_path();
        let document = snapshot.open_document(&path);
        if document.is_none() {
            match snapshot.metadata(&path)?.kind {
                EntryKind::File => {}
                EntryKind::Directory => {
                    return Err(FileError::IsDirectory { path: displayed }.into());
                }
                kind => {
                    return Err(
                        FileError::NotRegular { path: displayed, what: kind.as_str() }.into()
                    );
                }
            }
        }
        let place = match (params.line, params.column) {
            (None, None) => None,
            (None, Some(_)) => {
                let message = "open_file: a `column` is of a `line`, which is missing";
                return Err(ToolError::new(Code::InvalidParams, message));
            }
            (Some(line), column) => {
                let text = snapshot.read(&path)?.text;
                let at = offset(&text, &displayed, line, column)?;
                Some((text, at))
            }
        };
        let cursor = place.as_ref().map(|(text, at)| line_and_column(text, *at));
        let uri =
            document.map_or_else(|| uri_of_path(&path.absolute()).into(), |d| d.uri().clone());
        show(context, Self::NAME, &displayed, uri, place)?;
        let (line, column) = cursor.unzip();
        Ok(Output { path: displayed, line, column })
    }
}
