//! `textDocument/onTypeFormatting`

use syntax::indent_unit;
use tower_lsp_server::ls_types::{
    DocumentOnTypeFormattingOptions, DocumentOnTypeFormattingParams, FormattingOptions, TextEdit,
};
use workspace::QueryError;

use crate::convert::range_to_lsp;
use crate::request_context::RequestContext;

pub(crate) fn options() -> DocumentOnTypeFormattingOptions {
    DocumentOnTypeFormattingOptions {
        first_trigger_character: "\n".to_owned(),
        more_trigger_character: Some(["}", ")", "]", ">", "/"].map(str::to_owned).to_vec()),
    }
}

pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: DocumentOnTypeFormattingParams,
) -> Result<Option<Vec<TextEdit>>, QueryError> {
    let Some((document, offset)) = context.document_at(&params.text_document_position) else {
        return Ok(None);
    };
    let Some(syntax) = document.syntax(context.interrupt) else { return Ok(None) };
    let typed = match params.ch.as_str() {
        "\n" => {
            let unit = indent_unit(document.text(), &editor_indent_unit(&params.options));
            syntax.edits_after_newline(offset, &unit)
        }
        "}" | ")" | "]" => syntax.edit_after_closing_bracket(offset).into_iter().collect(),
        ">" => syntax.closing_tag_after_gt(offset).into_iter().collect(),
        "/" => syntax.closing_tag_after_slash(offset).into_iter().collect(),
        _ => Vec::new(),
    };
    let encoding = context.session.encoding;
    let edits = typed.into_iter().map(|typed| TextEdit {
        range: range_to_lsp(document.text(), typed.span, encoding),
        new_text: typed.text,
    });
    Ok(Some(edits.collect()))
}

/// One indentation level, by the editor's options.
pub(crate) fn editor_indent_unit(options: &FormattingOptions) -> String {
    /// Widest indentation accepted.
    const MAX_TAB_SIZE: u32 = 16;
    if options.insert_spaces {
        " ".repeat(options.tab_size.clamp(1, MAX_TAB_SIZE) as usize)
    } else {
        "\t".to_owned()
    }
}
