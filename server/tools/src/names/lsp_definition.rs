//! `lsp_definition`: where a name is defined.

use super::locations::{self, Output, Params};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspDefinition;

impl Tool for LspDefinition {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_definition";
    const DESCRIPTION: &'static str = "Where a name is defined. Works without a build and on unsaved text. Each place says by what rule it was found and how sure that is; several that could be meant come surest first; where nothing is sure, `locations` is empty.";
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
            |snapshot, at| snapshot.definition(&at.document, at.offset, context.interrupt),
        )
    }
}
