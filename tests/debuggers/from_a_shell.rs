//! `tandem call debug_*`: a shell inspects the debug sessions of a running server.

use std::process::Command;

use serde_json::{Value, json};

use crate::debuggee::{Debuggee, value};
use crate::python::program;

/// What a shell's call prints, and whether it went well.
fn shell(mut tandem: Command, it: &Debuggee, tool: &str, params: &Value) -> (bool, Value) {
    tandem.arg("call").arg(tool).arg(params.to_string());
    tandem.arg("--workspace").arg(it.home.root());
    let output = tandem.output().unwrap();
    let told = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    (output.status.success(), told)
}

#[test]
fn a_shell_call_joins_the_running_server() {
    let Some(it) = program("a_shell_call_joins_the_running_server") else { return };
    it.call("debug_breakpoint", json!({ "action": "set", "symbol": "Ledger.add" }));
    it.call("debug_launch", json!({ "program": "app.py", "wait_ms": 60_000 }));
    it.approval_requests();
    let call = |tool: &str, params: Value| shell(it.home.command(), &it, tool, &params);
    let (went, stack) = call("debug_stack", json!({}));
    assert!(went && stack["frames"][0]["function"] == "add", "{stack}");
    let (_, held) = call("debug_variables", json!({}));
    assert_eq!(value(&held["variables"], "amount"), Some("0"), "{held}");
    // The same rules: approval is requested in the editor.
    let (_, value) = call("debug_evaluate", json!({ "expression": "str(amount) * 3" }));
    assert_eq!(value["result"], "'000'", "{value}");
    assert!(it.approval_requests()[0].contains("str(amount) * 3"));
    let (went, error) = call("debug_evaluate", json!({ "expression": "" }));
    assert!(!went && error["code"] == "E_INVALID_PARAMS", "{error}");
    let (went, _) = call("debug_stop", json!({}));
    assert!(went);
    it.wait_for_no_processes();
    assert_eq!(it.call("debug_sessions", json!({}))["sessions"][0]["state"], "exited");

    // Without a server, there is nothing to look at.
    let Debuggee { client, home, .. } = it;
    drop(client);
    let mut tandem = home.command();
    tandem.args(["call", "debug_stack", "{}", "--workspace"]).arg(home.root());
    let output = tandem.output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &told["code"]), (Some(1), &json!("E_UNAVAILABLE")));
    assert!(told["message"].as_str().unwrap().contains("no server runs"), "{told}");
    let mut tandem = home.command();
    tandem.envs(tests::component("debugpy").map(|program| ("TANDEM_DEBUGPY", program)));
    tandem.args([
        "call",
        "debug_launch",
        r#"{"program": "app.py", "stop_on_entry": true}"#,
        "--yes",
    ]);
    let output = tandem.arg("--workspace").arg(home.root()).output().unwrap();
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["state"], "stopped", "{told}");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.contains("has ended with this call"), "{words}");
    crate::debuggee::wait_for_no_processes_in(&home);
}
