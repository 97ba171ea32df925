//! A stop, as sent to clients.

use std::path::Path;

use ::debug::{Session, StackFrame, StopInfo};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{Position, Range};
use workspace::{Snapshot, uri_of_path};

use crate::convert::range_to_lsp;
use crate::session::Session as Client;

/// Longest function name, in characters.
const MAX_NAME_CHARS: usize = 300;
/// Longest exception text, in characters.
const MAX_TEXT_CHARS: usize = 2_000;

/// The line where a program is stopped.
pub(super) struct StopLocation {
    pub(super) uri: String,
    pub(super) range: Range,
}

/// The location of a frame. Reads the file.
pub(super) fn location(client: &Client, frame: &StackFrame) -> Option<StopLocation> {
    let path = frame.source.as_ref()?.path.as_deref()?;
    let path = Path::new(path).is_absolute().then(|| Path::new(path))?;
    let line = u32::try_from(frame.line).ok()?.checked_sub(1)?;
    let uri = uri_of_path(path);
    let range = line_range(client, &client.workspace.snapshot(), &uri, line);
    Some(StopLocation { uri, range })
}

/// The range of a line. Empty if the document cannot be read.
fn line_range(client: &Client, snapshot: &Snapshot, uri: &str, line: u32) -> Range {
    let start = Position { line, character: 0 };
    let Some(document) = snapshot.document_or_file(uri) else { return Range::new(start, start) };
    let text = document.text();
    let span = text.line_span(line as usize);
    range_to_lsp(text, span, client.encoding)
}

/// The parameters of `tandem/didStop`.
pub(super) fn stop_params(
    session: &Session,
    stop: &StopInfo,
    frame: Option<&StackFrame>,
    location: Option<&StopLocation>,
) -> Value {
    let mut params = json!({
        "session": session.id(), "program": truncate(session.title(), MAX_TEXT_CHARS),
        "reason": stop.reason,
    });
    let text = stop.text.as_ref().or(stop.description.as_ref());
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            params[name] = value;
        }
    };
    set("thread", stop.thread.map(Value::from));
    set("text", text.map(|text| debug_tools::shown_text(&truncate(text, MAX_TEXT_CHARS)).into()));
    set("frame", frame.map(|frame| frame.id.into()));
    set("function", frame.map(|frame| truncate(&frame.name, MAX_NAME_CHARS).into()));
    set("line", frame.filter(|frame| frame.line > 0).map(|frame| frame.line.into()));
    set("uri", location.map(|location| location.uri.as_str().into()));
    set("range", location.map(|location| json!(location.range)));
    params
}

pub(super) fn truncate(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}
