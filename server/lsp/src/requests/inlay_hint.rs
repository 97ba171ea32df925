//! `textDocument/inlayHint` and `inlayHint/resolve`

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintLabelPart, InlayHintParams,
    InlayHintTooltip, Location, MarkupContent, MarkupKind,
};
use workspace::{Hint, HintKind, QueryError};

use crate::convert::{position_to_lsp, range_from_lsp, range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: InlayHintParams,
) -> Result<Option<Vec<InlayHint>>, QueryError> {
    let uri = params.text_document.uri;
    let encoding = context.session.encoding;
    let Some(document) = context.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    let text = document.text();
    let span = text.span(range_from_lsp(params.range), encoding);
    let found = context.snapshot.hints(&document, &span, context.interrupt)?;
    let language = document.language().map_or("", |l| l.id());
    let hints = found.into_iter().map(|(hint, uri)| {
        let data = uri
            .zip(hint.location.as_ref())
            .map(|(uri, (_, span))| json!({ "uri": &*uri, "start": span.start, "end": span.end }));
        let position = position_to_lsp(text.position(hint.offset, encoding));
        let (value, kind) = label_and_kind(&hint, language);
        InlayHint {
            position,
            label: InlayHintLabel::LabelParts(vec![InlayHintLabelPart {
                value,
                tooltip: None,
                location: None,
                command: None,
            }]),
            kind,
            text_edits: None,
            tooltip: None,
            padding_left: (language == "go" && hint.kind == HintKind::Type
                || hint.kind == HintKind::ClosingBrace)
                .then_some(true),
            padding_right: (hint.kind == HintKind::Parameter && language != "python")
                .then_some(true),
            data,
        }
    });
    Ok(Some(hints.collect()))
}

/// The label in the language's notation.
fn label_and_kind(hint: &Hint, language: &str) -> (String, Option<InlayHintKind>) {
    match hint.kind {
        HintKind::Parameter if language == "python" => {
            (format!("{}=", hint.label), Some(InlayHintKind::PARAMETER))
        }
        HintKind::Parameter => (format!("{}:", hint.label), Some(InlayHintKind::PARAMETER)),
        HintKind::Type if language == "go" => (hint.label.clone(), Some(InlayHintKind::TYPE)),
        HintKind::Type => (format!(": {}", hint.label), Some(InlayHintKind::TYPE)),
        HintKind::ClosingBrace => (hint.label.clone(), None),
    }
}

/// Resolves the definition behind the hint, and its declaration.
pub(crate) fn resolve(
    context: &RequestContext<'_>,
    mut hint: InlayHint,
) -> Result<InlayHint, QueryError> {
    let field = |name: &str| hint.data.as_ref().and_then(|d: &Value| d.get(name));
    let number = |name: &str| usize::try_from(field(name)?.as_u64()?).ok();
    let (Some(uri), Some(start), Some(end)) =
        (field("uri").and_then(Value::as_str), number("start"), number("end"))
    else {
        return Ok(hint);
    };
    let Some(document) = context.snapshot.document_or_file(uri) else { return Ok(hint) };
    let InlayHintLabel::LabelParts(parts) = &mut hint.label else { return Ok(hint) };
    let Some(part) = parts.first_mut() else { return Ok(hint) };
    let text = document.text();
    if start >= end || end > text.len() {
        return Ok(hint);
    }
    // The file may have changed since.
    let name = text.slice(start..end);
    if name.is_empty() || !part.value.contains(&*name) {
        return Ok(hint);
    }
    let range = range_to_lsp(text, start..end, context.session.encoding);
    part.location = uri_to_lsp(uri).map(|uri| Location { uri, range });
    let found = context.snapshot.describe(&document, start, context.interrupt)?;
    let Some((found, _)) = found else { return Ok(hint) };
    let language = document.language().map_or("", |l| l.id());
    hint.tooltip = found.signature.map(|signature| match context.session.features.markdown {
        true if !signature.contains("```") => InlayHintTooltip::MarkupContent(MarkupContent {
            kind: MarkupKind::Markdown,
            value: format!("```{language}\n{signature}\n```"),
        }),
        _ => InlayHintTooltip::String(signature),
    });
    Ok(hint)
}
