//! Approval requests: the answers they offer, and calls that run in the meantime.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Outgoing};
use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const GUARDED: &str = ".vscode/settings.json";
const FIXTURE: &str = "//- /.vscode/settings.json\n{\"a\": 1}\n//- /plain.txt\none\n";

/// Approval requests with their ids, in order of arrival.
type ApprovalRequests = Arc<Mutex<Vec<(Value, Value)>>>;

/// A server whose client collects approval requests without answering them, and these requests.
fn start_with_pending_requests() -> (Server, ApprovalRequests) {
    let server = Server::builder(FIXTURE).capability("window/showMessage", json!({})).start();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    server.answer_requests(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push((request.id.clone(), request.params.clone()));
        Answer::Handled
    });
    (server, questions)
}

/// Waits for the `n`th approval request.
fn question(questions: &Mutex<Vec<(Value, Value)>>, n: usize) -> (Value, Value) {
    let started = Instant::now();
    loop {
        if let Some(question) = questions.lock().unwrap().get(n) {
            return question.clone();
        }
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "there is no question {n}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn answer(out: &Outgoing, id: &Value, title: &str) {
    out.respond(id, json!({ "title": title })).unwrap();
}

fn edit(from: u32, to: u32) -> Value {
    json!({ "path": GUARDED, "old_text": format!("\"a\": {from}"), "new_text": format!("\"a\": {to}") })
}

#[test]
fn an_approval_request_offers_four_answers() {
    let (server, questions) = start_with_pending_requests();
    let call = server.start_tool("apply_edit", edit(1, 2));
    let (id, params) = question(&questions, 0);
    let titles: Vec<_> = params["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        ["Allow once", "Allow for this session", "Always allow exactly this", "Deny"]
    );
    assert!(params["message"].as_str().unwrap().contains(GUARDED), "{params}");
    answer(server.outgoing(), &id, "Allow once");
    assert_eq!(call.wait(RESPONSE_TIMEOUT).unwrap()["changed"], true);
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 2}\n");
}

#[test]
fn unoffered_and_invalid_answers_refuse() {
    let (server, questions) = start_with_pending_requests();
    let answers = [
        json!({ "title": "allow once" }),
        json!({ "title": "" }),
        json!({}),
        json!("Allow once"),
        json!([{ "title": "Allow once" }]),
        Value::Null,
    ];
    for (n, given) in answers.into_iter().enumerate() {
        let call = server.start_tool("apply_edit", edit(1, 2));
        let (id, _) = question(&questions, n);
        server.outgoing().respond(&id, given.clone()).unwrap();
        let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
        assert_eq!(error.response().unwrap().data["code"], "E_DENIED", "{given}");
    }
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn other_calls_run_during_an_approval_request() {
    let (server, questions) = start_with_pending_requests();
    let asked = server.start_tool("apply_edit", edit(1, 2));
    let (id, _) = question(&questions, 0);
    let plain = json!({ "path": "plain.txt", "old_text": "one", "new_text": "two" });
    server.must("apply_edit", plain);
    assert_eq!(server.read("plain.txt"), "two\n");
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
    answer(server.outgoing(), &id, "Allow once");
    asked.wait(RESPONSE_TIMEOUT).unwrap();
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 2}\n");
}

#[test]
fn approval_covers_only_the_text_that_was_displayed() {
    let (server, questions) = start_with_pending_requests();
    let first = server.start_tool("apply_edit", edit(1, 2));
    let (id, _) = question(&questions, 0);
    // Whatever the rules make of it, what was shown is not what would be done now.
    server.write(GUARDED, "{\"a\": 1, \"run\": true}\n");
    answer(server.outgoing(), &id, "Allow once");
    if let Err(error) = first.wait(RESPONSE_TIMEOUT) {
        assert_eq!(error.response().unwrap().data["code"], "E_CONFLICT");
        assert_eq!(server.disk_text(GUARDED), "{\"a\": 1, \"run\": true}\n");
    }
}

#[test]
fn a_cancel_withdraws_the_approval_request() {
    let (server, questions) = start_with_pending_requests();
    let call = server.start_tool("apply_edit", edit(1, 2));
    let (id, _) = question(&questions, 0);
    server.cancel(call.id).unwrap();
    let taken_back =
        server.wait_for_notification("$/cancelRequest", RESPONSE_TIMEOUT, |_| true).unwrap();
    assert_eq!(taken_back["id"], id);
    let error = call.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
    // A yes that comes too late changes nothing, and the turn is free.
    answer(server.outgoing(), &id, "Allow once");
    server.must("apply_edit", json!({ "path": "plain.txt", "old_text": "one", "new_text": "two" }));
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn an_approval_timeout_refuses_and_withdraws_the_request() {
    let server = Server::builder(FIXTURE)
        .capability("window/showMessage", json!({}))
        .prepare(|root| {
            let settings = root.parent().unwrap().join("config/tandem");
            std::fs::create_dir_all(&settings).unwrap();
            let text = "[policy]\nask_timeout_secs = 1\n";
            std::fs::write(settings.join("config.toml"), text).unwrap();
        })
        .start();
    let asked = Arc::new(Mutex::new(Value::Null));
    let seen = asked.clone();
    server.answer_requests(move |request, _| {
        if request.method == "window/showMessageRequest" {
            *seen.lock().unwrap() = request.id.clone();
        }
        Answer::Handled
    });
    let started = Instant::now();
    server.must_fail("apply_edit", edit(1, 2), "E_DENIED");
    let taken = started.elapsed();
    assert!(taken >= Duration::from_millis(900) && taken < RESPONSE_TIMEOUT / 2, "{taken:?}");
    let taken_back =
        server.wait_for_notification("$/cancelRequest", RESPONSE_TIMEOUT, |_| true).unwrap();
    assert_eq!(taken_back["id"], *asked.lock().unwrap());
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn many_queries_never_block_reading() {
    let (server, questions) = start_with_pending_requests();
    let calls: Vec<_> = (0..100).map(|n| server.start_tool("apply_edit", edit(1, n + 2))).collect();
    question(&questions, 1);
    let started = Instant::now();
    assert_eq!(server.read("plain.txt"), "one\n");
    assert!(started.elapsed() < RESPONSE_TIMEOUT / 2, "{:?}", started.elapsed());
    for call in &calls {
        server.cancel(call.id).unwrap();
    }
    for call in calls {
        call.wait(RESPONSE_TIMEOUT).unwrap_err();
    }
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn a_cancelled_edit_is_reverted_too() {
    let server = Server::builder(FIXTURE).editor(tests::Behaviour::Silent).start();
    server.open_file("plain.txt");
    let edit = json!({ "path": "plain.txt", "old_text": "one", "new_text": "two" });
    let call = server.start_tool("apply_edit", edit);
    let started = Instant::now();
    while server.apply_edit_requests().is_empty() {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "no edit was asked for");
        std::thread::sleep(Duration::from_millis(2));
    }
    server.cancel(call.id).unwrap();
    server.wait_for_notification("$/cancelRequest", RESPONSE_TIMEOUT, |_| true).unwrap();
    call.wait(RESPONSE_TIMEOUT).unwrap_err();
}
