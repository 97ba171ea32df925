//! `lsp_document_symbols`: the symbols of a file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use syntax::OutlineItem;
use text::{PositionEncoding, Text};

use super::name_location::document;
use super::range::Range;
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, line_range, list_at, number_at, str_at},
};

pub(crate) struct LspDocumentSymbols;

/// Limit for the symbols of one result.
const MAX_SYMBOLS: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    uri: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The symbols in order; nested ones follow their container.
    symbols: Vec<Symbol>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// True if the file takes too long to parse: its symbols are unknown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_parsed: bool,
}

#[derive(Serialize, JsonSchema)]
struct Symbol {
    /// Its name.
    name: String,
    /// For instance `function` or `field`.
    kind: &'static str,
    /// Its parameters or type as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// The symbol that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// Nesting depth; 0 is the top level.
    depth: usize,
    /// First line of its definition, 1-based.
    start_line: usize,
    /// Last line of its definition, 1-based.
    end_line: usize,
    /// Its name's range, 0-based.
    range: Range,
}

impl Tool for LspDocumentSymbols {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_document_symbols";
    const DESCRIPTION: &'static str = "The symbols that a file defines, in order: names, kinds, \
        lines and containers.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "uri"), ("file", "uri"), ("file_path", "uri")];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&params.uri)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let document = document(Self::NAME, &context.snapshot, &params.uri)?;
        let outline = document.outline(context.interrupt);
        context.check_interrupt(Self::NAME)?;
        let mut symbols = Vec::new();
        let items = outline.as_deref().map_or(&[][..], |outline| &outline.items);
        list(items, None, 0, document.text(), context.editor.encoding(), &mut symbols);
        let truncated =
            symbols.len() > MAX_SYMBOLS || outline.is_some_and(|outline| !outline.is_whole);
        symbols.truncate(MAX_SYMBOLS);
        let not_parsed =
            document.plain_text_reason() == Some(workspace::PlainTextReason::ParseTimeout);
        Ok(Output { symbols, truncated, not_parsed })
    }
}

fn list(
    items: &[OutlineItem],
    container: Option<&str>,
    depth: usize,
    text: &Text,
    encoding: PositionEncoding,
    symbols: &mut Vec<Symbol>,
) {
    for item in items {
        if symbols.len() > MAX_SYMBOLS {
            return;
        }
        symbols.push(Symbol {
            name: item.name.clone(),
            kind: item.kind.as_str(),
            detail: item.detail.clone(),
            container: container.map(str::to_owned),
            depth,
            start_line: text.line_of(item.span.start) + 1,
            end_line: text.line_of(item.span.end) + 1,
            range: Range::from_span(text, item.name_span.clone(), encoding),
        });
        list(&item.children, Some(&item.name), depth + 1, text, encoding, symbols);
    }
}

/// The symbols as lines, indented by their nesting.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    for symbol in list_at(result, "symbols") {
        let indent = "  ".repeat(usize::try_from(number_at(symbol, "depth")).unwrap_or(0).min(20));
        let range = line_range(number_at(symbol, "start_line"), number_at(symbol, "end_line"));
        let (kind, name) = (str_at(symbol, "kind"), str_at(symbol, "name"));
        lines.push(format_args!("{indent}{range}: {kind} {name}{}", str_at(symbol, "detail")));
    }
    if result["not_parsed"] == true {
        lines.push("[the file takes too long to parse: its symbols are unknown]");
    }
    lines.push_rest(result);
    lines.finish("no symbols")
}
