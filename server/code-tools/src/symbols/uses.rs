//! Uses of a symbol, each with the symbol that contains it.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::{Document, FileSymbol, Location, QueryError, Snapshot};

use super::search;
use tools::{
    Context, Effect, ToolError, from_query_error,
    results::{
        Lines, index_progress, items_before, line_at, list_at, number_at, rounded, str_at, visible,
        with_index_wait,
    },
};

/// Page size.
const PAGE_SIZE: usize = 100;

/// Parameters that name a symbol to query.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The symbol: `name` or `Class/method`; `/Class` is top-level only.
    name_path: String,
    /// The file that defines it.
    path: String,
    /// 1-based line of its name, if the name path is ambiguous.
    #[serde(default)]
    line: Option<usize>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The uses, sorted by file and line.
    places: Vec<PlaceOutput>,
    /// Number of uses in files that rules hide.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<usize>,
    /// Progress of indexing, if it is not complete: there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PlaceOutput {
    /// The file, relative to the workspace; null outside.
    path: Option<String>,
    /// 1-based line.
    line: usize,
    /// The line, trimmed.
    text: String,
    /// Name path of the innermost symbol that contains it, or that is named there.
    symbol: Option<String>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_kind: Option<&'static str>,
    /// 1-based line of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_line: Option<usize>,
    /// How it was resolved, as in `lsp_definition`.
    origin: &'static str,
    /// Confidence, up to 1.
    confidence: f64,
    /// The file's hash, for `expected_hash` of an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

/// The symbols of a file, and its hash.
type FileSymbols = (Vec<FileSymbol>, Option<String>);

impl Params {
    pub(super) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&self.path)?)])
    }
}

/// One page of the uses that `query` returns for the symbol.
pub(super) fn find_uses(
    context: &Context<'_>,
    tool: &str,
    params: &Params,
    mut query: impl FnMut(&Snapshot, &Document, usize) -> Result<Vec<Location>, QueryError>,
) -> Result<Output, ToolError> {
    let skip = items_before(tool, params.cursor.as_deref())?;
    let path = context.snapshot.locate(&params.path)?;
    let (_, document) = search::document(tool, &context.snapshot, &path)?;
    let name = &params.name_path;
    let symbol = search::unique_symbol(context, tool, &path, &document, name, params.line)?;
    let snapshot = with_index_wait(&context.snapshot);
    let mut found = Vec::new();
    for definition in &symbol {
        let start = definition.name_span.start;
        found.extend(query(&snapshot, &document, start).map_err(|e| from_query_error(tool, e))?);
    }
    found.sort_by(|a, b| (&a.uri, a.name_span.start).cmp(&(&b.uri, b.name_span.start)));
    found.dedup_by(|a, b| (&a.uri, a.name_span.start) == (&b.uri, b.name_span.start));
    let all = found.len();
    let seen: Vec<_> = found.into_iter().filter_map(|found| visible(context, found)).collect();
    let hidden = Some(all - seen.len()).filter(|n| *n > 0);
    let mut known: HashMap<Arc<str>, FileSymbols> = HashMap::new();
    let mut places = Vec::new();
    for (place, path) in seen.iter().skip(skip).take(PAGE_SIZE) {
        context.check_interrupt(tool)?;
        let of_file =
            known.entry(place.uri.clone()).or_insert_with(|| file_symbols(context, &place.uri));
        places.push(place_output(place, path.clone(), of_file));
    }
    let end = skip.saturating_add(places.len());
    let truncated = end < seen.len();
    let next_cursor = truncated.then(|| end.to_string());
    Ok(Output { places, hidden, reading: index_progress(&snapshot), truncated, next_cursor })
}

/// The uses as lines, each with the symbol that contains it.
pub(super) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let entry = |place: &Value| {
        let within = match str_at(place, "symbol") {
            "" => String::new(),
            symbol => format!(" [{symbol}]"),
        };
        format!("{}: {}{within}", number_at(place, "line"), str_at(place, "text"))
    };
    let places = list_at(result, "places");
    let entries: Vec<_> =
        places.iter().map(|place| (str_at(place, "path"), entry(place))).collect();
    lines.push_by_path(&entries);
    lines.push_rest(result);
    lines.finish("none found")
}

fn file_symbols(context: &Context<'_>, uri: &str) -> FileSymbols {
    let snapshot = &context.snapshot;
    let file = snapshot.locate_to_read(uri).ok().and_then(|path| snapshot.read(&path).ok());
    let Some(file) = file else { return (Vec::new(), None) };
    let symbols = snapshot.document_of(&file).symbols(context.interrupt);
    (symbols.unwrap_or_default(), Some(file.hash.to_string()))
}

fn place_output(
    place: &Location,
    path: Option<String>,
    (symbols, hash): &FileSymbols,
) -> PlaceOutput {
    let at = place.name_span.start;
    let around = symbols
        .iter()
        .filter(|s| s.span.start <= at && at < s.span.end || s.name_span.start == at)
        .min_by_key(|s| s.span.len());
    PlaceOutput {
        path,
        line: place.text.line_of(at) + 1,
        text: line_at(&place.text, at),
        symbol: around.map(|s| s.path.join("/")),
        symbol_kind: around.map(|s| s.kind.as_str()),
        symbol_line: around.map(|s| {
            let at = s.name_span.start.min(place.text.len());
            place.text.line_of(at) + 1
        }),
        origin: place.origin.as_str(),
        confidence: rounded(place.confidence),
        hash: hash.clone(),
    }
}
