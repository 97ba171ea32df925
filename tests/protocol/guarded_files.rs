//! Files that make programs run are written only with a person's approval.

use std::process::Command;
use std::sync::{Arc, Mutex};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::{Home, Server};

/// A server whose client answers every approval request with `title`, and the requests.
fn start_with_answer(title: Option<&'static str>) -> (Home, Client, Arc<Mutex<Vec<Value>>>) {
    let home = Home::new();
    std::fs::create_dir_all(home.root().join(".vscode")).unwrap();
    std::fs::write(home.root().join(".vscode/settings.json"), "{\"a\": 1}\n").unwrap();
    let questions = Arc::new(Mutex::new(Vec::new()));
    let mut command: Command = home.command();
    let client = Client::spawn(command.arg("lsp")).unwrap();
    let seen = questions.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        seen.lock().unwrap().push(request.params.clone());
        Answer::Result(title.map_or(Value::Null, |title| json!({ "title": title })))
    });
    let capabilities =
        json!({ "window": { "showMessage": {} }, "workspace": { "applyEdit": true } });
    client.initialize(&home.root(), capabilities).unwrap();
    (home, client, questions)
}

fn edit() -> Value {
    json!([{ "path": ".vscode/settings.json", "old_text": "1", "new_text": "2" }])
}

#[test]
fn allowed_once_is_allowed_once() {
    let (home, client, questions) = start_with_answer(Some("Allow once"));
    client.execute_command("tandem.apply_edit", edit()).unwrap();
    let text = std::fs::read_to_string(home.root().join(".vscode/settings.json")).unwrap();
    assert_eq!(text, "{\"a\": 2}\n");
    {
        let questions = questions.lock().unwrap();
        assert_eq!(questions.len(), 1);
        let question = questions[0]["message"].as_str().unwrap();
        assert!(question.contains(".vscode/settings.json"), "{question}");
    }
    let again = json!([{ "path": ".vscode/settings.json", "old_text": "2", "new_text": "3" }]);
    client.execute_command("tandem.apply_edit", again).unwrap();
    assert_eq!(questions.lock().unwrap().len(), 2, "leave for one call is not leave for the next");
}

#[test]
fn no_and_no_answer_both_refuse() {
    for title in [Some("Deny"), Some("something else"), None] {
        let (home, client, questions) = start_with_answer(title);
        let error = client.execute_command("tandem.apply_edit", edit()).unwrap_err();
        let error = error.response().unwrap().clone();
        assert_eq!(error.data["code"], "E_DENIED", "{error:?}");
        assert_eq!(questions.lock().unwrap().len(), 1);
        let text = std::fs::read_to_string(home.root().join(".vscode/settings.json")).unwrap();
        assert_eq!(text, "{\"a\": 1}\n");
    }
}

#[test]
fn a_dry_run_needs_no_approval() {
    let (_home, client, questions) = start_with_answer(Some("Deny"));
    let mut arguments = edit();
    arguments[0]["dry_run"] = json!(true);
    client.execute_command("tandem.apply_edit", arguments).unwrap();
    assert_eq!(questions.lock().unwrap().len(), 0);
}

#[test]
fn in_a_shell_yes_approves_one_call() {
    let home = Home::new();
    std::fs::create_dir_all(home.root().join(".git/hooks")).unwrap();
    std::fs::write(home.root().join(".git/hooks/x"), "1\n").unwrap();
    let call = |extra: &[&str]| {
        let params = json!({ "path": ".git/hooks/x", "old_text": "1", "new_text": "2" });
        let mut command = home.command();
        command.args(["call", "apply_edit", &params.to_string(), "--workspace"]);
        command.arg(home.root()).args(extra).output().unwrap()
    };
    let denied = call(&[]);
    assert_eq!(denied.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&denied.stdout).contains("E_DENIED"));
    assert_eq!(call(&["--yes"]).status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(home.root().join(".git/hooks/x")).unwrap(), "2\n");
}

#[test]
fn standard_input_is_displayed_and_part_of_the_approval() {
    let (_home, client, questions) = start_with_answer(Some("Allow for this session"));
    let run = |input: &str| {
        let arguments = json!([{ "command": "cat", "stdin": input }]);
        client.execute_command("tandem.run_command", arguments).unwrap()
    };
    run("one\nin /safe\n");
    run("one\nin /safe\n");
    assert_eq!(questions.lock().unwrap().len(), 1);
    run("another\n");
    let questions = questions.lock().unwrap();
    assert_eq!(questions.len(), 2, "leave for one input is not leave for another");
    let shown = questions[0]["message"].as_str().unwrap();
    assert!(shown.contains("| one\n| in /safe\n"), "every quoted line is marked: {shown}");
}

#[test]
fn a_folder_that_changes_during_approval_is_not_copied() {
    let home = Home::new();
    std::fs::create_dir_all(home.root().join("plain")).unwrap();
    std::fs::write(home.root().join("plain/settings.json"), "{}").unwrap();
    let client = Client::spawn(home.command().arg("lsp")).unwrap();
    let swapped = home.root().join("plain/settings.json");
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        std::fs::write(&swapped, "{\"evil\": 1}").unwrap();
        Answer::Result(json!({ "title": "Allow once" }))
    });
    client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
    let copy = json!([{ "source": "plain", "destination": ".vscode/t" }]);
    let error = client.execute_command("tandem.copy_file", copy).unwrap_err();
    assert_eq!(error.response().unwrap().data["code"], "E_CONFLICT", "{error:?}");
    assert!(!home.root().join(".vscode/t").exists());
}

#[test]
fn a_failing_edit_reveals_nothing_of_an_unreadable_file() {
    let setup = Server::builder("//- /secret.txt\nA key=hunter2\nB key=hunter3\n//- /a.txt\nA\n");
    let config = setup.home().outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[policy.deny]\nread = [\"secret.txt\"]\n").unwrap();
    let server = setup.start();
    for arguments in [
        json!({ "path": "secret.txt", "old_text": "key", "new_text": "x" }),
        json!({ "path": "secret.txt", "old_text": "absent key", "new_text": "x" }),
        json!({ "path": "secret.txt", "old_text": "A key=hunter2", "new_text": "x" }),
        json!({ "path": "secret.txt", "old_text": "A", "new_text": "x", "expected_hash": "0" }),
        json!({ "path": "secret.txt", "old_text": "A", "new_text": "x", "dry_run": true }),
        json!({ "edits": [
            { "path": "../out", "patches": [{ "old_text": "x", "new_text": "y" }] },
            { "path": "secret.txt", "patches": [{ "old_text": "key", "new_text": "y" }] },
        ] }),
    ] {
        let error = server.tool("apply_edit", arguments.clone()).unwrap_err();
        assert!(!error.data.to_string().contains("hunter"), "{arguments}: {}", error.data);
        assert!(["E_DENIED", "E_PATH_FORBIDDEN"].contains(&error.code.as_str()), "{}", error.data);
    }
    server.must("apply_edit", json!({ "path": "a.txt", "old_text": "A", "new_text": "B" }));
}
