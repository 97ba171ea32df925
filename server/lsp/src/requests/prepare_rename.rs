//! `textDocument/prepareRename`

use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{PrepareRenameResponse, TextDocumentPositionParams};
use workspace::{QueryError, RenameFailure};

use super::rename::refusal_error;
use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: TextDocumentPositionParams,
) -> Result<Result<Option<PrepareRenameResponse>, Error>, QueryError> {
    let encoding = context.session.encoding;
    let Some((document, offset)) = context.document_at(&params) else { return Ok(Ok(None)) };
    let text = document.text();
    match context.snapshot.prepare_rename(&document, offset, context.interrupt) {
        Ok(found) => Ok(Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: range_to_lsp(text, found.span, encoding),
            placeholder: found.name,
        }))),
        Err(RenameFailure::Refused(error)) => Ok(Err(refusal_error(error))),
        Err(RenameFailure::Query(error)) => Err(error),
    }
}
