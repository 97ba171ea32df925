//! `tandem/hunks`: where a document differs from the index, and the index from the last commit.

use serde::Deserialize;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::TextDocumentIdentifier;

use crate::error;
use crate::git::hunks::{self, Hunks};
use crate::question::Question;

pub(crate) const METHOD: &str = "tandem/hunks";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct HunksParams {
    pub(crate) text_document: TextDocumentIdentifier,
}

pub(crate) fn answer(question: &Question<'_>, params: HunksParams) -> Result<Option<Hunks>, Error> {
    question.session.git.asked_for_hunks();
    let uri = params.text_document.uri.as_str();
    let Some(document) = question.snapshot.document_or_file(uri) else { return Ok(None) };
    let found = hunks::of(question.session, &question.snapshot, &document);
    found.map_err(|error| error::of_git(METHOD, error))
}
