//! `tandem/didChangeEditorState` and `textDocument/didFocus`: what LSP has no message for.
//!
//! A report is the whole state: what it leaves out, and what cannot be read, is not known from then
//! on. A wrong message is logged and never fatal.

use std::sync::Arc;

use serde_json::Value;
use text::{Position, Range};
use workspace::{EditorReport, Tab, Visible};

use crate::session::Session;

/// Most tabs, selections and visible parts in one report, and longest URI in bytes.
const MOST_TABS: usize = 2_000;
const MOST_SELECTIONS: usize = 1_000;
const MOST_VISIBLE: usize = 1_000;
const LONGEST_URI: usize = 8 << 10;

pub(crate) fn apply(session: &Arc<Session>, params: &Value) {
    if !params.is_object() {
        return session.warn("tandem/didChangeEditorState: is no object: ignored".to_owned());
    }
    let (report, wrong) = report(params);
    if !wrong.is_empty() {
        let wrong = wrong.join(", ");
        session.warn(format!("tandem/didChangeEditorState: cannot be read: {wrong}: not known"));
    }
    session.workspace.editor_reported(report, session.encoding);
}

pub(crate) fn focus(session: &Arc<Session>, params: &Value) {
    // Without a document, nothing that has a text has the focus.
    let document = &params["textDocument"];
    match (params.is_object(), document, &document["uri"]) {
        (true, Value::Null, _) => session.workspace.focused(None),
        (true, _, uri) if self::uri(uri).is_some() => session.workspace.focused(uri.as_str()),
        _ => session.warn("textDocument/didFocus: names no document: ignored".to_owned()),
    }
}

/// What a report says, and the fields that cannot be read.
fn report(params: &Value) -> (EditorReport, Vec<&'static str>) {
    let mut wrong = Vec::new();
    let mut report = EditorReport {
        active: field(params, "activeUri", &mut wrong, uri),
        tabs: field(params, "tabs", &mut wrong, |value| list(value, MOST_TABS, tab)),
        active_tab: field(params, "activeTab", &mut wrong, number),
        selections: field(params, "selections", &mut wrong, |value| {
            list(value, MOST_SELECTIONS, range)
        }),
        visible: field(params, "visible", &mut wrong, |value| list(value, MOST_VISIBLE, visible)),
        version: field(params, "version", &mut wrong, |v| i32::try_from(v.as_i64()?).ok()),
    };
    if wrong.contains(&"version") || report.selections.as_ref().is_some_and(Vec::is_empty) {
        report.selections = None;
    }
    let tabs = report.tabs.as_ref().map(Vec::len);
    if report.active_tab.is_some_and(|at| tabs.is_some_and(|tabs| at as usize >= tabs)) {
        wrong.push("activeTab");
        report.active_tab = None;
    }
    (report, wrong)
}

/// A field, where it is given and can be read.
fn field<T>(
    params: &Value,
    name: &'static str,
    wrong: &mut Vec<&'static str>,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<T> {
    let value = params.get(name).filter(|value| !value.is_null())?;
    let read = read(value);
    if read.is_none() {
        wrong.push(name);
    }
    read
}

/// All of a list, or nothing: a part of it would be another list.
fn list<T>(value: &Value, most: usize, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    let values = value.as_array().filter(|values| values.len() <= most);
    match values {
        Some(values) => values.iter().map(read).collect(),
        // Lua writes an empty list as an empty object.
        None => value.as_object().filter(|object| object.is_empty()).map(|_| Vec::new()),
    }
}

fn uri(value: &Value) -> Option<String> {
    let uri = value.as_str().filter(|uri| !uri.is_empty() && uri.len() <= LONGEST_URI)?;
    Some(uri.to_owned())
}

fn tab(value: &Value) -> Option<Tab> {
    let dirty = match &value["dirty"] {
        Value::Null => None,
        dirty => Some(dirty.as_bool()?),
    };
    Some(Tab { uri: uri(&value["uri"])?, dirty })
}

fn visible(value: &Value) -> Option<Visible> {
    let range = range(&value["range"])?;
    Some(Visible { uri: uri(&value["uri"])?, first: range.start.line, last: range.end.line })
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
    fn a_whole_report_is_read() {
        let (read, wrong) = report(&json!({
            "activeUri": "file:///a", "tabs": [{ "uri": "file:///a", "dirty": true }, { "uri": "b" }],
            "activeTab": 0, "version": 3,
            "selections": [{
                "start": { "line": 1, "character": 2 }, "end": { "line": 0, "character": 9 },
            }],
            "visible": [{ "uri": "file:///a", "range": {
                "start": { "line": 0, "character": 0 }, "end": { "line": 7, "character": 0 },
            } }],
        }));
        assert!(wrong.is_empty(), "{wrong:?}");
        let tab = |uri: &str, dirty| Tab { uri: uri.to_owned(), dirty };
        let expected = EditorReport {
            active: Some("file:///a".to_owned()),
            tabs: Some(vec![tab("file:///a", Some(true)), tab("b", None)]),
            active_tab: Some(0),
            selections: Some(vec![Range { start: Position::new(1, 2), end: Position::new(0, 9) }]),
            visible: Some(vec![Visible { uri: "file:///a".to_owned(), first: 0, last: 7 }]),
            version: Some(3),
        };
        assert_eq!(read, expected);
    }

    #[test]
    fn what_cannot_be_read_is_not_known_and_said() {
        let wrongs = |params: Value| {
            let (read, wrong) = report(&params);
            assert_eq!(read, EditorReport::default(), "{params}");
            wrong
        };
        for value in [json!(7), json!("x"), json!([{}]), json!({ "x": 1 }), json!([null])] {
            let all = ["tabs", "selections", "visible", "version"];
            for name in all {
                if name != "version" || value != json!(7) {
                    assert_eq!(wrongs(json!({ name: value })), [name]);
                }
            }
        }
        assert_eq!(wrongs(json!({ "activeUri": 1, "activeTab": -1 })), ["activeUri", "activeTab"]);
        assert_eq!(wrongs(json!({ "activeUri": "x".repeat(LONGEST_URI + 1) })), ["activeUri"]);
        assert_eq!(wrongs(json!({ "tabs": vec![json!({ "uri": "a" }); MOST_TABS + 1] })), ["tabs"]);
        let place = json!({ "line": 0, "character": 0 });
        let range = json!({ "start": place, "end": place });
        assert_eq!(wrongs(json!({ "selections": [range], "version": 1.5 })), ["version"]);
        let beyond = json!({ "line": 1u64 << 32, "character": 0 });
        assert_eq!(
            wrongs(json!({ "selections": [{ "start": place, "end": beyond }] })),
            ["selections"]
        );
        assert!(wrongs(json!({ "selections": [], "activeUri": null })).is_empty());
        assert_eq!(report(&json!({ "tabs": {}, "activeTab": 0 })).1, ["activeTab"]);
    }
}
