//! Places that a name leads to, as the client takes them: links, or bare locations.

use text::Text;
use tower_lsp_server::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink,
};
use workspace::{Document, QueryError};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::question::Question;

/// Asks about the name at a position, and answers with the places found; nothing where there are
/// none.
pub(crate) fn answer(
    question: &Question<'_>,
    params: GotoDefinitionParams,
    ask: impl Fn(&Document, usize) -> Result<Vec<workspace::Location>, QueryError>,
) -> Result<Option<GotoDefinitionResponse>, QueryError> {
    let place = params.text_document_position_params;
    let encoding = question.session.encoding;
    let Some((document, offset)) = question.document_at(&place) else { return Ok(None) };
    let text: &Text = document.text();
    let found = ask(&document, offset)?;
    if found.is_empty() {
        return Ok(None);
    }
    if !question.session.features.definition_links {
        let locations = found.iter().filter_map(|found| {
            let range = range_to_lsp(&found.text, found.name_span.clone(), encoding);
            Some(Location { uri: uri_to_lsp(&found.uri)?, range })
        });
        return Ok(Some(GotoDefinitionResponse::Array(locations.collect())));
    }
    let origin = question
        .snapshot
        .name_span(&document, offset, question.interrupt)
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
