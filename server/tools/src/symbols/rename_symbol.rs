//! `rename_symbol`: `lsp_rename` by name path.

use schemars::JsonSchema;
use serde::Deserialize;

use super::search;
use crate::names::{Confirm, LspRename, RenameOutput, RenameParams};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct RenameSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The symbol: a name, or names from the outside in, `Class/method`; `/Class` has nothing
    /// around it.
    name_path: String,
    /// The file that defines it.
    path: String,
    /// The 1-based line of its name, where several are called so.
    #[serde(default)]
    line: Option<usize>,
    /// The name that it is to have.
    new_name: String,
    /// What else is to change: the reasons in `needs_confirmation` of a dry run or a refusal.
    #[serde(default)]
    confirm: Vec<Confirm>,
    /// Rename where it is sure, and list the other uses in `left_out` instead of refusing.
    #[serde(default)]
    allow_unsure: bool,
    /// Answer what would change, and change nothing.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for RenameSymbol {
    type Params = Params;
    type Output = RenameOutput;
    const NAME: &'static str = "rename_symbol";
    const DESCRIPTION: &'static str = "Rename a symbol, by its name path, in all files at once: as \
        `lsp_rename` does it.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        LspRename::effects(context, &renaming(context, params)?)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<RenameOutput, ToolError> {
        LspRename::run(context, renaming(context, &params)?)
    }
}

fn renaming(context: &Context<'_>, params: &Params) -> Result<RenameParams, ToolError> {
    let path = context.snapshot.locate(&params.path)?;
    let (_, document) = search::document(RenameSymbol::NAME, &context.snapshot, &path)?;
    let (tool, name) = (RenameSymbol::NAME, &params.name_path);
    let symbol = search::the_symbol(context, tool, &path, &document, name, params.line)?;
    let range = document.text().range(symbol[0].name_span.clone(), context.editor.encoding());
    let renaming = RenameParams::at(params.path.clone(), range.start, params.new_name.clone());
    let renaming = renaming.confirm(params.confirm.clone()).allow_unsure(params.allow_unsure);
    Ok(renaming.dry_run(params.dry_run))
}
