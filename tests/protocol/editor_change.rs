//! `replace_selection` and `insert_at_cursor`: changed in the editor, or not at all.

use serde_json::{Value, json};
use tests::{Behaviour, Encoding, Server};

use crate::editor_state::{select, select_part, selected};

const ENCODINGS: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

#[test]
fn a_selection_is_replaced_in_the_editor_and_the_state_follows() {
    for encoding in ENCODINGS {
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", "\u{1f600} one\r\ntwo\r\n");
        select_part(&server, "a.txt", "one\r\nt");
        let result = server.must("replace_selection", json!({ "content": "\u{1f600}\nX" }));
        let after = "\u{1f600} \u{1f600}\r\nXwo\r\n";
        assert_eq!(server.buffer("a.txt"), after);
        assert_eq!(server.read("a.txt"), after);
        assert_eq!(result["changed"], true);
        assert_eq!(result["path"], "a.txt");
        let span =
            ["start_line", "start_column", "end_line", "end_column"].map(|n| result[n].clone());
        assert_eq!(span, [1, 4, 2, 2].map(Value::from));
        assert_eq!(result["hash"], server.must("read_file", json!({ "path": "a.txt" }))["hash"]);
        let asked = server.apply_edit_requests();
        assert_eq!(asked[0]["edit"]["documentChanges"][0]["textDocument"]["version"], 1);
        // What replaced it is what is selected now, until the editor says otherwise.
        assert_eq!(selected(&server), "\u{1f600}\r\nX");
        server.must("replace_selection", json!({ "content": "" }));
        assert_eq!(server.buffer("a.txt"), "\u{1f600} wo\r\n");
        let same = server.must("replace_selection", json!({ "content": "" }));
        assert_eq!(same["changed"], false);
        assert_eq!(server.apply_edit_requests().len(), 2);
    }
}

#[test]
fn text_is_inserted_at_the_cursor() {
    let server = Server::start("");
    server.open_text("a.txt", "one two\n");
    // The cursor is the selection's `end`, also where that comes first.
    select(&server, "a.txt", &[(7, 4)], None);
    server.must("insert_at_cursor", json!({ "content": "and " }));
    assert_eq!(server.buffer("a.txt"), "one and two\n");
    assert_eq!(selected(&server), "two", "what is selected stays selected");
    select(&server, "a.txt", &[(0, 3)], None);
    let result = server.must("insert_at_cursor", json!({ "content": "!" }));
    assert_eq!(server.buffer("a.txt"), "one! and two\n");
    assert_eq!((&result["start_column"], &result["end_column"]), (&json!(4), &json!(5)));
    // A cursor alone goes behind what was put there.
    select(&server, "a.txt", &[(4, 4)], None);
    for content in ["1", "2", "3"] {
        server.must("insert_at_cursor", json!({ "content": content }));
    }
    assert_eq!(server.buffer("a.txt"), "one!123 and two\n");
    assert_eq!(server.must("get_editor_state", json!({}))["cursor_column"], 8);
    // Two calls at once are two insertions, in order.
    let calls = ["4", "5"].map(|c| server.start_tool("insert_at_cursor", json!({ "content": c })));
    for call in calls {
        call.wait(tests::RESPONSE_TIMEOUT).unwrap();
    }
    assert_eq!(server.buffer("a.txt"), "one!12345 and two\n");
}

#[test]
fn with_several_selections_one_must_be_chosen() {
    let server = Server::start("");
    server.open_text("a.txt", "one two three\n");
    select(&server, "a.txt", &[(0, 3), (8, 13), (4, 4)], None);
    let all = server.must("get_selection", json!({}));
    assert_eq!(all["content"], "one");
    let contents: Vec<_> = all["selections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["content"].as_str().unwrap())
        .collect();
    assert_eq!(contents, ["one", "three", ""]);
    for tool in ["replace_selection", "insert_at_cursor"] {
        server.must_fail(tool, json!({ "content": "x" }), "E_AMBIGUOUS");
        for selection in [0, 4] {
            let arguments = json!({ "content": "x", "selection": selection });
            server.must_fail(tool, arguments, "E_INVALID_PARAMS");
        }
    }
    server.must("replace_selection", json!({ "content": "3", "selection": 2 }));
    assert_eq!(server.buffer("a.txt"), "one two 3\n");
    // Where the others are now, only the editor knows.
    server.must_fail("get_selection", json!({}), "E_CONFLICT");
}

#[test]
fn unchangeable_documents_are_not_changed() {
    let refusing = Server::builder("").editor(Behaviour::Refuse).start();
    let unable = Server::builder("").without_apply_edit().start();
    for (server, code) in [(refusing, "E_CONFLICT"), (unable, "E_UNSUPPORTED")] {
        server.open_text("a.txt", "one\n");
        select_part(&server, "a.txt", "one");
        server.must_fail("replace_selection", json!({ "content": "x" }), code);
        server.must_fail("insert_at_cursor", json!({ "content": "x" }), code);
        assert_eq!(server.buffer("a.txt"), "one\n");
        assert_eq!(selected(&server), "one");
    }
}

#[test]
fn a_document_outside_the_workspace_is_reported_and_not_changed() {
    let server = Server::start("");
    for (path, named) in [("../out.txt", None), ("/elsewhere/x.txt", Some("/elsewhere/x.txt"))] {
        server.open_text(path, "one\n");
        select_part(&server, path, "one");
        let result = server.must("get_selection", json!({}));
        assert_eq!(result["content"], "one");
        let shown = result["path"].as_str().unwrap();
        assert!(shown.starts_with('/') && named.is_none_or(|named| shown == named), "{shown}");
        server.must_fail("replace_selection", json!({ "content": "x" }), "E_PATH_FORBIDDEN");
        server.must_fail("insert_at_cursor", json!({ "content": "x" }), "E_PATH_FORBIDDEN");
        assert_eq!(server.buffer(path), "one\n");
    }
    assert!(server.apply_edit_requests().is_empty());
}

#[test]
fn typing_elsewhere_while_the_edit_is_pending_is_kept() {
    let server = Server::builder("").editor(Behaviour::TypesFirst).start();
    server.open_text("a.txt", "one two\n");
    select_part(&server, "a.txt", "two");
    server.must("replace_selection", json!({ "content": "2" }));
    assert_eq!(server.buffer("a.txt"), "!one 2\n");
    assert_eq!(selected(&server), "2");
    // An insertion exactly at the cursor: its side is unknown.
    server.set_editor(Behaviour::TypesFirst);
    select(&server, "a.txt", &[(0, 0)], None);
    server.must_fail("insert_at_cursor", json!({ "content": "x" }), "E_CONFLICT");
    assert_eq!(server.buffer("a.txt"), "!!one 2\n");
}

#[test]
fn a_call_uses_the_selection_at_the_time_it_was_sent() {
    let server = Server::start("");
    server.open_text("a.txt", "one two three\n");
    select_part(&server, "a.txt", "two");
    let call = server.start_tool("replace_selection", json!({ "content": "2" }));
    select_part(&server, "a.txt", "three");
    call.wait(tests::RESPONSE_TIMEOUT).unwrap();
    assert_eq!(server.buffer("a.txt"), "one 2 three\n");
    // The editor's word came after the call's beginning; it stands.
    assert_eq!(selected(&server), "three");
}

#[test]
fn a_long_selection_is_truncated_and_marked() {
    let server = Server::start("");
    let text: String = (0..5_000).map(|n| format!("line {n}\n")).collect();
    server.open_text("a.txt", &text);
    select(&server, "a.txt", &[(0, text.len())], None);
    let result = server.must("get_selection", json!({}));
    assert_eq!(result["truncated"], true);
    assert!(result["content"].as_str().unwrap().len() <= 50_000);
    assert_eq!((&result["start_line"], &result["end_line"]), (&json!(1), &json!(5_001)));
    // Replacing it replaces all of it.
    server.must("replace_selection", json!({ "content": "short" }));
    assert_eq!(server.buffer("a.txt"), "short");
}

#[test]
fn guarded_files_are_not_changed_without_approval() {
    let server = Server::start("//- /.vscode/settings.json\n{}\n");
    server.open_file(".vscode/settings.json");
    select_part(&server, ".vscode/settings.json", "{}");
    server.must_fail("replace_selection", json!({ "content": "[]" }), "E_DENIED");
    assert_eq!(server.buffer(".vscode/settings.json"), "{}\n");
}
