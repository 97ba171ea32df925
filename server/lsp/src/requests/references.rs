//! `textDocument/references`

use tower_lsp_server::ls_types::{Location, ReferenceParams};
use workspace::QueryError;

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: ReferenceParams,
) -> Result<Option<Vec<Location>>, QueryError> {
    let position = params.text_document_position;
    let encoding = context.session.encoding;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let declaration = params.context.include_declaration;
    let found = context.snapshot.references(&document, offset, declaration, context.interrupt)?;
    let locations = found.iter().filter_map(|found| {
        let range = range_to_lsp(&found.text, found.name_span.clone(), encoding);
        Some(Location { uri: uri_to_lsp(&found.uri)?, range })
    });
    Ok(Some(locations.collect()))
}
