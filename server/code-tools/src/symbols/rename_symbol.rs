//! `rename_symbol`: `lsp_rename` by name path.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::search;
use crate::names::{Confirm, LspRename, RenameOutput, RenameParams};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct RenameSymbol;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The symbol: `name` or `Class/method`; `/Class` is top-level only.
    name_path: String,
    /// The file that defines it.
    path: String,
    /// 1-based line of its name, if the name path is ambiguous.
    #[serde(default)]
    line: Option<usize>,
    /// The new name.
    new_name: String,
    /// Also change these: reasons from `needs_confirmation` of a dry run or an error.
    #[serde(default)]
    confirm: Vec<Confirm>,
    /// Rename the certain uses and list the others in `left_out`, instead of refusing.
    #[serde(default)]
    allow_unsure: bool,
    /// Report what would change, without changing it.
    #[serde(default)]
    dry_run: bool,
}

impl Tool for RenameSymbol {
    type Params = Params;
    type Output = RenameOutput;
    const NAME: &'static str = "rename_symbol";
    const DESCRIPTION: &'static str = "Rename a symbol in all files, as one action that `undo_action` \
        reverts. Refused, with places and reasons, if a use is uncertain or names would clash; \
        `allow_unsure` renames the certain uses.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Read, EffectKind::Write, EffectKind::Delete];
    const EDITS: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::SYMBOL_ALIASES;
    const VERBOSE_FIELDS: &'static [&'static str] = &[
        "changes",
        "files[].diff",
        "needs_confirmation[].uri",
        "needs_confirmation[].range",
        "needs_confirmation[].new_text",
    ];

    fn text(result: &Value) -> Option<String> {
        LspRename::text(result)
    }

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
    let symbol = search::unique_symbol(context, tool, &path, &document, name, params.line)?;
    let range = document.text().range(symbol[0].name_span.clone(), context.editor.encoding());
    let renaming = RenameParams::at(params.path.clone(), range.start, params.new_name.clone());
    let renaming = renaming.confirm(params.confirm.clone()).allow_unsure(params.allow_unsure);
    Ok(renaming.dry_run(params.dry_run))
}
