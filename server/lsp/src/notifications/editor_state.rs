//! `tandem/didChangeEditorState` and `textDocument/didFocus`: editor state that LSP does not cover.
//!
//! A report is complete: missing and invalid fields become unknown. An invalid message is logged and
//! never fatal.

use std::sync::Arc;

use serde_json::Value;
use text::{Position, Range};
use workspace::{EditorReport, Tab, VisibleRange};

use crate::session::Session;

/// Most tabs, selections and visible ranges in one report, and the longest URI in bytes.
const MAX_TABS: usize = 2_000;
const MAX_SELECTIONS: usize = 1_000;
const MAX_VISIBLE: usize = 1_000;
const MAX_URI_BYTES: usize = 8 << 10;

pub(crate) fn apply(session: &Arc<Session>, params: &Value) {
    if !params.is_object() {
        return session.warn("tandem/didChangeEditorState: not an object: ignored".to_owned());
    }
    let (report, invalid) = report(params);
    if !invalid.is_empty() {
        let invalid = invalid.join(", ");
        session.warn(format!("tandem/didChangeEditorState: invalid fields ignored: {invalid}"));
    }
    session.workspace.editor_reported(report, session.encoding);
}

pub(crate) fn focus(session: &Arc<Session>, params: &Value) {
    // Without a document, no text editor has the focus.
    let document = &params["textDocument"];
    match (params.is_object(), document, &document["uri"]) {
        (true, Value::Null, _) => session.workspace.focused(None),
        (true, _, uri) if self::uri(uri).is_some() => session.workspace.focused(uri.as_str()),
        _ => session.warn("textDocument/didFocus: no document: ignored".to_owned()),
    }
}

/// Parses a report. Also returns the names of invalid fields.
fn report(params: &Value) -> (EditorReport, Vec<&'static str>) {
    let mut invalid = Vec::new();
    let mut report = EditorReport {
        active: field(params, "activeUri", &mut invalid, uri),
        tabs: field(params, "tabs", &mut invalid, |value| list(value, MAX_TABS, tab)),
        active_tab: field(params, "activeTab", &mut invalid, number),
        selections: field(params, "selections", &mut invalid, |value| {
            list(value, MAX_SELECTIONS, range)
        }),
        visible: field(params, "visible", &mut invalid, |value| list(value, MAX_VISIBLE, visible)),
        version: field(params, "version", &mut invalid, |v| i32::try_from(v.as_i64()?).ok()),
    };
    if invalid.contains(&"version") || report.selections.as_ref().is_some_and(Vec::is_empty) {
        report.selections = None;
    }
    let tabs = report.tabs.as_ref().map(Vec::len);
    if report.active_tab.is_some_and(|at| tabs.is_some_and(|tabs| at as usize >= tabs)) {
        invalid.push("activeTab");
        report.active_tab = None;
    }
    (report, invalid)
}

/// Reads an optional field, and records its name if it is invalid.
fn field<T>(
    params: &Value,
    name: &'static str,
    invalid: &mut Vec<&'static str>,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<T> {
    let value = params.get(name).filter(|value| !value.is_null())?;
    let read = read(value);
    if read.is_none() {
        invalid.push(name);
    }
    read
}

/// Reads a list. One invalid item makes the whole list invalid.
fn list<T>(value: &Value, most: usize, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    let values = value.as_array().filter(|values| values.len() <= most);
    match values {
        Some(values) => values.iter().map(read).collect(),
        // Lua encodes an empty list as an empty object.
        None => value.as_object().filter(|object| object.is_empty()).map(|_| Vec::new()),
    }
}

fn uri(value: &Value) -> Option<String> {
    let uri = value.as_str().filter(|uri| !uri.is_empty() && uri.len() <= MAX_URI_BYTES)?;
    Some(uri.to_owned())
}

fn tab(value: &Value) -> Option<Tab> {
    let dirty = match &value["dirty"] {
        Value::Null => None,
        dirty => Some(dirty.as_bool()?),
    };
    Some(Tab { uri: uri(&value["uri"])?, dirty })
}

fn visible(value: &Value) -> Option<VisibleRange> {
    let range = range(&value["range"])?;
    Some(VisibleRange { uri: uri(&value["uri"])?, first: range.start.line, last: range.end.line })
}

fn range(value: &Value) -> Option<Range> {
    Some(Range { start: position(&value["start"])?, end: position(&value["end"])? })
}

fn position(value: &Value) -> Option<Position> {
    Some(Position::new(number(&value["line"])?, number(&value["character"])?))
}

fn number(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_complete_report_is_parsed() {
        let (read, invalid) = report(&json!({
            "activeUri": "file:///a", "tabs": [{ "uri": "file:///a", "dirty": true }, { "uri": "b" }],
            "activeTab": 0, "version": 3,
            "selections": [{
                "start": { "line": 1, "character": 2 }, "end": { "line": 0, "character": 9 },
            }],
            "visible": [{ "uri": "file:///a", "range": {
                "start": { "line": 0, "character": 0 }, "end": { "line": 7, "character": 0 },
            } }],
        }));
        assert!(invalid.is_empty(), "{invalid:?}");
        let tab = |uri: &str, dirty| Tab { uri: uri.to_owned(), dirty };
        let expected = EditorReport {
            active: Some("file:///a".to_owned()),
            tabs: Some(vec![tab("file:///a", Some(true)), tab("b", None)]),
            active_tab: Some(0),
            selections: Some(vec![Range { start: Position::new(1, 2), end: Position::new(0, 9) }]),
            visible: Some(vec![VisibleRange { uri: "file:///a".to_owned(), first: 0, last: 7 }]),
            version: Some(3),
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn invalid_fields_are_unknown_and_reported() {
        let invalid_fields = |params: Value| {
            let (read, invalid) = report(&params);
            assert_eq!(read, EditorReport::default(), "{params}");
            invalid
        };
        for value in [json!(7), json!("x"), json!([{}]), json!({ "x": 1 }), json!([null])] {
            let all = ["tabs", "selections", "visible", "version"];
            for name in all {
                if name != "version" || value != json!(7) {
                    assert_eq!(invalid_fields(json!({ name: value })), [name]);
                }
            }
        }
        assert_eq!(
            invalid_fields(json!({ "activeUri": 1, "activeTab": -1 })),
            ["activeUri", "activeTab"]
        );
        assert_eq!(
            invalid_fields(json!({ "activeUri": "x".repeat(MAX_URI_BYTES + 1) })),
            ["activeUri"]
        );
        assert_eq!(
            invalid_fields(json!({ "tabs": vec![json!({ "uri": "a" }); MAX_TABS + 1] })),
            ["tabs"]
        );
        let origin = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": origin, "end": origin });
        assert_eq!(invalid_fields(json!({ "selections": [range], "version": 1.5 })), ["version"]);
        let beyond = json!({ "line": 1u64 << 32, "character": 0 });
        assert_eq!(
            invalid_fields(json!({ "selections": [{ "start": origin, "end": beyond }] })),
            ["selections"]
        );
        assert!(invalid_fields(json!({ "selections": [], "activeUri": null })).is_empty());
        assert_eq!(report(&json!({ "tabs": {}, "activeTab": 0 })).1, ["activeTab"]);
    }
}
