//! `insert_at_cursor`: inserts text at the cursor.

use super::change::{self, EditTarget, Output, Params};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct InsertAtCursor;

impl Tool for InsertAtCursor {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "insert_at_cursor";
    const DESCRIPTION: &'static str = "Insert `content` at the person's cursor in the editor; one \
        undo reverts it. Selected text stays. Refused if the text there changed since the editor \
        reported its cursor, or if there are several cursors and `selection` does not choose one.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "content"), ("new_text", "content")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        change::effects(context, Self::NAME, params, EditTarget::Cursor)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        change::run(context, Self::NAME, &params, EditTarget::Cursor)
    }
}
