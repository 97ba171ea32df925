//! `lsp_references`: the uses of a name.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::locations;
use super::name_location::NameLocation;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Unsure, WithUnsure, max_unsure},
};

pub(crate) struct LspReferences;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: NameLocation,
    /// Include the definition. True by default.
    #[serde(default = "default_true")]
    include_declaration: bool,
    /// List the uncertain uses, too.
    #[serde(default)]
    include_unsure: bool,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

fn default_true() -> bool {
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
    const VERBOSE_FIELDS: &'static [&'static str] = &["locations[].origin"];

    fn text(result: &Value) -> Option<String> {
        Some(locations::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context)
    }

    fn run(
        context: &Context<'_>,
        params: Params,
    ) -> Result<WithUnsure<locations::Output>, ToolError> {
        let declaration = params.include_declaration;
        let most = max_unsure(params.include_unsure);
        let mut unsure = Unsure::default();
        let cursor = params.cursor.as_deref();
        let mut output = locations::find_locations(
            context,
            Self::NAME,
            &params.place,
            cursor,
            |snapshot, at| {
                let interrupt = context.interrupt;
                let found = snapshot.uses(&at.document, at.offset, declaration, most, interrupt)?;
                let mut sure = unsure.add(context, found);
                sure.sort_by(|a, b| (&a.uri, a.name_span.start).cmp(&(&b.uri, b.name_span.start)));
                Ok(sure)
            },
        )?;
        if !unsure.is_empty() {
            // The symbol is resolved, it just has no uses: no note.
            output.note = None;
        }
        Ok(WithUnsure::new(output, unsure))
    }
}
