//! `find_referencing_symbols`: where a symbol is used.

use schemars::JsonSchema;
use serde::Deserialize;

use super::uses;
use crate::names::{MOST_UNSURE, WithUnsure, unsure_places};
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
        let most = if params.include_unsure { MOST_UNSURE } else { 0 };
        let mut unsure = (0, Vec::new());
        let sure =
            uses::answer(context, Self::NAME, &params.symbol, |snapshot, document, offset| {
                let found = snapshot.uses(document, offset, false, most, context.interrupt)?;
                unsure = (found.unsure_count, unsure_places(context, &found.unsure));
                Ok(found.sure)
            })?;
        Ok(WithUnsure::new(sure, unsure.0, unsure.1))
    }
}
