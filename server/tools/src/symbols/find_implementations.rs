//! `find_implementations`: what implements a symbol.

use super::uses::{self, Output, Params};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindImplementations;

impl Tool for FindImplementations {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "find_implementations";
    const DESCRIPTION: &'static str = "What implements a symbol: the types below a type, the members that override a member, a trait's `impl`s, what fulfils a Go interface.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        uses::answer(context, Self::NAME, &params, |snapshot, document, offset| {
            snapshot.implementation(document, offset, context.interrupt)
        })
    }
}
