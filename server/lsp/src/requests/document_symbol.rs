//! `textDocument/documentSymbol`

use syntax::OutlineItem;
use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::{
    DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, Location, SymbolInformation,
    SymbolTag, Uri,
};
use workspace::QueryError;

use crate::catching_up::{self, PATIENCE};
use crate::convert::{range_to_lsp, symbol_kind};
use crate::question::Question;
use crate::syntax_limits;

pub(crate) fn answer(
    question: &Question<'_>,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, QueryError> {
    let uri = params.text_document.uri;
    let Some(document) = question.snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    let Some((outline, fresh)) = document.outline_within(PATIENCE, question.interrupt) else {
        return Ok(None);
    };
    if !fresh {
        catching_up::start(question.session, document.uri());
    }
    if !outline.is_whole {
        syntax_limits::tell_of_outline(question.session, &document);
    }
    let features = &question.session.features;
    let shown = Shown {
        text: document.text(),
        encoding: question.session.encoding,
        deprecated: match features.symbol_tags[0] && fresh {
            true => document.deprecated(question.interrupt),
            false => Vec::new(),
        },
    };
    if features.hierarchical_symbols {
        let symbols = outline.items.iter().map(|item| shown.symbol(item)).collect();
        return Ok(Some(DocumentSymbolResponse::Nested(symbols)));
    }
    let mut flat = Vec::new();
    shown.flatten(&outline.items, None, &uri, &mut flat);
    Ok(Some(DocumentSymbolResponse::Flat(flat)))
}

/// What is needed to show an outline.
struct Shown<'t> {
    text: &'t Text,
    encoding: PositionEncoding,
    /// Where the names start of what is to be marked as deprecated.
    deprecated: Vec<usize>,
}

impl Shown<'_> {
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
