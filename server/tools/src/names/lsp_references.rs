//! `lsp_references`: the uses of a name.

use schemars::JsonSchema;
use serde::Deserialize;

use super::locations;
use super::place::Place;
use crate::results::{Unsure, WithUnsure, most_unsure};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspReferences;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: Place,
    /// Include the definition. True by default.
    #[serde(default = "yes")]
    include_declaration: bool,
    /// List the uncertain uses, too.
    #[serde(default)]
    include_unsure: bool,
    /// `next_cursor` of the previous page.
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
    const DESCRIPTION: &'static str = "Uses of a name: places that refer to the same symbol, not \
        merely the same text. Sorted by file and position, 200 a page. `unsure` counts uses that \
        may refer to it.";
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
            // The symbol is resolved, it just has no uses: no note.
            output.note = None;
        }
        Ok(WithUnsure::new(output, unsure))
    }
}
