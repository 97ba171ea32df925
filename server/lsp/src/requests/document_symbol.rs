//! `textDocument/documentSymbol`

use syntax::OutlineItem;
use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation, Uri,
};
use workspace::QueryError;

use crate::convert::{range_to_lsp, symbol_kind};
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, QueryError> {
    let uri = params.text_document.uri;
    let document = question.snapshot.document_or_file(uri.as_str());
    let Some((text, outline)) =
        document.and_then(|d| Some((d.text().clone(), d.outline(question.interrupt)?)))
    else {
        return Ok(None);
    };
    let encoding = question.session.encoding;
    if question.session.features.hierarchical_symbols {
        let symbols = outline.iter().map(|item| symbol(item, &text, encoding)).collect();
        return Ok(Some(DocumentSymbolResponse::Nested(symbols)));
    }
    let mut flat = Vec::new();
    flatten(&outline, None, &text, encoding, &uri, &mut flat);
    Ok(Some(DocumentSymbolResponse::Flat(flat)))
}

#[allow(deprecated)]
fn symbol(item: &OutlineItem, text: &Text, encoding: PositionEncoding) -> DocumentSymbol {
    let children: Vec<_> = item.children.iter().map(|c| symbol(c, text, encoding)).collect();
    DocumentSymbol {
        name: item.name.clone(),
        detail: item.detail.clone(),
        kind: symbol_kind(item.kind),
        tags: None,
        deprecated: None,
        range: range_to_lsp(text, item.span.clone(), encoding),
        selection_range: range_to_lsp(text, item.name_span.clone(), encoding),
        children: (!children.is_empty()).then_some(children),
    }
}

#[allow(deprecated)]
fn flatten(
    items: &[OutlineItem],
    container: Option<&str>,
    text: &Text,
    encoding: PositionEncoding,
    uri: &Uri,
    flat: &mut Vec<SymbolInformation>,
) {
    for item in items {
        flat.push(SymbolInformation {
            name: item.name.clone(),
            kind: symbol_kind(item.kind),
            tags: None,
            deprecated: None,
            location: Location {
                uri: uri.clone(),
                range: range_to_lsp(text, item.span.clone(), encoding),
            },
            container_name: container.map(str::to_owned),
        });
        flatten(&item.children, Some(&item.name), text, encoding, uri, flat);
    }
}
