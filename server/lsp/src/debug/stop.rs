//! A stop as clients are told of it.

use std::path::Path;

use ::debug::{Frame, Session, Stop};
use serde_json::{Value, json};
use tower_lsp_server::ls_types::{Position, Range};
use workspace::{Snapshot, uri_of_path};

use crate::convert::range_to_lsp;
use crate::session::Session as Client;

/// Longest name of a function, in characters.
const LONGEST_NAME: usize = 300;
/// Longest text of an exception, in characters.
const LONGEST_TEXT: usize = 2_000;

/// Where a program stands: the whole line.
pub(super) struct Place {
    pub(super) uri: String,
    pub(super) range: Range,
}

/// The line of a frame. Reads the file.
pub(super) fn place(client: &Client, frame: &Frame) -> Option<Place> {
    let path = frame.source.as_ref()?.path.as_deref()?;
    let path = Path::new(path).is_absolute().then(|| Path::new(path))?;
    let line = u32::try_from(frame.line).ok()?.checked_sub(1)?;
    let uri = uri_of_path(path);
    let range = whole_line(client, &client.workspace.snapshot(), &uri, line);
    Some(Place { uri, range })
}

/// A line of a document; empty, at its start, in one that cannot be read.
fn whole_line(client: &Client, snapshot: &Snapshot, uri: &str, line: u32) -> Range {
    let start = Position { line, character: 0 };
    let Some(document) = snapshot.document_or_file(uri) else { return Range::new(start, start) };
    let text = document.text();
    let span = text.line_span(line as usize);
    range_to_lsp(text, span, client.encoding)
}

/// `tandem/didStop`
pub(super) fn described(
    session: &Session,
    stop: &Stop,
    frame: Option<&Frame>,
    place: Option<&Place>,
) -> Value {
    let mut told = json!({
        "session": session.id(), "program": clipped(session.title(), LONGEST_TEXT),
        "reason": stop.reason,
    });
    let text = stop.text.as_ref().or(stop.description.as_ref());
    let mut set = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            told[name] = value;
        }
    };
    set("thread", stop.thread.map(Value::from));
    set("text", text.map(|text| tools::shown_text(&clipped(text, LONGEST_TEXT)).into()));
    set("frame", frame.map(|frame| frame.id.into()));
    set("function", frame.map(|frame| clipped(&frame.name, LONGEST_NAME).into()));
    set("line", frame.filter(|frame| frame.line > 0).map(|frame| frame.line.into()));
    set("uri", place.map(|place| place.uri.as_str().into()));
    set("range", place.map(|place| json!(place.range)));
    told
}

pub(super) fn clipped(text: &str, longest: usize) -> String {
    text.chars().take(longest).collect()
}
