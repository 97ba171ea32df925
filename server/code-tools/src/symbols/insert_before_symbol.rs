//! `insert_before_symbol`: inserts code before a symbol.

use serde_json::Value;

use super::insert::{Params, Side, insertion};
use crate::editing::Output;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct InsertBeforeSymbol;

impl Tool for InsertBeforeSymbol {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "insert_before_symbol";
    const DESCRIPTION: &'static str = "Insert code before the definition of a symbol and the \
        comments above it, with its indentation and its neighbours' blank lines. Refused if the \
        name path is ambiguous. Checked and undoable like `apply_edit`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Write];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn text(result: &Value) -> Option<String> {
        Some(crate::editing::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context, Self::NAME, insertion(params.body.clone(), Side::Before))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        params.place.run(context, Self::NAME, insertion(params.body, Side::Before))
    }
}
