//! `tandem/hunks`: where a document differs from the index, and the index from the last commit.

use serde::Deserialize;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

use crate::error;
use crate::git::hunks::{self, Hunks};
use crate::request_context::RequestContext;

pub(crate) const METHOD: &str = "tandem/hunks";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HunksParams {
    pub(crate) text_document: TextDocumentIdentifier,
}

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: HunksParams,
) -> Result<Option<Hunks>, Error> {
    context.session.git.enable_hunks();
    let uri = params.text_document.uri.as_str();
    let Some(document) = context.snapshot.document_or_file(uri) else { return Ok(None) };
    let found = hunks::document_hunks(context.session, &context.snapshot, &document);
    found.map_err(|error| error::from_git_error(METHOD, error))
}
