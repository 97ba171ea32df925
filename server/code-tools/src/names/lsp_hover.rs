//! `lsp_hover`: signature, documentation and type of a name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::name_location::NameLocation;
use super::range::Range;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError, from_query_error,
    results::{Lines, number_at, rounded, str_at},
};

pub(crate) struct LspHover;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    #[serde(flatten)]
    place: NameLocation,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The symbol; null if it cannot be resolved.
    symbol: Option<Symbol>,
}

#[derive(Serialize, JsonSchema)]
struct Symbol {
    /// Its name at the definition.
    name: String,
    /// For instance `function` or `field`.
    kind: &'static str,
    /// Its declaration as written, without the body.
    signature: Option<String>,
    /// Its documentation, without comment markers.
    documentation: Option<String>,
    /// The type, module or function that contains it.
    container: Option<String>,
    /// Its inferred type, if the declaration does not have one.
    inferred_type: Option<String>,
    /// URI of the file that defines it.
    uri: String,
    /// That file, relative to the workspace; null outside.
    path: Option<String>,
    /// Its name there, 0-based; null for a file as a module.
    range: Option<Range>,
    /// The 1-based line.
    line: Option<usize>,
    /// How it was resolved; as in `lsp_definition`.
    origin: &'static str,
    /// Confidence, up to 1.
    confidence: f64,
    /// Number of other possible definitions; `lsp_definition` lists them.
    others: usize,
}

impl Tool for LspHover {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_hover";
    const DESCRIPTION: &'static str = "Describe a name: kind, signature, documentation, inferred \
        type, where it is defined, and the confidence.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = super::PLACE_ALIASES;

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.place.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let snapshot = &context.snapshot;
        let encoding = context.editor.encoding();
        let at = params.place.resolve(Self::NAME, snapshot, encoding)?;
        let found = snapshot
            .describe(&at.document, at.offset, context.interrupt)
            .map_err(|error| from_query_error(Self::NAME, error))?;
        let Some((found, uri)) = found else { return Ok(Output { symbol: None }) };
        let path = snapshot.locate_to_read(&uri).ok();
        if path.as_ref().is_some_and(|path| !context.may_read(path)) {
            return Ok(Output { symbol: None });
        }
        let text = snapshot.symbol_text(&uri, &found.name, &found.name_span);
        let range = text.map(|text| Range::from_span(&text, found.name_span.clone(), encoding));
        Ok(Output {
            symbol: Some(Symbol {
                name: found.name,
                kind: found.kind.as_str(),
                signature: found.signature,
                documentation: found.documentation.map(|found| found.text),
                container: found.container,
                inferred_type: found.inferred_type,
                uri: uri.to_string(),
                path: path.map(|path| path.display_path()),
                range,
                line: range.map(|range| range.line()),
                origin: found.origin.as_str(),
                confidence: rounded(found.confidence),
                others: found.other_count,
            }),
        })
    }
}

/// The declaration, where it is, and its documentation.
fn text(result: &Value) -> String {
    let symbol = &result["symbol"];
    if symbol.is_null() {
        return "nothing is known of this place".to_owned();
    }
    let mut lines = Lines::default();
    let within = match str_at(symbol, "container") {
        "" => String::new(),
        container => format!(" in {container}"),
    };
    let place = match str_at(symbol, "path") {
        "" => str_at(symbol, "uri"),
        path => path,
    };
    let (kind, line) = (str_at(symbol, "kind"), number_at(symbol, "line"));
    lines.push(format_args!("{place}:{line}: {kind} {}{within}", str_at(symbol, "name")));
    lines.push_text(str_at(symbol, "signature"));
    if let Some(inferred) = symbol["inferred_type"].as_str() {
        lines.push(format_args!("type: {inferred}"));
    }
    lines.push_text(str_at(symbol, "documentation"));
    if number_at(symbol, "others") > 0 {
        let others = number_at(symbol, "others");
        lines
            .push(format_args!("[{others} other possible definitions: lsp_definition lists them]"));
    }
    lines.finish("")
}
