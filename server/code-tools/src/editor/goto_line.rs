//! `goto_line`: moves the cursor in the active file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::SelectionError;

use super::editor_position::{line_and_column, locate_document, offset, selection_error};
use super::show::show;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct GotoLine;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Line, 1-based.
    line: usize,
    /// Column, 1-based, in UTF-16 units; 1 by default.
    #[serde(default)]
    column: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The active file; relative to the workspace if inside.
    path: String,
    /// Line of the cursor, 1-based.
    line: usize,
    /// Column of the cursor, 1-based, in UTF-16 units.
    column: usize,
}

impl Tool for GotoLine {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "goto_line";
    const DESCRIPTION: &'static str = "Move the person's cursor to a line of the active file. The \
        line must exist.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("line_number", "line")];

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let uri = context.snapshot.editor().active();
        let uri = uri.ok_or_else(|| selection_error(Self::NAME, &SelectionError::NoActive))?;
        let (_, path) = locate_document(&context.snapshot, uri);
        Ok(path.iter().map(Effect::read).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let uri = snapshot.editor().active();
        let uri = uri.ok_or_else(|| selection_error(Self::NAME, &SelectionError::NoActive))?;
        let (displayed, path) = locate_document(snapshot, uri);
        let text = match (snapshot.document(uri), path) {
            (Some(document), _) => document.text().clone(),
            (None, Some(path)) => snapshot.read(&path)?.text,
            (None, None) => {
                let message =
                    format!("goto_line: {displayed}: is outside the workspace, and not open");
                return Err(ToolError::new(Code::PathForbidden, message));
            }
        };
        let at = offset(&text, &displayed, params.line, params.column)?;
        let (line, column) = line_and_column(&text, at);
        show(context, Self::NAME, &displayed, uri.clone(), Some((text, at)))?;
        Ok(Output { path: displayed, line, column })
    }
}
