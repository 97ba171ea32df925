//! `lsp_definition`: the definition of a name.

use serde_json::Value;

use super::locations::{self, Output, Params};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspDefinition;

impl Tool for LspDefinition {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_definition";
    const DESCRIPTION: &'static str = "Where a name is defined. Works without a build and on \
        unsaved text. Each location has the rule that found it and a confidence; candidates come \
        most confident first; if nothing is certain enough, `locations` is empty.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] = &["locations[].origin"];

    fn text(result: &Value) -> Option<String> {
        Some(locations::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        locations::find_locations(
            context,
            Self::NAME,
            &params.place,
            params.cursor.as_deref(),
            |snapshot, at| snapshot.definition(&at.document, at.offset, context.interrupt),
        )
    }
}
