//! The places that a symbol leads to, each with the symbol around it.

use std::collections::HashMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{Document, FileSymbol, Location, QueryError, Snapshot};

use super::search;
use crate::names::{bounded, line_at, of_query, reading, rounded, visible};
use crate::{Context, Effect, ToolError};

/// Most places of one result.
const MOST: usize = 100;

/// Which symbol is asked about.
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
    /// Where to go on: the `next_cursor` of the result before.
    #[serde(default)]
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The places, in order of file and line.
    places: Vec<PlaceOutput>,
    /// How many places were left out because the rules hide their files.
    #[serde(skip_serializing_if = "Option::is_none")]
    hidden: Option<usize>,
    /// How far the workspace has been read, where that is not done: there may be more.
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<String>,
    /// True where there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PlaceOutput {
    /// The file, relative to the workspace; null outside of it.
    path: Option<String>,
    /// The 1-based line.
    line: usize,
    /// That line, without the blanks around it.
    text: String,
    /// The innermost symbol around the place, or the one that is named there: its name path.
    symbol: Option<String>,
    /// What that is.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_kind: Option<&'static str>,
    /// The 1-based line of its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_line: Option<usize>,
    /// By what rule it was found, as in `lsp_definition`.
    origin: &'static str,
    /// How likely it is right, up to 1.
    confidence: f64,
    /// The hash of the file, for `expected_hash` of an edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
}

/// A file of places: what it defines, and its hash.
type Known = (Vec<FileSymbol>, Option<String>);

impl Params {
    pub(super) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate(&self.path)?)])
    }
}

/// Answers with the places that `ask` gives for the symbol.
pub(super) fn answer(
    context: &Context<'_>,
    tool: &str,
    params: &Params,
    mut ask: impl FnMut(&Snapshot, &Document, usize) -> Result<Vec<Location>, QueryError>,
) -> Result<Output, ToolError> {
    let skip = search::cursor(tool, params.cursor.as_deref())?;
    let path = context.snapshot.locate(&params.path)?;
    let (_, document) = search::document(tool, &context.snapshot, &path)?;
    let name = &params.name_path;
    let symbol = search::the_symbol(context, tool, &path, &document, name, params.line)?;
    let snapshot = bounded(&context.snapshot);
    let mut found = Vec::new();
    for definition in &symbol {
        let start = definition.name_span.start;
        found.extend(ask(&snapshot, &document, start).map_err(|e| of_query(tool, e))?);
    }
    found.sort_by(|a, b| (&a.uri, a.name_span.start).cmp(&(&b.uri, b.name_span.start)));
    found.dedup_by(|a, b| (&a.uri, a.name_span.start) == (&b.uri, b.name_span.start));
    let all = found.len();
    let seen: Vec<_> = found.into_iter().filter_map(|found| visible(context, found)).collect();
    let hidden = Some(all - seen.len()).filter(|n| *n > 0);
    let mut known: HashMap<Arc<str>, Known> = HashMap::new();
    let mut places = Vec::new();
    for (place, path) in seen.iter().skip(skip).take(MOST) {
        context.check_interrupt(tool)?;
        let of_file = known.entry(place.uri.clone()).or_insert_with(|| file(context, &place.uri));
        places.push(shown(place, path.clone(), of_file));
    }
    let end = skip.saturating_add(places.len());
    let truncated = end < seen.len();
    let next_cursor = truncated.then(|| end.to_string());
    Ok(Output { places, hidden, reading: reading(&snapshot), truncated, next_cursor })
}

fn file(context: &Context<'_>, uri: &str) -> Known {
    let snapshot = &context.snapshot;
    let file = snapshot.locate_to_read(uri).ok().and_then(|path| snapshot.read(&path).ok());
    let Some(file) = file else { return (Vec::new(), None) };
    let symbols = snapshot.document_of(&file).symbols(context.interrupt);
    (symbols.unwrap_or_default(), Some(file.hash.to_string()))
}

fn shown(place: &Location, path: Option<String>, (symbols, hash): &Known) -> PlaceOutput {
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
