//! Processes that are kept when their server ends: found again, followed, stopped, and never forgotten.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::Answer;
use serde_json::{Value, json};
use tests::{Home, RESPONSE_TIMEOUT, Server};

type Questions = Arc<Mutex<Vec<String>>>;

const ECHO: &str = "echo ready; while read line; do echo \"<$line>\"; done";

/// A server whose person answers every request with `title`, and the requests.
fn start(home: &Home, title: &'static str) -> (Server, Questions) {
    let server =
        Server::builder_in(home.shared()).capability("window/showMessage", json!({})).start();
    let questions = Questions::default();
    let asked = questions.clone();
    server.answer_requests(move |request, _| match request.method.as_str() {
        "window/showMessageRequest" => {
            asked.lock().unwrap().push(request.params["message"].as_str().unwrap().to_owned());
            Answer::Result(json!({ "title": title }))
        }
        _ => Answer::Default,
    });
    (server, questions)
}

fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// The process ids of the processes whose command line has this text.
fn running(mark: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let has_mark = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(mark)
    };
    numbers.filter(has_mark).collect()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < RESPONSE_TIMEOUT, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A command line that only this test's processes have.
fn marked(number: u32) -> (String, String) {
    let mark = format!("97{}{number}", std::process::id());
    (format!("{ECHO}; : {mark}"), mark)
}

fn listed(server: &Server) -> Vec<Value> {
    server.must("process_list", json!({}))["processes"].as_array().unwrap().clone()
}

#[test]
fn a_kept_process_outlives_its_server_and_is_found_again() {
    let (line, mark) = marked(1);
    let home = Home::new();
    let (server, questions) = start(&home, "Allow once");
    let ready = json!({ "pattern": "ready" });
    let kept = json!({ "command": line, "name": "echo", "keep": true, "ready": ready });
    let started = server.must("process_start", kept);
    let id = started["id"].as_str().unwrap().to_owned();
    let question = questions.lock().unwrap().join("\n");
    assert!(question.contains("running when this server ends"), "{question}");
    assert_eq!(started["output"], "ready\n");
    let typed = json!({ "id": "echo", "text": "one", "wait_for": "<one>" });
    assert_eq!(server.must("process_input", typed)["output"], "<one>\n");
    // The cruel way first, then the usual one.
    kill(server.process().unwrap().id());
    drop(server);
    assert!(!running(&mark).is_empty());

    let (server, _) = start(&home, "Allow once");
    let all = listed(&server);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!((&all[0]["id"], &all[0]["name"]), (&json!(id), &json!("echo")));
    assert_eq!((&all[0]["status"], &all[0]["kept"]), (&json!("running"), &json!(true)));
    assert_eq!(all[0]["command"], line);
    // The cursor is still good.
    let page = server.must("process_output", json!({ "id": id, "cursor": started["next_cursor"] }));
    assert_eq!(page["output"], "<one>\n");
    server.must_fail("process_start", json!({ "command": "true", "name": "echo" }), "E_EXISTS");
    server.quit();
    assert!(!running(&mark).is_empty());

    let (server, _) = start(&home, "Allow once");
    let typed = json!({ "id": "echo", "text": "two", "wait_for": "<two>" });
    assert_eq!(server.must("process_input", typed)["output"], "<two>\n");
    // Another server of the folder sees it, too, and how it ends.
    let (second, _) = start(&home, "Allow once");
    assert_eq!(listed(&second)[0]["status"], "running");
    let stopped = server.must("process_stop", json!({ "id": "echo" }));
    assert_eq!(stopped["status"], "exited");
    wait_until("it survives", || running(&mark).is_empty());
    wait_until("the other server does not notice", || listed(&second)[0]["status"] == "exited");
    drop(second);
    server.quit();

    // What it wrote is kept, from its start.
    let (server, _) = start(&home, "Allow once");
    wait_until("its end is not known", || listed(&server)[0]["signal"] == 15);
    let page = server.must("process_output", json!({ "id": id, "cursor": "0" }));
    assert_eq!(page["output"], "ready\n<one>\n<two>\n");
}

#[test]
fn a_kept_server_can_be_awaited_and_resized_and_ends_its_input() {
    let home = Home::new();
    let (server, _) = start(&home, "Allow once");
    let line = "python3 -m http.server 8642 --bind 127.0.0.1";
    let ready = json!({ "port": 8642 });
    let started =
        server.must("process_start", json!({ "command": line, "keep": true, "ready": ready }));
    assert_eq!(started["ready"]["happened"], "port");
    assert_eq!(server.must("process_kill", json!({ "id": started["id"] }))["status"], "killed");

    let shell = json!({ "command": "sh", "keep": true, "pty": true, "rows": 30, "columns": 90 });
    let shell = server.must("process_start", shell);
    let size = |rows: u32| {
        let typed = json!({
            "id": shell["id"], "text": "stty size", "rows": rows, "columns": 91,
            "wait_for": format!("^{rows} 91"),
        });
        server.must("process_input", typed)["output"].as_str().unwrap().to_owned()
    };
    assert!(size(31).contains("31 91"));
    server.must("process_input", json!({ "id": shell["id"], "keys": ["ctrl-d"] }));
    wait_until("the shell survives", || listed(&server)[1]["status"] == "exited");
    let cat = server.must("process_start", json!({ "command": "cat", "keep": true }));
    server.must("process_input", json!({ "id": cat["id"], "text": "x", "eof": true }));
    wait_until("cat survives", || listed(&server)[2]["exit_code"] == 0);
    assert_eq!(server.must("process_output", json!({ "id": cat["id"] }))["output"], "x\n");
}

#[test]
fn without_approval_nothing_is_kept() {
    let (line, mark) = marked(2);
    let home = Home::new();
    let (server, _) = start(&home, "Deny");
    server.must_fail("process_start", json!({ "command": line, "keep": true }), "E_DENIED");
    assert!(listed(&server).is_empty() && running(&mark).is_empty());
    let (server, _) = start(&home, "Allow once");
    let missing = json!({ "command": "no-such-program", "args": [], "keep": true });
    let refused = server.tool("process_start", missing).unwrap_err();
    assert!(refused.message.contains("no-such-program"), "{}", refused.message);
    assert!(listed(&server).is_empty());
}

#[test]
fn a_process_ends_with_its_keeper_and_nothing_is_forgotten() {
    let (line, mark) = marked(3);
    let home = Home::new();
    let (server, _) = start(&home, "Allow once");
    let ready = json!({ "pattern": "ready" });
    let kept = json!({ "command": line, "name": "echo", "keep": true, "ready": ready });
    let started = server.must("process_start", kept);
    let doctor = || {
        let output = server.command().arg("doctor").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let report = doctor();
    let entry = format!("{} (echo): `echo ready", started["id"].as_str().unwrap());
    assert!(report.contains(&entry), "{report}");
    server.quit();
    let (server, _) = start(&home, "Allow once");
    // Its log is on disk before its keeper is gone.
    std::thread::sleep(Duration::from_millis(300));
    for pid in running("__keep") {
        let folder = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        let root = server.root().parent().unwrap().to_owned();
        let is_ours = folder
            .filter_map(|entry| std::fs::read_link(entry.path()).ok())
            .any(|path| path.starts_with(&root));
        if is_ours {
            kill(pid);
        }
    }
    wait_until("it survives its keeper", || running(&mark).is_empty());
    wait_until("its end is not noticed", || listed(&server)[0]["status"] == "killed");
    server.quit();
    let (server, _) = start(&home, "Allow once");
    assert_eq!(listed(&server)[0]["status"], "killed");
    let page = server.must("process_output", json!({ "id": "echo" }));
    assert_eq!(page["output"], "ready\n");
}
