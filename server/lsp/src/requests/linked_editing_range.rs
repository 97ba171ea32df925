//! `textDocument/linkedEditingRange`

use tower_lsp_server::ls_types::{LinkedEditingRangeParams, LinkedEditingRanges};
use workspace::QueryError;

use crate::convert::range_to_lsp;
use crate::question::Question;

/// What the names of tags are made of, as a pattern of JavaScript's.
const NAME: &str = r"[\p{L}_$][\p{L}\p{N}_$:.\-]*";

pub(crate) fn answer(
    question: &Question<'_>,
    params: LinkedEditingRangeParams,
) -> Result<Option<LinkedEditingRanges>, QueryError> {
    let Some((document, offset)) = question.document_at(&params.text_document_position_params)
    else {
        return Ok(None);
    };
    let pair = document.syntax(question.interrupt).and_then(|syntax| syntax.tag_pair(offset));
    let (text, encoding) = (document.text(), question.session.encoding);
    // While they differ, to write into both would lose one.
    let same = pair.filter(|(open, close)| text.slice(open.clone()) == text.slice(close.clone()));
    Ok(same.map(|(open, close)| LinkedEditingRanges {
        ranges: [open, close].map(|span| range_to_lsp(text, span, encoding)).to_vec(),
        word_pattern: Some(NAME.to_owned()),
    }))
}
