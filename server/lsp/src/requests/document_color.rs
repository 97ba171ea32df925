//! `textDocument/documentColor` and `textDocument/colorPresentation`

use tower_lsp_server::ls_types::{
    Color, ColorInformation, ColorPresentation, ColorPresentationParams, DocumentColorParams,
    TextEdit,
};
use workspace::QueryError;

use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: DocumentColorParams,
) -> Result<Vec<ColorInformation>, QueryError> {
    let document = context.snapshot.document_or_file(params.text_document.uri.as_str());
    let Some(document) = document else { return Ok(Vec::new()) };
    let Some(syntax) = document.syntax(context.interrupt) else { return Ok(Vec::new()) };
    let Some(colors) = syntax.colors(context.interrupt) else { return Ok(Vec::new()) };
    let (text, encoding) = (document.text(), context.session.encoding);
    let colors = colors.into_iter().map(|(span, [red, green, blue, alpha])| {
        let color = Color { red, green, blue, alpha };
        ColorInformation { range: range_to_lsp(text, span, encoding), color }
    });
    Ok(colors.collect())
}

pub(crate) fn presentations(
    _: &RequestContext<'_>,
    params: ColorPresentationParams,
) -> Result<Vec<ColorPresentation>, QueryError> {
    let Color { red, green, blue, alpha } = params.color;
    let ways = syntax::color_texts([red, green, blue, alpha]).into_iter();
    let presentation = |label: String| ColorPresentation {
        text_edit: Some(TextEdit { range: params.range, new_text: label.clone() }),
        label,
        additional_text_edits: None,
    };
    Ok(ways.map(presentation).collect())
}
