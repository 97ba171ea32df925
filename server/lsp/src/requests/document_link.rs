//! `textDocument/documentLink` and `documentLink/resolve`

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{DocumentLink, DocumentLinkParams};
use workspace::QueryError;

use crate::convert::{range_from_lsp, range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, QueryError> {
    let uri = params.text_document.uri;
    let Some(document) = context.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    // Only links with a target: following any other one would show an error.
    let found = context.snapshot.links(&document, context.interrupt)?;
    let range = |span| range_to_lsp(document.text(), span, context.session.encoding);
    let mentions = context.snapshot.mentions(&document, &found, context.interrupt)?;
    // Go to definition works on imports, too. Underlining all of them is optional.
    let shown = context.session.settings.import_links();
    let imports = found.into_iter().filter(|_| shown).map(|(span, _)| DocumentLink {
        range: range(span),
        target: None,
        tooltip: None,
        data: Some(json!({ "uri": uri.as_str() })),
    });
    let mentioned = mentions.into_iter().filter_map(|(span, target)| {
        let target = Some(uri_to_lsp(&target)?);
        Some(DocumentLink { range: range(span), target, tooltip: None, data: None })
    });
    let mut links: Vec<_> = imports.chain(mentioned).collect();
    links.sort_by_key(|link| link.range.start);
    Ok(Some(links))
}

/// Resolves a link's current target.
pub(crate) fn resolve(
    context: &RequestContext<'_>,
    mut link: DocumentLink,
) -> Result<DocumentLink, QueryError> {
    let uri = link.data.as_ref().and_then(|d: &Value| d.get("uri")?.as_str());
    let document = uri.and_then(|uri| context.snapshot.document_or_file(uri));
    let Some(document) = document else { return Ok(link) };
    let span = document.text().span(range_from_lsp(link.range), context.session.encoding);
    let found = context.snapshot.link(&document, span, context.interrupt)?;
    link.target = found.and_then(|uri| uri_to_lsp(&uri));
    Ok(link)
}
