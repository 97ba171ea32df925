//! What runs outside of the sandbox is no program of the workspace's own.

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use client::{Answer, Client};
use serde_json::{Value, json};
use tests::Home;

/// A repository brings its own interpreter and adapter. Attaching to a process must not run them,
/// because they would have all rights of the user.
#[test]
fn attaching_starts_no_interpreter_or_adapter_of_the_workspace() {
    let home = Home::new();
    let root = home.root();
    let marker = home.outside().join("ran");
    let script = format!("#!/bin/sh\ntouch {}\nexec sleep 60\n", marker.display());
    let adapter = ".venv/lib/python3.13/site-packages/debugpy/adapter/__main__.py";
    for (file, text) in [(".venv/bin/python", script.as_str()), (adapter, "")] {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut running = Command::new("python3")
        .args(["-c", "import time; time.sleep(60)"])
        .stdin(Stdio::null())
        .spawn()
        .unwrap();
    for venv in [None, Some(root.join(".venv"))] {
        let params = json!({ "pid": running.id(), "debugger": "debugpy" });
        let mut command = home.command();
        if let Some(venv) = venv {
            command.env("VIRTUAL_ENV", &venv);
            command.env("TANDEM_DEBUGPY", root.join(adapter));
        } else {
            command.env_remove("TANDEM_DEBUGPY");
        }
        command.args(["call", "--yes", "debug_attach", &params.to_string(), "--workspace"]);
        let output = command.arg(&root).output().unwrap();
        let result: Value = serde_json::from_slice(&output.stdout).unwrap();
        // Where the machine itself has no debugpy; else that one is started.
        if result["code"] == "E_UNAVAILABLE" {
            let message = result["message"].as_str().unwrap();
            assert!(message.contains("is in the workspace"), "{message}");
        }
        assert!(!marker.exists(), "the workspace's own interpreter ran: {result}");
    }
    let _ = running.kill();
    let _ = running.wait();
}

/// The question has the real path of what is started, and says that it is outside of the sandbox.
#[test]
fn the_approval_request_names_programs_started_outside_the_sandbox() {
    let home = Home::new();
    let adapter = home.outside().join("adapter.py");
    std::fs::write(&adapter, "").unwrap();
    let mut running = Command::new("sleep").arg("60").spawn().unwrap();
    let client = Client::spawn(home.command().arg("lsp").env("TANDEM_DEBUGPY", &adapter)).unwrap();
    let question = Arc::new(Mutex::new(String::new()));
    let seen = question.clone();
    client.on_request(move |request, _| {
        if request.method != "window/showMessageRequest" {
            return Answer::Default;
        }
        *seen.lock().unwrap() = request.params["message"].as_str().unwrap().to_owned();
        Answer::Result(json!({ "title": "Deny" }))
    });
    client.initialize(&home.root(), json!({ "window": { "showMessage": {} } })).unwrap();
    let params = json!({ "pid": running.id(), "debugger": "debugpy" });
    let call = json!({ "command": "tandem.debug_attach", "arguments": [params] });
    let refused = client.request("workspace/executeCommand", call).unwrap_err();
    assert_eq!(refused.response().unwrap().data["code"], "E_DENIED");
    let question = question.lock().unwrap();
    let started = question.lines().find(|line| line.contains("started outside the sandbox: /"));
    let started = started.unwrap_or_else(|| panic!("{question}"));
    assert!(started.contains(adapter.to_str().unwrap()), "{started}");
    let _ = running.kill();
    let _ = running.wait();
}
