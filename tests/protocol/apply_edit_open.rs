//! The tool `apply_edit` on documents that the editor has open.

use serde_json::{Value, json};
use tests::{Behaviour, Encoding, RESPONSE_TIMEOUT, Server};

use crate::apply_edit_disk::edit;

const FIXTURE: &str = "//- /open.txt\none\ntwo\nthree\n//- /closed.txt\nclosed\n";

/// An edit of the open and of the closed file.
fn edit_of_both() -> Value {
    json!({ "edits": [
        { "path": "closed.txt", "patches": [{ "old_text": "closed", "new_text": "CLOSED" }] },
        { "path": "open.txt", "patches": [{ "old_text": "two", "new_text": "TWO" }] },
    ]})
}

fn start_with_open_file(behaviour: Behaviour) -> Server {
    let server = Server::builder(FIXTURE).editor(behaviour).start();
    server.open_file("open.txt");
    server
}

fn assert_nothing_changed(server: &Server) {
    assert_eq!(server.buffer("open.txt"), "one\ntwo\nthree\n");
    assert_eq!(server.read("open.txt"), "one\ntwo\nthree\n");
    assert_eq!(server.disk_text("open.txt"), "one\ntwo\nthree\n");
    assert_eq!(server.disk_text("closed.txt"), "closed\n");
}

#[test]
fn the_editor_makes_the_change_and_the_disk_is_left_alone() {
    for behaviour in [Behaviour::ChangeThenReply, Behaviour::ReplyThenChange] {
        let server = start_with_open_file(behaviour);
        let result = server.must("apply_edit", edit("open.txt", "two", "TWO"));
        assert_eq!(result["changed"], true, "{behaviour:?}: {result}");
        assert_eq!(result["files"][0]["patches"][0]["outcome"], "applied");
        // The next request sees what the tool reported as done.
        assert_eq!(server.read("open.txt"), "one\nTWO\nthree\n", "{behaviour:?}");
        assert_eq!(server.buffer("open.txt"), "one\nTWO\nthree\n");
        assert_eq!(server.disk_text("open.txt"), "one\ntwo\nthree\n");
        assert_eq!(server.apply_edit_requests().len(), 1);
    }
}

#[test]
fn the_result_describes_the_new_text() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    let result = server.must("apply_edit", edit("open.txt", "two", "TWO"));
    let hash = server.must("read_file", json!({ "path": "open.txt" }))["hash"].clone();
    assert_eq!(result["files"][0]["hash"], hash);
    assert_eq!(result["files"][0]["path"], "open.txt");
}

#[test]
fn the_edit_names_the_version_it_was_made_for() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    server.replace_text("open.txt", "three", "drei");
    server.must("apply_edit", edit("open.txt", "two", "TWO"));
    let asked = &server.apply_edit_requests()[0]["edit"];
    let [document] = &asked["documentChanges"].as_array().unwrap()[..] else { panic!("{asked}") };
    assert_eq!(document["textDocument"]["uri"], server.uri("open.txt"));
    assert_eq!(document["textDocument"]["version"], 2, "{asked}");
    assert!(asked["changes"].is_null(), "an unversioned edit: {asked}");
}

#[test]
fn the_edit_is_minimal() {
    let server = Server::start("");
    let text: String = (0..1_000).map(|n| format!("line {n} of many\n")).collect();
    server.open_text("big.txt", &text);
    let new = text.replace("line 10 ", "row 10 ").replace("line 990 ", "row 990 ");
    let patches = [
        ("line 10 of many\nline 11 of many", "row 10 of many\nline 11 of many"),
        ("line 990 of", "row 990 of"),
    ]
    .map(|(old, new)| json!({ "old_text": old, "new_text": new }));
    server.must("apply_edit", json!({ "path": "big.txt", "patches": patches }));
    assert_eq!(server.buffer("big.txt"), new);
    let asked = &server.apply_edit_requests()[0]["edit"]["documentChanges"][0]["edits"];
    let sent: usize =
        asked.as_array().unwrap().iter().map(|edit| edit["newText"].as_str().unwrap().len()).sum();
    assert!(sent < 60, "two words changed, {sent} bytes sent: {asked}");
    for edit in asked.as_array().unwrap() {
        let line = edit["range"]["start"]["line"].as_u64().unwrap();
        assert!([10, 990].contains(&line), "{edit}");
    }
}

#[test]
fn ranges_are_in_the_negotiated_encoding() {
    let text = "\u{1f600}e\u{301}\u{4e2d} old \u{1f680} old2\r\n\u{1f600} last\r";
    for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
        let server = Server::builder("").encodings(&[encoding]).start();
        server.open_text("a.txt", text);
        let patches =
            [("old \u{1f680}", "new \u{1f680}"), ("old2", "n\u{e9}w2"), ("last", "\u{1f680}")]
                .map(|(old, new)| json!({ "old_text": old, "new_text": new }));
        server.must("apply_edit", json!({ "path": "a.txt", "patches": patches }));
        let expected = "\u{1f600}e\u{301}\u{4e2d} new \u{1f680} n\u{e9}w2\r\n\u{1f600} \u{1f680}\r";
        assert_eq!(server.buffer("a.txt"), expected, "{encoding:?}");
        assert_eq!(server.read("a.txt"), expected, "{encoding:?}");
    }
}

#[test]
fn a_byte_order_mark_in_the_buffer_is_kept() {
    let server = Server::start("");
    server.open_text("a.txt", "\u{feff}old text\n");
    server.must("apply_edit", edit("a.txt", "old", "new"));
    assert_eq!(server.buffer("a.txt"), "\u{feff}new text\n");
}

#[test]
fn unsaved_text_is_matched() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    server.replace_text("open.txt", "two", "typed");
    server.must_fail("apply_edit", edit("open.txt", "two", "TWO"), "E_NO_MATCH");
    server.must("apply_edit", edit("open.txt", "typed", "TYPED"));
    assert_eq!(server.buffer("open.txt"), "one\nTYPED\nthree\n");
}

#[test]
fn a_buffer_not_on_disk_yet_is_edited() {
    let server = Server::start("");
    server.open_text("new.txt", "not saved\n");
    server.must("apply_edit", edit("new.txt", "not", "never"));
    assert_eq!(server.buffer("new.txt"), "never saved\n");
    assert!(!server.path("new.txt").exists());
}

#[test]
fn edits_apply_one_after_another() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    for (old, new) in [("one", "1"), ("two", "2"), ("three", "3"), ("1\n2\n3", "all")] {
        server.must("apply_edit", edit("open.txt", old, new));
    }
    assert_eq!(server.buffer("open.txt"), "all\n");
}

#[test]
fn concurrent_edits_all_apply_or_report_a_conflict() {
    let server = Server::start("");
    let text: String = (0..30).map(|n| format!("line {n:02}\n")).collect();
    server.open_text("a.txt", &text);
    let calls: Vec<_> = (0..30)
        .map(|n| {
            let (old, new) = (format!("line {n:02}"), format!("done {n:02}"));
            (n, server.start_tool("apply_edit", edit("a.txt", &old, &new)))
        })
        .collect();
    let mut expected = text;
    for (n, call) in calls {
        if call.wait(RESPONSE_TIMEOUT).is_ok() {
            expected = expected.replace(&format!("line {n:02}"), &format!("done {n:02}"));
        }
    }
    assert_eq!(server.buffer("a.txt"), expected, "what was reported is not what happened");
    assert!(expected.contains("done"), "none landed");
}

#[test]
fn an_editor_that_refuses_is_a_conflict() {
    let server = start_with_open_file(Behaviour::Refuse);
    let error = server.must_fail("apply_edit", edit("open.txt", "two", "TWO"), "E_CONFLICT");
    let said = error.data.to_string();
    assert!(said.contains("the person said no"), "the editor's reason is lost: {said}");
    assert_nothing_changed(&server);
}

#[test]
fn an_editor_that_refuses_stops_the_whole_call() {
    let server = start_with_open_file(Behaviour::Refuse);
    server.must_fail("apply_edit", edit_of_both(), "E_CONFLICT");
    assert_nothing_changed(&server);
}

#[test]
fn a_client_that_cannot_apply_edits_gets_no_apply_edit() {
    let server = Server::builder(FIXTURE).without_apply_edit().start();
    server.open_file("open.txt");
    server.must_fail("apply_edit", edit("open.txt", "two", "TWO"), "E_UNSUPPORTED");
    server.must_fail("apply_edit", edit_of_both(), "E_UNSUPPORTED");
    assert_eq!(server.apply_edit_requests(), [Value::Null; 0]);
    assert_nothing_changed(&server);
    // Closed files need no editor.
    server.must("apply_edit", edit("closed.txt", "closed", "CLOSED"));
    assert_eq!(server.disk_text("closed.txt"), "CLOSED\n");
}

#[test]
fn open_and_closed_files_change_together() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    let result = server.must("apply_edit", edit_of_both());
    assert_eq!(result["files"].as_array().unwrap().len(), 2);
    assert_eq!(server.buffer("open.txt"), "one\nTWO\nthree\n");
    assert_eq!(server.disk_text("open.txt"), "one\ntwo\nthree\n");
    assert_eq!(server.disk_text("closed.txt"), "CLOSED\n");
    for asked in server.apply_edit_requests() {
        assert!(
            !asked.to_string().contains("closed.txt"),
            "closed files are not the editor's: {asked}"
        );
    }
}

#[test]
fn several_open_documents_change_in_one_edit() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    server.open_file("closed.txt");
    server.must("apply_edit", edit_of_both());
    assert_eq!(server.buffer("open.txt"), "one\nTWO\nthree\n");
    assert_eq!(server.buffer("closed.txt"), "CLOSED\n");
    assert_eq!(server.apply_edit_requests().len(), 1, "one edit is one step to undo");
}

#[test]
fn a_dry_run_needs_no_approval() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    let mut arguments = edit_of_both();
    arguments["dry_run"] = true.into();
    let result = server.must("apply_edit", arguments);
    assert!(result["files"][1]["diff"].as_str().unwrap().contains("+TWO"), "{result}");
    assert_eq!(server.apply_edit_requests(), [Value::Null; 0]);
    assert_nothing_changed(&server);
}

#[test]
fn an_ambiguous_edit_never_reaches_the_editor() {
    let server = Server::start("");
    server.open_text("a.txt", "same\nsame\n");
    let error = server.must_fail("apply_edit", edit("a.txt", "same", "x"), "E_AMBIGUOUS");
    assert_eq!(error.detail_numbers("start_line"), [1, 2], "{}", error.data);
    assert_eq!(server.apply_edit_requests(), [Value::Null; 0]);
}

#[test]
fn an_expected_hash_is_of_the_buffer() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    let hash = server.must("read_file", json!({ "path": "open.txt" }))["hash"].clone();
    server.replace_text("open.txt", "three", "drei");
    let mut arguments = edit("open.txt", "two", "TWO");
    arguments["expected_hash"] = hash;
    server.must_fail("apply_edit", arguments.clone(), "E_CONFLICT");
    server.replace_text("open.txt", "drei", "three");
    server.must("apply_edit", arguments);
    assert_eq!(server.buffer("open.txt"), "one\nTWO\nthree\n");
}

#[test]
fn typing_during_an_edit_is_not_lost() {
    let server = start_with_open_file(Behaviour::TypesFirst);
    match server.tool("apply_edit", edit("open.txt", "two", "TWO")) {
        Ok(_) => assert_eq!(server.buffer("open.txt"), "!one\nTWO\nthree\n"),
        Err(error) => {
            assert_eq!(error.code, "E_CONFLICT", "{}", error.data);
            assert!(error.recoverable, "trying again may do: {}", error.data);
            assert_eq!(server.buffer("open.txt"), "!one\ntwo\nthree\n");
        }
    }
    assert_eq!(server.read("open.txt"), server.buffer("open.txt"));
}

#[test]
fn typing_during_an_edit_keeps_closed_files_consistent() {
    let server = start_with_open_file(Behaviour::TypesFirst);
    let done = server.tool("apply_edit", edit_of_both()).is_ok();
    assert_eq!(server.buffer("open.txt").contains("TWO"), done);
    assert_eq!(server.disk_text("closed.txt") == "CLOSED\n", done, "half of the call happened");
}

#[test]
fn a_silent_editor_does_not_block_other_calls() {
    let server = start_with_open_file(Behaviour::Silent);
    let waiting: Vec<_> =
        (0..120).map(|_| server.start_tool("apply_edit", edit("open.txt", "two", "TWO"))).collect();
    // Typing, reading and asking go on while 120 calls wait for the editor.
    for n in 0..20 {
        server.replace_text("open.txt", "one", "one+");
        assert_eq!(server.read("open.txt"), server.buffer("open.txt"), "after {n}");
        server.symbols("open.txt");
        assert_eq!(server.read("closed.txt"), "closed\n");
    }
    assert_eq!(server.disk_text("open.txt"), "one\ntwo\nthree\n");
    drop(waiting);
}

#[test]
fn after_closing_the_file_on_disk_counts_again() {
    let server = start_with_open_file(Behaviour::ChangeThenReply);
    server.replace_text("open.txt", "two", "typed");
    server.close_file("open.txt");
    server.must("apply_edit", edit("open.txt", "two", "TWO"));
    assert_eq!(server.disk_text("open.txt"), "one\nTWO\nthree\n");
    assert_eq!(server.apply_edit_requests(), [Value::Null; 0]);
}

#[test]
fn pipelined_edits_apply_one_after_another() {
    let server = Server::start("//- /open.txt\nv0\n//- /closed.txt\nv0\n");
    server.open_file("open.txt");
    let mut calls = Vec::new();
    for n in 0..20 {
        for path in ["open.txt", "closed.txt"] {
            let (old, new) = (format!("v{n}\n"), format!("v{}\n", n + 1));
            let params = json!({ "path": path, "old_text": old, "new_text": new });
            calls.push(server.start_tool("apply_edit", params));
        }
    }
    for call in calls {
        call.wait(RESPONSE_TIMEOUT).unwrap();
    }
    assert_eq!(server.buffer("open.txt"), "v20\n");
    assert_eq!(server.disk_text("closed.txt"), "v20\n");
}

#[test]
fn a_whole_file_edit_of_crlf_reports_the_editors_line_endings() {
    let server = Server::start("//- /a.txt\nx\n");
    for (text, whole) in
        [("a\r\nb\r\nc\r\n", "x\nb\nc2\n"), ("a\r\n", "a\n"), ("\r\n\r\n", "\nx\n")]
    {
        server.open_text("a.txt", text);
        let result = server.must("apply_edit", json!({ "path": "a.txt", "content": whole }));
        let read = server.must("read_file", json!({ "path": "a.txt" }));
        assert_eq!(read["content"], server.buffer("a.txt"), "{text:?}");
        assert_eq!(read["hash"], result["files"][0]["hash"], "{text:?}: {result}");
        server.close_file("a.txt");
    }
}
