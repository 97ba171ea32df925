//! What a client and `tandem mcp` agree on beside calls: batches, pages, logs, roots and traces.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Agent, Home, RESPONSE_TIMEOUT, Server};

const WORKSPACE: [&str; 2] = ["--workspace", "workspace"];
const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

fn home() -> Home {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "one\n").unwrap();
    home
}

fn uri(path: &std::path::Path) -> String {
    format!("file://{}", path.display())
}

/// The newest call on record.
fn last_call(agent: &mut Agent) -> Value {
    let log = agent.must("get_audit_log", json!({ "limit": 1, "verbose": true }));
    log["calls"][0].clone()
}

#[test]
fn batches_are_answered_by_arrays_in_the_version_that_has_them() {
    let home = home();
    let mut agent = Agent::start_version(home.command(), &WORKSPACE, "2025-03-26");
    let ping = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let read = json!({
        "jsonrpc": "2.0", "id": "r", "method": "tools/call",
        "params": { "name": "read_file", "arguments": { "path": "a.txt" } },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": "i", "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {},
        "clientInfo": { "name": "x", "version": "1" },
    } });
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let wrong = json!({ "jsonrpc": "2.0", "id": "w", "method": "tools/call", "params": 7 });
    let batch = json!([ping(json!(100)), read, note, hello, wrong, 7, ping(json!("p"))]);
    agent.write(&batch.to_string());
    let answers = agent.next_message();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 6, "{answers:?}");
    let answer = |id: Value| answers.iter().find(|one| one["id"] == id).unwrap();
    assert_eq!(answer(json!(100))["result"], json!({}));
    assert_eq!(answer(json!("p"))["result"], json!({}));
    assert_eq!(answer(json!("r"))["result"]["structuredContent"]["content"], "one\n");
    assert_eq!(answer(json!("i"))["error"]["code"], -32600);
    assert_eq!(answer(json!("w"))["error"]["code"], -32602);
    // Without requests there is nothing to answer.
    agent.write(&json!([note, note]).to_string());
    for refused in [json!([]), json!(vec![ping(json!(1)); 2]), json!(vec![note; 101])] {
        agent.write(&refused.to_string());
        assert_eq!(agent.next_message()["error"]["code"], -32600, "{refused:.80}");
    }
    let mut newer = Agent::start(home.command(), &WORKSPACE, None);
    newer.write(&json!([ping(json!(100))]).to_string());
    let refused = newer.next_message();
    assert!(refused["error"]["message"].as_str().unwrap().contains("2025-03-26"), "{refused}");
    assert_eq!(newer.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
}

#[test]
fn a_cancelled_request_does_not_hold_up_its_batch() {
    let home = home();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = "[policy.allow]\nrun = [\"sleep *\"]\n";
    std::fs::write(home.outside().join("config/tandem/config.toml"), settings).unwrap();
    let mut agent = Agent::start_version(home.command(), &WORKSPACE, "2025-03-26");
    let sleep = json!({
        "jsonrpc": "2.0", "id": "s", "method": "tools/call",
        "params": { "name": "run_command", "arguments": { "command": "sleep 60" } },
    });
    let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
    agent.write(&json!([sleep, ping]).to_string());
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": "s" },
    });
    agent.write(&json!([cancel]).to_string());
    let answers = agent.next_message();
    assert_eq!((answers.as_array().unwrap().len(), &answers[0]["id"]), (1, &json!("p")));
}

#[test]
fn requests_that_cannot_be_parsed_are_answered() {
    let home = home();
    let mut agent = Agent::start(home.command(), &WORKSPACE, None);
    agent.write(r#"{"jsonrpc":"2.0","id":99,"method":"tools/call","params":7}"#);
    let refused = agent.next_message();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(99), &json!(-32602)));
    agent.write(&format!("{{\"x\":\"{}\"}}", "x".repeat(17 << 20)));
    let refused = agent.next_message();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    agent.write(r#"{"jsonrpc":"2.0","method":"notifications/unknown","params":7}"#);
    assert_eq!(agent.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
    assert!(agent.notifications.is_empty(), "{:?}", agent.notifications);
}

#[test]
fn every_tool_is_on_the_first_page() {
    let home = home();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = "[profiles.every]\ntools = [\"*\"]\n";
    std::fs::write(home.outside().join("config/tandem/config.toml"), settings).unwrap();
    let args = ["--workspace", "workspace", "--profile", "every"];
    let mut agent = Agent::start(home.command(), &args, None);
    let page = agent.request("tools/list", json!({}))["result"].take();
    assert_eq!(page["nextCursor"], Value::Null);
    let tools = page["tools"].as_array().unwrap();
    let mut names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let output = home.command().args(["tools", "--json"]).output().unwrap();
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    let all = all.as_array().or_else(|| all["tools"].as_array()).unwrap().len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
    for list in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        for cursor in ["", "x", "tools:1", "tools:100000", "prompts:100"] {
            let refused = agent.request(list, json!({ "cursor": cursor }));
            assert_eq!(refused["error"]["code"], -32602, "{list} {cursor}: {refused}");
        }
    }
}

#[test]
fn the_person_reads_in_the_log_why_a_call_was_denied() {
    let home = home();
    let mut agent = Agent::start(home.command(), &WORKSPACE, None);
    let denied = |agent: &mut Agent| {
        agent.tool("run_command", json!({ "command": "true" })).unwrap_err();
    };
    denied(&mut agent);
    let log = agent.log();
    assert_eq!((log.len(), &log[0]["level"]), (1, &json!("warning")), "{log:?}");
    assert_eq!(log[0]["logger"], "tandem");
    let text = log[0]["data"].as_str().unwrap();
    assert!(text.starts_with("run_command: ") && text.len() < 2_000, "{text}");
    // What only the model has to correct is not logged.
    agent.tool("read_file", json!({ "path": "gone" })).unwrap_err();
    assert_eq!(agent.log().len(), 1);
    let set = agent.request("logging/setLevel", json!({ "level": "error" }));
    assert_eq!(set["result"], json!({}), "{set}");
    denied(&mut agent);
    assert_eq!(agent.log().len(), 1);
    let wrong = agent.request("logging/setLevel", json!({ "level": "loud" }));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    agent.request("logging/setLevel", json!({ "level": "debug" }));
    for _ in 0..40 {
        denied(&mut agent);
    }
    let count = agent.log().len();
    assert!((10..=20).contains(&count), "{count} messages a minute");

    // Later versions name a level in each request.
    let mut agent = Agent::start_stateless(home.command(), &WORKSPACE);
    let unknown = json!({ "name": "debug_continue", "arguments": {} });
    let call = json!({ "name": "run_command", "arguments": { "command": "true" } });
    agent.request("tools/call", unknown);
    agent.request("tools/call", call.clone());
    assert!(agent.notifications.is_empty(), "{:?}", agent.notifications);
    let refused = agent.request("logging/setLevel", json!({ "level": "debug" }));
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
}

#[test]
fn a_request_can_name_its_log_level() {
    let home = home();
    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = "[policy.deny]\nread = [\"a.txt\"]\n";
    std::fs::write(home.outside().join("config/tandem/config.toml"), settings).unwrap();
    let mut agent = Agent::start_stateless(home.command(), &WORKSPACE);
    agent.tool("read_file", json!({ "path": "a.txt" })).unwrap_err();
    assert!(agent.log().is_empty());
    agent.set_meta("io.modelcontextprotocol/logLevel", json!("warning"));
    agent.tool("read_file", json!({ "path": "a.txt" })).unwrap_err();
    assert_eq!(agent.log().len(), 1);
}

#[test]
fn editors_that_come_and_go_are_logged() {
    let server = Server::start("//- /a.txt\none\n");
    let mut agent = Agent::start(server.command(), &WORKSPACE, None);
    agent.request("logging/setLevel", json!({ "level": "info" }));
    agent.must("read_file", json!({ "path": "a.txt" }));
    let text = |agent: &Agent| agent.log().last().unwrap()["data"].as_str().unwrap().to_owned();
    assert!(text(&agent).contains("has the folder open"), "{}", text(&agent));
    let _home = server.quit();
    agent.must("read_file", json!({ "path": "a.txt" }));
    assert!(text(&agent).contains("was closed"), "{}", text(&agent));
}

#[test]
fn a_root_inside_the_current_folder_becomes_the_workspace() {
    let home = home();
    let roots = [uri(&home.root())];
    let mut agent = Agent::start_with_roots(home.command(), &[], &roots);
    assert_eq!(agent.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
    std::fs::write(home.outside().join("above.txt"), "above\n").unwrap();
    for path in ["../above.txt", "above.txt"] {
        agent.tool("read_file", json!({ "path": path })).expect_err(path);
    }
    assert!(agent.log().is_empty(), "{:?}", agent.log());
    let asked = agent.notifications.iter().filter(|m| m["method"] == "roots/list").count();
    assert_eq!(asked, 1);

    // A person's choice stays, and so do the rules of a folder.
    std::fs::create_dir_all(home.root().join("sub/deep")).unwrap();
    std::fs::write(home.root().join("sub/secret.txt"), "secret\n").unwrap();
    let roots = [uri(&home.root().join("sub"))];
    let mut agent = Agent::start_with_roots(home.command(), &WORKSPACE, &roots);
    assert_eq!(agent.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
    std::fs::create_dir(home.root().join(".tandem")).unwrap();
    let rules = "[policy.deny]\nread = [\"sub/secret.txt\"]\n";
    std::fs::write(home.root().join(".tandem/config.toml"), rules).unwrap();
    let mut command = home.command();
    command.current_dir(home.root());
    let mut agent = Agent::start_with_roots(command, &[], &roots);
    assert_eq!(agent.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
    agent.tool("read_file", json!({ "path": "sub/secret.txt" })).unwrap_err();
}

#[test]
fn a_root_elsewhere_is_opened_only_by_the_persons_settings() {
    let home = home();
    let elsewhere = home.outside().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::write(elsewhere.join("b.txt"), "two\n").unwrap();
    let start = || {
        let mut command = home.command();
        command.current_dir(home.root());
        Agent::start_with_roots(command, &[], &[uri(&elsewhere)])
    };
    let mut agent = start();
    agent.tool("read_file", json!({ "path": "b.txt" })).unwrap_err();
    assert_eq!(agent.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
    let log = agent.log();
    let text = log[0]["data"].as_str().unwrap();
    assert!(text.contains("elsewhere") && text.contains("mcp.roots"), "{log:?}");

    std::fs::create_dir_all(home.outside().join("config/tandem")).unwrap();
    let settings = home.outside().join("config/tandem/config.toml");
    std::fs::write(&settings, "[mcp]\nroots = [\"~/elsewhere\"]\n").unwrap();
    let mut agent = start();
    assert_eq!(agent.must("read_file", json!({ "path": "b.txt" }))["content"], "two\n");
    agent.tool("read_file", json!({ "path": "a.txt" })).unwrap_err();
    // The project's own settings widen nothing.
    std::fs::remove_file(&settings).unwrap();
    std::fs::create_dir(home.root().join(".tandem")).unwrap();
    std::fs::write(home.root().join(".tandem/config.toml"), "[mcp]\nroots = [\"/\"]\n").unwrap();
    start().tool("read_file", json!({ "path": "b.txt" })).unwrap_err();
    // Neither do roots that are no folders of this machine.
    for root in ["https://example.org/x", "file:///proc/self/fd/0", "nonsense", "file:///gone"] {
        let mut command = home.command();
        command.current_dir(home.root());
        let mut agent = Agent::start_with_roots(command, &[], &[root.to_owned()]);
        assert_eq!(agent.must("read_file", json!({ "path": "a.txt" }))["content"], "one\n");
    }
}

#[test]
fn a_call_is_recorded_with_its_trace_and_client() {
    let home = home();
    let read = |trace: &str| {
        json!({
            "name": "read_file", "arguments": { "path": "a.txt" },
            "_meta": { "traceparent": trace },
        })
    };
    let mut first = Agent::start(home.command(), &WORKSPACE, None);
    first.request("tools/call", read(TRACE));
    assert_eq!(last_call(&mut first)["trace"], TRACE);
    first.request("tools/call", read("not a trace"));
    assert_eq!(last_call(&mut first)["trace"], Value::Null);
    // The second client's calls run in the first one's process.
    let mut second = Agent::start_as("second", home.command(), &WORKSPACE, None);
    second.request("tools/call", read(TRACE));
    let call = last_call(&mut second);
    assert_eq!((&call["trace"], &call["client"]), (&json!(TRACE), &json!("second")), "{call}");
}

#[test]
fn roots_that_are_never_listed_do_not_hold_up_calls() {
    let home = home();
    let mut command = home.command();
    command.current_dir(home.root());
    let mut agent = Agent::start_with_roots(command, &[], &[]);
    let read = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let (started, id) = (Instant::now(), agent.begin("tools/call", read));
    // `roots/list` is read and not answered.
    let answer = std::iter::repeat_with(|| agent.next_message()).find(|m| m["id"] == id);
    assert_eq!(answer.unwrap()["result"]["structuredContent"]["content"], "one\n");
    assert!(started.elapsed() < RESPONSE_TIMEOUT.min(Duration::from_secs(20)));
}
