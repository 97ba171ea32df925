//! `tandem mcp --addr` and `--socket`: many clients of one server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tests::Home;

const TIMEOUT: Duration = Duration::from_secs(20);
const STATELESS_VERSION: &str = "2026-07-28";

/// A server that listens, until dropped.
struct Listening {
    child: Child,
    /// What it printed: where it listens.
    line: String,
}

impl Listening {
    fn start(mut command: Command, args: &[&str]) -> Self {
        command.args(["mcp", "--workspace", "workspace"]).args(args).stderr(Stdio::piped());
        let mut child = command.stdin(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        Self { child, line }
    }

    fn start_tcp(home: &Home) -> (Self, Endpoint) {
        let server = Self::start(home.command(), &["--addr", "127.0.0.1:0"]);
        let rest = server.line.trim_end().strip_prefix("tandem mcp: http://").unwrap();
        let (address, token_file) = rest.split_once("/mcp, with the token in ").unwrap();
        let token = std::fs::read_to_string(token_file).unwrap().trim_end().to_owned();
        let endpoint = Endpoint { address: address.to_owned(), token };
        (server, endpoint)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a server listens.
#[derive(Clone)]
struct Endpoint {
    address: String,
    token: String,
}

/// The status, the session, and the message of an HTTP response.
struct Response {
    status: u16,
    session: Option<String>,
    message: Value,
}

impl Endpoint {
    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(TIMEOUT)).unwrap();
        stream
    }

    /// Posts a message with further header lines.
    fn send(&self, message: &Value, headers: &[(&str, &str)]) -> BufReader<TcpStream> {
        let mut given = vec![
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        let bearer = format!("Bearer {}", self.token);
        given.push(("Authorization", &bearer));
        for (name, value) in headers {
            given.retain(|(known, _)| known != name);
            given.push((name, value));
        }
        let lines: String =
            given.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let body = message.to_string();
        let mut stream = self.connect();
        let head = format!("POST /mcp HTTP/1.1\r\n{lines}Content-Length: {}\r\n\r\n", body.len());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        BufReader::new(stream)
    }

    /// Posts a message. Returns the first message of the answer.
    fn post(&self, message: &Value, headers: &[(&str, &str)]) -> Response {
        let mut reader = self.send(message, headers);
        let mut response = String::new();
        // An event stream may stay open after the message.
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap() == 0 {
                break;
            }
            let is_message = line.starts_with("data: {");
            response.push_str(&line);
            if is_message {
                break;
            }
        }
        let status = response.split_whitespace().nth(1).unwrap().parse().unwrap();
        let session = response
            .lines()
            .find_map(|line| line.strip_prefix("mcp-session-id: "))
            .map(|id| id.trim_end().to_owned());
        let message = response
            .lines()
            .find_map(|line| line.strip_prefix("data: {").map(|rest| format!("{{{rest}")))
            .or_else(|| response.lines().find(|line| line.starts_with('{')).map(str::to_owned))
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        Response { status, session, message }
    }

    /// Posts a message. Returns all messages of the answer, up to its end.
    fn post_all(&self, message: &Value, headers: &[(&str, &str)]) -> Vec<Value> {
        let reader = self.send(message, headers);
        let lines = reader.lines().map(Result::unwrap);
        let messages = lines.filter_map(|line| line.strip_prefix("data: {").map(str::to_owned));
        messages.map(|rest| serde_json::from_str(&format!("{{{rest}")).unwrap()).collect()
    }

    /// A request of the version without sessions.
    fn request(&self, method: &str, mut params: Value, headers: &[(&str, &str)]) -> Response {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": STATELESS_VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        });
        let name = params["name"].as_str().unwrap_or_default().to_owned();
        let mut given = vec![("MCP-Protocol-Version", STATELESS_VERSION), ("Mcp-Method", method)];
        if !name.is_empty() {
            given.push(("Mcp-Name", &name));
        }
        given.extend(headers);
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.post(&message, &given)
    }
}

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        },
    })
}

fn read_call(id: u64) -> Value {
    json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": { "name": "read_file", "arguments": { "path": "a.txt" } },
    })
}

fn home() -> Home {
    let home = Home::new();
    std::fs::write(home.root().join("a.txt"), "one\n").unwrap();
    home
}

#[test]
fn clients_of_every_version_are_served_by_http() {
    let home = home();
    let (_server, endpoint) = Listening::start_tcp(&home);
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let read = endpoint.request("tools/call", call, &[]);
    assert_eq!(read.message["result"]["structuredContent"]["content"], "one\n", "{}", read.message);
    // The person is asked in rounds.
    let mut call = json!({ "name": "run_command", "arguments": { "command": "echo ran" } });
    let asked = endpoint.request("tools/call", call.clone(), &[]).message["result"].take();
    call["requestState"] = asked["requestState"].clone();
    call["inputResponses"] =
        json!({ "approval": { "action": "accept", "content": { "answer": "Allow once" } } });
    let done = endpoint.request("tools/call", call, &[]).message["result"].take();
    assert_eq!(done["structuredContent"]["stdout"], "ran\n", "{asked} {done}");

    let started = endpoint.post(&initialize(), &[]);
    assert_eq!(started.message["result"]["protocolVersion"], "2025-11-25", "{}", started.message);
    let session = started.session.unwrap();
    let in_session = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(endpoint.post(&ready, &in_session).status, 202);
    let read = endpoint.post(&read_call(2), &in_session);
    assert_eq!(read.message["result"]["structuredContent"]["content"], "one\n", "{}", read.message);
}

#[test]
fn batches_by_http_are_answered_by_events() {
    let home = home();
    let (_server, endpoint) = Listening::start_tcp(&home);
    let mut hello = initialize();
    hello["params"]["protocolVersion"] = json!("2025-03-26");
    let session = endpoint.post(&hello, &[]).session.unwrap();
    let in_session = [("Mcp-Session-Id", session.as_str())];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(endpoint.post(&json!([ready]), &in_session).status, 202);
    let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
    let batch = json!([read_call(2), ready, ping, read_call(3)]);
    let events = endpoint.post_all(&batch, &in_session);
    let answer = |id: Value| events.iter().find(|event| event["id"] == id).unwrap();
    for id in [2, 3] {
        let read = answer(json!(id));
        assert_eq!(read["result"]["structuredContent"]["content"], "one\n", "{read}");
    }
    assert_eq!((events.len(), &answer(json!("p"))["result"]), (3, &json!({})), "{events:?}");
    assert_eq!(endpoint.post(&json!([initialize()]), &in_session).status, 400);
    assert_eq!(endpoint.post(&json!([]), &in_session).status, 400);
    let gone = [("Mcp-Session-Id", "00000000-0000-0000-0000-000000000000")];
    assert_eq!(endpoint.post(&batch, &gone).status, 404);
    // Other versions have none.
    let newer = endpoint.post(&initialize(), &[]).session.unwrap();
    let headers = [("Mcp-Session-Id", newer.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    assert!(endpoint.post(&batch, &headers).status >= 400);
}

#[test]
fn a_session_survives_a_restart_of_the_server() {
    let home = home();
    let (server, endpoint) = Listening::start_tcp(&home);
    let session = endpoint.post(&initialize(), &[]).session.unwrap();
    let in_session = [("Mcp-Session-Id", session.as_str()), ("MCP-Protocol-Version", "2025-11-25")];
    let ready = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(endpoint.post(&ready, &in_session).status, 202);
    drop(server);
    let (_server, again) = Listening::start_tcp(&home);
    assert_eq!(again.token, endpoint.token, "the token stays");
    let read = again.post(&read_call(2), &in_session);
    assert_eq!(read.message["result"]["structuredContent"]["content"], "one\n", "{}", read.message);
}

#[test]
fn pages_and_programs_without_the_token_are_refused() {
    let home = home();
    let (_server, endpoint) = Listening::start_tcp(&home);
    let wrong = format!("Bearer {}", "0".repeat(64));
    for (headers, status) in [
        (vec![("Authorization", "")], 401),
        (vec![("Authorization", wrong.as_str())], 401),
        (vec![("Authorization", endpoint.token.as_str())], 401),
        (vec![("Origin", "https://page.example")], 403),
        (vec![("Origin", "null")], 403),
        (vec![("Origin", "http://localhost.page.example")], 403),
        (vec![("Host", "page.example")], 403),
        (vec![("Host", "127.0.0.1.page.example:80")], 403),
    ] {
        let refused = endpoint.post(&initialize(), &headers);
        assert_eq!(refused.status, status, "{headers:?}");
        assert!(refused.session.is_none(), "{headers:?}");
    }
    let local = endpoint.post(&initialize(), &[("Origin", "http://localhost:6274")]);
    assert_eq!(local.status, 200);
    // The port is not offered to other machines.
    let outcome = home.command().args(["mcp", "--addr", "0.0.0.0:0"]).output().unwrap();
    assert!(!outcome.status.success());
    assert!(String::from_utf8_lossy(&outcome.stderr).contains("only loopback"), "{outcome:?}");
}

#[test]
fn no_command_reads_the_token() {
    let home = home();
    let (server, endpoint) = Listening::start_tcp(&home);
    let (_, token_file) = server.line.trim_end().split_once("the token in ").unwrap();
    for (command, network) in [
        (format!("cat {token_file}"), false),
        (format!("cat {token_file}"), true),
        (format!("ls {token_file}/.."), true),
        ("find / -name mcp-token -exec cat {} + 2>/dev/null".to_owned(), false),
    ] {
        let arguments = json!({ "command": command, "network": network }).to_string();
        let mut call = home.command();
        call.args(["call", "run_command", &arguments, "--workspace", "workspace", "--yes"]);
        let outcome = call.output().unwrap();
        assert!(outcome.status.success(), "{outcome:?}");
        let printed = String::from_utf8_lossy(&outcome.stdout);
        assert!(!printed.contains(&endpoint.token), "{command}");
        let result: Value = serde_json::from_str(&printed).unwrap();
        let shown = result["stdout"].as_str().unwrap();
        assert!(!shown.contains("mcp-token\n"), "{command}: {shown}");
    }
}

/// Sends `lines` and returns the first line of the answer, empty if the connection was closed.
fn first_line(mut stream: impl Read + Write, lines: &str) -> String {
    // The server may close the connection before all is written.
    let _ = stream.write_all(lines.as_bytes());
    let mut line = String::new();
    let _ = BufReader::new(stream).read_line(&mut line);
    line
}

#[test]
fn json_lines_by_tcp_start_with_the_token() {
    let home = home();
    let (_server, endpoint) = Listening::start_tcp(&home);
    let hello = initialize();
    let answer = first_line(endpoint.connect(), &format!("{}\n{hello}\n", endpoint.token));
    assert!(answer.contains("serverInfo"), "{answer}");
    for first in ["", "wrong", &endpoint.token[1..], &"x".repeat(10_000), "GETTING"] {
        let answer = first_line(endpoint.connect(), &format!("{first}\n{hello}\n"));
        assert!(!answer.contains("serverInfo"), "{first}: {answer}");
    }
}

#[test]
fn a_client_that_reads_no_errors_is_not_read_from() {
    let home = home();
    let (_server, endpoint) = Listening::start_tcp(&home);
    let mut stream = endpoint.connect();
    let hello = initialize();
    stream.write_all(format!("{}\n{hello}\n", endpoint.token).as_bytes()).unwrap();
    let wrong = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":7}\n";
    let lines = wrong.repeat((64 << 20) / wrong.len());
    stream.set_write_timeout(Some(Duration::from_secs(2))).unwrap();
    let mut written = 0;
    while written < lines.len() {
        let Ok(count) = stream.write(&lines.as_bytes()[written..]) else { break };
        written += count;
    }
    assert!(written < lines.len(), "what the sockets hold, and no more");
    // Others are served meanwhile.
    let call = json!({ "name": "read_file", "arguments": { "path": "a.txt" } });
    let read = endpoint.request("tools/call", call, &[]);
    assert_eq!(read.message["result"]["structuredContent"]["content"], "one\n", "{}", read.message);
}

#[test]
fn a_socket_serves_its_owner() {
    let home = home();
    let path = home.root().join("../agent.sock");
    let server = Listening::start(home.command(), &["--socket", path.to_str().unwrap()]);
    assert!(server.line.contains("agent.sock"), "{}", server.line);
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path).unwrap());
    assert_eq!(mode & 0o077, 0);
    let clients: Vec<_> = (0..3).map(|_| UnixStream::connect(&path).unwrap()).collect();
    for client in clients {
        client.set_read_timeout(Some(TIMEOUT)).unwrap();
        let answer = first_line(client, &format!("{}\n", initialize()));
        assert!(answer.contains("serverInfo"), "{answer}");
    }
}
