//! `textDocument/linkedEditingRange`

use tower_lsp_server::ls_types::{LinkedEditingRangeParams, LinkedEditingRanges};
use workspace::QueryError;

use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

/// The pattern of tag names, as a JavaScript regular expression.
const TAG_NAME_PATTERN: &str = r"[\p{L}_$][\p{L}\p{N}_$:.\-]*";

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: LinkedEditingRangeParams,
) -> Result<Option<LinkedEditingRanges>, QueryError> {
    let Some((document, offset)) = context.document_at(&params.text_document_position_params)
    else {
        return Ok(None);
    };
    let pair = document.syntax(context.interrupt).and_then(|syntax| syntax.tag_pair(offset));
    let (text, encoding) = (document.text(), context.session.encoding);
    // While they differ, editing both would overwrite one of them.
    let same = pair.filter(|(open, close)| text.slice(open.clone()) == text.slice(close.clone()));
    Ok(same.map(|(open, close)| LinkedEditingRanges {
        ranges: [open, close].map(|span| range_to_lsp(text, span, encoding)).to_vec(),
        word_pattern: Some(TAG_NAME_PATTERN.to_owned()),
    }))
}
