//! Definitions and other targets of a name, as location links or plain locations.

use text::Text;
use tower_lsp_server::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink,
};
use workspace::{Document, QueryError};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;

/// Runs `find` for the name at a position. Answers with its locations, or nothing if there are none.
pub(crate) fn goto(
    context: &RequestContext<'_>,
    params: GotoDefinitionParams,
    find: impl Fn(&Document, usize) -> Result<Vec<workspace::Location>, QueryError>,
) -> Result<Option<GotoDefinitionResponse>, QueryError> {
    let position = params.text_document_position_params;
    let encoding = context.session.encoding;
    let Some((document, offset)) = context.document_at(&position) else { return Ok(None) };
    let text: &Text = document.text();
    let found = find(&document, offset)?;
    if found.is_empty() {
        return Ok(None);
    }
    if !context.session.features.definition_links {
        let locations = found.iter().filter_map(|found| {
            let range = range_to_lsp(&found.text, found.name_span.clone(), encoding);
            Some(Location { uri: uri_to_lsp(&found.uri)?, range })
        });
        return Ok(Some(GotoDefinitionResponse::Array(locations.collect())));
    }
    let origin = context
        .snapshot
        .name_span(&document, offset, context.interrupt)
        .map(|span| range_to_lsp(text, span, encoding));
    let links = found.iter().filter_map(|found| {
        Some(LocationLink {
            origin_selection_range: origin,
            target_uri: uri_to_lsp(&found.uri)?,
            target_range: range_to_lsp(&found.text, found.span.clone(), encoding),
            target_selection_range: range_to_lsp(&found.text, found.name_span.clone(), encoding),
        })
    });
    Ok(Some(GotoDefinitionResponse::Link(links.collect())))
}
