//! Locations found by a name query, page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::PositionEncoding;
use workspace::{Location, QueryError, Snapshot};

use super::name_location::{NameLocation, NamePosition};
use super::range::Range;
use tools::{
    Code, Context, ToolError, from_query_error,
    results::{
        Lines, index_progress, line_at, list_at, number_at, rounded, str_at, visible,
        with_index_wait,
    },
};

/// Page size.
const PAGE_SIZE: usize = 200;

/// Parameters of a query for locations.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    pub(super) place: NameLocation,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    pub(super) cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The locations. If only one can be right, the most confident comes first.
    locations: Vec<LocationOutput>,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<&'static str>,
    /// Number of locations in files that rules hide.
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

/// A location.
#[derive(Serialize, JsonSchema)]
struct LocationOutput {
    /// The document's URI.
    uri: String,
    /// The name, 0-based.
    range: Range,
    /// The file, relative to the workspace; null outside.
    path: Option<String>,
    /// 1-based line.
    line: usize,
    /// The line, trimmed.
    text: String,
    /// How it was resolved: `local`, `same_file`, `member`, `typed_member`, `import`, `package`,
    /// `glob`, `argument`, `unique_name`, `library` (in a dependency) or `outside` (only the
    /// import is known).
    origin: &'static str,
    /// Confidence, up to 1.
    confidence: f64,
}

/// A location below this confidence is marked in lines.
const DOUBTFUL: f64 = 0.75;

/// The locations as lines: `path:line: text`, with the confidence if it is low.
pub(super) fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let entry = |place: &Value| {
        let doubt = place["confidence"].as_f64().filter(|confidence| *confidence < DOUBTFUL);
        let doubt = doubt.map_or_else(String::new, |doubt| format!(" [confidence {doubt}]"));
        format!("{}: {}{doubt}", number_at(place, "line"), str_at(place, "text"))
    };
    let places = list_at(result, "locations");
    let path = |place| match str_at(place, "path") {
        "" => str_at(place, "uri"),
        path => path,
    };
    let entries: Vec<_> = places.iter().map(|place| (path(place), entry(place))).collect();
    lines.push_by_path(&entries);
    lines.push_rest(result);
    lines.finish("none found")
}

/// One page of the locations that `query` returns, in its order.
pub(super) fn find_locations(
    context: &Context<'_>,
    tool: &str,
    place: &NameLocation,
    cursor: Option<&str>,
    query: impl FnOnce(&Snapshot, &NamePosition) -> Result<Vec<Location>, QueryError>,
) -> Result<Output, ToolError> {
    let skip = match cursor {
        None => 0,
        Some(cursor) => cursor.parse::<usize>().map_err(|_| {
            ToolError::new(Code::InvalidParams, format!("{tool}: `cursor` is no cursor"))
                .hint("pass `next_cursor` of the previous page")
        })?,
    };
    let encoding = context.editor.encoding();
    let at = place.resolve(tool, &context.snapshot, encoding)?;
    let snapshot = with_index_wait(&context.snapshot);
    let found = query(&snapshot, &at).map_err(|error| from_query_error(tool, error))?;
    let all = found.len();
    let seen: Vec<_> = found.into_iter().filter_map(|found| visible(context, found)).collect();
    let hidden = Some(all - seen.len()).filter(|n| *n > 0);
    let locations: Vec<_> = seen
        .iter()
        .skip(skip)
        .take(PAGE_SIZE)
        .map(|(found, path)| location_output(found, path, encoding))
        .collect();
    let end = skip.saturating_add(locations.len());
    let truncated = end < seen.len();
    let note = (all == 0).then(|| {
        let name = context.snapshot.name_span(&at.document, at.offset, context.interrupt);
        match name {
            None => "there is no name at this place",
            Some(_) => {
                "what the name means is not known, or is neither in the workspace nor in a \
                 dependency that is here"
            }
        }
    });
    let next_cursor = truncated.then(|| end.to_string());
    let reading = index_progress(&snapshot);
    Ok(Output { locations, note, hidden, reading, truncated, next_cursor })
}

fn location_output(
    found: &Location,
    path: &Option<String>,
    encoding: PositionEncoding,
) -> LocationOutput {
    let range = Range::from_span(&found.text, found.name_span.clone(), encoding);
    LocationOutput {
        uri: found.uri.to_string(),
        range,
        path: path.clone(),
        line: range.line(),
        text: line_at(&found.text, found.name_span.start),
        origin: found.origin.as_str(),
        confidence: rounded(found.confidence),
    }
}
