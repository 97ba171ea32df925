//! `find_referencing_symbols`: the uses of a symbol.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::uses;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Unsure, WithUnsure, max_unsure},
};

pub(crate) struct FindReferencingSymbols;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    symbol: uses::Params,
    /// List the uncertain uses, too.
    #[serde(default)]
    include_unsure: bool,
}

impl Tool for FindReferencingSymbols {
    type Params = Params;
    type Output = WithUnsure<uses::Output>;
    const NAME: &'static str = "find_referencing_symbols";
    const DESCRIPTION: &'static str = "Uses of a symbol: each with its line, the symbol that \
        contains it, and a confidence. The definition is not included. `unsure` counts uses that \
        may refer to it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] =
        &["places[].hash", "places[].origin", "places[].symbol_kind", "places[].symbol_line"];

    fn text(result: &Value) -> Option<String> {
        Some(uses::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.symbol.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<WithUnsure<uses::Output>, ToolError> {
        let most = max_unsure(params.include_unsure);
        let mut unsure = Unsure::default();
        let sure =
            uses::find_uses(context, Self::NAME, &params.symbol, |snapshot, document, offset| {
                let found = snapshot.uses(document, offset, false, most, context.interrupt)?;
                Ok(unsure.add(context, found))
            })?;
        Ok(WithUnsure::new(sure, unsure))
    }
}
