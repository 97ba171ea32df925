//! `textDocument/documentHighlight`

use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams,
};
use workspace::QueryError;

use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, QueryError> {
    let position = params.text_document_position_params;
    let encoding = context.session.encoding;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let text = document.text();
    let found = context.snapshot.highlights(&document, offset, context.interrupt)?;
    let highlights = found.into_iter().map(|found| DocumentHighlight {
        range: range_to_lsp(text, found.span, encoding),
        kind: Some(match found.write {
            true => DocumentHighlightKind::WRITE,
            false => DocumentHighlightKind::READ,
        }),
    });
    Ok(Some(highlights.collect()))
}
