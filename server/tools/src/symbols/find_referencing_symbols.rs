//! `find_referencing_symbols`: where a symbol is used.

use super::uses::{self, Output, Params};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindReferencingSymbols;

impl Tool for FindReferencingSymbols {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_referencing_symbols";
    const DESCRIPTION: &'static str = "Where a symbol is used: each place with its line, the symbol around it and how sure it is. Its definition is not among them.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        uses::answer(context, Self::NAME, &params, |document, offset| {
            context.snapshot.references(document, offset, false, context.interrupt)
        })
    }
}
