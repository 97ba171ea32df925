//! `textDocument/formatting` and `textDocument/rangeFormatting`

use std::ops::RangeInclusive;
use std::sync::Arc;

use serde_json::{Map, Value};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{
    DocumentFormattingParams, DocumentRangeFormattingParams, TextEdit, Uri,
};

use crate::convert::range_to_lsp;
use crate::request_context::ingress_snapshot;
use crate::requests::execute_command;
use crate::session::Session;

pub(crate) async fn answer(
    session: &Arc<Session>,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    format(session, &params.text_document.uri, None).await
}

pub(crate) async fn range(
    session: &Arc<Session>,
    params: DocumentRangeFormattingParams,
) -> Result<Option<Vec<TextEdit>>> {
    let (start, end) = (params.range.start, params.range.end);
    // A selection that ends at the start of a line excludes that line.
    let last = if end.character == 0 && end.line > start.line { end.line - 1 } else { end.line };
    let lines = start.line.saturating_add(1)..=last.saturating_add(1);
    format(session, &params.text_document.uri, Some(lines)).await
}

/// Formats with the `format_file` tool, under the same policy as any program that runs.
async fn format(
    session: &Arc<Session>,
    uri: &Uri,
    lines: Option<RangeInclusive<u32>>,
) -> Result<Option<Vec<TextEdit>>> {
    let snapshot = ingress_snapshot(session);
    let Some(document) = snapshot.document_or_file(uri.as_str()) else { return Ok(None) };
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), uri.as_str().into());
    arguments.insert("dry_run".to_owned(), true.into());
    if let Some(lines) = lines {
        arguments.insert("start_line".to_owned(), (*lines.start()).into());
        arguments.insert("end_line".to_owned(), (*lines.end()).into());
    }
    // Formatting is the user's own action. In a trusted workspace there is no prompt, although the
    // formatter and its settings may come from the workspace.
    let approved = session.features.has_workspace_trust;
    let tool = "format_file".to_owned();
    let done = match execute_command::run(session, tool, arguments, None, approved).await {
        Ok(done) => done,
        // A missing formatter or a text with syntax errors should not disturb every save.
        Err(error) if error.data.as_ref().is_some_and(|data| data["code"] == "E_UNSUPPORTED") => {
            session.warn(error.message.into_owned());
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let edits = done["edits"].as_array().map(Vec::as_slice).unwrap_or_default();
    let edit = |edit: &Value| {
        let offset = |name: &str| usize::try_from(edit[name].as_u64()?).ok();
        let span = offset("start")?..offset("end")?;
        let range = range_to_lsp(document.text(), span, session.encoding);
        Some(TextEdit { range, new_text: edit["new_text"].as_str()?.to_owned() })
    };
    Ok(Some(edits.iter().filter_map(edit).collect()))
}
