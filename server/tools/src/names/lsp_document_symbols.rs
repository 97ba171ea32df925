//! `lsp_document_symbols`: what a file declares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use syntax::OutlineItem;
use text::{PositionEncoding, Text};

use super::place::document;
use super::range::Range;
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspDocumentSymbols;

/// Most symbols of one result.
const MOST: usize = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    uri: String,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What it declares, in order; what stands in something else comes after that.
    symbols: Vec<Symbol>,
    /// True where there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// True where it takes too long to parse: what it declares is not known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    not_parsed: bool,
}

#[derive(Serialize, JsonSchema)]
struct Symbol {
    /// Its name.
    name: String,
    /// What it is, for instance `function` or `field`.
    kind: &'static str,
    /// Its parameters or type as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// What it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// How deep it stands: 0 is the top level.
    depth: usize,
    /// 1-based first line of its declaration.
    start_line: usize,
    /// 1-based last line of it.
    end_line: usize,
    /// Its name, 0-based.
    range: Range,
}

impl Tool for LspDocumentSymbols {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_document_symbols";
    const DESCRIPTION: &'static str = "What a file declares: names, kinds and lines, in order, \
        each with what it stands in.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "uri"), ("file", "uri"), ("file_path", "uri")];

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
        let truncated = symbols.len() > MOST || outline.is_some_and(|outline| !outline.is_whole);
        symbols.truncate(MOST);
        let not_parsed = document.plain() == Some(workspace::Plain::Slow);
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
        if symbols.len() > MOST {
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
            range: Range::of(text, item.name_span.clone(), encoding),
        });
        list(&item.children, Some(&item.name), depth + 1, text, encoding, symbols);
    }
}
