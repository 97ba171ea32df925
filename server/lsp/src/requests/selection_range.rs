//! `textDocument/selectionRange`

use tower_lsp_server::ls_types::{SelectionRange, SelectionRangeParams};
use workspace::QueryError;

use crate::convert::{position_from_lsp, range_to_lsp};
use crate::question::Question;

/// Most places that are looked at for one question.
const MOST: usize = 1_000;

pub(crate) fn answer(
    question: &Question<'_>,
    params: SelectionRangeParams,
) -> Result<Option<Vec<SelectionRange>>, QueryError> {
    let document = question.snapshot.document_or_file(params.text_document.uri.as_str());
    let Some(document) = document else { return Ok(None) };
    let Some(syntax) = document.syntax(question.interrupt) else { return Ok(None) };
    let (text, encoding) = (document.text(), question.session.encoding);
    let ranges = params.positions.into_iter().enumerate().map(|(number, position)| {
        let offset = text.offset(position_from_lsp(position), encoding);
        // There is one answer a place, if it says nothing.
        let found = if number < MOST { syntax.selections(offset) } else { Vec::new() };
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
