//! `insert_at_cursor`: text put where the cursor is.

use super::change::{self, At, Output, Params};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct InsertAtCursor;

impl Tool for InsertAtCursor {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "insert_at_cursor";
    const DESCRIPTION: &'static str = "Put `content` where the cursor of the person is, in their \
        editor, where one undo takes it back. What is selected stays. Refused where the text has \
        changed in that place since the editor reported it, or where there are several cursors \
        and `selection` does not say which.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "content"), ("new_text", "content")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        change::effects(context, Self::NAME, params, At::Cursor)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        change::run(context, Self::NAME, &params, At::Cursor)
    }
}
