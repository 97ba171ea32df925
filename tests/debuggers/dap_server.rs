//! `tandem dap`, used by an editor's debugger beside an agent.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Home;

use crate::debuggee::line_of;
use crate::python::{program, stopped};

const DEBUGGER_TIMEOUT: Duration = Duration::from_secs(60);

/// A user interface, over the standard input and output of an adapter.
struct Interface {
    child: Child,
    stdin: Option<ChildStdin>,
    said: Receiver<Value>,
    kept: Vec<Value>,
    sequence: i64,
}

impl Interface {
    fn start(home: &Home, args: &[&str]) -> Self {
        let mut command: Command = home.command();
        command.arg("dap").args(args).arg("--workspace").arg(home.root());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, said) = channel();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            while let Some(message) = frame(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, said, kept: Vec::new(), sequence: 0 }
    }

    fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.sequence += 1;
        let message = json!({
            "seq": self.sequence, "type": "request", "command": command, "arguments": arguments,
        });
        let frame = framing::encode(message.to_string().as_bytes());
        self.stdin.as_mut().unwrap().write_all(&frame).unwrap();
        self.sequence
    }

    fn wait_for_message(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let started = Instant::now();
        loop {
            if let Some(at) = self.kept.iter().position(&wanted) {
                return self.kept.remove(at);
            }
            let left = DEBUGGER_TIMEOUT.saturating_sub(started.elapsed());
            match self.said.recv_timeout(left) {
                Ok(message) => self.kept.push(message),
                Err(error) => panic!("{what}: {error}; {:#?}", self.kept),
            }
        }
    }

    fn response(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        self.wait_for_message(command, |m| m["type"] == "response" && m["request_seq"] == seq)
    }

    fn body(&mut self, command: &str, arguments: Value) -> Value {
        let response = self.response(command, arguments);
        assert_eq!(response["success"], true, "{command}: {response}");
        response["body"].clone()
    }

    fn event(&mut self, name: &str) -> Value {
        self.wait_for_message(name, |m| m["event"] == name)["body"].clone()
    }

    /// What every client says first.
    fn begin(&mut self, request: &str, arguments: Value) -> Value {
        let can = self.body("initialize", json!({ "adapterID": "tandem", "linesStartAt1": true }));
        let seq = self.send(request, arguments);
        self.event("initialized");
        if request == "attach" {
            let answer = |m: &Value| m["type"] == "response" && m["request_seq"] == seq;
            assert_eq!(self.wait_for_message(request, answer)["success"], true);
        }
        can
    }
}

impl Drop for Interface {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

fn frame(from: &mut impl BufRead) -> Option<Value> {
    let body = framing::read(from).ok()??;
    serde_json::from_slice(&body).ok()
}

#[test]
fn an_agents_session_can_be_watched_but_not_controlled() {
    let Some(it) = stopped("a_session_is_watched") else { return };
    let mut ui = Interface::start(&it.home, &["--session", "1"]);
    let can = ui.begin("attach", json!({}));
    assert_eq!(can["supportsConfigurationDoneRequest"], true, "{can}");
    let ledger = it.home.root().join("books/ledger.py");
    let path = ledger.to_string_lossy();
    let set = json!({ "source": { "path": path }, "breakpoints": [{ "line": 2 }] });
    let refused = ui.body("setBreakpoints", set);
    assert_eq!(refused["breakpoints"][0]["verified"], false, "{refused}");
    ui.body("configurationDone", json!({}));
    let stop = ui.event("stopped");
    assert_eq!(stop["reason"], "breakpoint", "{stop}");
    let agents = ui.event("breakpoint");
    assert_eq!(agents["breakpoint"]["source"]["path"], json!(path), "{agents}");

    let threads = ui.body("threads", json!({}));
    assert!(threads["threads"].as_array().unwrap().len() >= 2, "{threads}");
    let stack = ui.body("stackTrace", json!({ "threadId": stop["threadId"] }));
    let frame = &stack["stackFrames"][0];
    assert_eq!(
        (&frame["name"], &frame["source"]["path"]),
        (&json!("add"), &json!(path)),
        "{frame}"
    );
    let scopes = ui.body("scopes", json!({ "frameId": frame["id"] }));
    let reference = &scopes["scopes"][0]["variablesReference"];
    let held = ui.body("variables", json!({ "variablesReference": reference }));
    assert!(held.to_string().contains("\"amount\""), "{held}");
    let value = |expression: &str| json!({ "expression": expression, "frameId": frame["id"] });
    assert_eq!(ui.body("evaluate", value("self.total"))["result"], "0");

    for (command, arguments) in [
        ("continue", json!({ "threadId": stop["threadId"] })),
        ("evaluate", value("self.add(1)")),
        ("setVariable", json!({ "variablesReference": reference, "name": "amount", "value": "9" })),
        ("terminate", json!({})),
        ("restart", json!({})),
    ] {
        let refused = ui.response(command, arguments);
        assert_eq!(refused["success"], false, "{refused}");
    }
    it.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    it.step("over");
    assert_eq!(ui.event("stopped")["reason"], "step");
    // Another one watches the same.
    let mut other = Interface::start(&it.home, &["--session", "1"]);
    other.begin("attach", json!({}));
    other.body("configurationDone", json!({}));
    assert_eq!(other.event("stopped")["reason"], "step");
    other.body("disconnect", json!({}));
    drop(other);

    it.step("continue");
    assert_eq!(ui.event("exited")["exitCode"], 3);
    ui.event("terminated");
    // debugpy reports output in pieces.
    let stdout = |m: &Value| m["event"] == "output" && m["body"]["category"] == "stdout";
    let mut written = String::new();
    while !written.contains("total 6\n") {
        written.push_str(ui.wait_for_message("stdout", stdout)["body"]["output"].as_str().unwrap());
    }
    assert!(it.approval_requests().is_empty(), "nobody is asked to watch");
}

#[test]
fn a_session_is_taken_over_with_approval() {
    let Some(it) = stopped("a_session_is_taken_over_with_approval") else { return };
    let mut ui = Interface::start(&it.home, &["--session", "1", "--full"]);
    ui.begin("attach", json!({}));
    let asked = it.approval_requests();
    assert!(asked.len() == 1 && asked[0].contains("debug session 1"), "{asked:?}");
    let app = it.home.root().join("app.py");
    let line = line_of(&app, "print(\"total\"");
    let set = json!({
        "source": { "path": app.to_string_lossy() }, "breakpoints": [{ "line": line }],
    });
    let own = ui.body("setBreakpoints", set);
    assert_eq!(own["breakpoints"][0]["verified"], true, "{own}");
    ui.body("configurationDone", json!({}));
    let stop = ui.event("stopped");
    let listed = it.call("debug_breakpoint", json!({ "action": "list" }));
    assert_eq!(listed["breakpoints"].as_array().unwrap().len(), 2, "{listed}");
    it.call("debug_breakpoint", json!({ "action": "remove", "symbol": "Ledger.add" }));
    ui.body("continue", json!({ "threadId": stop["threadId"] }));
    assert_eq!(ui.event("stopped")["hitBreakpointIds"], json!([own["breakpoints"][0]["id"]]));
    // The agent sees what the person did.
    let stack = it.call("debug_stack", json!({}));
    assert_eq!(stack["frames"][0]["line"], line, "{stack}");
    let seq = ui.send("disconnect", json!({}));
    ui.wait_for_message("disconnect", |m| m["request_seq"] == seq);
    drop(ui);
    let end = it.step("continue");
    assert_eq!((&end["state"], &end["exit_code"]), (&json!("exited"), &json!(3)), "{end}");
}

#[test]
fn an_agent_joins_a_session_that_a_person_launched() {
    let Some(it) = program("an_agent_joins_a_session_that_a_person_launched") else { return };
    // Once it answers, the server can be joined.
    it.call("debug_sessions", json!({}));
    let mut ui = Interface::start(&it.home, &[]);
    ui.begin("launch", json!({ "program": "app.py" }));
    let ledger = it.home.root().join("books/ledger.py");
    let line = line_of(&ledger, "before = ");
    let set = json!({
        "source": { "path": ledger.to_string_lossy() },
        "breakpoints": [{ "line": line, "condition": "amount == 2" }],
    });
    ui.body("setBreakpoints", set);
    ui.body("configurationDone", json!({}));
    ui.wait_for_message("launch", |m| m["type"] == "response" && m["command"] == "launch");
    let stop = ui.event("stopped");
    assert_eq!(stop["reason"], "breakpoint", "{stop}");
    let value = it.call("debug_evaluate", json!({ "expression": "amount" }));
    assert_eq!(value["result"], "2", "{value}");
    // The editor's debugger ends, and the program with it.
    drop(ui);
    it.wait_for_no_processes();
    let sessions = it.call("debug_sessions", json!({}));
    assert_eq!(sessions["sessions"][0]["state"], "exited", "{sessions}");
}

#[test]
fn a_refused_client_gets_the_reason() {
    let Some(it) = program("a_refused_client_gets_the_reason") else { return };
    let run = |args: &[&str], folder: &std::path::Path| {
        let mut command = it.home.command();
        command.arg("dap").args(args).arg("--workspace").arg(folder).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    it.call("debug_sessions", json!({}));
    let told = run(&["--session", "7"], &it.home.root());
    assert!(told.contains("no debug session 7"), "{told}");
    // The server is found from a subfolder, too.
    let told = run(&["--session", "7"], &it.home.root().join("books"));
    assert!(told.contains("no debug session 7"), "{told}");
    let told = run(&[], &it.home.outside());
    assert!(told.contains("no server runs"), "{told}");
    // Nobody in the sandbox can.
    let program = tests::binary();
    let line = format!("{} dap --session 1; echo status $?", program.display());
    let done = it.call("run_command", json!({ "command": line }));
    assert!(done["stdout"].as_str().unwrap().contains("status 1"), "{done}");
}
