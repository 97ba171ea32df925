//! `lsp_references`: where a name is used.

use schemars::JsonSchema;
use serde::Deserialize;

use super::locations::{self, Output};
use super::place::Place;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspReferences;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: Place,
    /// Also where it is defined. True by default.
    #[serde(default = "yes")]
    include_declaration: bool,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

fn yes() -> bool {
    true
}

impl Tool for LspReferences {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_references";
    const DESCRIPTION: &'static str = "Where a name is used: each place that means the same, and \
        no others that are only spelled alike. In order of file and place, 200 to a result.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let declaration = params.include_declaration;
        locations::answer(context, Self::NAME, &params.place, params.cursor.as_deref(), |at| {
            let (snapshot, interrupt) = (&context.snapshot, context.interrupt);
            let mut found = snapshot.references(&at.document, at.offset, declaration, interrupt)?;
            found.sort_by(|a, b| (&a.uri, a.name_span.start).cmp(&(&b.uri, b.name_span.start)));
            Ok(found)
        })
    }
}
