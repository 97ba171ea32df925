//! `textDocument/selectionRange`

use tower_lsp_server::ls_types::{SelectionRange, SelectionRangeParams};
use workspace::QueryError;

use crate::convert::{position_from_lsp, range_to_lsp};
use crate::request_context::RequestContext;

/// Most positions answered in one request.
const MAX_POSITIONS: usize = 1_000;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, QueryError> {
    let document = context.snapshot.document_or_file(params.text_document.uri.as_str());
    let Some(document) = document else { return Ok(None) };
    let Some(syntax) = document.syntax(context.interrupt) else { return Ok(None) };
    let (text, encoding) = (document.text(), context.session.encoding);
    let ranges = params.positions.into_iter().enumerate().map(|(number, position)| {
        let offset = text.offset(position_from_lsp(position), encoding);
        // LSP requires one result per position.
        let found = if number < MAX_POSITIONS { syntax.selections(offset) } else { Vec::new() };
        let outermost_first = found.into_iter().rev();
        let grown = outermost_first.fold(None, |parent, span| {
            let range = range_to_lsp(text, span, encoding);
            Some(SelectionRange { range, parent: parent.map(Box::new) })
        });
        grown.unwrap_or_else(|| {
            let range = range_to_lsp(text, offset..offset, encoding);
            SelectionRange { range, parent: None }
        })
    });
    Ok(Some(ranges.collect()))
}
