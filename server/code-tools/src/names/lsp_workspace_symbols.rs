//! `lsp_workspace_symbols`: fuzzy search for definitions in the workspace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::SymbolMatch;

use super::range::Range;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError, from_query_error,
    results::{Lines, list_at, number_at, progress_text, str_at},
};

pub(crate) struct LspWorkspaceSymbols;

/// Largest page size.
const MAX_PAGE_SIZE: usize = 200;
/// Default page size.
const DEFAULT_PAGE_SIZE: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Letters of the name, in order: `gfd` finds `get_file_data`.
    query: String,
    /// Up to 200; 50 by default.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The symbols, best first.
    symbols: Vec<Symbol>,
    /// Progress of indexing, if it is not complete: there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Symbol {
    /// Its name.
    name: String,
    /// For instance `function` or `field`.
    kind: &'static str,
    /// The type, module or function that contains it.
    container: Option<String>,
    /// URI of its file.
    uri: String,
    /// Its file, relative to the workspace; null outside.
    path: Option<String>,
    /// Its name, 0-based.
    range: Range,
    /// The 1-based line.
    line: usize,
}

impl Tool for LspWorkspaceSymbols {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_workspace_symbols";
    const DESCRIPTION: &'static str = "Find definitions in the workspace by a few letters of their \
        names, best matches first.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "query"), ("limit", "max_results")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        let snapshot = &context.snapshot;
        Ok(vec![Effect::read_tree(&snapshot.locate(".")?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let limit = params.max_results.unwrap_or(DEFAULT_PAGE_SIZE).clamp(1, MAX_PAGE_SIZE);
        let snapshot = &context.snapshot;
        let found = snapshot
            .symbols(&params.query, limit, context.interrupt)
            .map_err(|error| from_query_error(Self::NAME, error))?;
        let symbols = found.into_iter().filter_map(|found| symbol_output(context, found)).collect();
        let progress = snapshot.index_progress();
        let reading = (!progress.complete).then(|| progress_text(progress));
        Ok(Output { symbols, reading })
    }
}

/// `None` if rules hide its file, or the file has just been deleted.
fn symbol_output(context: &Context<'_>, found: SymbolMatch) -> Option<Symbol> {
    let path = context.snapshot.locate(&found.uri).ok();
    if path.as_ref().is_some_and(|path| !context.may_read(path)) {
        return None;
    }
    let text = context.snapshot.symbol_text(&found.uri, &found.name, &found.name_span)?;
    let range = Range::from_span(&text, found.name_span, context.editor.encoding());
    Some(Symbol {
        name: found.name,
        kind: found.kind.as_str(),
        container: found.container,
        uri: found.uri.to_string(),
        path: path.map(|path| path.display_path()),
        range,
        line: range.line(),
    })
}

/// The symbols as lines: `path:line: kind Container.name`.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for symbol in list_at(result, "symbols") {
        let path = match str_at(symbol, "path") {
            "" => str_at(symbol, "uri"),
            path => path,
        };
        let name = match str_at(symbol, "container") {
            "" => str_at(symbol, "name").to_owned(),
            container => format!("{container}.{}", str_at(symbol, "name")),
        };
        lines.push(format_args!(
            "{path}:{}: {} {name}",
            number_at(symbol, "line"),
            str_at(symbol, "kind")
        ));
    }
    lines.push_rest(result);
    lines.finish("no symbols")
}
