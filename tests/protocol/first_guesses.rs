//! Calls as models write them who know other tools (`first_guesses.jsonl`): each succeeds, or is answered
//! with the call to make instead, which succeeds.

use serde_json::{Value, json};
use tests::{Agent, Home};

const APP: &str =
    "\"\"\"Areas.\"\"\"\n\n\ndef area(w, h):\n    return w * h\n\nprint(area(2, 3))\n";
const TOOL: &str = "from app import area\n\nprint(area(1, 2))\n";
const NOTES: &str = "# Notes\n\nNothing yet.\n";

fn reset(home: &Home) {
    let root = home.root();
    std::fs::create_dir_all(root.join("src")).unwrap();
    for (path, text) in [("app.py", APP), ("src/tool.py", TOOL), ("notes.md", NOTES)] {
        std::fs::write(root.join(path), text).unwrap();
    }
}

fn workspace() -> Home {
    let home = Home::new();
    reset(&home);
    for arguments in [
        &["init", "-q"] as &[_],
        &["add", "."],
        &["-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "first"],
    ] {
        let mut git = std::process::Command::new("git");
        assert!(git.args(arguments).current_dir(home.root()).status().unwrap().success());
    }
    home
}

/// The tool and arguments of "call `tool` with {…}".
fn hinted(error: &Value) -> Option<(String, Value)> {
    let hint = error["hint"].as_str()?;
    let (tool, rest) = hint.split_once("call `")?.1.split_once("` with ")?;
    let mut arguments = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    Some((tool.to_owned(), arguments.next()?.ok()?))
}

/// A tool's result or error; the error of an unknown tool is one of the protocol.
fn try_tool(agent: &mut Agent, tool: &str, arguments: Value) -> Result<Value, Value> {
    let id = agent.begin("tools/call", json!({ "name": tool, "arguments": arguments }));
    let response = agent.response(id);
    if response["error"].is_object() {
        return Err(response["error"]["data"].clone());
    }
    let result = &response["result"];
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    match result["isError"] == true {
        true => Err(serde_json::from_str(text).unwrap()),
        false => Ok(result["structuredContent"].clone()),
    }
}

#[test]
fn first_guesses_work_or_are_answered_with_the_call_to_make() {
    let home = workspace();
    let mut agent = Agent::start(home.command(), &["--workspace", "workspace"], Some("Allow once"));
    let calls = include_str!("first_guesses.jsonl").lines();
    let calls: Vec<Value> = calls.map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(calls.len() >= 60);
    let mut wrong = Vec::new();
    let mut by_hint = 0;
    for call in &calls {
        reset(&home);
        let (tool, arguments) = (call["tool"].as_str().unwrap(), call["arguments"].clone());
        let first = match try_tool(&mut agent, tool, arguments) {
            Ok(result) => Ok(result),
            Err(error) => match hinted(&error) {
                Some((tool, arguments)) => {
                    by_hint += 1;
                    let second = try_tool(&mut agent, &tool, arguments);
                    second.map_err(|second| json!([error, second]))
                }
                None => Err(error),
            },
        };
        let result = match first {
            Ok(result) => result,
            Err(error) => {
                wrong.push(format!("{call}\n    {error}"));
                continue;
            }
        };
        let shown = result.to_string();
        if call["expect"].as_str().is_some_and(|text| !shown.contains(text)) {
            wrong.push(format!("{call}\n    {shown:.600}"));
        }
        if let Some([path, text]) = call["writes"].as_array().map(Vec::as_slice) {
            let path = home.root().join(path.as_str().unwrap());
            let written = std::fs::read_to_string(path).unwrap_or_default();
            if !written.contains(text.as_str().unwrap()) {
                wrong.push(format!("{call}\n    wrote {written:?}"));
            }
        }
    }
    let count = calls.len();
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    // The rest works at once.
    assert!(by_hint * 6 < count, "{by_hint} of {count} needed a hint");
}

#[test]
fn two_names_for_one_parameter_are_no_choice() {
    let home = workspace();
    let mut agent = Agent::start(home.command(), &["--workspace", "workspace"], None);
    let both = json!({ "path": "app.py", "file_path": "notes.md" });
    let error = agent.tool("read_file", both).unwrap_err();
    assert_eq!(error["code"], "E_INVALID_PARAMS", "{error}");
    let same = json!({ "path": "app.py", "file_path": "app.py" });
    assert_eq!(agent.must("read_file", same)["content"], APP);
}

#[test]
fn suggestions_have_the_meaning_of_what_was_asked() {
    let home = workspace();
    let mut agent = Agent::start(home.command(), &["--workspace", "workspace"], None);
    let unknown = agent.request("tools/call", json!({ "name": "zzz_qqq", "arguments": {} }));
    let hint = unknown["error"]["data"]["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("find_tools"), "{hint}");
    let arguments = json!({ "command": "true", "descriptoin_of_it": "x", "shell": "sh" });
    let error = agent.tool("run_command", arguments).unwrap_err();
    let hint = error["hint"].as_str().unwrap();
    assert!(!hint.contains("stdin"), "{hint}");
}

#[test]
fn a_call_through_call_tool_is_the_tools_own() {
    let home = workspace();
    let mut agent = Agent::start(home.command(), &["--workspace", "workspace"], None);
    let edit = json!({ "path": "app.py", "old_text": "w * h", "new_text": "h * w" });
    agent.must("call_tool", json!({ "tool": "apply_edit", "arguments": edit }));
    let text = std::fs::read_to_string(home.root().join("app.py")).unwrap();
    assert!(text.contains("h * w"), "{text}");
    let log = agent.must("get_audit_log", json!({ "limit": 1 }));
    assert_eq!(log["calls"][0]["tool"], "apply_edit", "{log}");
    let run = json!({ "tool": "run_command", "arguments": { "command": "true" } });
    let error = agent.tool("call_tool", run).unwrap_err();
    assert_eq!(error["code"], "E_DENIED", "{error}");
    let nested = json!({ "tool": "call_tool", "arguments": { "tool": "call_tool", "arguments": {
        "tool": "call_tool", "arguments": { "tool": "call_tool", "arguments": {} } } } });
    for wrong in [json!({}), json!({ "tool": 7 }), json!({ "tool": "a", "x": 1 }), nested] {
        let error = agent.tool("call_tool", wrong).unwrap_err();
        assert_eq!(error["code"], "E_INVALID_PARAMS", "{error}");
    }
}

#[test]
fn profiles_are_listed_and_everything_can_be_called() {
    let home = workspace();
    let listed = |agent: &mut Agent| -> Vec<Value> {
        agent.request("tools/list", json!({}))["result"]["tools"].as_array().unwrap().clone()
    };
    let has = |tools: &[Value], name: &str| tools.iter().any(|tool| tool["name"] == name);
    let mut agent = Agent::start(home.command(), &["--workspace", "workspace"], None);
    let core = listed(&mut agent);
    assert!(core.len() <= 12 && has(&core, "find_tools") && !has(&core, "git_status"));
    assert_eq!(core, listed(&mut agent));
    for text in ["\"$schema\"", "\"title\":\"", "\"uint", "\"default\":null", "outputSchema"] {
        assert!(!json!(core).to_string().contains(text), "{text}");
    }
    assert!(agent.must("git_status", json!({})).is_object());
    let found = agent.must("find_tools", json!({ "query": "undo the last edit" }));
    assert_eq!(found["tools"][0]["name"], "undo_action", "{found}");
    assert!(found["tools"][0]["parameters"]["properties"]["dry_run"].is_object(), "{found}");

    let git = ["--workspace", "workspace", "--profile", "git"];
    let git = listed(&mut Agent::start(home.command(), &git, None));
    assert!(has(&git, "git_status") && has(&git, "call_tool") && !has(&git, "debug_step"));
    let full = ["--workspace", "workspace", "--profile", "full"];
    let full = listed(&mut Agent::start(home.command(), &full, None));
    assert!(full.len() > 70 && full.iter().any(|tool| tool["outputSchema"].is_object()));

    let settings = "[mcp]\nprofile = \"mine\"\n[profiles.mine]\ntools = [\"git_log\"]\n";
    let config = home.outside().join("config/tandem");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), settings).unwrap();
    let mine = listed(&mut Agent::start(home.command(), &["--workspace", "workspace"], None));
    assert!(has(&mine, "git_log") && mine.len() == 3, "{mine:?}");
    // The workspace's own settings have no say.
    std::fs::create_dir_all(home.root().join(".tandem")).unwrap();
    let theirs = "[mcp]\nprofile = \"full\"\n";
    std::fs::write(home.root().join(".tandem/config.toml"), theirs).unwrap();
    let mine = listed(&mut Agent::start(home.command(), &["--workspace", "workspace"], None));
    assert_eq!(mine.len(), 3, "{mine:?}");
    let mut command = home.command();
    let refused = command.args(["mcp", "--workspace", "workspace", "--profile", "nonsense"]);
    let refused = refused.output().unwrap();
    let message = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && message.contains("core"), "{message}");
}
