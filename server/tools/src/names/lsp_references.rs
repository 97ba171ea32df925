//! `lsp_references`: where a name is used.

use schemars::JsonSchema;
use serde::Deserialize;

use super::locations;
use super::place::Place;
use super::unsure::{Unsure, WithUnsure, most_unsure};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspReferences;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: Place,
    /// Also where it is defined. True by default.
    #[serde(default = "yes")]
    include_declaration: bool,
    /// List the uses that `unsure` counts.
    #[serde(default)]
    include_unsure: bool,
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

fn yes() -> bool {
    true
}

impl Tool for LspReferences {
    type Params = Params;
    type Output = WithUnsure<locations::Output>;
    const NAME: &'static str = "lsp_references";
    const DESCRIPTION: &'static str = "Where a name is used: each place that means the same, and \
        no others that are only spelled alike. In order of file and place, 200 to a result. \
        `unsure` counts further uses that may mean it.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context)
    }

    fn run(
        context: &Context<'_>,
        params: Params,
    ) -> Result<WithUnsure<locations::Output>, ToolError> {
        let declaration = params.include_declaration;
        let most = most_unsure(params.include_unsure);
        let mut unsure = Unsure::default();
        let cursor = params.cursor.as_deref();
        let mut output =
            locations::answer(context, Self::NAME, &params.place, cursor, |snapshot, at| {
                let interrupt = context.interrupt;
                let found = snapshot.uses(&at.document, at.offset, declaration, most, interrupt)?;
                let mut sure = unsure.take(context, found);
                sure.sort_by(|a, b| (&a.uri, a.name_span.start).cmp(&(&b.uri, b.name_span.start)));
                Ok(sure)
            })?;
        if !unsure.is_empty() {
            // What it means is known: only where is not.
            output.note = None;
        }
        Ok(WithUnsure::new(output, unsure))
    }
}
