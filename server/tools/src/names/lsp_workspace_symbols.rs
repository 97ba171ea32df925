//! `lsp_workspace_symbols`: definitions anywhere in the workspace, by a few letters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::FoundSymbol;

use super::failure::of_query;
use super::range::Range;
use super::reading::unread;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspWorkspaceSymbols;

/// Most symbols of one result.
const MOST: usize = 200;
/// Without a wish, so many.
const USUAL: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Letters of the name, in order: `gfd` finds `get_file_data`.
    query: String,
    /// Most symbols of the result, up to 200; 50 by default.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The symbols, those that answer best first.
    symbols: Vec<Symbol>,
    /// How far the workspace has been read, where that is not done: there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Symbol {
    /// Its name.
    name: String,
    /// What it is, for instance `function` or `field`.
    kind: &'static str,
    /// The type, namespace or function it stands in.
    container: Option<String>,
    /// The URI of its file.
    uri: String,
    /// Its file, relative to the workspace; null outside of it.
    path: Option<String>,
    /// Its name there, 0-based.
    range: Range,
    /// The 1-based line of that.
    line: usize,
}

impl Tool for LspWorkspaceSymbols {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_workspace_symbols";
    const DESCRIPTION: &'static str = "Find definitions anywhere in the workspace by a few letters \
        of their names, the best matches first.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "query"), ("limit", "max_results")];

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let snapshot = &context.snapshot;
        Ok(vec![Effect::read_tree(&snapshot.locate(".")?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let limit = params.max_results.unwrap_or(USUAL).clamp(1, MOST);
        let snapshot = &context.snapshot;
        let found = snapshot
            .symbols(&params.query, limit, context.interrupt)
            .map_err(|error| of_query(Self::NAME, error))?;
        let symbols = found.into_iter().filter_map(|found| shown(context, found)).collect();
        let progress = snapshot.index_progress();
        let reading = (!progress.complete).then(|| unread(progress));
        Ok(Output { symbols, reading })
    }
}

/// Nothing for what the rules hide, and for what has just gone.
fn shown(context: &Context<'_>, found: FoundSymbol) -> Option<Symbol> {
    let path = context.snapshot.locate(&found.uri).ok();
    if path.as_ref().is_some_and(|path| !context.may_read(path)) {
        return None;
    }
    let text = context.snapshot.symbol_text(&found.uri, &found.name, &found.name_span)?;
    let range = Range::of(&text, found.name_span, context.editor.encoding());
    Some(Symbol {
        name: found.name,
        kind: found.kind.as_str(),
        container: found.container,
        uri: found.uri.to_string(),
        path: path.map(|path| path.shown()),
        range,
        line: range.line(),
    })
}
