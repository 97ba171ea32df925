//! What the person has before them: reported by the editor, carried along, and never guessed.

use std::process::Stdio;

use serde_json::{Value, json};
use tests::{Encoding, Home, Server, position_at};

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

/// Ranges of byte spans: the anchor first, the cursor second.
pub(crate) fn ranges(server: &Server, text: &str, spans: &[(usize, usize)]) -> Value {
    let place = |at| position_at(text, at, server.encoding());
    spans
        .iter()
        .map(|(anchor, cursor)| json!({ "start": place(*anchor), "end": place(*cursor) }))
        .collect()
}

/// Reports the active document and what is selected in its buffer.
pub(crate) fn select(server: &Server, path: &str, spans: &[(usize, usize)], version: Option<i32>) {
    let selections = ranges(server, &server.buffer(path), spans);
    let mut state = json!({ "activeUri": server.uri(path), "selections": selections });
    if let Some(version) = version {
        state["version"] = version.into();
    }
    server.report(state);
}

/// Selects the first `part` of a buffer.
pub(crate) fn select_part(server: &Server, path: &str, part: &str) {
    let start = server.buffer(path).find(part).unwrap();
    select(server, path, &[(start, start + part.len())], None);
}

pub(crate) fn selected(server: &Server) -> String {
    server.must("get_selection", json!({}))["content"].as_str().unwrap().to_owned()
}

const EDITOR_TOOLS: [(&str, &str); 5] = [
    ("get_editor_state", "{}"),
    ("goto_line", r#"{"line": 1}"#),
    ("get_selection", "{}"),
    ("replace_selection", r#"{"content": "x"}"#),
    ("insert_at_cursor", r#"{"content": "x"}"#),
];

#[test]
fn without_a_report_there_is_no_editor_state() {
    let server = Server::start("//- /a.txt\none\n");
    server.open_file("a.txt");
    for (tool, arguments) in EDITOR_TOOLS {
        server.must_fail(tool, serde_json::from_str(arguments).unwrap(), "E_NO_EDITOR");
    }
    assert_eq!(server.buffer("a.txt"), "one\n");
}

#[test]
fn without_an_editor_every_editor_tool_reports_it() {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "one\n").unwrap();
    for (tool, arguments) in EDITOR_TOOLS.into_iter().chain([("open_file", r#"{"path": "a.txt"}"#)])
    {
        let mut command = home.command();
        command.args(["call", tool, arguments, "--yes", "--workspace"]).arg(home.root());
        let called = command.stdin(Stdio::null()).output().unwrap();
        let said: Value = serde_json::from_slice(&called.stdout).unwrap();
        assert_eq!(
            (called.status.code(), &said["code"]),
            (Some(1), &json!("E_NO_EDITOR")),
            "{tool}"
        );
    }
}

#[test]
fn a_report_uses_the_field_names_of_the_dialect() {
    let server = Server::start("//- /src/a.rs\none\ntwo \u{1f600}!\n//- /b.rs\n\n");
    server.open_file("src/a.rs");
    let outside = "file:///elsewhere/c%20d.rs";
    server.report(json!({
        "activeUri": server.uri("src/a.rs"),
        "tabs": [
            { "uri": server.uri("src/a.rs"), "dirty": true },
            { "uri": server.uri("b.rs"), "dirty": false },
            { "uri": outside, "dirty": false },
            { "uri": "untitled:Untitled-1", "dirty": true },
        ],
        "activeTab": 0,
        "selections": [{
            "start": { "line": 0, "character": 1 }, "end": { "line": 1, "character": 6 },
        }],
        "visible": [{
            "uri": server.uri("src/a.rs"),
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } },
        }],
        "version": 1,
    }));
    let state = server.must("get_editor_state", json!({}));
    assert_eq!(state["active_file"], "src/a.rs");
    assert_eq!(
        state["open_files"],
        json!(["src/a.rs", "b.rs", "/elsewhere/c d.rs", "untitled:Untitled-1"])
    );
    assert_eq!(state["active_tab_index"], 0);
    assert_eq!((&state["cursor_line"], &state["cursor_column"]), (&json!(2), &json!(7)));
    assert_eq!(
        (&state["selection_start_line"], &state["selection_end_line"]),
        (&json!(1), &json!(2))
    );
    assert_eq!(state["dirty_files"], json!(["src/a.rs", "untitled:Untitled-1"]));
    assert_eq!(state["visible"], json!([{ "path": "src/a.rs", "start_line": 1, "end_line": 3 }]));
    assert_eq!(state["version"], 1);
    assert_eq!(state["selections"].as_array().unwrap().len(), 1);
    assert_eq!(selected(&server), "ne\ntwo \u{1f600}");
}

#[test]
fn a_report_replaces_the_whole_state() {
    let server = Server::start("//- /a.txt\none\n");
    server.open_file("a.txt");
    let tabs = json!([{ "uri": server.uri("a.txt"), "dirty": true }]);
    server.report(json!({ "activeUri": server.uri("a.txt"), "tabs": tabs, "activeTab": 0 }));
    select(&server, "a.txt", &[(0, 3)], None);
    let state = server.must("get_editor_state", json!({}));
    for unknown in ["open_files", "active_tab_index", "dirty_files", "visible", "version"] {
        assert!(state[unknown].is_null(), "{unknown}: {state}");
    }
    // With nothing in it, nothing is known any more.
    server.report(json!({}));
    server.must_fail("get_editor_state", json!({}), "E_NO_EDITOR");
    // No active document, but a tab.
    server.report(json!({ "activeUri": null, "tabs": tabs }));
    let state = server.must("get_editor_state", json!({}));
    assert_eq!((&state["active_file"], &state["open_files"]), (&Value::Null, &json!(["a.txt"])));
    server.must_fail("get_selection", json!({}), "E_NO_EDITOR");
}

#[test]
fn malformed_editor_reports_are_ignored() {
    let server = Server::start("//- /a.txt\none\n");
    server.open_file("a.txt");
    let uri = server.uri("a.txt");
    let place = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": place, "end": place });
    for odd in [
        json!({ "selections": "all" }),
        json!({ "selections": [range, 7] }),
        json!({ "selections": vec![range.clone(); 100_000] }),
        json!({ "selections": [{ "start": place }] }),
        json!({ "selections": [{ "start": place, "end": { "line": -1, "character": 0 } }] }),
        json!({ "selections": [{ "start": place, "end": { "line": 1u64 << 40, "character": 0 } }] }),
        json!({ "selections": [range], "version": "one" }),
        json!({ "selections": [range], "version": 1u64 << 40 }),
        json!({ "selections": [], "tabs": [null], "visible": {}, "activeTab": -1 }),
        json!({ "tabs": vec![json!({ "uri": "file:///x" }); 100_000], "activeTab": 1 }),
    ] {
        let mut odd = odd;
        odd["activeUri"] = json!(uri);
        server.report(odd);
        let state = server.must("get_editor_state", json!({}));
        assert_eq!(state["active_file"], "a.txt");
        assert!(state["cursor_line"].is_null() && state["open_files"].is_null(), "{state}");
        server.must_fail("get_selection", json!({}), "E_NO_EDITOR");
    }
    // What is no report at all changes nothing.
    select(&server, "a.txt", &[(0, 3)], None);
    for nonsense in [json!([1, 2]), json!("x"), Value::Null] {
        server.report(nonsense.clone());
        server.notify("textDocument/didFocus", nonsense).unwrap();
    }
    server.notify("textDocument/didFocus", json!({ "textDocument": { "uri": 7 } })).unwrap();
    assert_eq!(selected(&server), "one");
}

#[test]
fn a_focus_report_gives_the_file_and_no_selection() {
    let server = Server::start("//- /a.txt\none\n//- /b.txt\ntwo\n");
    server.open_file("a.txt");
    server.open_file("b.txt");
    let focus = |path: &str| {
        let document = json!({ "uri": server.uri(path) });
        server.notify("textDocument/didFocus", json!({ "textDocument": document })).unwrap();
    };
    focus("a.txt");
    let state = server.must("get_editor_state", json!({}));
    assert_eq!((&state["active_file"], &state["cursor_line"]), (&json!("a.txt"), &Value::Null));
    for (tool, arguments) in &EDITOR_TOOLS[2..] {
        server.must_fail(tool, serde_json::from_str(arguments).unwrap(), "E_NO_EDITOR");
    }
    // The same document keeps its selection, another has none.
    select(&server, "a.txt", &[(0, 3)], None);
    focus("a.txt");
    assert_eq!(selected(&server), "one");
    focus("b.txt");
    server.must_fail("get_selection", json!({}), "E_NO_EDITOR");
    focus("a.txt");
    server.must_fail("get_selection", json!({}), "E_NO_EDITOR");
    server.notify("textDocument/didFocus", json!({})).unwrap();
    server.must_fail("get_editor_state", json!({}), "E_NO_EDITOR");
}

#[test]
fn closing_the_document_forgets_its_editor_state() {
    let server = Server::start("//- /a.txt\none\n//- /b.txt\ntwo\n");
    server.open_file("a.txt");
    server.open_file("b.txt");
    select(&server, "a.txt", &[(0, 3)], None);
    server.close_file("b.txt");
    assert_eq!(selected(&server), "one");
    server.close_file("a.txt");
    server.open_file("a.txt");
    for (tool, arguments) in EDITOR_TOOLS {
        server.must_fail(tool, serde_json::from_str(arguments).unwrap(), "E_NO_EDITOR");
    }
}

#[test]
fn selections_are_exact_in_every_encoding() {
    let text = "a\u{e9}\u{1f600}b\r\n\u{1f468}\u{200d}\u{1f469}x e\u{301}\r\nend";
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let inside = |at: &usize| text[..*at].ends_with('\r') && text[*at..].starts_with('\n');
    let places: Vec<_> = places.into_iter().filter(|at| !inside(at)).collect();
    for encoding in ENCODINGS {
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", text);
        for (n, &start) in places.iter().enumerate() {
            for &end in places[n..].iter().step_by(3) {
                for (anchor, cursor) in [(start, end), (end, start)] {
                    select(&server, "a.txt", &[(anchor, cursor)], Some(1));
                    let result = server.must("get_selection", json!({}));
                    assert_eq!(result["content"], text[start..end], "{encoding:?} {start}..{end}");
                    let at = |offset, line: &str, column: &str| {
                        let place = position_at(text, offset, Encoding::Utf16);
                        assert_eq!(result[line], place["line"].as_u64().unwrap() + 1);
                        assert_eq!(result[column], place["character"].as_u64().unwrap() + 1);
                    };
                    at(start, "start_line", "start_column");
                    at(end, "end_line", "end_column");
                    at(cursor, "cursor_line", "cursor_column");
                }
            }
        }
    }
}

#[test]
fn a_selection_beyond_the_text_is_dropped() {
    for (encoding, inside) in [(Encoding::Utf8, 3), (Encoding::Utf16, 2)] {
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", "a\u{1f600}b\n");
        let report = |line: u64, character: u64| {
            let place = json!({ "line": line, "character": character });
            let selections = json!([{ "start": { "line": 0, "character": 0 }, "end": place }]);
            server.report(json!({ "activeUri": server.uri("a.txt"), "selections": selections }));
        };
        // Past the end of a line is its end, as the protocol has it.
        report(0, 1_000);
        assert_eq!(selected(&server), "a\u{1f600}b");
        for (line, character) in [(2, 0), (9, 9), (0, inside)] {
            report(line, character);
            server.must_fail("get_selection", json!({}), "E_CONFLICT");
            server.must_fail("replace_selection", json!({ "content": "" }), "E_CONFLICT");
            let state = server.must("get_editor_state", json!({}));
            assert_eq!(
                (&state["active_file"], &state["cursor_line"]),
                (&json!("a.txt"), &Value::Null)
            );
        }
        assert_eq!(server.buffer("a.txt"), "a\u{1f600}b\n");
    }
}

#[test]
fn an_older_version_is_carried_through_the_edits_since() {
    for encoding in ENCODINGS {
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", "\u{1f600}one\r\ntwo three\n");
        let old = server.buffer("a.txt");
        let start = old.find("two").unwrap();
        let selections = ranges(&server, &old, &[(start, start + 3)]);
        server.replace_text("a.txt", "one", "\u{1f600}\r\nlonger");
        server.replace_text("a.txt", "three", "3");
        let report = json!({
            "activeUri": server.uri("a.txt"), "selections": selections, "version": 1,
        });
        server.report(report.clone());
        let result = server.must("get_selection", json!({}));
        assert_eq!((&result["content"], &result["start_line"]), (&json!("two"), &json!(3)));
        // Later typing into the selection makes it obsolete.
        server.replace_text("a.txt", "two", "twoo");
        server.must_fail("get_selection", json!({}), "E_CONFLICT");
        server.report(report);
        server.must_fail("get_selection", json!({}), "E_CONFLICT");
        server.must_fail("replace_selection", json!({ "content": "x" }), "E_CONFLICT");
    }
}

#[test]
fn a_newer_version_is_waited_for() {
    let server = Server::start("");
    server.open_text("a.txt", "one\n");
    let selections = ranges(&server, "one two\n", &[(4, 7)]);
    let report =
        json!({ "activeUri": server.uri("a.txt"), "selections": selections, "version": 2 });
    server.report(report.clone());
    let error = server.must_fail("get_selection", json!({}), "E_CONFLICT");
    assert!(error.message.contains("version 2"), "{}", error.message);
    server.must_fail("insert_at_cursor", json!({ "content": "x" }), "E_CONFLICT");
    // The editor's own words, of a text that is still to come.
    assert_eq!(server.must("get_editor_state", json!({}))["cursor_line"], 1);
    server.replace_text("a.txt", "one", "one two");
    assert_eq!(selected(&server), "two");
    // A version that never was, and one that is too old.
    for version in [-1, 0] {
        let mut report = report.clone();
        report["version"] = version.into();
        server.report(report);
        server.must_fail("get_selection", json!({}), "E_CONFLICT");
    }
    let mut report = report;
    report["version"] = 7.into();
    server.report(report);
    for n in 3..=7 {
        server.must_fail("get_selection", json!({}), "E_CONFLICT");
        server.type_in("a.txt", &[json!({ "text": format!("one two\n{n}") })]);
    }
    assert_eq!(selected(&server), "two");
    // The next change is another's place.
    server.replace_text("a.txt", "7", "eight");
    assert_eq!(selected(&server), "two");
}

#[test]
fn a_skipped_version_is_not_waited_for() {
    let server = Server::start("");
    server.open_text("a.txt", "one\n");
    let selections = ranges(&server, "one\n", &[(0, 3)]);
    server.report(
        json!({ "activeUri": server.uri("a.txt"), "selections": selections, "version": 2 }),
    );
    let document = json!({ "uri": server.uri("a.txt"), "version": 3 });
    let change = json!({ "textDocument": document, "contentChanges": [{ "text": "one!\n" }] });
    server.notify("textDocument/didChange", change).unwrap();
    server.must_fail("get_selection", json!({}), "E_CONFLICT");
}

#[test]
fn without_a_version_the_message_order_counts() {
    let server = Server::start("");
    server.open_text("a.txt", "one two\n");
    server.replace_text("a.txt", "one", "1");
    select_part(&server, "a.txt", "two");
    let seen = server.start_tool("get_selection", json!({}));
    server.replace_text("a.txt", "1", "one and");
    let carried = server.start_tool("get_selection", json!({}));
    select_part(&server, "a.txt", "and");
    let moved = server.start_tool("get_selection", json!({}));
    let content = |pending: client::PendingResponse| {
        let result = pending.wait(tests::RESPONSE_TIMEOUT).unwrap();
        (result["content"].as_str().unwrap().to_owned(), result["start_column"].as_u64().unwrap())
    };
    assert_eq!(content(seen), ("two".to_owned(), 3));
    assert_eq!(content(carried), ("two".to_owned(), 9));
    assert_eq!(content(moved), ("and".to_owned(), 5));
}

#[test]
fn a_report_may_arrive_before_its_document_is_opened() {
    let server = Server::start("//- /a.txt\none two\n");
    let selections = ranges(&server, "one two\n", &[(4, 7)]);
    server.report(json!({ "activeUri": server.uri("a.txt"), "selections": selections }));
    server.must_fail("get_selection", json!({}), "E_NO_EDITOR");
    server.must_fail("replace_selection", json!({ "content": "x" }), "E_NO_EDITOR");
    let state = server.must("get_editor_state", json!({}));
    assert_eq!((&state["cursor_line"], &state["cursor_column"]), (&json!(1), &json!(8)));
    server.open_file("a.txt");
    assert_eq!(selected(&server), "two");
}
