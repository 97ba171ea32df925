//! `textDocument/documentLink` and `documentLink/resolve`

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{DocumentLink, DocumentLinkParams};
use workspace::QueryError;

use crate::convert::{range_from_lsp, range_to_lsp, uri_to_lsp};
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, QueryError> {
    let uri = params.text_document.uri;
    let Some(document) = question.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    // A link that leads nowhere is an error to the person who follows it.
    let found = question.snapshot.links(&document, question.interrupt)?;
    let range = |span| range_to_lsp(document.text(), span, question.session.encoding);
    let mentions = question.snapshot.mentions(&document, &found, question.interrupt)?;
    // Definition leads from an import too; underlining them all is for who wants it.
    let shown = question.session.settings.import_links();
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

/// Fills in the file that a link leads to by now.
pub(crate) fn resolve(
    question: &Question<'_>,
    mut link: DocumentLink,
) -> Result<DocumentLink, QueryError> {
    let uri = link.data.as_ref().and_then(|d: &Value| d.get("uri")?.as_str());
    let document = uri.and_then(|uri| question.snapshot.document_or_file(uri));
    let Some(document) = document else { return Ok(link) };
    let span = document.text().span(range_from_lsp(link.range), question.session.encoding);
    let found = question.snapshot.link(&document, span, question.interrupt)?;
    link.target = found.and_then(|uri| uri_to_lsp(&uri));
    Ok(link)
}
