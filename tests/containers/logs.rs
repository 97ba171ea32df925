//! Output of containers: pages by a cursor, and waiting.

use std::time::Instant;

use serde_json::{Value, json};

use crate::session::{Session, daemon};

#[test]
fn output_is_read_by_a_cursor_without_loss() {
    let Some(daemon) = daemon("output of containers") else { return };
    let session = Session::with_base(&daemon);
    let line = "i=0; while [ $i -lt 5000 ]; do echo line $i; i=$((i+1)); done; echo ready on port 80; sleep 2; echo later; printf end; exit 5";
    let started = session.call(
        "docker_run",
        json!({ "image": "base", "name": "many", "detach": true, "command": ["sh", "-c", line], "ready": { "pattern": "^ready on port \\d+$" } }),
    );
    assert_eq!(started["ready"]["happened"], "pattern");
    assert_eq!(started["ready"]["line"], "ready on port 80");
    assert!(started["stdout"].as_str().unwrap().ends_with("ready on port 80\n"));
    let logs = |params: Value| session.call("docker_logs", params);
    let last = logs(json!({ "container": "many", "tail_lines": 2 }));
    assert_eq!(last["output"], "line 4999\nready on port 80\n");
    // Nothing new, then a wait for what comes.
    let cursor = &last["next_cursor"];
    let none = logs(json!({ "container": "many", "cursor": cursor }));
    assert_eq!((&none["output"], &none["next_cursor"]), (&json!(""), cursor));
    let waited = logs(
        json!({ "container": "many", "cursor": cursor, "wait_for": "late", "wait_ms": 20_000 }),
    );
    assert_eq!(waited["waited"]["happened"], "pattern");
    assert!(waited["output"].as_str().unwrap().starts_with("later\n"));
    let ended = logs(
        json!({ "container": "many", "cursor": cursor, "wait_for": "never", "wait_ms": 20_000 }),
    );
    assert_eq!(
        (&ended["waited"]["happened"], &ended["status"], &ended["exit_code"]),
        (&json!("ended"), &json!("exited"), &json!(5))
    );
    assert_eq!(ended["output"], "later\nend");
    // From the start, page by page: every line once.
    let mut cursor = json!("0.000000000:0");
    let mut whole = String::new();
    let mut pages = 0;
    loop {
        let page = logs(json!({ "container": "many", "cursor": cursor }));
        whole.push_str(page["output"].as_str().unwrap());
        cursor = page["next_cursor"].clone();
        pages += 1;
        if page.get("more").is_none() {
            break;
        }
    }
    let expected: String = (0..5_000).map(|n| format!("line {n}\n")).collect();
    assert_eq!(whole, format!("{expected}ready on port 80\nlater\nend"));
    assert!(pages > 1);
    session.refused(
        "docker_logs",
        json!({ "container": "many", "cursor": "x" }),
        "E_INVALID_PARAMS",
    );
    session.refused(
        "docker_logs",
        json!({ "container": "many", "wait_for": "(" }),
        "E_INVALID_PARAMS",
    );
}

#[test]
fn waits_end_with_the_container_and_with_their_time() {
    let Some(daemon) = daemon("waits for containers") else { return };
    let session = Session::with_base(&daemon);
    let run = |line: &str, ready: Value| {
        session.call("docker_run", json!({ "image": "base", "detach": true, "command": ["sh", "-c", line], "ready": ready }))
    };
    let ended = run("echo oops; exit 9", json!({ "pattern": "ready", "timeout_ms": 20_000 }));
    assert_eq!(
        (&ended["ready"]["happened"], &ended["status"], &ended["exit_code"]),
        (&json!("ended"), &json!("exited"), &json!(9))
    );
    assert_eq!(ended["stdout"], "oops\n");
    let started = Instant::now();
    let silent = run("sleep 100", json!({ "pattern": "ready", "timeout_ms": 300 }));
    assert_eq!(
        (&silent["ready"]["happened"], &silent["status"]),
        (&json!("timeout"), &json!("running"))
    );
    assert!(started.elapsed().as_secs() < 10);
    session.write("h/Dockerfile", "FROM base\nHEALTHCHECK --interval=100ms CMD test -e /healthy\nCMD [\"sh\", \"-c\", \"touch /healthy; sleep 100\"]\n");
    assert_eq!(
        session.call("docker_build", json!({ "context": "h", "tag": "h" }))["success"],
        true
    );
    let healthy = session
        .call("docker_run", json!({ "image": "h", "detach": true, "ready": { "healthy": true } }));
    assert_eq!(healthy["ready"]["happened"], "healthy", "{healthy}");
    // More output than a result holds: both ends, and the container stays for the rest.
    let long = session.shell("yes 0123456789abcdef | head -c 1000000; echo the end");
    let stdout = long["stdout"].as_str().unwrap();
    assert!(
        stdout.contains("bytes are left out]") && stdout.ends_with("the end\n"),
        "{}",
        stdout.len()
    );
    let rest =
        session.call("docker_logs", json!({ "container": long["container"], "tail_lines": 1 }));
    // The last line of a million bytes has no end of its own.
    assert_eq!(rest["output"], "012345678the end\n");
}
