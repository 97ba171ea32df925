//! `find_referencing_symbols`: where a symbol is used.

use schemars::JsonSchema;
use serde::Deserialize;

use super::uses;
use crate::names::{Unsure, WithUnsure, most_unsure};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct FindReferencingSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    symbol: uses::Params,
    /// List the uses that `unsure` counts.
    #[serde(default)]
    include_unsure: bool,
}

impl Tool for FindReferencingSymbols {
    type Params = Params;
    type Output = WithUnsure<uses::Output>;
    const NAME: &'static str = "find_referencing_symbols";
    const DESCRIPTION: &'static str = "Where a symbol is used: each place with its line, the symbol around it and how sure it is. Its definition is not among them. `unsure` counts further uses that may mean it.";
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
                let found = snapshot.uses(document, offset, false, most, context.interrupt)?;
                Ok(unsure.take(context, found))
            })?;
        Ok(WithUnsure::new(sure, unsure))
    }
}
