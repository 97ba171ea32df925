//! `textDocument/typeDefinition`

use tower_lsp_server::ls_types::{GotoDefinitionParams, GotoDefinitionResponse};
use workspace::QueryError;

use crate::locations;
use crate::question::Question;

pub(crate) fn answer(
    question: &Question<'_>,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, QueryError> {
    locations::answer(question, params, |document, offset| {
        question.snapshot.type_definition(document, offset, question.interrupt)
    })
}
