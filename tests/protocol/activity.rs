//! Notifications about the server's status and about tool calls.

use serde_json::{Value, json};
use tests::{RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "//- /a.txt\none\n//- /b.py\ndef f():\n    return 1\n";
const CALL_NOTIFICATION: &str = "tandem/didCallTool";
const STATUS: &str = "experimental/serverStatus";

fn start() -> Server {
    Server::builder(FIXTURE)
        .capability("experimental/activity", json!(true))
        .capability("experimental/serverStatusNotification", json!(true))
        .start()
}

fn call_notification(server: &Server, state: &str) -> Value {
    let is_it = |params: &Value| params["state"] == *state;
    server
        .wait_for_notification(CALL_NOTIFICATION, RESPONSE_TIMEOUT, is_it)
        .unwrap_or_else(|error| panic!("{state}: {error}: {:?}", server.take_unread()))
}

#[test]
fn the_server_reports_its_protocol_version() {
    let server = Server::start(FIXTURE);
    let own = &server.initialized()["capabilities"]["experimental"]["tandem"];
    assert_eq!(own["protocol"], 1);
    assert_eq!(own["version"], server.initialized()["serverInfo"]["version"]);
}

#[test]
fn a_call_is_reported_while_it_runs_and_when_it_ends() {
    let server = start();
    let edit = json!({ "path": "a.txt", "old_text": "one", "new_text": "two" });
    let result = server.must("apply_edit", edit.clone());
    let running = call_notification(&server, "running");
    assert_eq!(running["tool"], "apply_edit");
    assert_eq!(running["title"], "apply_edit a.txt");
    assert_eq!(running["files"], json!([server.uri("a.txt")]));
    assert!(running["duration_ms"].is_null() && running["started"].as_i64() > Some(0));
    let done = call_notification(&server, "done");
    assert_eq!((&done["id"], &done["action"]), (&running["id"], &result["action"]));
    assert!(done["duration_ms"].as_f64() > Some(0.0), "{done}");
    let other = json!({ "path": "a.txt", "old_text": "none", "new_text": "two" });
    server.must_fail("apply_edit", other, "E_NO_MATCH");
    let failed = call_notification(&server, "failed");
    assert_eq!(failed["code"], "E_NO_MATCH");
    assert!(failed["error"].is_string(), "{failed}");
    // Approval is not possible here.
    server.must_fail("run_command", json!({ "command": "true" }), "E_DENIED");
    let denied = call_notification(&server, "denied");
    assert_eq!(denied["title"], "run_command true");
}

#[test]
fn activity_lists_the_audit_log_newest_first() {
    let server = start();
    server.must("read_file", json!({ "path": "a.txt" }));
    server.must_fail("no_such_tool", json!({}), "E_TOOL_NOT_FOUND");
    let path = json!({ "path": "../x" });
    server.must_fail("read_file", path, "E_PATH_FORBIDDEN");
    let calls = server.request("tandem/activity", json!({})).unwrap();
    let calls = calls["calls"].as_array().unwrap();
    let states: Vec<_> = calls.iter().map(|call| (&call["tool"], &call["state"])).collect();
    let expected = [("read_file", "failed"), ("no_such_tool", "failed"), ("read_file", "done")];
    let expected = expected.map(|(tool, state)| (json!(tool), json!(state)));
    assert_eq!(states, expected.iter().map(|(t, s)| (t, s)).collect::<Vec<_>>());
    assert_eq!(call_notification(&server, "done")["id"], calls[2]["id"]);
    assert_eq!(calls[2]["files"], json!([server.uri("a.txt")]));
    let one = server.request("tandem/activity", json!({ "limit": 1 })).unwrap();
    assert_eq!(one["calls"].as_array().unwrap().len(), 1);
    for odd in [json!({ "limit": 0 }), json!({ "limit": 1e9 as u64 })] {
        server.request("tandem/activity", odd).unwrap();
    }
    server.request("tandem/activity", json!({ "limit": -1 })).unwrap_err();
}

#[test]
fn clients_that_did_not_opt_in_get_no_notification() {
    let server = Server::start(FIXTURE);
    server.must("read_file", json!({ "path": "a.txt" }));
    std::thread::sleep(std::time::Duration::from_millis(300));
    let unread = format!("{:?}", server.take_unread());
    assert!(!unread.contains(CALL_NOTIFICATION) && !unread.contains(STATUS), "{unread}");
}

#[test]
fn the_status_reports_indexing_and_running_calls() {
    let server = start();
    let status = |wanted: &dyn Fn(&Value) -> bool| {
        server.wait_for_notification(STATUS, RESPONSE_TIMEOUT, wanted).unwrap()
    };
    let read = status(&|params| params["quiescent"] == true);
    assert_eq!((&read["health"], &read["files"]), (&json!("ok"), &json!(1)), "{read}");
    assert_eq!(read["agents"], 0);
}

#[test]
fn a_missing_workspace_is_reported() {
    let server = start();
    server
        .wait_for_notification(STATUS, RESPONSE_TIMEOUT, |params| params["quiescent"] == true)
        .unwrap();
    std::fs::rename(server.root(), server.outside().join("moved")).unwrap();
    // Checked at the next call at the latest.
    server.must_fail("read_file", json!({ "path": "a.txt" }), "E_CONFLICT");
    let told = server
        .wait_for_notification(STATUS, RESPONSE_TIMEOUT, |params| params["health"] == "error")
        .unwrap();
    assert!(told["message"].as_str().unwrap().contains("moved, replaced or deleted"), "{told}");
}
