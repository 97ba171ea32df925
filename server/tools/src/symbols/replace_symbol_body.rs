//! `replace_symbol_body`: another definition in place of a symbol's.

use schemars::JsonSchema;
use serde::Deserialize;

use super::edit::{At, Place};
use super::layout;
use crate::editing::{Edits, Output};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ReplaceSymbolBody;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: Place,
    /// The new definition: all that `find_symbol` gives as `body`, its head included. It may be
    /// indented as in the file or not at all.
    body: String,
}

impl Tool for ReplaceSymbolBody {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "replace_symbol_body";
    const DESCRIPTION: &'static str = "Replace the whole definition of a symbol: its head and \
        body, decorators and attributes included, the comments above it kept. Refused where \
        several symbols could be meant. Goes the way of `apply_edit` and can be undone.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context, Self::NAME, replaced(params.body.clone()))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        params.place.run(context, Self::NAME, replaced(params.body))
    }
}

fn replaced(body: String) -> impl Fn(&At<'_>) -> Result<Edits, ToolError> + 'static {
    move |at| {
        let text = at.document.text();
        let mut whole = at.whole();
        let comments = at.syntax.comments_above(whole.start);
        let above = text.slice(comments..whole.start);
        // Who gives the comments again does not want them twice.
        let lines = |text: &str| text.lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>();
        if !above.trim().is_empty() && lines(body.trim()).starts_with(&lines(above.trim())) {
            whole.start = comments;
        }
        let line = text.line(text.line_of(whole.start));
        let language = at.document.language();
        let set = layout::set(&body, layout::indent_of(&line), language, at.context.interrupt);
        Ok(vec![(whole, layout::with_line_ends_of(text, set))])
    }
}
