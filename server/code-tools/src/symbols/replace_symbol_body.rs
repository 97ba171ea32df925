//! `replace_symbol_body`: replaces the definition of a symbol.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::layout;
use super::symbol_edit::{ResolvedSymbol, SymbolLocation};
use crate::editing::{Edits, Output};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct ReplaceSymbolBody;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: SymbolLocation,
    /// The new definition, complete as `find_symbol` returns it in `body`, with its head. Its
    /// indentation is adjusted.
    body: String,
}

impl Tool for ReplaceSymbolBody {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "replace_symbol_body";
    const DESCRIPTION: &'static str = "Replace the whole definition of a symbol: head, body, \
        decorators and attributes; comments above it are kept. Refused if the name path is \
        ambiguous. Checked and undoable like `apply_edit`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn text(result: &Value) -> Option<String> {
        Some(crate::editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context, Self::NAME, replaced(params.body.clone()))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        params.place.run(context, Self::NAME, replaced(params.body))
    }
}

fn replaced(body: String) -> impl Fn(&ResolvedSymbol<'_>) -> Result<Edits, ToolError> + 'static {
    move |at| {
        let text = at.document.text();
        let mut whole = at.whole();
        let comments = at.syntax.comments_above(whole.start);
        let above = text.slice(comments..whole.start);
        // Comments that `body` repeats are replaced, not duplicated.
        let lines = |text: &str| text.lines().map(|l| l.trim().to_owned()).collect::<Vec<_>>();
        if !above.trim().is_empty() && lines(body.trim()).starts_with(&lines(above.trim())) {
            whole.start = comments;
        }
        let line = text.line(text.line_of(whole.start));
        let language = at.document.language();
        let set = layout::reindent(&body, layout::indent_of(&line), language, at.context.interrupt);
        Ok(vec![(whole, layout::with_line_ends_of(text, set))])
    }
}
