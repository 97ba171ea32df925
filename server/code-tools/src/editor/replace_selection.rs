//! `replace_selection`: replaces the selected text.

use super::change::{self, EditTarget, Output, Params};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ReplaceSelection;

impl Tool for ReplaceSelection {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "replace_selection";
    const DESCRIPTION: &'static str = "Replace the person's selection with `content` in the \
        editor; one undo reverts it. Refused if the text there changed since the editor reported \
        it, or if there are several selections and `selection` does not choose one.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "content"), ("new_text", "content")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        change::effects(context, Self::NAME, params, EditTarget::Selection)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        change::run(context, Self::NAME, &params, EditTarget::Selection)
    }
}
