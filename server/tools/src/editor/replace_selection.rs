//! `replace_selection`: what the person has selected, replaced.

use super::change::{self, At, Output, Params};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ReplaceSelection;

impl Tool for ReplaceSelection {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "replace_selection";
    const DESCRIPTION: &'static str = "Replace what the person has selected by `content`, in \
        their editor, where one undo takes it back. Refused where the text has changed in that \
        place since the editor reported it, or where several places are selected and `selection` \
        does not say which.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Write];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("text", "content"), ("new_text", "content")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        change::effects(context, Self::NAME, params, At::Selection)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        change::run(context, Self::NAME, &params, At::Selection)
    }
}
