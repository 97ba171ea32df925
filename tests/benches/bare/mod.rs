//! A debug adapter on its own, for what the server adds to it.

use std::io::{BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// An adapter on its own, spoken to as briefly as can be.
pub(crate) struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    sequence: i64,
    pub(crate) events: Vec<Value>,
}

impl Bare {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout), sequence: 0, events: Vec::new() }
    }

    pub(crate) fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.sequence += 1;
        let body = json!({
            "seq": self.sequence, "type": "request", "command": command, "arguments": arguments,
        })
        .to_string();
        self.stdin.write_all(&framing::encode(body.as_bytes())).unwrap();
        self.sequence
    }

    pub(crate) fn read(&mut self) -> Value {
        let body = framing::read(&mut self.stdout).unwrap().expect("the adapter has ended");
        serde_json::from_slice(&body).unwrap()
    }

    pub(crate) fn request(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        loop {
            let message = self.read();
            if message["type"] == "response" && message["request_seq"] == seq {
                assert_eq!(message["success"], true, "{message}");
                return message["body"].clone();
            }
            if message["type"] == "event" {
                self.events.push(message);
            }
        }
    }

    pub(crate) fn event(&mut self, name: &str) -> Value {
        if let Some(at) = self.events.iter().position(|e| e["event"] == name) {
            return self.events.remove(at)["body"].clone();
        }
        loop {
            let message = self.read();
            if message["event"] == name {
                return message["body"].clone();
            }
            if message["type"] == "event" {
                self.events.push(message);
            }
        }
    }

    /// To the first stop.
    pub(crate) fn launch(&mut self, launch: Value, file: &Path, lines: &[usize]) -> Value {
        let about = json!({
            "adapterID": "bench", "linesStartAt1": true, "columnsStartAt1": true,
            "pathFormat": "path", "supportsVariableType": true, "supportsVariablePaging": true,
        });
        self.request("initialize", about);
        self.send("launch", launch);
        self.event("initialized");
        let points: Vec<_> = lines.iter().map(|line| json!({ "line": line })).collect();
        let source = json!({ "source": { "path": file }, "breakpoints": points });
        self.request("setBreakpoints", source);
        self.request("configurationDone", json!({}));
        self.event("stopped")
    }

    /// What a report asks for: the newest frame, its scopes, and what the first of them holds.
    pub(crate) fn report(&mut self, thread: &Value) -> Value {
        let stack = json!({ "threadId": thread, "startFrame": 0, "levels": 1 });
        let stack = self.request("stackTrace", stack);
        let frame = &stack["stackFrames"][0]["id"];
        let scopes = self.request("scopes", json!({ "frameId": frame }));
        let held = &scopes["scopes"][0]["variablesReference"];
        self.request("variables", json!({ "variablesReference": held }))
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
