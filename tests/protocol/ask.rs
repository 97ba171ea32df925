//! Asking a person for leave: what they are offered, and what goes on meanwhile.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Outgoing};
use serde_json::{Value, json};
use tests::{SOON, Server};

const GUARDED: &str = ".vscode/settings.json";
const FIXTURE: &str = "//- /.vscode/settings.json\n{\"a\": 1}\n//- /plain.txt\none\n";

/// Questions by their ids, as they came in.
type Questions = Arc<Mutex<Vec<(Value, Value)>>>;

/// A server whose client shows questions, and the questions; nobody answers by themselves.
fn asking() -> (Server, Questions) {
    let server = Server::with(FIXTURE).capability("window/showMessage", json!({})).start();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    server.answer_others(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push((request.id.clone(), request.params.clone()));
        Answer::Handled
    });
    (server, questions)
}

/// The `n`th question, once it has been asked.
fn question(questions: &Mutex<Vec<(Value, Value)>>, n: usize) -> (Value, Value) {
    let started = Instant::now();
    loop {
        if let Some(question) = questions.lock().unwrap().get(n) {
            return question.clone();
        }
        assert!(started.elapsed() < SOON, "there is no question {n}");
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
fn a_person_is_offered_four_answers() {
    let (server, questions) = asking();
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
    assert_eq!(call.wait(SOON).unwrap()["changed"], true);
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 2}\n");
}

#[test]
fn what_was_not_offered_and_what_is_no_answer_are_no() {
    let (server, questions) = asking();
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
        let error = call.wait(SOON).unwrap_err();
        assert_eq!(error.response().unwrap().data["code"], "E_DENIED", "{given}");
    }
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn other_calls_go_on_while_a_question_is_open() {
    let (server, questions) = asking();
    let asked = server.start_tool("apply_edit", edit(1, 2));
    let (id, _) = question(&questions, 0);
    let plain = json!({ "path": "plain.txt", "old_text": "one", "new_text": "two" });
    server.must("apply_edit", plain);
    assert_eq!(server.read("plain.txt"), "two\n");
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
    answer(server.outgoing(), &id, "Allow once");
    asked.wait(SOON).unwrap();
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 2}\n");
}

#[test]
fn leave_is_for_the_text_that_was_shown() {
    let (server, questions) = asking();
    let first = server.start_tool("apply_edit", edit(1, 2));
    let (id, _) = question(&questions, 0);
    // Whatever the rules make of it, what was shown is not what would be done now.
    server.write(GUARDED, "{\"a\": 1, \"run\": true}\n");
    answer(server.outgoing(), &id, "Allow once");
    if let Err(error) = first.wait(SOON) {
        assert_eq!(error.response().unwrap().data["code"], "E_CONFLICT");
        assert_eq!(server.disk_text(GUARDED), "{\"a\": 1, \"run\": true}\n");
    }
}

#[test]
fn a_cancel_takes_the_question_back() {
    let (server, questions) = asking();
    let call = server.start_tool("apply_edit", edit(1, 2));
    let (id, _) = question(&questions, 0);
    server.cancel(call.id).unwrap();
    let taken_back = server.wait_for_notification("$/cancelRequest", SOON, |_| true).unwrap();
    assert_eq!(taken_back["id"], id);
    let error = call.wait(SOON).unwrap_err();
    assert_eq!(error.response().unwrap().code, -32800);
    // A yes that comes too late changes nothing, and the turn is free.
    answer(server.outgoing(), &id, "Allow once");
    server.must("apply_edit", json!({ "path": "plain.txt", "old_text": "one", "new_text": "two" }));
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn no_answer_in_time_is_no_and_takes_the_question_back() {
    let server = Server::with(FIXTURE)
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
    server.answer_others(move |request, _| {
        if request.method == "window/showMessageRequest" {
            *seen.lock().unwrap() = request.id.clone();
        }
        Answer::Handled
    });
    let started = Instant::now();
    server.must_fail("apply_edit", edit(1, 2), "E_DENIED");
    let taken = started.elapsed();
    assert!(taken >= Duration::from_millis(900) && taken < SOON / 2, "{taken:?}");
    let taken_back = server.wait_for_notification("$/cancelRequest", SOON, |_| true).unwrap();
    assert_eq!(taken_back["id"], *asked.lock().unwrap());
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn many_questions_never_keep_readers_waiting() {
    let (server, questions) = asking();
    let calls: Vec<_> = (0..100).map(|n| server.start_tool("apply_edit", edit(1, n + 2))).collect();
    question(&questions, 1);
    let started = Instant::now();
    assert_eq!(server.read("plain.txt"), "one\n");
    assert!(started.elapsed() < SOON / 2, "{:?}", started.elapsed());
    for call in &calls {
        server.cancel(call.id).unwrap();
    }
    for call in calls {
        call.wait(SOON).unwrap_err();
    }
    assert_eq!(server.disk_text(GUARDED), "{\"a\": 1}\n");
}

#[test]
fn an_edit_that_is_not_wanted_any_more_is_taken_back_too() {
    let server = Server::with(FIXTURE).editor(tests::Behaviour::Silent).start();
    server.open_file("plain.txt");
    let edit = json!({ "path": "plain.txt", "old_text": "one", "new_text": "two" });
    let call = server.start_tool("apply_edit", edit);
    let started = Instant::now();
    while server.edits_asked().is_empty() {
        assert!(started.elapsed() < SOON, "no edit was asked for");
        std::thread::sleep(Duration::from_millis(2));
    }
    server.cancel(call.id).unwrap();
    server.wait_for_notification("$/cancelRequest", SOON, |_| true).unwrap();
    call.wait(SOON).unwrap_err();
}
