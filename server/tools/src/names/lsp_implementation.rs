//! `lsp_implementation`: what implements a name.

use super::locations::{self, Output, Params};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspImplementation;

impl Tool for LspImplementation {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_implementation";
    const DESCRIPTION: &'static str =
        "What implements a name: the types below a type, the members that override a member.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        locations::answer(
            context,
            Self::NAME,
            &params.place,
            params.cursor.as_deref(),
            |snapshot, at| snapshot.implementation(&at.document, at.offset, context.interrupt),
        )
    }
}
