//! `lsp_completion`: what a half-typed name may be completed to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::failure::of_query;
use super::place::{check_line, document};
use super::range::{Position, Range};
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct LspCompletion;

/// Most items of one result, and how many there are without a wish.
const MOST: usize = 200;
const USUAL: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    uri: String,
    /// The place behind what is typed. 0-based, as LSP has it.
    position: Position,
    /// Most items of the result, up to 200; 50 by default.
    #[serde(default)]
    max_results: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The candidates, the best first.
    items: Vec<Item>,
    /// What of the name is typed, which an item takes the place of; 0-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
    /// Whether there are no others.
    complete: bool,
}

#[derive(Serialize, JsonSchema)]
struct Item {
    /// The name.
    name: String,
    /// What it is, for instance `function` or `field`.
    kind: &'static str,
    /// By what rule it is known there, as in `lsp_definition`.
    origin: &'static str,
    /// Whether the language is sure to know it there.
    sure: bool,
    /// What it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    container: Option<String>,
    /// The file that defines it, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

impl Tool for LspCompletion {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "lsp_completion";
    const DESCRIPTION: &'static str = "What the name before a place may be completed to: names in \
        scope, members of what is known, arguments, fields; the best first. Nothing is offered \
        that `lsp_definition` would not find. Unsaved text counts.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("path", "uri"), ("file", "uri"), ("file_path", "uri"), ("limit", "max_results")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&params.uri)?)])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let document = document(Self::NAME, &context.snapshot, &params.uri)?;
        let (text, encoding) = (document.text(), context.editor.encoding());
        let line = params.position.line as usize;
        check_line(Self::NAME, text, line.saturating_add(1))?;
        let place = text::Position::new(params.position.line, params.position.character);
        let offset = text.offset(place, encoding);
        if text.range(offset..offset, encoding).start.character != place.character {
            let message = format!("{}: line {line} (from 0) is not as long", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let found = context.snapshot.complete(&document, offset, context.interrupt);
        let found = found.map_err(|error| of_query(Self::NAME, error))?;
        let Some(found) = found else {
            return Ok(Output { items: Vec::new(), range: None, complete: true });
        };
        let limit = params.max_results.unwrap_or(USUAL).clamp(1, MOST);
        let complete = found.complete && found.candidates.len() <= limit;
        let range = Some(Range::of(text, found.span.clone(), encoding));
        let mut items = Vec::new();
        for offered in found.candidates.into_iter().take(limit) {
            let place = offered.uri.as_deref().map(|uri| context.snapshot.locate_to_read(uri));
            let path = place.and_then(Result::ok);
            // What the rules hide is not told.
            if path.as_ref().is_some_and(|path| !context.may_read(path)) {
                continue;
            }
            let candidate = offered.candidate;
            items.push(Item {
                name: candidate.name,
                kind: candidate.kind.as_str(),
                origin: candidate.origin.as_str(),
                sure: candidate.sure,
                container: candidate.container,
                path: path.map(|path| path.shown()),
            });
        }
        Ok(Output { items, range, complete })
    }
}
