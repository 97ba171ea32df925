//! `textDocument/documentSymbol`

use syntax::OutlineItem;
use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation,
    SymbolTag, Uri,
};
use workspace::QueryError;

use crate::background_parse::{self, OUTLINE_PARSE_TIMEOUT};
use crate::convert::{range_to_lsp, symbol_kind};
use crate::request_context::RequestContext;
use crate::syntax_limits;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, QueryError> {
    let uri = params.text_document.uri;
    let Some(document) = context.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    let Some((outline, fresh)) = document.outline_within(OUTLINE_PARSE_TIMEOUT, context.interrupt)
    else {
        return Ok(None);
    };
    if !fresh {
        background_parse::spawn(context.session, document.uri());
    }
    if !outline.is_whole {
        syntax_limits::notify_outline_cut(context.session, &document);
    }
    let features = &context.session.features;
    let converter = OutlineConverter {
        text: document.text(),
        encoding: context.session.encoding,
        deprecated: match features.symbol_tags[0] && fresh {
            true => document.deprecated(context.interrupt),
            false => Vec::new(),
        },
    };
    if features.hierarchical_symbols {
        let symbols = outline.items.iter().map(|item| converter.symbol(item)).collect();
        return Ok(Some(DocumentSymbolResponse::Nested(symbols)));
    }
    let mut flat = Vec::new();
    converter.flatten(&outline.items, None, &uri, &mut flat);
    Ok(Some(DocumentSymbolResponse::Flat(flat)))
}

/// Converts an outline.
struct OutlineConverter<'t> {
    text: &'t Text,
    encoding: PositionEncoding,
    /// The name offsets of deprecated symbols.
    deprecated: Vec<usize>,
}

impl OutlineConverter<'_> {
    #[allow(deprecated)]
    fn symbol(&self, item: &OutlineItem) -> DocumentSymbol {
        let children: Vec<_> = item.children.iter().map(|c| self.symbol(c)).collect();
        DocumentSymbol {
            name: item.name.clone(),
            detail: item.detail.clone(),
            kind: symbol_kind(item.kind),
            tags: self.tags(item),
            deprecated: None,
            range: range_to_lsp(self.text, item.span.clone(), self.encoding),
            selection_range: range_to_lsp(self.text, item.name_span.clone(), self.encoding),
            children: (!children.is_empty()).then_some(children),
        }
    }

    #[allow(deprecated)]
    fn flatten(
        &self,
        items: &[OutlineItem],
        container: Option<&str>,
        uri: &Uri,
        flat: &mut Vec<SymbolInformation>,
    ) {
        for item in items {
            flat.push(SymbolInformation {
                name: item.name.clone(),
                kind: symbol_kind(item.kind),
                tags: self.tags(item),
                deprecated: None,
                location: Location {
                    uri: uri.clone(),
                    range: range_to_lsp(self.text, item.span.clone(), self.encoding),
                },
                container_name: container.map(str::to_owned),
            });
            self.flatten(&item.children, Some(&item.name), uri, flat);
        }
    }

    fn tags(&self, item: &OutlineItem) -> Option<Vec<SymbolTag>> {
        let found = self.deprecated.binary_search(&item.name_span.start);
        found.is_ok().then(|| vec![SymbolTag::DEPRECATED])
    }
}
