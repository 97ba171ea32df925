//! `workspace/symbol` and `workspaceSymbol/resolve`

use serde_json::{Value, json};
use tower_lsp_server::ls_types::{
    Location, OneOf, Range, SymbolTag, WorkspaceLocation, WorkspaceSymbol, WorkspaceSymbolParams,
    WorkspaceSymbolResponse,
};
use workspace::{QueryError, SymbolMatch};

use crate::convert::{definition_kind, range_to_lsp, uri_to_lsp};
use crate::request_context::RequestContext;

/// Most symbols in one answer.
const MAX_SYMBOLS: usize = 200;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, QueryError> {
    let found = context.snapshot.symbols(&params.query, MAX_SYMBOLS, context.interrupt)?;
    let lazy = context.session.features.symbol_resolve;
    let tagged = context.session.features.symbol_tags[1];
    let symbols = found.into_iter().filter_map(|found| {
        let mut symbol = WorkspaceSymbol {
            name: found.name.clone(),
            kind: definition_kind(found.kind),
            tags: (found.deprecated && tagged).then(|| vec![SymbolTag::DEPRECATED]),
            container_name: found.container.clone(),
            location: OneOf::Right(WorkspaceLocation { uri: uri_to_lsp(&found.uri)? }),
            data: None,
        };
        if lazy {
            symbol.data =
                Some(json!({ "start": found.name_span.start, "end": found.name_span.end }));
        } else {
            symbol.location = OneOf::Left(location(context, &found)?);
        }
        Some(symbol)
    });
    Ok(Some(WorkspaceSymbolResponse::Nested(symbols.collect())))
}

/// Resolves the range of a symbol.
pub(crate) fn resolve(
    context: &RequestContext<'_>,
    mut symbol: WorkspaceSymbol,
) -> Result<WorkspaceSymbol, QueryError> {
    let OneOf::Right(location) = &symbol.location else { return Ok(symbol) };
    let bound = |name: &str| {
        let data = symbol.data.as_ref().and_then(|d: &Value| d.get(name));
        usize::try_from(data?.as_u64()?).ok()
    };
    let (Some(start), Some(end)) = (bound("start"), bound("end")) else { return Ok(symbol) };
    let text = context.snapshot.symbol_text(location.uri.as_str(), &symbol.name, &(start..end));
    let range = text.map_or_else(Range::default, |text| {
        range_to_lsp(&text, start..end, context.session.encoding)
    });
    symbol.location = OneOf::Left(Location { uri: location.uri.clone(), range });
    Ok(symbol)
}

fn location(context: &RequestContext<'_>, found: &SymbolMatch) -> Option<Location> {
    let text = context.snapshot.symbol_text(&found.uri, &found.name, &found.name_span)?;
    let range = range_to_lsp(&text, found.name_span.clone(), context.session.encoding);
    Some(Location { uri: uri_to_lsp(&found.uri)?, range })
}
