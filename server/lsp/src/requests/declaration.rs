//! `textDocument/declaration`

use tower_lsp_server::ls_types::{GotoDefinitionParams, GotoDefinitionResponse};
use workspace::QueryError;

use crate::locations;
use crate::request_context::RequestContext;

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, QueryError> {
    locations::goto(context, params, |document, offset| {
        context.snapshot.declaration(document, offset, context.interrupt)
    })
}
