//! Changes that a person looks at before they are made, hunk by hunk.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use client::Answer;
use serde_json::{Value, json};
use tests::{SOON, Server};

const FIXTURE: &str = "//- /a.txt\none\ntwo\nthree\nfour\nfive\n//- /b.py\ndef f():\n    return 1\n\n\nf()\n//- /c.py\nfrom b import f\n\nf()\n";

/// What was shown, with the ids of the requests.
type Shown = Arc<Mutex<Vec<(Value, Value)>>>;

/// A server whose client shows changes; nobody answers by themselves.
fn reviewing() -> (Server, Shown) {
    let server = Server::with(FIXTURE).capability("experimental/review", json!(true)).start();
    turn(&server, "always");
    let shown = Shown::default();
    let seen = shown.clone();
    server.answer_others(move |request, _| {
        if request.method != "tandem/review" {
            return Answer::Default;
        }
        seen.lock().unwrap().push((request.id.clone(), request.params.clone()));
        Answer::Handled
    });
    (server, shown)
}

fn turn(server: &Server, review: &str) {
    let settings = json!({ "settings": { "tandem": { "review": review } } });
    server.notify("workspace/didChangeConfiguration", settings).unwrap();
}

/// The `n`th change that was shown, once it has been.
fn shown(shown: &Mutex<Vec<(Value, Value)>>, n: usize) -> (Value, Value) {
    let started = Instant::now();
    loop {
        if let Some(one) = shown.lock().unwrap().get(n) {
            return one.clone();
        }
        assert!(started.elapsed() < SOON, "no change {n} was shown");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Two places of `a.txt`, which are two hunks.
fn two_places() -> Value {
    json!({ "path": "a.txt", "patches": [
        { "old_text": "one", "new_text": "ONE" },
        { "old_text": "four\n", "new_text": "FOUR\n4\n" },
    ] })
}

fn chosen(uri: &str, hunks: Value) -> Value {
    json!({ "accept": true, "files": [{ "uri": uri, "hunks": hunks }] })
}

#[test]
fn the_change_is_shown_and_made_once_accepted() {
    let (server, asked) = reviewing();
    let call = server.start_tool("apply_edit", two_places());
    let (id, params) = shown(&asked, 0);
    assert_eq!(
        (&params["tool"], &params["title"]),
        (&json!("apply_edit"), &json!("apply_edit: a.txt"))
    );
    let file = &params["files"][0];
    assert_eq!(file["uri"], server.uri("a.txt"));
    assert_eq!(file["old_text"], "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(file["new_text"], "ONE\ntwo\nthree\nFOUR\n4\nfive\n");
    assert_eq!(
        file["hunks"],
        json!([
            { "old_start": 1, "old_lines": 1, "new_start": 1, "new_lines": 1 },
            { "old_start": 4, "old_lines": 1, "new_start": 4, "new_lines": 2 },
        ])
    );
    // Nothing has happened, and others go on.
    assert_eq!(server.read("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    server.outgoing().respond(&id, json!({ "accept": true })).unwrap();
    let result = call.wait(SOON).unwrap();
    assert!(result["review"].is_null(), "{result}");
    assert_eq!(server.disk_text("a.txt"), "ONE\ntwo\nthree\nFOUR\n4\nfive\n");
}

#[test]
fn only_the_hunks_that_are_taken_happen_and_the_result_says_so() {
    let (server, asked) = reviewing();
    server.open_text("a.txt", "one\ntwo\nthree\nfour\nfive\nunsaved\n");
    let call = server.start_tool("apply_edit", two_places());
    let (id, params) = shown(&asked, 0);
    assert_eq!(params["files"][0]["version"], 1);
    server.outgoing().respond(&id, chosen(&server.uri("a.txt"), json!([1]))).unwrap();
    let result = call.wait(SOON).unwrap();
    let after = "one\ntwo\nthree\nFOUR\n4\nfive\nunsaved\n";
    assert_eq!(server.buffer("a.txt"), after);
    assert_eq!(server.edits_asked().len(), 1);
    let left = json!([{ "path": "a.txt", "hunks": [
        { "old_start": 1, "old_lines": 1, "new_start": 1, "new_lines": 1 },
    ] }]);
    assert_eq!(result["review"]["left_out"], left);
    let file = &result["files"][0];
    let outcomes: Vec<_> =
        file["patches"].as_array().unwrap().iter().map(|p| p["outcome"].clone()).collect();
    assert_eq!(outcomes, ["unchanged", "applied"]);
    assert!(!file["diff"].as_str().unwrap().contains("ONE"), "{file}");
    let read = server.must("read_file", json!({ "path": "a.txt" }));
    assert_eq!((&read["hash"], read["content"].as_str().unwrap()), (&file["hash"], after));
    server.must("undo_action", json!({ "action": result["action"] }));
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\nfive\nunsaved\n");
}

#[test]
fn what_is_refused_or_not_understood_does_not_happen() {
    let (server, asked) = reviewing();
    let uri = server.uri("a.txt");
    let answers = [
        json!({ "accept": false }),
        Value::Null,
        json!({}),
        json!({ "accept": "yes" }),
        json!({ "accept": true, "files": [] }),
        chosen(&uri, json!([])),
        chosen(&uri, json!([2])),
        chosen(&uri, json!([-1])),
        chosen("file:///etc/passwd", json!([0])),
        json!({ "accept": true, "files": [{ "uri": uri, "hunks": [0] }, { "uri": uri, "hunks": [1] }] }),
    ];
    for (n, answer) in answers.into_iter().enumerate() {
        let call = server.start_tool("apply_edit", two_places());
        let (id, _) = shown(&asked, n);
        server.outgoing().respond(&id, answer.clone()).unwrap();
        let error = call.wait(SOON).unwrap_err();
        assert_eq!(error.response().unwrap().data["code"], "E_DENIED", "{answer}");
    }
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn a_text_that_moved_on_is_a_conflict() {
    let (server, asked) = reviewing();
    server.open_file("a.txt");
    let call = server.start_tool("apply_edit", two_places());
    let (id, _) = shown(&asked, 0);
    server.retype("a.txt", "two", "2");
    server.outgoing().respond(&id, json!({ "accept": true })).unwrap();
    let error = call.wait(SOON).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_CONFLICT");
    assert_eq!(server.buffer("a.txt"), "one\n2\nthree\nfour\nfive\n");
    let call = server.start_tool(
        "apply_edit",
        json!({
        "path": "b.py", "old_text": "return 1", "new_text": "return 2" }),
    );
    let (id, _) = shown(&asked, 1);
    server.write("b.py", "def f():\n    return 1  # mine\n");
    server.outgoing().respond(&id, json!({ "accept": true })).unwrap();
    let error = call.wait(SOON).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_CONFLICT");
    assert_eq!(server.disk_text("b.py"), "def f():\n    return 1  # mine\n");
}

#[test]
fn every_tool_that_edits_text_is_reviewed() {
    let (server, asked) = reviewing();
    server.open_file("a.txt");
    let uri = server.uri("a.txt");
    let at = json!({ "line": 0, "character": 3 });
    server.report(json!({ "activeUri": uri, "selections": [{ "start": at, "end": at }] }));
    let calls = [
        ("write_file", json!({ "path": "new/d.txt", "content": "new\n" }), "created"),
        (
            "replace_symbol_body",
            json!({ "path": "b.py", "symbol": "f", "body": "def f():\n    return 3" }),
            "",
        ),
        ("insert_at_cursor", json!({ "content": "!\n!" }), ""),
        ("lsp_rename", json!({ "path": "b.py", "line": 1, "name": "f", "new_name": "g" }), ""),
    ];
    for (n, (tool, arguments, action)) in calls.into_iter().enumerate() {
        let call = server.start_tool(tool, arguments);
        let (id, params) = shown(&asked, n);
        assert_eq!(params["tool"], tool);
        assert_eq!(params["files"][0]["action"].as_str().unwrap_or_default(), action);
        server.outgoing().respond(&id, json!({ "accept": false })).unwrap();
        let error = call.wait(SOON).unwrap_err();
        assert_eq!(error.response().unwrap().data["code"], "E_DENIED", "{tool}");
    }
    assert!(!server.path("new").exists());
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(server.disk_text("b.py"), "def f():\n    return 1\n\n\nf()\n");
}

#[test]
fn a_rename_is_taken_by_file() {
    let (server, asked) = reviewing();
    let call = server.start_tool(
        "lsp_rename",
        json!({ "path": "b.py", "line": 1, "name": "f", "new_name": "g" }),
    );
    let (id, params) = shown(&asked, 0);
    assert_eq!(params["files"].as_array().unwrap().len(), 2, "{params}");
    server.outgoing().respond(&id, chosen(&server.uri("b.py"), json!([0, 1]))).unwrap();
    let result = call.wait(SOON).unwrap();
    assert_eq!(result["files"].as_array().unwrap().len(), 1, "{result}");
    assert_eq!(result["review"]["left_out"][0]["path"], "c.py");
    assert_eq!(server.disk_text("b.py"), "def g():\n    return 1\n\n\ng()\n");
    assert_eq!(server.disk_text("c.py"), "from b import f\n\nf()\n");
}

#[test]
fn others_go_on_and_a_cancel_takes_the_question_back() {
    let (server, asked) = reviewing();
    let call = server.start_tool("apply_edit", two_places());
    let (id, _) = shown(&asked, 0);
    turn(&server, "never");
    // The turn to write is free.
    server.must("apply_edit", json!({ "path": "b.py", "old_text": "1", "new_text": "2" }));
    server.cancel(call.id).unwrap();
    let taken_back = server.wait_for_notification("$/cancelRequest", SOON, |_| true).unwrap();
    assert_eq!(taken_back["id"], id);
    assert_eq!(call.wait(SOON).unwrap_err().response().unwrap().code, -32800);
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn nobody_is_shown_what_changes_nothing_or_has_not_asked() {
    let (server, asked) = reviewing();
    server.must("apply_edit", json!({ "path": "a.txt", "old_text": "one", "new_text": "one" }));
    let mut dry = two_places();
    dry["dry_run"] = json!(true);
    server.must("apply_edit", dry);
    turn(&server, "never");
    server.must("apply_edit", two_places());
    assert!(asked.lock().unwrap().is_empty());
    // A client that shows nothing is not asked, whatever its settings.
    let plain = Server::start(FIXTURE);
    turn(&plain, "always");
    plain.must("apply_edit", two_places());
}

#[test]
fn what_is_too_large_to_show_is_refused() {
    let (server, asked) = reviewing();
    server.write("big.txt", format!("first\n{}", "0123456789abcde\n".repeat(1 << 20)));
    let edit = json!({ "path": "big.txt", "old_text": "first\n", "new_text": "x\n" });
    let error = server.must_fail("apply_edit", edit, "E_TOO_LARGE");
    assert!(error.data.to_string().contains("tandem.review"), "{}", error.data);
    assert!(asked.lock().unwrap().is_empty());
}
