//! An agent in a terminal: a client of `tandem mcp`.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::server::RESPONSE_TIMEOUT;

/// The newest MCP version with requests from server to client.
const VERSION: &str = "2025-11-25";
/// The first MCP version in which every request stands for itself.
const STATELESS_VERSION: &str = "2026-07-28";

/// A connected MCP client.
pub struct Agent {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Messages other than the awaited response.
    pub notifications: Vec<Value>,
    answer: Option<&'static str>,
    /// The URIs of the client's roots.
    roots: Vec<String>,
    /// What each request says about the client, if it does not initialize.
    meta: Option<Value>,
    next: u64,
}

impl Agent {
    /// Starts `command`, which begins with the binary, as `tandem mcp` with `args`. Its person gives
    /// `answer` to every elicitation; without one the client does not support elicitation.
    pub fn start(command: Command, args: &[&str], answer: Option<&'static str>) -> Self {
        Self::start_as("test agent", command, args, answer)
    }

    /// The same with the client's name.
    pub fn start_as(
        name: &str,
        command: Command,
        args: &[&str],
        answer: Option<&'static str>,
    ) -> Self {
        let mut agent = Self::connect(command, args, answer);
        let capabilities = if answer.is_some() { json!({ "elicitation": {} }) } else { json!({}) };
        agent.initialize(name, VERSION, &capabilities);
        agent
    }

    /// Starts a client with these roots.
    pub fn start_with_roots(command: Command, args: &[&str], roots: &[String]) -> Self {
        let mut agent = Self::connect(command, args, None);
        agent.roots = roots.to_vec();
        agent.initialize("test agent", VERSION, &json!({ "roots": { "listChanged": true } }));
        agent
    }

    /// Starts a client of another version with `initialize`.
    pub fn start_version(command: Command, args: &[&str], version: &str) -> Self {
        let mut agent = Self::connect(command, args, None);
        let result = agent.initialize("test agent", version, &json!({}));
        assert_eq!(result["protocolVersion"], version, "{result}");
        agent
    }

    fn initialize(&mut self, name: &str, version: &str, capabilities: &Value) -> Value {
        let client = json!({ "name": name, "version": "1" });
        let params = json!({
            "protocolVersion": version, "capabilities": capabilities, "clientInfo": client,
        });
        let result = self.request("initialize", params)["result"].take();
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        result
    }

    /// Starts a client of the version without `initialize`. It supports forms.
    pub fn start_stateless(command: Command, args: &[&str]) -> Self {
        let mut agent = Self::connect(command, args, None);
        agent.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS_VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "test agent", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        }));
        agent
    }

    /// Sends one more field with each request, if the client does not initialize.
    pub fn set_meta(&mut self, key: &str, value: Value) {
        self.meta.as_mut().expect("a client without `initialize`")[key] = value;
    }

    /// The log messages so far.
    pub fn log(&self) -> Vec<&Value> {
        let messages = self.notifications.iter();
        messages.filter(|m| m["method"] == "notifications/message").map(|m| &m["params"]).collect()
    }

    fn connect(mut command: Command, args: &[&str], answer: Option<&'static str>) -> Self {
        command.arg("mcp").args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, messages) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let message = line.ok().and_then(|line| serde_json::from_str(&line).ok());
                if message.is_none_or(|message| sender.send(message).is_err()) {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let notifications = Vec::new();
        Self {
            child,
            stdin,
            messages,
            notifications,
            answer,
            roots: Vec::new(),
            meta: None,
            next: 0,
        }
    }

    /// Writes one line.
    pub fn write(&mut self, line: &str) {
        self.stdin.as_mut().unwrap().write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.write(&message.to_string());
    }

    /// Sends a request without waiting and returns its id.
    pub fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        if let Some(Value::Object(meta)) = &self.meta {
            for (key, value) in meta {
                params["_meta"][key] = value.clone();
            }
        }
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: u64) {
        let params = json!({ "requestId": id });
        let method = "notifications/cancelled";
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The next message of the server.
    pub fn next_message(&mut self) -> Value {
        self.messages.recv_timeout(RESPONSE_TIMEOUT).expect("the server says something")
    }

    /// The response to the request `id`.
    pub fn response(&mut self, id: u64) -> Value {
        loop {
            let message = self.next_message();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            if message["method"] == "elicitation/create" {
                let answer = self.answer.expect("nobody is to be asked");
                let result = json!({ "action": "accept", "content": { "answer": answer } });
                let id = &message["id"];
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
            }
            if message["method"] == "roots/list" {
                let roots: Vec<_> = self.roots.iter().map(|uri| json!({ "uri": uri })).collect();
                let (id, result) = (&message["id"], json!({ "roots": roots }));
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
            }
            self.notifications.push(message);
        }
    }

    /// A request, and its response.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.response(id)
    }

    /// A tool's result, or its error.
    ///
    /// # Errors
    /// The contract's error.
    pub fn tool(&mut self, name: &str, arguments: Value) -> Result<Value, Value> {
        let params = json!({ "name": name, "arguments": arguments });
        let response = self.request("tools/call", params);
        let result = &response["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{response}"));
        if result["isError"] == true {
            return Err(serde_json::from_str(text).unwrap());
        }
        assert!(!text.is_empty(), "{response}");
        Ok(result["structuredContent"].clone())
    }

    /// A tool's result as its model reads it, and whether it has structured content, too.
    pub fn text(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": name, "arguments": arguments });
        let response = self.request("tools/call", params);
        let result = &response["result"];
        assert_ne!(result["isError"], true, "{response}");
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{response}")).to_owned();
        (text, !result["structuredContent"].is_null())
    }

    /// A tool's result.
    pub fn must(&mut self, name: &str, arguments: Value) -> Value {
        self.tool(name, arguments).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// Closes the input, waits for the process and returns its exit code.
    pub fn exit(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
