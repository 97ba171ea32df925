//! The Tasks extension of `tandem mcp`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Agent, Home, RESPONSE_TIMEOUT};

const WORKSPACE: [&str; 2] = ["--workspace", "workspace"];
const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A workspace whose person has allowed some commands.
fn home() -> Home {
    let home = Home::new();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = "[policy.allow]\nrun = [\"sleep *\", \"echo *\"]\n";
    std::fs::write(home.outside().join("config/tandem/config.toml"), settings).unwrap();
    home
}

/// A client with the extension.
fn agent(home: &Home) -> Agent {
    let mut agent = Agent::start_stateless(home.command(), &WORKSPACE);
    let capabilities = json!({ "elicitation": { "form": {} }, "extensions": { EXTENSION: {} } });
    agent.set_meta("io.modelcontextprotocol/clientCapabilities", capabilities);
    agent
}

fn run(command: &str) -> Value {
    json!({ "name": "run_command", "arguments": { "command": command } })
}

/// Polls until the task has another status than these.
fn settled(agent: &mut Agent, id: &Value) -> Value {
    let started = Instant::now();
    loop {
        let state = agent.request("tasks/get", json!({ "taskId": id }))["result"].take();
        if state["status"] != "working" {
            return state;
        }
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{state}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_call_that_takes_long_becomes_a_task() {
    let home = home();
    let mut agent = agent(&home);
    let found = agent.request("server/discover", json!({}))["result"].take();
    assert!(found["capabilities"]["extensions"][EXTENSION].is_object(), "{found}");
    let short = agent.request("tools/call", run("echo short"))["result"].take();
    assert_eq!(short["structuredContent"]["stdout"], "short\n", "{short}");
    let begun = agent.request("tools/call", run("echo one; sleep 2; echo two"))["result"].take();
    assert_eq!((&begun["resultType"], &begun["status"]), (&json!("task"), &json!("working")));
    assert!(begun["ttlMs"].is_u64() && begun["pollIntervalMs"].is_u64(), "{begun}");
    let state = settled(&mut agent, &begun["taskId"]);
    assert_eq!(state["status"], "completed", "{state}");
    assert_eq!(state["result"]["structuredContent"]["stdout"], "one\ntwo\n", "{state}");
    // The result stays.
    assert_eq!(settled(&mut agent, &begun["taskId"])["result"], state["result"]);
}

#[test]
fn a_task_is_cancelled() {
    let home = home();
    let mut agent = agent(&home);
    let begun = agent.request("tools/call", run("sleep 60"))["result"].take();
    let id = json!({ "taskId": begun["taskId"] });
    let cancelled = agent.request("tasks/cancel", id.clone());
    assert!(cancelled["result"].is_object(), "{cancelled}");
    assert_eq!(settled(&mut agent, &begun["taskId"])["status"], "cancelled");
    // A second one finds nothing left to do.
    assert!(agent.request("tasks/cancel", id)["result"].is_object());
    let edit = json!({ "path": "a.txt", "content": "the write lock is free\n" });
    let started = Instant::now();
    agent.must("write_file", edit);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[test]
fn an_approved_call_can_become_a_task() {
    let home = home();
    let mut agent = agent(&home);
    let mut call = run("sleep 2; printf asked");
    let asked = agent.request("tools/call", call.clone())["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    call["requestState"] = asked["requestState"].clone();
    let answer = json!({ "action": "accept", "content": { "answer": "Allow once" } });
    call["inputResponses"] = json!({ "approval": answer });
    let begun = agent.request("tools/call", call)["result"].take();
    assert_eq!(begun["resultType"], "task", "{begun}");
    let state = settled(&mut agent, &begun["taskId"]);
    assert_eq!(state["result"]["structuredContent"]["stdout"], "asked", "{state}");
}

#[test]
fn clients_without_the_extension_get_results() {
    let home = home();
    let mut plain = Agent::start_stateless(home.command(), &WORKSPACE);
    let done = plain.request("tools/call", run("sleep 2; echo two"))["result"].take();
    assert_eq!(done["structuredContent"]["stdout"], "two\n", "{done}");
    let refused = plain.request("tasks/get", json!({ "taskId": "x" }));
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
    let mut agent = agent(&home);
    for method in ["tasks/get", "tasks/cancel"] {
        let refused = agent.request(method, json!({ "taskId": "gone" }));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        let refused = agent.request(method, json!({}));
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}
