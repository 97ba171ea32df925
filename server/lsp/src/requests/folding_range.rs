//! `textDocument/foldingRange`

use syntax::FoldKind;
use tower_lsp_server::ls_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use workspace::QueryError;

use crate::request_context::RequestContext;
use crate::syntax_limits;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: FoldingRangeParams,
) -> Result<Option<Vec<FoldingRange>>, QueryError> {
    let document = context.snapshot.document_or_file(params.text_document.uri.as_str());
    let Some(document) = document else { return Ok(None) };
    let Some(syntax) = document.syntax(context.interrupt) else { return Ok(None) };
    let Some((folds, has_more)) = syntax.folds_and_truncation(context.interrupt) else {
        return Ok(None);
    };
    if has_more {
        syntax_limits::notify_folds_cut(context.session, &document);
    }
    let line = |line: usize| u32::try_from(line).unwrap_or(u32::MAX);
    // Whole lines for every client: folding starts at the end of the first line.
    let ranges = folds.into_iter().map(|fold| FoldingRange {
        start_line: line(fold.lines.0),
        end_line: line(fold.lines.1),
        kind: match fold.kind {
            FoldKind::Code => None,
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Imports => Some(FoldingRangeKind::Imports),
            FoldKind::Region => Some(FoldingRangeKind::Region),
        },
        ..FoldingRange::default()
    });
    Ok(Some(ranges.take(context.session.features.folds).collect()))
}
