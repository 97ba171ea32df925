//! `lsp_implementation`: the implementations of a name.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::locations;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Unsure, WithUnsure, max_unsure},
};

pub(crate) struct LspImplementation;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    name: locations::Params,
    /// List the uncertain ones, too.
    #[serde(default)]
    include_unsure: bool,
}

impl Tool for LspImplementation {
    type Params = Params;
    type Output = WithUnsure<locations::Output>;
    const NAME: &'static str = "lsp_implementation";
    const DESCRIPTION: &'static str = "Implementations of a name: subtypes of a type, members that \
        override a member. `unsure` counts uncertain ones.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] = &["locations[].origin"];

    fn text(result: &Value) -> Option<String> {
        Some(locations::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.name.place.effects(context)
    }

    fn run(
        context: &Context<'_>,
        params: Params,
    ) -> Result<WithUnsure<locations::Output>, ToolError> {
        let most = max_unsure(params.include_unsure);
        let mut unsure = Unsure::default();
        let locations::Params { place, cursor } = params.name;
        let found = locations::find_locations(
            context,
            Self::NAME,
            &place,
            cursor.as_deref(),
            |snapshot, at| {
                let (document, interrupt) = (&at.document, context.interrupt);
                let found = snapshot.implementations(document, at.offset, most, interrupt)?;
                Ok(unsure.add(context, found))
            },
        )?;
        Ok(WithUnsure::new(found, unsure))
    }
}
