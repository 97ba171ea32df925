//! `find_implementations`: what implements a symbol.

use schemars::JsonSchema;
use serde::Deserialize;

use super::uses;
use crate::names::{Unsure, WithUnsure, most_unsure};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindImplementations;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    symbol: uses::Params,
    /// List what `unsure` counts.
    #[serde(default)]
    include_unsure: bool,
}

impl Tool for FindImplementations {
    type Params = Params;
    type Output = WithUnsure<uses::Output>;
    const NAME: &'static str = "find_implementations";
    const DESCRIPTION: &'static str = "What implements a symbol: the types below a type, the members that override a member, a trait's `impl`s, what fulfils a Go interface. `unsure` counts what may.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.symbol.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<WithUnsure<uses::Output>, ToolError> {
        let most = most_unsure(params.include_unsure);
        let mut unsure = Unsure::default();
        let sure =
            uses::answer(context, Self::NAME, &params.symbol, |snapshot, document, offset| {
                let found = snapshot.implementations(document, offset, most, context.interrupt)?;
                Ok(unsure.take(context, found))
            })?;
        Ok(WithUnsure::new(sure, unsure))
    }
}
