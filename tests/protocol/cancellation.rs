//! `$/cancelRequest` ends a request at once, however busy the server is.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Behaviour, RESPONSE_TIMEOUT, Server};

fn waiting_edit() -> Value {
    json!({ "path": "a.txt", "old_text": "old", "new_text": "new" })
}

fn silent() -> Server {
    let server = Server::builder("//- /a.txt\nold\n").editor(Behaviour::Silent).start();
    server.open_file("a.txt");
    server
}

#[test]
fn a_call_that_waits_for_the_editor_is_cancelled_at_once() {
    let server = silent();
    let call = server.start_tool("apply_edit", waiting_edit());
    let asked = Instant::now();
    while server.apply_edit_requests().is_empty() {
        assert!(asked.elapsed() < RESPONSE_TIMEOUT, "no edit is asked for");
        std::thread::sleep(Duration::from_millis(1));
    }
    let started = Instant::now();
    server.cancel(call.id).unwrap();
    let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    let response = error.response().unwrap();
    assert_eq!(response.code, -32800, "{error}");
    assert_eq!(tests::ToolError::from_client(&error).code, "E_CANCELLED");
    assert_eq!(server.read("a.txt"), "old\n");
}

#[test]
fn with_every_worker_busy_cancels_work_and_changes_stay_in_order() {
    let server = silent();
    // More than any pool has threads.
    let calls: Vec<_> = (0..600).map(|_| server.start_tool("apply_edit", waiting_edit())).collect();
    // Typing before the edit request is a conflict.
    let asked = Instant::now();
    while server.apply_edit_requests().is_empty() {
        assert!(asked.elapsed() < RESPONSE_TIMEOUT, "no edit is asked for");
        std::thread::sleep(Duration::from_millis(1));
    }
    for n in 0..50 {
        server.replace_text("a.txt", "old", &format!("{n} old"));
    }
    let started = Instant::now();
    assert_eq!(server.read("a.txt"), server.buffer("a.txt"), "a question had to wait");
    for call in &calls {
        server.cancel(call.id).unwrap();
    }
    for call in calls {
        let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
        assert_eq!(error.response().unwrap().code, -32800, "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(server.read("a.txt"), server.buffer("a.txt"));
}

#[test]
fn a_cancelled_call_never_runs_later() {
    let server = silent();
    let calls: Vec<_> = (0..100).map(|_| server.start_tool("apply_edit", waiting_edit())).collect();
    server.replace_text("a.txt", "old", "typed old");
    for call in &calls {
        server.cancel(call.id).unwrap();
    }
    for call in calls {
        assert_eq!(call.wait(RESPONSE_TIMEOUT).unwrap_err().response().unwrap().code, -32800);
    }
    // An edit requested before the cancel may still be pending; its version is outdated.
    server.set_editor(Behaviour::ChangeThenReply);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(server.buffer("a.txt"), "typed old\n", "a cancelled call changed the document");
    server.must("apply_edit", waiting_edit());
    assert_eq!(server.read("a.txt"), "typed new\n");
}

#[test]
fn cancelling_one_request_leaves_the_others() {
    let server = silent();
    let (first, second) = (
        server.start_tool("apply_edit", waiting_edit()),
        server.start_tool("apply_edit", waiting_edit()),
    );
    server.cancel(first.id).unwrap();
    assert_eq!(first.wait(RESPONSE_TIMEOUT).unwrap_err().response().unwrap().code, -32800);
    assert!(second.wait(Duration::from_millis(300)).is_err_and(|error| error.response().is_none()));
}

#[test]
fn cancelling_a_finished_or_unknown_request_does_nothing() {
    let server = Server::start("//- /a.txt\nold\n");
    let call = server.start_tool("read_file", json!({ "path": "a.txt" }));
    let id = call.id;
    call.wait(RESPONSE_TIMEOUT).unwrap();
    for id in [json!(id), json!(999_999), json!("x"), json!(-1), Value::Null] {
        server.notify("$/cancelRequest", json!({ "id": id })).unwrap();
    }
    assert_eq!(server.read("a.txt"), "old\n");
}

#[test]
fn a_request_cancelled_in_the_same_write_is_answered_once() {
    let server = Server::start("//- /a.txt\nold\n");
    for _ in 0..100 {
        let call = server.start_tool("read_file", json!({ "path": "a.txt" }));
        server.cancel(call.id).unwrap();
        match call.wait(RESPONSE_TIMEOUT) {
            Ok(result) => assert_eq!(result["content"], "old\n"),
            Err(error) => assert_eq!(error.response().unwrap().code, -32800, "{error}"),
        }
    }
    assert_eq!(server.read("a.txt"), "old\n");
    let strays: Vec<_> =
        server.take_unread().into_iter().filter(|message| message.get("id").is_some()).collect();
    assert_eq!(strays, [Value::Null; 0], "answered twice");
}

#[test]
fn shutdown_does_not_wait_for_a_silent_editor() {
    let server = silent();
    let _call = server.start_tool("apply_edit", waiting_edit());
    let started = Instant::now();
    let status = server.shutdown(RESPONSE_TIMEOUT).unwrap().unwrap();
    assert_eq!(status.code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn a_long_computation_is_cancelled_at_once() {
    let server = Server::start("");
    // Error recovery in text like this takes a parser minutes.
    server.open_text("a.py", &"(".repeat(200_000));
    let document = json!({ "textDocument": { "uri": server.uri("a.py") } });
    let calls: Vec<_> = (0..20)
        .map(|_| server.start_request("textDocument/documentSymbol", document.clone()).unwrap())
        .collect();
    let started = Instant::now();
    for call in &calls {
        server.cancel(call.id).unwrap();
    }
    for call in calls {
        let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
        assert_eq!(error.response().unwrap().code, -32800, "{error}");
    }
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    server.open_text("b.py", "def ok():\n    pass\n");
    assert_eq!(server.symbols("b.py")[0]["name"], "ok");
}
