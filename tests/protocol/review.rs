//! Changes that a person looks at before they are made, hunk by hunk.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use client::Answer;
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "\
//- /a.txt
one
two
three
four
five
//- /b.py
def f():
    return 1


f()
//- /c.py
from b import f

f()
";

/// Review requests with their ids.
type ReviewRequests = Arc<Mutex<Vec<(Value, Value)>>>;

/// A server whose client collects review requests without answering them.
fn reviewing() -> (Server, ReviewRequests) {
    let server = Server::builder(FIXTURE).capability("experimental/review", json!(true)).start();
    set_review(&server, "always");
    let shown = ReviewRequests::default();
    let seen = shown.clone();
    server.answer_requests(move |request, _| {
        if request.method != "tandem/review" {
            return Answer::Default;
        }
        seen.lock().unwrap().push((request.id.clone(), request.params.clone()));
        Answer::Handled
    });
    (server, shown)
}

fn set_review(server: &Server, review: &str) {
    let settings = json!({ "settings": { "tandem": { "review": review } } });
    server.notify("workspace/didChangeConfiguration", settings).unwrap();
}

/// Waits for the `n`th review request.
fn review_request(shown: &Mutex<Vec<(Value, Value)>>, n: usize) -> (Value, Value) {
    let started = Instant::now();
    loop {
        if let Some(one) = shown.lock().unwrap().get(n) {
            return one.clone();
        }
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "no change {n} was shown");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// An edit of `a.txt` with two hunks.
fn two_hunk_edit() -> Value {
    json!({ "path": "a.txt", "patches": [
        { "old_text": "one", "new_text": "ONE" },
        { "old_text": "four\n", "new_text": "FOUR\n4\n" },
    ] })
}

fn accept_hunks(uri: &str, hunks: Value) -> Value {
    json!({ "accept": true, "files": [{ "uri": uri, "hunks": hunks }] })
}

#[test]
fn the_change_is_shown_and_made_once_accepted() {
    let (server, asked) = reviewing();
    let call = server.start_tool("apply_edit", two_hunk_edit());
    let (id, params) = review_request(&asked, 0);
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
    let result = call.wait(RESPONSE_TIMEOUT).unwrap();
    assert!(result["review"].is_null(), "{result}");
    assert_eq!(server.disk_text("a.txt"), "ONE\ntwo\nthree\nFOUR\n4\nfive\n");
}

#[test]
fn only_accepted_hunks_are_applied_and_the_result_reports_it() {
    let (server, asked) = reviewing();
    server.open_text("a.txt", "one\ntwo\nthree\nfour\nfive\nunsaved\n");
    let call = server.start_tool("apply_edit", two_hunk_edit());
    let (id, params) = review_request(&asked, 0);
    assert_eq!(params["files"][0]["version"], 1);
    server.outgoing().respond(&id, accept_hunks(&server.uri("a.txt"), json!([1]))).unwrap();
    let result = call.wait(RESPONSE_TIMEOUT).unwrap();
    let after = "one\ntwo\nthree\nFOUR\n4\nfive\nunsaved\n";
    assert_eq!(server.buffer("a.txt"), after);
    assert_eq!(server.apply_edit_requests().len(), 1);
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
fn a_refused_or_invalid_review_answer_changes_nothing() {
    let (server, asked) = reviewing();
    let uri = server.uri("a.txt");
    let answers = [
        json!({ "accept": false }),
        Value::Null,
        json!({}),
        json!({ "accept": "yes" }),
        json!({ "accept": true, "files": [] }),
        accept_hunks(&uri, json!([])),
        accept_hunks(&uri, json!([2])),
        accept_hunks(&uri, json!([-1])),
        accept_hunks("file:///etc/passwd", json!([0])),
        json!({ "accept": true, "files": [{ "uri": uri, "hunks": [0] }, { "uri": uri, "hunks": [1] }] }),
    ];
    for (n, answer) in answers.into_iter().enumerate() {
        let call = server.start_tool("apply_edit", two_hunk_edit());
        let (id, _) = review_request(&asked, n);
        server.outgoing().respond(&id, answer.clone()).unwrap();
        let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
        assert_eq!(error.response().unwrap().data["code"], "E_DENIED", "{answer}");
    }
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn a_text_that_moved_on_is_a_conflict() {
    let (server, asked) = reviewing();
    server.open_file("a.txt");
    let call = server.start_tool("apply_edit", two_hunk_edit());
    let (id, _) = review_request(&asked, 0);
    server.replace_text("a.txt", "two", "2");
    server.outgoing().respond(&id, json!({ "accept": true })).unwrap();
    let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_CONFLICT");
    assert_eq!(server.buffer("a.txt"), "one\n2\nthree\nfour\nfive\n");
    let call = server.start_tool(
        "apply_edit",
        json!({
        "path": "b.py", "old_text": "return 1", "new_text": "return 2" }),
    );
    let (id, _) = review_request(&asked, 1);
    server.write("b.py", "def f():\n    return 1  # mine\n");
    server.outgoing().respond(&id, json!({ "accept": true })).unwrap();
    let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
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
        let (id, params) = review_request(&asked, n);
        assert_eq!(params["tool"], tool);
        assert_eq!(params["files"][0]["action"].as_str().unwrap_or_default(), action);
        server.outgoing().respond(&id, json!({ "accept": false })).unwrap();
        let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
        assert_eq!(error.response().unwrap().data["code"], "E_DENIED", "{tool}");
    }
    assert!(!server.path("new").exists());
    assert_eq!(server.buffer("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
    assert_eq!(server.disk_text("b.py"), "def f():\n    return 1\n\n\nf()\n");
}

#[test]
fn a_rename_can_be_reviewed_per_file() {
    let (server, asked) = reviewing();
    let call = server.start_tool(
        "lsp_rename",
        json!({ "path": "b.py", "line": 1, "name": "f", "new_name": "g" }),
    );
    let (id, params) = review_request(&asked, 0);
    assert_eq!(params["files"].as_array().unwrap().len(), 2, "{params}");
    server.outgoing().respond(&id, accept_hunks(&server.uri("b.py"), json!([0, 1]))).unwrap();
    let result = call.wait(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(result["files"].as_array().unwrap().len(), 1, "{result}");
    assert_eq!(result["review"]["left_out"][0]["path"], "c.py");
    assert_eq!(server.disk_text("b.py"), "def g():\n    return 1\n\n\ng()\n");
    assert_eq!(server.disk_text("c.py"), "from b import f\n\nf()\n");
}

#[test]
fn other_calls_run_and_a_cancel_withdraws_the_request() {
    let (server, asked) = reviewing();
    let call = server.start_tool("apply_edit", two_hunk_edit());
    let (id, _) = review_request(&asked, 0);
    set_review(&server, "never");
    // The turn to write is free.
    server.must("apply_edit", json!({ "path": "b.py", "old_text": "1", "new_text": "2" }));
    server.cancel(call.id).unwrap();
    let taken_back =
        server.wait_for_notification("$/cancelRequest", RESPONSE_TIMEOUT, |_| true).unwrap();
    assert_eq!(taken_back["id"], id);
    assert_eq!(call.wait(RESPONSE_TIMEOUT).unwrap_err().response().unwrap().code, -32800);
    assert_eq!(server.disk_text("a.txt"), "one\ntwo\nthree\nfour\nfive\n");
}

#[test]
fn unchanged_text_dry_runs_and_other_clients_get_no_review() {
    let (server, asked) = reviewing();
    server.must("apply_edit", json!({ "path": "a.txt", "old_text": "one", "new_text": "one" }));
    let mut dry = two_hunk_edit();
    dry["dry_run"] = json!(true);
    server.must("apply_edit", dry);
    set_review(&server, "never");
    server.must("apply_edit", two_hunk_edit());
    assert!(asked.lock().unwrap().is_empty());
    // A client without review support gets no request, whatever its settings.
    let plain = Server::start(FIXTURE);
    set_review(&plain, "always");
    plain.must("apply_edit", two_hunk_edit());
}

#[test]
fn too_large_results_are_refused() {
    let (server, asked) = reviewing();
    server.write("big.txt", format!("first\n{}", "0123456789abcde\n".repeat(1 << 20)));
    let edit = json!({ "path": "big.txt", "old_text": "first\n", "new_text": "x\n" });
    let error = server.must_fail("apply_edit", edit, "E_TOO_LARGE");
    assert!(error.data.to_string().contains("tandem.review"), "{}", error.data);
    assert!(asked.lock().unwrap().is_empty());
}
