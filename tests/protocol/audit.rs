//! Every call is on record, and the record cannot be changed unseen.

use std::path::PathBuf;
use std::process::Command;

use client::Client;
use serde_json::{Value, json};
use tests::{Home, Server};

/// The audited calls, newest first, as the tool returns them.
fn log(server: &Server) -> Vec<Value> {
    calls(server, json!({ "limit": 200 }))
}

fn calls(server: &Server, arguments: Value) -> Vec<Value> {
    let mut log = server.must("get_audit_log", arguments);
    let Value::Array(calls) = log["calls"].take() else { panic!("no calls: {log}") };
    calls
}

fn audit(home: &Home, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = home.command();
    command.args(["audit", "--workspace"]).arg(home.root()).args(arguments);
    let output = command.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

fn on_record(home: &Home) -> Vec<Value> {
    let (code, out) = audit(home, &["--json", "--limit", "100000"]);
    assert_eq!(code, Some(0), "{out}");
    serde_json::from_str(&out).unwrap()
}

fn call(home: &Home, tool: &str, arguments: &Value) -> Command {
    let mut command = home.command();
    command.args(["call", tool, &arguments.to_string(), "--workspace"]).arg(home.root());
    command
}

/// Every file of the record.
fn files(home: &Home) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![home.outside().join("state/tandem")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.retain(|path| path.file_name().unwrap().to_str().unwrap().starts_with("audit.db"));
    found
}

#[test]
fn a_call_is_audited_with_all_fields() {
    let server = Server::start("//- /a.txt\none\n");
    server.must("read_file", json!({ "path": "a.txt" }));
    let written = server.must("create_file", json!({ "path": "b.txt", "content": "x" }));
    let log = log(&server);
    // Its own call is still going on, and only looks.
    assert_eq!(log.len(), 2, "{log:?}");
    let (write, read) = (&log[0], &log[1]);
    assert_eq!((&read["tool"], &read["outcome"]), (&json!("read_file"), &json!("ok")));
    assert_eq!(read["effects"], json!(["read a.txt"]));
    assert_eq!(read["arguments"], json!({ "path": "a.txt" }));
    assert_eq!((&write["tool"], &write["called"]), (&json!("write_file"), &json!("create_file")));
    assert_eq!(write["effects"], json!(["write b.txt"]));
    assert!(write["decision"].as_str().is_some_and(|d| d.starts_with("allowed")), "{write}");
    assert_eq!(write["result"]["size"], written.to_string().len());
    assert_eq!(write["result"]["sha256"].as_str().map(str::len), Some(64));
    for call in &log {
        assert_eq!(call["front_end"], "lsp");
        assert!(call["time"].as_str().unwrap().ends_with('Z'), "{call}");
        assert!(call["duration_ms"].as_f64().is_some(), "{call}");
    }
}

#[test]
fn failed_calls_are_audited_too() {
    let server = Server::start("//- /a.txt\none\n//- /.git/config\nx\n");
    server.must_fail("no_such_tool", json!({ "x": 1 }), "E_TOOL_NOT_FOUND");
    server.must_fail("read_file", json!({ "pth": "a.txt" }), "E_INVALID_PARAMS");
    server.must_fail("call", json!({ "tool": 5 }), "E_INVALID_PARAMS");
    server.must_fail("read_file", json!({ "path": "none" }), "E_FILE_NOT_FOUND");
    server.must_fail("read_file", json!({ "path": "/etc/passwd" }), "E_PATH_FORBIDDEN");
    server.must_fail("write_file", json!({ "path": ".git/config", "content": "y" }), "E_DENIED");
    let log = log(&server);
    let told: Vec<_> = log
        .iter()
        .filter(|call| call["tool"] != "get_audit_log")
        .map(|call| (call["tool"].as_str().unwrap(), call["outcome"].as_str().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("write_file", "E_DENIED"),
            ("read_file", "E_PATH_FORBIDDEN"),
            ("read_file", "E_FILE_NOT_FOUND"),
            ("tandem.call", "E_INVALID_PARAMS"),
            ("read_file", "E_INVALID_PARAMS"),
            ("no_such_tool", "E_TOOL_NOT_FOUND"),
        ]
    );
    let denied = log.iter().find(|call| call["outcome"] == "E_DENIED").unwrap();
    assert!(denied["decision"].as_str().unwrap().starts_with("denied: "), "{denied}");
    assert_eq!(denied["effects"], json!(["write .git/config"]));
    let ended = |outcome: &str| calls(&server, json!({ "outcome": outcome })).len();
    assert_eq!(ended("E_DENIED"), 1);
    assert_eq!(ended("error"), 6);
    let of_tool = calls(&server, json!({ "tool": "create_file" }));
    assert!(of_tool.iter().all(|call| call["tool"] == "write_file") && of_tool.len() == 1);
    for wrong in [
        json!({ "outcome": "x" }),
        json!({ "since": "yesterday" }),
        json!({ "cursor": "x" }),
        json!({ "limit": -1 }),
    ] {
        server.must_fail("get_audit_log", wrong, "E_INVALID_PARAMS");
    }
}

#[test]
fn pages_go_on_and_never_repeat() {
    let server = Server::start("//- /a.txt\none\n");
    for _ in 0..25 {
        server.must("read_file", json!({ "path": "a.txt" }));
    }
    let (mut seen, mut arguments) = (Vec::new(), json!({ "limit": 10, "tool": "read_file" }));
    loop {
        let page = server.must("get_audit_log", arguments.clone());
        let calls = page["calls"].as_array().unwrap();
        assert!(calls.len() <= 10);
        seen.extend(calls.iter().map(|call| call["id"].as_i64().unwrap()));
        if page["next_cursor"].is_null() {
            break;
        }
        arguments["cursor"] = page["next_cursor"].clone();
    }
    assert_eq!(seen.len(), 25);
    assert!(seen.is_sorted_by(|a, b| a > b), "{seen:?}");
    assert!(calls(&server, json!({ "since": "2999-01-01T00:00:00Z" })).is_empty());
}

#[test]
fn secrets_are_not_in_the_audit_log() {
    let home = Home::new();
    let secrets = ["AKIAIOSFODNN7EXAMPLE", "hunter2hunter2", "Zm9vYmFyMTIzNDU2Nzg5MGFi"];
    for content in [
        format!("aws = {}\n", secrets[0]),
        format!("PASSWORD={}\n", secrets[1]),
        format!("https://me:{}@host/\n", secrets[2]),
        format!("-----BEGIN PRIVATE KEY-----\n{}\n", secrets[2]),
    ] {
        let arguments = json!({ "path": ".env", "content": content });
        assert!(call(&home, "write_file", &arguments).output().unwrap().status.success());
        let wrong = json!({ "path": content, "nonsense": { "token": secrets[1] } });
        for (tool, arguments) in [("read_file", &wrong), (&format!("no {content}"), &json!({}))] {
            let failed = call(&home, tool, arguments).output().unwrap();
            assert_eq!(failed.status.code(), Some(1), "{failed:?}");
        }
    }
    assert_eq!(on_record(&home).len(), 12);
    assert!(!files(&home).is_empty());
    for file in files(&home) {
        let bytes = std::fs::read(&file).unwrap();
        for secret in secrets {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} is in {}", file.display());
        }
    }
}

#[test]
fn long_arguments_are_kept_by_hash() {
    let server = Server::start("");
    let content = "x".repeat(1 << 20);
    server.must("write_file", json!({ "path": "a.txt", "content": content }));
    let log = log(&server);
    let write = log.iter().find(|call| call["tool"] == "write_file").unwrap();
    assert_eq!(write["arguments"]["content"]["bytes"], 1 << 20);
    let hash = server.must("get_file_info", json!({ "path": "a.txt" }))["hash"].clone();
    assert_eq!(write["arguments"]["content"]["sha256"], hash);
    assert!(write.to_string().len() < 2_000, "{write}");
}

#[test]
fn the_audit_log_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    call(&home, "read_file", &json!({ "path": "a" })).output().unwrap();
    let files = files(&home);
    assert!(!files.is_empty());
    for file in files {
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700);
    }
}

#[test]
fn several_processes_lose_nothing() {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "x").unwrap();
    std::thread::scope(|scope| {
        for process in 0..3 {
            let home = &home;
            scope.spawn(move || {
                let client = Client::spawn(home.command().arg("lsp")).unwrap();
                client.initialize(&home.root(), json!({})).unwrap();
                for n in 0..40 {
                    let (tool, arguments) = match n % 2 {
                        0 => ("tandem.read_file", json!([{ "path": "a.txt" }])),
                        _ => {
                            let path = format!("{process}-{n}.txt");
                            ("tandem.write_file", json!([{ "path": path, "content": "x" }]))
                        }
                    };
                    client.execute_command(tool, arguments).unwrap();
                }
                client.shutdown(tests::RESPONSE_TIMEOUT).unwrap();
            });
        }
        for _ in 0..2 {
            let home = &home;
            scope.spawn(move || {
                for _ in 0..10 {
                    let read = call(home, "read_file", &json!({ "path": "a.txt" })).output();
                    assert!(read.unwrap().status.success());
                }
            });
        }
    });
    let mut calls = on_record(&home);
    // A server that ends cancels a shell's call; the shell makes it again elsewhere.
    calls.retain(|call| call["outcome"] != "E_CANCELLED");
    assert!(calls.iter().all(|call| call["outcome"] == "ok"));
    let (from_shell, of_servers): (Vec<_>, Vec<_>) =
        calls.iter().partition(|call| call["front_end"] == "cli");
    assert_eq!(of_servers.len(), 3 * 40);
    // A read that is finished, but not yet answered when its server ends, is also made again.
    assert!(from_shell.len() >= 2 * 10, "{}", from_shell.len());
    let (code, said) = audit(&home, &["--verify"]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn tampering_is_detected() {
    let home = Home::new();
    for name in ["first-name", "second-name", "third-name"] {
        call(&home, "read_file", &json!({ "path": name })).output().unwrap();
    }
    assert_eq!(audit(&home, &["--verify"]).0, Some(0));
    let mut changed = 0;
    for file in files(&home) {
        let mut bytes = std::fs::read(&file).unwrap();
        let (old, new) = (b"second-name", b"zecond-name");
        while let Some(at) = bytes.windows(old.len()).position(|window| window == old) {
            bytes[at..at + new.len()].copy_from_slice(new);
            changed += 1;
        }
        std::fs::write(&file, bytes).unwrap();
    }
    assert!(changed > 0);
    let (code, said) = audit(&home, &["--verify"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("row 2"), "{said}");
    let (code, said) = audit(&home, &["--verify", "--json"]);
    assert_eq!(code, Some(1));
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["broken"][0], 2);
}

#[test]
fn a_killed_call_is_audited_as_begun() {
    let server = Server::builder("//- /.git/config\nx\n").start();
    // Nobody answers for the editor: the write waits for it, allowed and not yet done.
    server.write("a.txt", "one\n");
    server.open_file("a.txt");
    server.set_editor(tests::Behaviour::Silent);
    let pending = server.start_tool("write_file", json!({ "path": "a.txt", "content": "two\n" }));
    let deadline = std::time::Instant::now() + tests::RESPONSE_TIMEOUT;
    while server.apply_edit_requests().is_empty() {
        assert!(std::time::Instant::now() < deadline, "the editor was never asked");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    server.process().unwrap().kill();
    drop(pending);
    let mut command = Command::new(tests::binary());
    command.args(["audit", "--json", "--workspace"]).arg(server.root());
    command.env("HOME", server.outside()).env("XDG_STATE_HOME", server.outside().join("state"));
    let calls: Vec<Value> = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(
        (&calls[0]["tool"], &calls[0]["outcome"]),
        (&json!("write_file"), &json!("unfinished"))
    );
    assert_eq!(calls[0]["effects"], json!(["write a.txt"]));
}

#[test]
fn calls_work_without_an_audit_log() {
    let home = Home::new();
    std::fs::create_dir_all(home.outside().join("state")).unwrap();
    // Where the folder should be, there is a file.
    std::fs::write(home.outside().join("state/tandem"), "").unwrap();
    let arguments = json!({ "path": "a.txt", "content": "x" });
    let output = call(&home, "write_file", &arguments).env("TANDEM_LOG", "error").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), "x");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("audit"), "{said}");
    assert_eq!(audit(&home, &[]).0, Some(1));
}

#[test]
fn shell_output_is_readable_text() {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "x").unwrap();
    assert_eq!(audit(&home, &[]), (Some(0), "No calls recorded.\n".to_owned()));
    call(&home, "read_file", &json!({ "path": "a.txt" })).output().unwrap();
    call(&home, "no\u{1b}[31m\u{202e}tool", &json!({})).output().unwrap();
    let (code, out) = audit(&home, &["--since", "1h"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("read a.txt") && out.contains("E_TOOL_NOT_FOUND"), "{out}");
    assert!(!out.contains(['\u{1b}', '\u{202e}']), "{out:?}");
    assert_eq!(audit(&home, &["--since", "nonsense"]).0, Some(2));
    let (_, out) = audit(&home, &["--json", "--tool", "read_file", "--outcome", "ok"]);
    assert_eq!(serde_json::from_str::<Vec<Value>>(&out).unwrap().len(), 1);
}

/// Without an audit log no program runs, even with approval; files can still be read.
#[test]
fn a_program_that_cannot_be_audited_does_not_run() {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "text\n").unwrap();
    let call = |tool: &str, params: &Value| {
        let mut command = home.command();
        command.env("XDG_STATE_HOME", "/dev/null/none").env("XDG_RUNTIME_DIR", "/dev/null/none");
        command.args(["call", "--yes", tool, &params.to_string(), "--workspace"]);
        let output = command.arg(home.root()).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let refused = call("run_command", &json!({ "command": "touch made" }));
    assert_eq!(refused["code"], "E_UNAVAILABLE", "{refused}");
    assert!(!home.root().join("made").exists());
    assert!(call("read_file", &json!({ "path": "a.txt" }))["code"].is_null());
}
