//! `textDocument/documentHighlight`

use tower_lsp_server::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams,
};
use workspace::QueryError;

use crate::convert::range_to_lsp;
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, QueryError> {
    let place = params.text_document_position_params;
    let encoding = question.session.encoding;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let text = document.text();
    let found = question.snapshot.highlights(&document, offset, question.interrupt)?;
    let highlights = found.into_iter().map(|found| DocumentHighlight {
        range: range_to_lsp(text, found.span, encoding),
        kind: Some(match found.write {
            true => DocumentHighlightKind::WRITE,
            false => DocumentHighlightKind::READ,
        }),
    });
    Ok(Some(highlights.collect()))
}
