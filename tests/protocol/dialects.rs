//! Dialects: how they are found, used and refused.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tests::{Agent, Fixture, Home, Server};

/// The tools that `tandem tools` lists with these arguments.
pub(crate) fn tools(arguments: &[&str]) -> Vec<Value> {
    let output = Home::new().command().arg("tools").args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Calls a tool in a dialect, over LSP.
pub(crate) fn call(
    server: &Server,
    dialect: &str,
    tool: &str,
    arguments: &Value,
) -> Result<Value, Value> {
    let params = json!({ "tool": tool, "arguments": arguments, "dialect": dialect });
    server.tool("call", params).map_err(|error| *error.data)
}

fn run(command: &mut Command) -> (Option<i32>, Value, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let value = serde_json::from_str(&printed).unwrap_or(Value::Null);
    (output.status.code(), value, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn home() -> Home {
    let home = Home::new();
    for file in Fixture::parse("//- /a.txt\none\n").files {
        std::fs::write(home.root().join(&file.path), file.text).unwrap();
    }
    home
}

fn cli(home: &Home, dialect: &str, tool: &str, arguments: Value) -> (Option<i32>, Value) {
    let mut command = home.command();
    command.args(["call", tool, &arguments.to_string(), "--dialect", dialect, "--workspace"]);
    let (code, value, _) = run(command.arg(home.root()));
    (code, value)
}

/// A dialect file of the person, with its path.
fn write_own(home: &Home, name: &str, text: &str) -> String {
    let folder = home.outside().join("config/tandem/dialects");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.toml"));
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

const OWN: &str = r#"
title = "mine"
[envelope]
result = '{ok: true, data: .}'
error = '{ok: false, why: .message}'
[[tool]]
name = "cat"
calls = "read_file"
about = "Show a file."
parameters = { file = "string The file" }
arguments = '{path: .file}'
result = '{text: .content, file: $params.file}'
"#;

#[test]
fn a_dialect_of_the_person_needs_no_rebuild_and_its_mistakes_are_reported() {
    let home = home();
    let path = write_own(&home, "mine", OWN);
    let (code, result) = cli(&home, "mine", "cat", json!({ "file": "a.txt" }));
    assert_eq!(
        (code, result),
        (Some(0), json!({ "ok": true, "data": { "text": "one\n", "file": "a.txt" } }))
    );
    let (code, error) = cli(&home, "mine", "cat", json!({ "file": "none" }));
    assert_eq!((code, &error["ok"]), (Some(1), &json!(false)));
    assert!(error["why"].as_str().unwrap().contains("none"), "{error}");

    write_own(&home, "mine", &OWN.replace("{path: .file}", ".file | nope"));
    let (code, error) = cli(&home, "mine", "cat", json!({ "file": "a.txt" }));
    assert_eq!((code, &error["code"]), (Some(1), &json!("E_INVALID_PARAMS")));
    let message = error["message"].as_str().unwrap();
    let expected =
        format!("{path}:11: cat: arguments: there is no filter `nope`, in `.file | nope`");
    assert!(message.ends_with(&expected), "{message}");

    // One without end is stopped, and the server goes on.
    write_own(&home, "mine", &OWN.replace("{path: .file}", "def f: f; f"));
    let (code, error) = cli(&home, "mine", "cat", json!({ "file": "a.txt" }));
    assert_eq!((code, &error["ok"]), (Some(1), &json!(false)));
    assert!(error["why"].as_str().unwrap().contains("did not end"), "{error}");
}

#[test]
fn a_dialect_in_the_workspace_is_not_read() {
    let home = home();
    for folder in [".tandem/dialects", "dialects"] {
        std::fs::create_dir_all(home.root().join(folder)).unwrap();
        std::fs::write(home.root().join(folder).join("mine.toml"), OWN).unwrap();
    }
    for name in ["mine", "../../workspace/dialects/mine", "dialects/mine"] {
        let (code, error) = cli(&home, name, "cat", json!({ "file": "a.txt" }));
        assert_eq!((code, &error["code"]), (Some(1), &json!("E_INVALID_PARAMS")), "{name}");
        assert!(error["hint"].as_str().unwrap().contains("ai-orchestrator"), "{error}");
    }
}

#[test]
fn a_dialect_widens_nothing() {
    let home = home();
    // Running needs approval and a path may not leave, whatever the tool is called.
    let own = format!(
        "{OWN}[[tool]]\nname = \"harmless\"\ncalls = \"run_command\"\nabout = \"\"\narguments = '{{command: \"touch b\"}}'\n"
    );
    write_own(&home, "mine", &own);
    let (code, error) = cli(&home, "mine", "harmless", json!({}));
    assert_eq!((code, &error["ok"]), (Some(1), &json!(false)), "{error}");
    assert!(!home.root().join("b").exists());
    let (code, error) = cli(&home, "zap", "read_file", json!({ "path": "../outside" }));
    assert_eq!((code, &error["code"]), (Some(1), &json!(-32002)), "{error}");
    let mut audit = home.command();
    audit.args(["audit", "--json", "--workspace"]).arg(home.root());
    let printed = String::from_utf8(audit.output().unwrap().stdout).unwrap();
    assert!(printed.contains("run_command") && !printed.contains("harmless"), "{printed}");
}

#[test]
fn errors_have_the_codes_of_the_dialect() {
    let home = home();
    let (code, error) = cli(&home, "ai-orchestrator", "read_file", json!({ "path": "none" }));
    assert_eq!(code, Some(1));
    assert_eq!((&error["success"], &error["data"]), (&json!(false), &Value::Null));
    assert_eq!(
        (&error["error"]["code"], &error["error"]["recoverable"]),
        (&json!("E_FILE_NOT_FOUND"), &json!(true))
    );
    assert!(error["meta"]["duration_ms"].is_u64() && error["meta"]["sandbox"].is_boolean());
    let (_, error) = cli(&home, "ai-orchestrator", "execute_command", json!({ "command": "ls" }));
    assert_eq!(
        (&error["error"]["code"], &error["error"]["recoverable"]),
        (&json!("E_CMD_NOT_ALLOWED"), &json!(false))
    );
    let (_, error) = cli(&home, "arawn", "file_read", json!({ "path": "none" }));
    assert!(error["Error"].as_str().unwrap().starts_with("E_FILE_NOT_FOUND: "), "{error}");
    let zap = |tool: &str, arguments: Value| cli(&home, "zap", tool, arguments).1["code"].clone();
    assert_eq!(zap("nothing", json!({})), -32601);
    assert_eq!(zap("grep", json!({ "pattern": "x" })), -32602);
    assert_eq!(zap("exec", json!({ "command": "ls" })), -32002);

    // Over LSP the JSON-RPC error itself has them.
    let server = Server::start("//- /a.txt\none\n");
    let params = json!({ "tool": "grep", "arguments": {}, "dialect": "zap" });
    let params = json!({ "command": "tandem.call", "arguments": [params] });
    let error = server.request("workspace/executeCommand", params).unwrap_err();
    let response = error.response().unwrap();
    assert_eq!(response.code, -32602);
    assert_eq!(response.data["code"], "E_INVALID_PARAMS");
    assert_eq!(call(&server, "nope", "grep", &json!({})).unwrap_err()["code"], "E_INVALID_PARAMS");
}

#[test]
fn an_agent_sees_and_calls_the_tools_of_its_dialect() {
    let home = home();
    let mut agent =
        Agent::start(home.command(), &["--workspace", "workspace", "--dialect", "go-ai"], None);
    let listed = agent.request("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = listed.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"file_edit") && !names.contains(&"read_file"), "{names:?}");
    let schema =
        &listed[names.iter().position(|name| *name == "file_edit").unwrap()]["inputSchema"];
    assert_eq!(schema["properties"]["old_string"]["type"], "string");
    let edit = json!({ "path": "a.txt", "old_string": "one", "new_string": "two" });
    let result = agent.request("tools/call", json!({ "name": "file_edit", "arguments": edit }));
    let expected = json!({ "path": "a.txt", "success": true, "replacements": 1 });
    assert_eq!(result["result"]["structuredContent"], expected, "{result}");
    assert_eq!(std::fs::read_to_string(home.root().join("a.txt")).unwrap(), "two\n");
    let refused =
        agent.request("tools/call", json!({ "name": "file_read", "arguments": { "path": "x" } }));
    assert_eq!(refused["result"]["isError"], true, "{refused}");
    let mut unknown = home.command();
    let (code, _, stderr) = run(unknown.args(["mcp", "--dialect", "nope"]));
    assert_eq!(code, Some(2));
    assert!(stderr.contains("unknown dialect `nope`") && stderr.contains("arawn"), "{stderr}");
}

#[test]
fn file_edit_of_go_ai_replaces_the_first_or_all() {
    let server = Server::start("//- /a.txt\nx x\nx\n//- /b.txt\none\r\ntwo\r\n");
    let edit = |path: &str, old: &str, new: &str, all: bool| {
        let arguments =
            json!({ "path": path, "old_string": old, "new_string": new, "replace_all": all });
        call(&server, "go-ai", "file_edit", &arguments)
    };
    let edited = |replacements: u64| {
        Ok(json!({ "path": "a.txt", "success": true, "replacements": replacements }))
    };
    assert_eq!(edit("a.txt", "x", "y", false), edited(1));
    assert_eq!(server.disk_text("a.txt"), "y x\nx\n");
    assert_eq!(edit("a.txt", "x", "z", true), edited(2));
    assert_eq!(server.disk_text("a.txt"), "y z\nz\n");
    edit("b.txt", "one\ntwo", "1\n2", false).unwrap();
    assert_eq!(server.disk_text("b.txt"), "1\r\n2\r\n");
    assert_eq!(edit("a.txt", "x", "y", false).unwrap_err()["code"], "E_NO_MATCH");
    assert_eq!(edit("a.txt", "", "y", false).unwrap_err()["code"], "E_INVALID_PARAMS");
}

#[test]
fn file_delete_of_go_ai_takes_empty_folders_only() {
    let server = Server::start("//- /full/a.txt\nx\n");
    std::fs::create_dir(server.path("empty")).unwrap();
    let delete = |path: &str| call(&server, "go-ai", "file_delete", &json!({ "path": path }));
    delete("empty").unwrap();
    assert!(!server.path("empty").exists());
    assert_eq!(delete("full").unwrap_err()["code"], "E_INVALID_PARAMS");
    assert!(server.path("full/a.txt").exists());
}

#[test]
fn read_file_of_zap_reads_bytes() {
    let text = format!("{}é end", "0123456789\n".repeat(6_000));
    let server = Server::builder("//- /a.txt\n")
        .prepare(|root| std::fs::write(root.join("big.txt"), &text).unwrap())
        .start();
    let read = |arguments: Value| call(&server, "zap", "read_file", &arguments).unwrap();
    let (mut whole, mut offset) = (String::new(), 0);
    loop {
        let page = read(json!({ "path": "big.txt", "offset": offset }));
        whole.push_str(page["content"].as_str().unwrap());
        let Some(next) = page["next_offset"].as_u64() else { break };
        offset = next;
    }
    assert_eq!(whole, text);
    let part = read(json!({ "path": "big.txt", "offset": 11, "limit": 4, "encoding": "base64" }));
    assert_eq!((&part["content"], &part["size"]), (&json!("MDEyMw=="), &json!(text.len())));
    assert_eq!(
        read(json!({ "path": "big.txt", "offset": 66_001, "limit": 9 }))["content"],
        "é end"
    );
}

#[test]
fn no_tool_of_a_reference_is_missing() {
    for dialect in ["blade", "zap", "arawn", "go-ai", "ai-orchestrator"] {
        assert!(!tools(&["--dialect", dialect, "--json"]).is_empty());
        let missing = tools(&["--dialect", dialect, "--missing", "--json"]);
        assert!(missing.is_empty(), "{dialect}: {missing:?}");
    }
}
