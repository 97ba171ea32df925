//! `lsp_declaration`: the declaration of a name.

use serde_json::Value;

use super::locations::{self, Output, Params};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspDeclaration;

impl Tool for LspDeclaration {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_declaration";
    const DESCRIPTION: &'static str = "Where a name is declared: a prototype in a header, or the \
        interface or trait member that a method implements; otherwise its definition.";
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
            |snapshot, at| snapshot.declaration(&at.document, at.offset, context.interrupt),
        )
    }
}
