//! `textDocument/prepareRename`

use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{PrepareRenameResponse, TextDocumentPositionParams};
use workspace::{QueryError, RenameFailure};

use super::rename::refusal;
use crate::convert::range_to_lsp;
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: TextDocumentPositionParams,
) -> Result<Result<Option<PrepareRenameResponse>, Error>, QueryError> {
    let encoding = question.session.encoding;
    let Some((document, offset)) = question.document_at(&params) else { return Ok(Ok(None)) };
    let text = document.text();
    match question.snapshot.prepare_rename(&document, offset, question.interrupt) {
        Ok(found) => Ok(Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: range_to_lsp(text, found.span, encoding),
            placeholder: found.name,
        }))),
        Err(RenameFailure::Refused(error)) => Ok(Err(refusal(error))),
        Err(RenameFailure::Query(error)) => Err(error),
    }
}
