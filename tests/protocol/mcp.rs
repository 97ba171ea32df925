//! `tandem mcp`: the tools for an agent in a terminal, alone and beside an editor.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Agent, Home, RESPONSE_TIMEOUT, Server};

const FIXTURE: &str = "\
//- /a.py
def f():
    return 1

print(f())
//- /b.txt
one
two
";

/// An agent on a workspace that no editor has open.
fn agent_without_editor(answer: Option<&'static str>) -> (Home, Agent) {
    let home = Home::new();
    std::fs::write(home.root().join("a.py"), "def f():\n    return 1\n\nprint(f())\n").unwrap();
    let agent = Agent::start(home.command(), &["--workspace", "workspace"], answer);
    (home, agent)
}

/// An agent on the workspace of a running server.
fn agent_beside(server: &Server, answer: Option<&'static str>) -> Agent {
    Agent::start(server.command(), &["--workspace", "workspace"], answer)
}

fn code(error: &Value) -> &str {
    error["code"].as_str().unwrap_or_default()
}

/// The newest call on record.
fn last_call(agent: &mut Agent) -> Value {
    let log = agent.must("get_audit_log", json!({ "limit": 1 }));
    log["calls"][0].clone()
}

#[test]
fn tools_are_listed_and_work_alone() {
    let (home, mut agent) = agent_without_editor(None);
    let all = ["--workspace", "workspace", "--profile", "full"];
    let listed = Agent::start(home.command(), &all, None).request("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap().clone();
    let output = home.command().args(["tools", "--json"]).output().unwrap();
    let ours: Value = serde_json::from_slice(&output.stdout).unwrap();
    let names = |tools: &[Value]| -> Vec<String> {
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
    };
    let ours = ours.as_array().or_else(|| ours["tools"].as_array()).unwrap();
    let (listed, ours) = (names(&listed), names(ours));
    // Of tools that do the same work, one is listed.
    assert!(listed.iter().all(|name| ours.contains(name)), "{listed:?}");
    assert!(listed.len() + 12 > ours.len(), "{listed:?}");

    assert_eq!(agent.must("read_file", json!({ "path": "a.py" }))["size"], 34);
    let edit = json!({ "path": "a.py", "old_text": "return 1", "new_text": "return 2" });
    assert_eq!(agent.must("apply_edit", edit)["changed"], true);
    let text = std::fs::read_to_string(home.root().join("a.py")).unwrap();
    assert!(text.contains("return 2"), "{text}");
    let found = agent.must(
        "lsp_definition",
        json!({ "uri": "a.py", "position": { "line": 3, "character": 6 } }),
    );
    assert!(found.to_string().contains("\"path\":\"a.py\""), "{found}");
    agent.must("undo_action", json!({}));
    let text = std::fs::read_to_string(home.root().join("a.py")).unwrap();
    assert!(text.contains("return 1"), "{text}");
    let call = last_call(&mut agent);
    assert_eq!((&call["front_end"], &call["client"]), (&json!("mcp"), &json!("test agent")));
    assert_eq!(agent.exit(), Some(0));
}

#[test]
fn errors_match_the_contract() {
    let (_home, mut agent) = agent_without_editor(None);
    let unknown = agent.request("tools/call", json!({ "name": "nope", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    assert_eq!(unknown["error"]["data"]["code"], "E_TOOL_NOT_FOUND", "{unknown}");
    for (tool, arguments, wanted) in [
        ("read_file", json!({ "path": "../secret" }), "E_PATH_FORBIDDEN"),
        ("read_file", json!({ "path": "gone" }), "E_FILE_NOT_FOUND"),
        ("read_file", json!({ "pth": "a.py" }), "E_INVALID_PARAMS"),
        ("run_command", json!({ "command": "true" }), "E_DENIED"),
        ("get_editor_state", json!({}), "E_NO_EDITOR"),
    ] {
        let error = agent.tool(tool, arguments).expect_err(tool);
        assert_eq!(code(&error), wanted, "{tool}: {error}");
    }
}

#[test]
fn the_person_behind_an_mcp_client_is_asked() {
    let (_home, mut agent) = agent_without_editor(Some("Allow once"));
    let ran = agent.must("run_command", json!({ "command": "echo it ran" }));
    assert_eq!(ran["stdout"], "it ran\n");
    let asked = agent.notifications.iter().find(|m| m["method"] == "elicitation/create").unwrap();
    let message = asked["params"]["message"].as_str().unwrap();
    assert!(message.contains("echo it ran"), "{asked}");

    let (_home, mut agent) = agent_without_editor(Some("Deny"));
    let error = agent.tool("run_command", json!({ "command": "true" })).unwrap_err();
    assert_eq!(code(&error), "E_DENIED", "{error}");
}

#[test]
fn a_client_that_takes_no_requests_is_asked_in_rounds() {
    let home = Home::new();
    let mut agent = Agent::start_stateless(home.command(), &["--workspace", "workspace"]);
    let found = agent.request("server/discover", json!({}))["result"].take();
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    let params = |command: &str, state: Option<&Value>, answer: Option<&Value>| {
        let mut params = json!({ "name": "run_command", "arguments": { "command": command } });
        if let Some(state) = state {
            params["requestState"] = state.clone();
        }
        if let Some(answer) = answer {
            params["inputResponses"] = json!({ "approval": answer });
        }
        params
    };
    let call = |agent: &mut Agent, command: &str, state: Option<&Value>, answer: Option<&Value>| {
        agent.request("tools/call", params(command, state, answer))
    };
    let allow = json!({ "action": "accept", "content": { "answer": "Allow once" } });

    let asked = call(&mut agent, "echo it ran", None, None)["result"].take();
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let form = &asked["inputRequests"]["approval"];
    assert_eq!(form["method"], "elicitation/create", "{asked}");
    assert!(form["params"]["message"].as_str().unwrap().contains("echo it ran"), "{asked}");
    let state = &asked["requestState"];

    let forged = json!(format!("{}x", state.as_str().unwrap()));
    for (command, state, answer) in [
        ("echo something else", state, Some(&allow)),
        ("echo it ran", &forged, Some(&allow)),
        ("echo it ran", &json!(""), Some(&allow)),
        ("echo it ran", state, None),
        ("echo it ran", state, Some(&json!("yes"))),
    ] {
        let refused = call(&mut agent, command, Some(state), answer);
        assert_eq!(refused["error"]["code"], -32602, "{command} {state}: {refused}");
    }
    let done = call(&mut agent, "echo it ran", Some(state), Some(&allow))["result"].take();
    assert_eq!(done["structuredContent"]["stdout"], "it ran\n", "{done}");
    let replayed = call(&mut agent, "echo it ran", Some(state), Some(&allow));
    assert_eq!(replayed["error"]["code"], -32602, "{replayed}");

    for answer in [
        json!({ "action": "decline" }),
        json!({ "action": "cancel" }),
        json!({ "action": "accept", "content": { "answer": "Deny" } }),
        json!({ "action": "accept", "content": { "answer": "Certainly" } }),
        json!({ "action": "accept" }),
    ] {
        let asked = call(&mut agent, "touch never", None, None)["result"].take();
        let done = call(&mut agent, "touch never", Some(&asked["requestState"]), Some(&answer));
        let text = done["result"]["content"][0]["text"].as_str().unwrap();
        assert!(done["result"]["isError"] == true && text.contains("E_DENIED"), "{answer} {done}");
    }
    assert!(!home.root().join("never").exists());
}

#[test]
fn a_call_reports_progress_and_can_be_cancelled() {
    let (home, mut agent) = agent_without_editor(Some("Allow once"));
    let call = |agent: &mut Agent, command: &str, more: Value| {
        let mut params = json!({ "name": "run_command", "arguments": { "command": command } });
        params["_meta"] = more;
        agent.begin("tools/call", params)
    };
    let id = call(
        &mut agent,
        "for i in 1 2 3 4; do echo $i; sleep 0.2; done",
        json!({ "progressToken": "p" }),
    );
    agent.response(id);
    let told = agent.notifications.iter().filter(|m| m["method"] == "notifications/progress");
    let told: Vec<_> = told.map(|m| m["params"]["progress"].as_f64().unwrap()).collect();
    assert!(!told.is_empty() && told.is_sorted(), "{told:?}");

    let id = call(&mut agent, "touch begun; sleep 600; touch ended", json!({}));
    // Answers the question that comes first.
    let asked = agent.next_message();
    let result = json!({ "action": "accept", "content": { "answer": "Allow once" } });
    agent.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }).to_string());
    let started = Instant::now();
    while !home.root().join("begun").exists() {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "the command has not begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    agent.cancel(id);
    // The next writing call has its turn at once.
    let edit = json!({ "path": "a.py", "old_text": "return 1", "new_text": "return 3" });
    agent.must("apply_edit", edit);
    assert!(started.elapsed() < RESPONSE_TIMEOUT);
    assert_eq!(agent.exit(), Some(0));
}

#[test]
fn other_calls_write_while_one_asks() {
    let home = Home::new();
    std::fs::create_dir(home.root().join(".tandem")).unwrap();
    let settings = "[policy.ask]\nwrite = [\"asked.txt\"]\n";
    std::fs::write(home.root().join(".tandem/config.toml"), settings).unwrap();
    let mut agent = Agent::start(home.command(), &["--workspace", "workspace"], Some("Allow once"));
    let arguments = json!({ "path": "asked.txt", "content": "never" });
    let asking = agent.begin("tools/call", json!({ "name": "write_file", "arguments": arguments }));
    assert_eq!(agent.next_message()["method"], "elicitation/create");
    agent.must("write_file", json!({ "path": "other.txt", "content": "at once" }));
    agent.cancel(asking);
    let started = Instant::now();
    loop {
        let log = agent.must("get_audit_log", json!({ "outcome": "E_CANCELLED" }));
        let calls = log["calls"].as_array().unwrap();
        if calls.iter().any(|call| call["arguments"]["path"] == "asked.txt") {
            break;
        }
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "{log}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!home.root().join("asked.txt").exists());
}

#[test]
fn an_invalid_message_does_not_end_the_server() {
    let (_home, mut agent) = agent_without_editor(None);
    agent.write("garbage");
    agent.write("{}");
    agent.write("[]");
    agent.write(&"x".repeat(17 << 20));
    agent.write("{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"tools/call\",\"params\":7}");
    assert_eq!(agent.must("read_file", json!({ "path": "a.py" }))["size"], 34);
}

#[test]
fn an_agent_beside_an_editor_sees_and_edits_unsaved_text() {
    let server = Server::start(FIXTURE);
    server.open_text("a.py", "def g():\n    return 7\n");
    let mut agent = agent_beside(&server, None);
    let read = agent.must("read_file", json!({ "path": "a.py" }));
    assert_eq!(read["content"], "def g():\n    return 7\n");
    server.replace_text("a.py", "7", "8");
    let started = Instant::now();
    while agent.must("read_file", json!({ "path": "a.py" }))["content"]
        != "def g():\n    return 8\n"
    {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "the agent sees what is typed");
    }
    let edit = json!({ "path": "a.py", "old_text": "return 8", "new_text": "return 9" });
    agent.must("apply_edit", edit);
    assert_eq!(server.buffer("a.py"), "def g():\n    return 9\n");
    assert_eq!(server.disk_text("a.py"), "def f():\n    return 1\n\nprint(f())\n");
    let call = last_call(&mut agent);
    assert_eq!((&call["tool"], &call["front_end"]), (&json!("apply_edit"), &json!("mcp")));
    let error = agent.tool("read_file", json!({ "path": "../x" })).unwrap_err();
    assert_eq!(code(&error), "E_PATH_FORBIDDEN");
    // The editor's own undo reverts an agent's change.
    server.must("undo_action", json!({}));
    assert_eq!(server.buffer("a.py"), "def g():\n    return 8\n");
}

#[test]
fn an_agent_in_a_subfolder_of_the_editors_workspace_is_confined_to_it() {
    let server = Server::start("//- /a.py\nabove = 1\n//- /sub/b.py\nbelow = 1\n");
    server.open_text("sub/b.py", "unsaved = 1\n");
    let mut agent = Agent::start(server.command(), &["--workspace", "workspace/sub"], None);
    assert_eq!(agent.must("read_file", json!({ "path": "b.py" }))["content"], "below = 1\n");
    for path in ["../a.py", "a.py", "sub/b.py"] {
        agent.tool("read_file", json!({ "path": path })).expect_err(path);
    }
}

#[test]
fn an_agent_stays_as_editors_come_and_go() {
    let server = Server::start(FIXTURE);
    server.open_text("b.txt", "unsaved\n");
    let mut agent = agent_beside(&server, None);
    let content =
        |agent: &mut Agent| agent.must("read_file", json!({ "path": "b.txt" }))["content"].clone();
    assert_eq!(content(&mut agent), "unsaved\n");
    let home = server.quit();
    let read = json!({ "name": "read_file", "arguments": { "path": "b.txt" } });
    let read = agent.request("tools/call", read)["result"].take();
    assert_eq!(read["structuredContent"]["content"], "one\ntwo\n");
    // Once, it is said that what was unsaved is gone.
    let notice = read["content"][1]["text"].as_str().unwrap();
    assert!(notice.contains("was closed"), "{notice}");
    let read = json!({ "name": "read_file", "arguments": { "path": "b.txt" } });
    let read = agent.request("tools/call", read)["result"].take();
    assert_eq!(read["content"].as_array().unwrap().len(), 1, "{read}");
    std::fs::write(home.root().join("b.txt"), "three\n").unwrap();
    assert_eq!(content(&mut agent), "three\n");
    let again = Server::restart(home);
    again.open_text("b.txt", "typed again\n");
    // Its socket is there once it has started.
    let started = Instant::now();
    while content(&mut agent) != "typed again\n" {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "the new editor is joined");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(agent.exit(), Some(0));
}

#[test]
fn agents_without_an_editor_share_one_server() {
    let home = Home::new();
    let start = |answer| Agent::start(home.command(), &["--workspace", "workspace"], Some(answer));
    let mut first = start("Allow for this session");
    let run =
        |agent: &mut Agent, command: &str| agent.tool("run_command", json!({ "command": command }));
    assert_eq!(run(&mut first, "echo one").unwrap()["stdout"], "one\n");
    // What the first one's person approved holds for the second one. For the rest its own is asked.
    let mut second = start("Deny");
    assert_eq!(run(&mut second, "echo one").unwrap()["stdout"], "one\n");
    assert!(second.notifications.is_empty(), "{:?}", second.notifications);
    assert_eq!(code(&run(&mut second, "cat /etc/hostname").unwrap_err()), "E_DENIED");
    let asked = |agent: &Agent| {
        agent.notifications.iter().filter(|m| m["method"] == "elicitation/create").count()
    };
    assert_eq!((asked(&first), asked(&second)), (1, 1));
    // A command in the shell works there, too.
    let mut call = home.command();
    call.args(["call", "run_command", r#"{"command": "echo one"}"#, "--workspace", "workspace"]);
    let outcome = call.output().unwrap();
    let result: Value = serde_json::from_slice(&outcome.stdout).unwrap();
    assert_eq!(
        (&result["stdout"], &result["answered_by"]),
        (&json!("one\n"), &json!("files on disk"))
    );

    // Without the first one, the second one makes its calls itself, and serves a third one.
    assert_eq!(first.exit(), Some(0));
    std::fs::write(home.root().join("a.txt"), "here\n").unwrap();
    assert_eq!(second.must("read_file", json!({ "path": "a.txt" }))["content"], "here\n");
    let mut third = start("Allow once");
    assert_eq!(run(&mut third, "echo three").unwrap()["stdout"], "three\n");
    assert_eq!(asked(&third), 1);
    assert_eq!((second.exit(), third.exit()), (Some(0), Some(0)));
}

#[test]
fn a_call_survives_the_end_of_the_agent_that_serves_it() {
    let home = Home::new();
    let args = ["--workspace", "workspace"];
    let mut first = Agent::start(home.command(), &args, Some("Allow once"));
    first.must("list_directory", json!({}));
    let mut second = Agent::start(home.command(), &args, None);
    second.must("list_directory", json!({}));
    let calls: Vec<_> = (0..200)
        .map(|number| {
            let arguments = json!({ "path": format!("{number}.txt"), "content": "x" });
            second.begin("tools/call", json!({ "name": "write_file", "arguments": arguments }))
        })
        .collect();
    assert_eq!(first.exit(), Some(0));
    let mut written = 0;
    let mut left: Vec<_> = calls;
    while !left.is_empty() {
        let message = second.next_message();
        let Some(at) = left.iter().position(|id| message["id"] == *id) else { continue };
        left.swap_remove(at);
        if message["result"]["isError"] == true {
            // More than fit at a time are refused, in words.
            assert!(message.to_string().contains("E_UNAVAILABLE"), "{message}");
        } else {
            written += 1;
        }
    }
    let files = std::fs::read_dir(home.root()).unwrap().count();
    assert_eq!(files, written, "what is reported is what is there");
    assert!(written > 0);
}

#[test]
fn a_command_is_not_run_again_when_its_server_ends() {
    let home = Home::new();
    let start = || Agent::start(home.command(), &["--workspace", "workspace"], Some("Allow once"));
    let mut first = start();
    first.must("list_directory", json!({}));
    let mut second = start();
    let log = home.root().join("log.txt");
    let arguments = json!({ "command": "echo ran >> log.txt; sleep 60" });
    let call = second.begin("tools/call", json!({ "name": "run_command", "arguments": arguments }));
    let asked = second.next_message();
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let result = json!({ "action": "accept", "content": { "answer": "Allow once" } });
    second.write(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": result }).to_string());
    let started = Instant::now();
    while !std::fs::read_to_string(&log).is_ok_and(|text| text == "ran\n") {
        assert!(started.elapsed() < RESPONSE_TIMEOUT, "the command has not begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(first.exit(), Some(0));
    let ended = second.response(call).to_string();
    assert!(ended.contains("E_UNAVAILABLE") && ended.contains("took effect"), "{ended}");
    assert_eq!(std::fs::read_to_string(&log).unwrap(), "ran\n");
}

#[test]
fn files_and_what_is_known_of_them_are_resources() {
    let server = Server::start(FIXTURE);
    server.open_text("a.py", "def g(:\n");
    let mut agent = agent_beside(&server, None);
    let listed = agent.request("resources/list", json!({}))["result"]["resources"].take();
    let uris: Vec<_> =
        listed.as_array().unwrap().iter().map(|each| each["uri"].as_str().unwrap()).collect();
    assert!(uris.contains(&"tandem://diagnostics"), "{uris:?}");
    let mut read = |uri: &str| agent.request("resources/read", json!({ "uri": uri }));
    let text = |read: &Value| read["result"]["contents"][0]["text"].as_str().unwrap().to_owned();
    let file = server.uri("a.py");
    assert_eq!(text(&read(&file)), "def g(:\n");
    let problems: Value = serde_json::from_str(&text(&read("tandem://diagnostics/a.py"))).unwrap();
    assert!(problems.to_string().contains("a.py"), "{problems}");
    for uri in uris {
        // There is no repository, and the editor reports no state.
        if !["tandem://changes", "tandem://editor"].contains(&uri) {
            let read = read(uri);
            assert_eq!(read["result"]["contents"][0]["uri"], uri, "{read}");
        }
    }
    for uri in [file.replace("a.py", "gone.py").as_str(), "tandem://nothing", "file:///etc/passwd"]
    {
        let refused = read(uri);
        let code = refused["error"]["code"].as_i64().unwrap();
        assert!(matches!(code, -32_002 | -32_602), "{uri}: {refused}");
    }
    let params = json!({
        "ref": { "type": "ref/resource", "uri": "file:///{+path}" },
        "argument": { "name": "path", "value": "a" },
    });
    let completed = agent.request("completion/complete", params);
    assert_eq!(completed["result"]["completion"]["values"], json!(["a.py"]), "{completed}");
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let (_home, mut agent) = agent_without_editor(None);
    let listed = agent.request("prompts/list", json!({}))["result"]["prompts"].take();
    assert!(listed.as_array().unwrap().iter().any(|prompt| prompt["name"] == "fix_problems"));
    let params = json!({ "name": "fix_problems", "arguments": { "path": "a.py" } });
    let prompt = agent.request("prompts/get", params);
    let text = prompt["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("for a.py."), "{prompt}");
    let refused = agent.request("prompts/get", json!({ "name": "fix_problems" }));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
}

#[test]
fn many_calls_at_once_are_all_answered() {
    let server = Server::start(FIXTURE);
    let mut agent = agent_beside(&server, None);
    let call = |tool: &str, arguments: Value| json!({ "name": tool, "arguments": arguments });
    let mut begun = Vec::new();
    for _ in 0..40 {
        begun.push(agent.begin("tools/call", call("read_file", json!({ "path": "b.txt" }))));
        begun.push(agent.begin("tools/call", call("list_directory", json!({ "path": "." }))));
    }
    let mut answered = Vec::new();
    while answered.len() < begun.len() {
        let message = agent.next_message();
        let is_error = message["result"]["isError"] == true;
        if is_error {
            // More than that at once are refused, in words.
            assert!(message.to_string().contains("E_UNAVAILABLE"), "{message}");
        }
        answered.push(message["id"].as_u64().unwrap());
    }
    answered.sort_unstable();
    assert_eq!(answered, begun);
}
