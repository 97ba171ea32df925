//! `textDocument/definition`

use tower_lsp_server::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, LocationLink,
};
use workspace::QueryError;

use crate::convert::{position_from_lsp, range_to_lsp, uri_to_lsp};
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, QueryError> {
    let place = params.text_document_position_params;
    let encoding = question.session.encoding;
    let uri = place.text_document.uri;
    let Some(document) = question.snapshot.document_or_file(uri.as_str()) else {
        return Ok(None);
    };
    let offset = document.text().offset(position_from_lsp(place.position), encoding);
    let found = question.snapshot.definition(&document, offset, question.interrupt)?;
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
        .map(|span| range_to_lsp(document.text(), span, encoding));
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
