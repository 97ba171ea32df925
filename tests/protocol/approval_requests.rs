//! The text of approval requests, the calls that wait for one, and files that rules hide from searches.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Behaviour, Home, RESPONSE_TIMEOUT, Server};

/// A server with these rules whose client answers approval requests with `title`, or never.
fn start_with_answer(
    home: &Home,
    rules: &str,
    title: Option<&'static str>,
) -> (Client, Arc<Mutex<Vec<Value>>>) {
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), rules).unwrap();
    let client = Client::spawn(home.command().arg("lsp")).unwrap();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let seen = questions.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        let question = json!({ "id": request.id, "params": request.params });
        seen.lock().unwrap().push(question);
        title.map_or(Answer::Handled, |title| Answer::Result(json!({ "title": title })))
    });
    client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
    (client, questions)
}

fn call(client: &Client, tool: &str, params: &Value) -> Value {
    let call = json!({ "command": format!("tandem.{tool}"), "arguments": [params] });
    client.request("workspace/executeCommand", call).unwrap_or_else(|e| panic!("{tool}: {e}"))
}

fn wait_until(what: &str, done: impl Fn() -> bool) {
    let started = Instant::now();
    while !done() {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{what} did not come about");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn write(home: &Home, path: &str, text: &str) {
    let path = home.root().join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn an_approval_request_shows_created_and_deleted_files() {
    let rules = "[policy.ask]\ndelete = [\"*.txt\", \"folder\"]\n";
    let home = Home::new();
    for path in ["a.txt", "b.txt", "c.txt", "folder/inner/deep.rs", "folder/other.rs"] {
        write(&home, path, &format!("text of {path}\n"));
    }
    let (client, questions) = start_with_answer(&home, rules, Some("Allow once"));
    for (tool, params, parts) in [
        ("delete_file", json!({ "path": "a.txt" }), vec!["| -text of a.txt\n"]),
        (
            "move_file",
            json!({ "source": "b.txt", "destination": "b.rs" }),
            vec!["| -text of b.txt\n", "It would also write b.rs"],
        ),
        (
            "delete_file",
            json!({ "path": "folder", "recursive": true }),
            vec!["| folder/inner/\n| folder/inner/deep.rs\n| folder/other.rs\n"],
        ),
        (
            "copy_file",
            json!({ "source": "b.rs", "destination": ".vscode/x" }),
            vec!["| +text of b.txt\n"],
        ),
    ] {
        let before = questions.lock().unwrap().len();
        call(&client, tool, &params);
        let questions = questions.lock().unwrap();
        assert_eq!(questions.len(), before + 1, "{tool} {params}");
        let text = questions[before]["params"]["message"].as_str().unwrap();
        for part in parts {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}

#[test]
fn an_approval_request_shows_the_new_content_of_the_file() {
    let home = Home::new();
    write(&home, "a.txt", "old\n");
    let rules = "[policy.ask]\nwrite = [\"a.txt\"]\n";
    let (client, questions) = start_with_answer(&home, rules, Some("Allow once"));
    call(&client, "write_file", &json!({ "path": "a.txt", "content": "new\n" }));
    let questions = questions.lock().unwrap();
    let text = questions[0]["params"]["message"].as_str().unwrap();
    assert!(text.contains("| -old\n| +new\n"), "{text}");
}

#[test]
fn calls_that_wait_for_a_person_are_listed() {
    let home = Home::new();
    let (client, questions) = start_with_answer(&home, "", None);
    let pending = |client: &Client| {
        call(client, "get_pending_verifications", &json!({}))["pending"].as_array().unwrap().clone()
    };
    assert_eq!(pending(&client), [Value::Null; 0]);
    let params = json!({ "path": ".vscode/tasks.json", "content": "x" });
    let write = json!({ "command": "tandem.write_file", "arguments": [params] });
    let waiting = client.start_request("workspace/executeCommand", write).unwrap();
    wait_until("the question", || !questions.lock().unwrap().is_empty());
    let listed = pending(&client);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["tool"], "write_file");
    assert_eq!(listed[0]["answers"], json!(["once", "session", "always", "deny"]));
    let question = questions.lock().unwrap()[0].clone();
    assert_eq!(listed[0]["question"], question["params"]["message"]);
    assert!(listed[0]["asked_at"].as_str().unwrap().ends_with('Z'));
    client.outgoing().respond(&question["id"], json!({ "title": "Deny" })).unwrap();
    waiting.wait(RESPONSE_TIMEOUT).unwrap_err();
    assert_eq!(pending(&client), [Value::Null; 0]);
}

#[test]
fn unreadable_files_are_not_listed_or_searched() {
    let rules = "[policy.deny]\nread = [\"hidden.rs\", \"secret\"]\n";
    let home = Home::new();
    for path in ["seen.rs", "hidden.rs", "secret/inner.rs", "sub/hidden.rs"] {
        write(&home, path, "fn needle() { call(1) }\n");
    }
    let (client, _) = start_with_answer(&home, rules, None);
    for (tool, params) in [
        ("list_directory", json!({ "max_depth": 5 })),
        ("get_workspace_structure", json!({ "depth": 5 })),
        ("find_files", json!({ "pattern": ".rs" })),
        ("find_files_glob", json!({ "pattern": "**/*.rs" })),
        ("grep_search", json!({ "pattern": "needle" })),
        ("codebase_search", json!({ "query": "needle" })),
        ("structural_search", json!({ "pattern": "call($A)", "language": "rust" })),
    ] {
        let result = call(&client, tool, &params);
        let text = result.to_string();
        assert!(text.contains("seen.rs"), "{tool}: {text}");
        for hidden in ["hidden.rs", "secret", "inner.rs"] {
            assert!(!text.contains(hidden), "{tool}: {hidden}: {text}");
        }
        if let Some(searched) = result["files_searched"].as_u64() {
            assert_eq!(searched, 1, "{tool} has read what it may not");
        }
    }
}

#[test]
fn a_call_cancelled_before_it_runs_is_audited() {
    let server = Server::start("//- /a.txt\none\n");
    server.open_file("a.txt");
    server.set_editor(Behaviour::Silent);
    let edit = json!({ "path": "a.txt", "old_text": "one", "new_text": "two" });
    let first = server.start_tool("apply_edit", edit);
    wait_until("the edit", || !server.apply_edit_requests().is_empty());
    let params = json!({ "path": "late.txt", "content": "never" });
    let waiting = server.start_tool("write_file", params);
    server.cancel(waiting.id).unwrap();
    assert_eq!(waiting.wait(RESPONSE_TIMEOUT).unwrap_err().response().unwrap().code, -32800);
    server.cancel(first.id).unwrap();
    first.wait(RESPONSE_TIMEOUT).unwrap_err();
    wait_until("the record", || {
        let log = server.must("get_audit_log", json!({ "outcome": "E_CANCELLED" }));
        let calls = log["calls"].as_array().unwrap().clone();
        calls
            .iter()
            .any(|call| call["tool"] == "write_file" && call["arguments"]["path"] == "late.txt")
    });
    assert!(!server.path("late.txt").exists());
}

#[test]
fn an_edit_at_the_selection_names_its_action() {
    let server = Server::start("//- /a.txt\none\n");
    server.open_file("a.txt");
    let place = json!({ "line": 0, "character": 0 });
    server.report(json!({
        "activeUri": server.uri("a.txt"),
        "selections": [{ "start": place, "end": place }],
    }));
    let result = server.must("insert_at_cursor", json!({ "content": "zero " }));
    server.must("undo_action", json!({ "action": result["action"].as_str().unwrap() }));
    assert_eq!(server.buffer("a.txt"), "one\n");
}

#[test]
fn settings_that_cannot_be_used_are_named_by_the_doctor() {
    let home = Home::new();
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    let doctor = || {
        let output = home.command().arg("doctor").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert!(doctor().contains("ok      policy:"), "{}", doctor());
    std::fs::write(config.join("config.toml"), "[policy.deny]\nraed = [\"x\"]\n").unwrap();
    let told = doctor();
    assert!(told.contains("BROKEN  policy:") && told.contains("raed"), "{told}");
}
