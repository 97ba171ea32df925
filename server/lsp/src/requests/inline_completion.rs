//! `textDocument/inlineCompletion`: what a model would write at the cursor. Off unless the person's settings name
//! a backend for it; that is the person's approval of sending text around the cursor there.

use std::sync::Arc;

use serde_json::{Map, Value};
use text::Text;
use tower_lsp_server::jsonrpc::{ErrorCode, Result};
use tower_lsp_server::ls_types::{
    InlineCompletionItem, InlineCompletionList, InlineCompletionParams,
    InlineCompletionTriggerKind, TextDocumentPositionParams,
};
use workspace::{Snapshot, path_of_uri};

use crate::convert::position_from_lsp;
use crate::error;
use crate::request_context::ingress_snapshot;
use crate::requests::execute_command;
use crate::session::Session;

pub(crate) const METHOD: &str = "textDocument/inlineCompletion";

/// The tool that asks the model.
const TOOL: &str = "ml_complete";
/// Text before and after the cursor that is sent, in bytes: what small models read in a tenth of a second.
const MAX_PREFIX_BYTES: usize = 6_000;
const MAX_SUFFIX_BYTES: usize = 2_000;
/// Lines of a completion.
const MAX_LINES: usize = 20;

/// The answer; `None` where there is nothing to offer.
pub(crate) type Completions = Option<InlineCompletionList>;

/// Whether the person's settings turn it on.
pub(crate) fn is_enabled(snapshot: &Snapshot) -> bool {
    tools::find(TOOL).is_some() && tools::inline_completion_backend(snapshot).is_some()
}

pub(crate) async fn answer(
    session: &Arc<Session>,
    params: InlineCompletionParams,
) -> Result<Completions> {
    // An item selected in the list of completions would have to be continued exactly.
    if params.context.selected_completion_info.is_some() || tools::find(TOOL).is_none() {
        return Ok(None);
    }
    let (snapshot, owner) = (ingress_snapshot(session), session.clone());
    let place = params.text_document_position;
    let gap = move || Gap::at(&owner, &snapshot, &place);
    let gap = session.threads.run_blocking(gap).await.map_err(|_| error::panicked(METHOD))?;
    let Some(Gap { backend, prefix, suffix }) = gap else { return Ok(None) };
    let arguments: Map<String, Value> = [
        ("prefix".to_owned(), prefix.into()),
        ("suffix".to_owned(), suffix.clone().into()),
        ("backend".to_owned(), backend.into()),
    ]
    .into_iter()
    .collect();
    let done = match execute_command::run(session, TOOL.to_owned(), arguments, None, true).await {
        Ok(done) => done,
        Err(error) if error.code == ErrorCode::RequestCancelled => return Err(error),
        Err(error) => {
            // A server that does not run must not disturb every keystroke.
            if params.context.trigger_kind == InlineCompletionTriggerKind::INVOKED {
                session.warn(error.message.into_owned());
            }
            return Ok(None);
        }
    };
    let completion = done["completion"].as_str().unwrap_or_default();
    let Some(insert_text) = fitting(completion, &suffix) else { return Ok(None) };
    let item = InlineCompletionItem {
        insert_text,
        filter_text: None,
        range: None,
        command: None,
        insert_text_format: None,
    };
    Ok(Some(InlineCompletionList { items: vec![item] }))
}

/// A place that a model may fill.
struct Gap {
    backend: String,
    prefix: String,
    suffix: String,
}

impl Gap {
    /// The place at a position; `None` where the settings or the rules do not allow sending the text around it,
    /// and in documents that are no files of the workspace.
    fn at(
        session: &Arc<Session>,
        snapshot: &Snapshot,
        place: &TextDocumentPositionParams,
    ) -> Option<Self> {
        let policy = &session.tools().policy;
        policy.refresh(snapshot);
        let backend = policy.model_settings().inline_completion?;
        let uri = place.text_document.uri.as_str();
        let document = snapshot.document(uri)?;
        let path = path_of_uri(uri).ok()?;
        let file = snapshot.locate(path.to_str()?).ok()?;
        if !policy.may_read(&file) {
            return None;
        }
        let text = document.text();
        let offset = text.offset(position_from_lsp(place.position), session.encoding);
        let (prefix, suffix) = around(text, offset);
        Some(Self { backend, prefix, suffix })
    }
}

/// The text before and after an offset, in whole lines except for that of the offset.
fn around(text: &Text, offset: usize) -> (String, String) {
    let start = text.line_start(text.line_of(offset.saturating_sub(MAX_PREFIX_BYTES)));
    let prefix = text.slice(start..offset);
    let cut = prefix.len().saturating_sub(2 * MAX_PREFIX_BYTES);
    let prefix = prefix[prefix.ceil_char_boundary(cut)..].to_owned();
    let end = text.line_start(text.line_of(text.len().min(offset + MAX_SUFFIX_BYTES))).max(offset);
    let end =
        if end == offset { text.len().min(text.line_span(text.line_of(offset)).end) } else { end };
    let suffix = text.slice(offset..end);
    let suffix = suffix[..suffix.floor_char_boundary(2 * MAX_SUFFIX_BYTES)].to_owned();
    (prefix, suffix)
}

/// A completion without what follows the cursor anyway; `None` if nothing is left.
fn fitting(completion: &str, suffix: &str) -> Option<String> {
    let end =
        completion.match_indices('\n').nth(MAX_LINES - 1).map_or(completion.len(), |(at, _)| at);
    let mut fitting = completion[..end].trim_end();
    // Models often write on to the end of the line, which is there already.
    let rest_of_line = suffix.lines().next().unwrap_or_default().trim();
    if !rest_of_line.is_empty() {
        fitting = fitting.strip_suffix(rest_of_line).unwrap_or(fitting);
    }
    (!fitting.trim().is_empty()).then(|| fitting.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_not_inserted_again() {
        assert_eq!(fitting("a, b)", ")\nmore"), Some("a, b".to_owned()));
        assert_eq!(fitting("return 1\n\n", "\n"), Some("return 1".to_owned()));
        assert_eq!(fitting("\n    x = 1", ""), Some("\n    x = 1".to_owned()));
        for nothing in ["", "  \n", ")"] {
            assert_eq!(fitting(nothing, ")"), None);
        }
        let long = "x\n".repeat(100);
        assert_eq!(fitting(&long, "").unwrap().lines().count(), MAX_LINES);
    }

    #[test]
    fn the_text_around_the_cursor_is_bounded() {
        let text = Text::new("one\ntwo\nthree\n");
        assert_eq!(around(&text, 5), ("one\nt".to_owned(), "wo\nthree\n".to_owned()));
        assert_eq!(around(&text, 0).0, "");
        assert_eq!(around(&text, text.len()).1, "");
        let lines = Text::new(&"a line of text \u{e9}\n".repeat(2_000));
        let (prefix, suffix) = around(&lines, 20_000);
        assert!(
            prefix.len() <= MAX_PREFIX_BYTES + 30 && prefix.starts_with("a line"),
            "{}",
            prefix.len()
        );
        assert!(
            suffix.len() <= MAX_SUFFIX_BYTES && suffix.len() > MAX_SUFFIX_BYTES / 2,
            "{}",
            suffix.len()
        );
        let one = Text::new(&"\u{e9}".repeat(50_000));
        let (prefix, suffix) = around(&one, 50_000);
        assert!(prefix.len() <= 2 * MAX_PREFIX_BYTES && suffix.len() <= 2 * MAX_SUFFIX_BYTES);
    }
}
