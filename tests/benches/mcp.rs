//! What MCP costs: overhead of a call, lists, a second client, and floods, through the real binary.
//!
//! `cargo build --release && cargo bench -p tests --bench mcp`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::{Home, Server};

/// Calls that are measured.
const CALLS: usize = 3_000;
/// The workspace for the second client: files, and lines in each.
const FILES: usize = 1_000;
const LINES: usize = 1_000;
/// Requests of a flood, and its connections.
const FLOOD: usize = 100_000;
const CONNECTIONS: usize = 50;
const LONG_LINE: usize = 100 << 20;
/// The beginning of an answer by HTTP.
const ANSWER: &[u8] = b"HTTP/1.1 200 ";
/// How long a flood of requests may be written while nothing is read.
const UNREAD: Duration = Duration::from_secs(5);

fn main() {
    // `cargo test --benches` builds and runs this file too: only a bench is asked for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("| {:58} | {:>20} | {:>10} |", "", "measured", "goal");
    println!("|{:-<60}|{:->22}|{:->12}|", "", ":", ":");
    calls();
    second_client();
    floods();
}

fn report(what: &str, measured: &str, goal: &str) {
    println!("| {what:58} | {measured:>20} | {goal:>10} |");
}

fn percentiles(mut samples: Vec<Duration>) -> String {
    samples.sort_unstable();
    let at = |percent: usize| samples[(samples.len() - 1) * percent / 100].as_micros();
    let show = |micros: u128| match micros {
        0..10_000 => format!("{micros} µs"),
        _ => format!("{:.1} ms", micros as f64 / 1_000.0),
    };
    format!("{} / {}", show(at(50)), show(at(95)))
}

/// A client by stdin and stdout.
struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    fn start(mut command: Command, args: &[&str]) -> Self {
        command.args(["mcp", "--workspace", "workspace"]).args(args);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, stdin, stdout, next: 0 };
        client.request("initialize", &initialize());
        client.stdin.write_all(format!("{}\n", initialized()).as_bytes()).unwrap();
        client
    }

    fn request(&mut self, method: &str, params: &Value) -> String {
        self.next += 1;
        let request = request(self.next, method, params);
        self.stdin.write_all(format!("{request}\n").as_bytes()).unwrap();
        let mut line = String::new();
        // Log messages may come first.
        while !line.contains("\"result\"") {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0);
        }
        line
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> String {
        self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Times of equal requests, after some to warm up.
    fn times(&mut self, count: usize, method: &str, params: &Value) -> Vec<Duration> {
        let mut once = || {
            let started = Instant::now();
            self.request(method, params);
            started.elapsed()
        };
        for _ in 0..count / 10 {
            once();
        }
        (0..count).map(|_| once()).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn initialize() -> Value {
    let client = json!({ "name": "bench", "version": "1" });
    json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client })
}

fn initialized() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
}

fn read_call() -> Value {
    json!({ "name": "read_file", "arguments": { "path": "a.txt" } })
}

fn calls() {
    let home = Home::new();
    fs::write(home.root().join("a.txt"), "one\n").unwrap();
    let mut client = Client::start(home.command(), &["--headless"]);
    let times = client.times(CALLS, "tools/call", &read_call());
    report("a small `read_file` by stdio (p50 / p95)", &percentiles(times), "≤ 300 µs");
    let times = client.times(CALLS, "ping", &json!({}));
    report("`ping` by stdio (p50 / p95)", &percentiles(times), "");
    for (profile, goal) in [("core", "≥ 1,000"), ("full", "≥ 1,000")] {
        let args = ["--headless", "--profile", profile];
        let mut client = Client::start(home.command(), &args);
        let started = Instant::now();
        client.times(1_000, "tools/list", &json!({}));
        let rate = 1_100.0 / started.elapsed().as_secs_f64();
        report(
            &format!("lists of tools a second, profile `{profile}`"),
            &format!("{rate:.0}"),
            goal,
        );
    }
    let server = Server::start("//- /a.txt\none\n");
    server.open_text("a.txt", "unsaved\n");
    let mut client = Client::start(server.command(), &[]);
    assert!(client.call("read_file", &json!({ "path": "a.txt" })).contains("unsaved"));
    let times = client.times(CALLS, "tools/call", &read_call());
    report("the small `read_file`, joined to an editor's server", &percentiles(times), "≤ 500 µs");
}

/// A second client of a workspace of a million lines.
fn second_client() {
    let home = Home::new();
    fs::write(home.root().join("a.txt"), "one\n").unwrap();
    for number in 0..FILES {
        let function = |n: usize| {
            format!(
                "def f{number}_{n}(first, second):\n    total = first + {n}\n    return total\n\n"
            )
        };
        let text: String = (0..LINES / 4).map(function).collect();
        fs::write(home.root().join(format!("m{number}.py")), text).unwrap();
    }
    let mut first = Client::start(home.command(), &[]);
    let found = first.call("find_symbol", &json!({ "name": "f999_249" }));
    assert!(found.contains("m999.py"), "{found:.500}");
    // Indexing may go on after the first answer.
    std::thread::sleep(Duration::from_secs(10));
    let mut starts = Vec::new();
    let mut kept = Vec::new();
    for _ in 0..10 {
        let started = Instant::now();
        let mut second = Client::start(home.command(), &[]);
        second.call("find_symbol", &json!({ "name": "f999_249" }));
        starts.push(started.elapsed());
        kept.push(second);
    }
    let what = "second client, 10^6 lines: start to its first answer";
    report(what, &percentiles(starts), "≤ 20 ms");
    // The program itself is shared.
    let (first, second) = (memory(&first.child, "RssAnon:"), memory(&kept[0].child, "RssAnon:"));
    let share = format!("{} + {} MB", first / 1_024, second / 1_024);
    report("  its memory beside the first one's", &share, "≤ 5 %");
}

/// A figure of a process's status, in KiB.
fn memory(child: &Child, field: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// A server on a port.
struct Listening {
    child: Child,
    address: String,
    token: String,
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Listening {
    fn start(home: &Home) -> Self {
        let mut command = home.command();
        command.args(["mcp", "--workspace", "workspace", "--addr", "127.0.0.1:0"]);
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let rest = line.trim_end().strip_prefix("tandem mcp: http://").unwrap();
        let (address, token_file) = rest.split_once("/mcp, with the token in ").unwrap();
        let token = fs::read_to_string(token_file).unwrap().trim_end().to_owned();
        Self { child, address: address.to_owned(), token }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// A stateless request as HTTP.
    fn post(&self, id: usize, method: &str, params: &Value) -> String {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().map(|name| format!("Mcp-Name: {name}\r\n"));
        let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let body = body.to_string();
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: \
             application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: \
             2026-07-28\r\nMcp-Method: {method}\r\n{}Content-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            name.unwrap_or_default(),
            body.len()
        )
    }

    /// A client of lines.
    fn lines(&self) -> TcpStream {
        let mut stream = self.connect();
        let hello = request(0, "initialize", &initialize());
        let first = format!("{}\n{hello}\n{}\n", self.token, initialized());
        stream.write_all(first.as_bytes()).unwrap();
        stream
    }

    /// Another client's call: how long it takes.
    fn other_call(&self) -> Duration {
        let started = Instant::now();
        let mut stream = self.connect();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream.write_all(self.post(1, "tools/call", &read_call()).as_bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        while !line.contains("structuredContent") {
            line.clear();
            assert_ne!(reader.read_line(&mut line).unwrap(), 0);
        }
        started.elapsed()
    }

    fn peak(&self) -> String {
        format!("{} MB", memory(&self.child, "VmHWM:") / 1_024)
    }
}

/// Writes until all is written, or nothing was for a while. Returns how many bytes were.
fn write_unread(stream: &mut TcpStream, bytes: &[u8]) -> usize {
    stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
    let (started, mut written) = (Instant::now(), 0);
    while written < bytes.len() && started.elapsed() < UNREAD {
        match stream.write(&bytes[written..]) {
            Ok(count) => written += count,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                break;
            }
            Err(_) => break,
        }
    }
    written
}

fn floods() {
    let home = Home::new();
    fs::write(home.root().join("a.txt"), "one\n").unwrap();
    let server = Listening::start(&home);
    server.other_call();
    report("a listening server, peak memory", &server.peak(), "");

    // Every connection's requests are written before any answer is read.
    let server = &server;
    let each = FLOOD / CONNECTIONS;
    let started = Instant::now();
    let (answers, others) = std::thread::scope(|scope| {
        let floods: Vec<_> = (0..CONNECTIONS)
            .map(|_| {
                scope.spawn(move || {
                    let requests: String =
                        (0..each).map(|id| server.post(id, "tools/call", &read_call())).collect();
                    let mut stream = server.connect();
                    let mut reading = stream.try_clone().unwrap();
                    reading.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                    let reader = std::thread::spawn(move || {
                        // Answers are left unread for a while.
                        std::thread::sleep(UNREAD);
                        let (mut count, mut kept) = (0, Vec::new());
                        let mut buffer = vec![0; 1 << 16];
                        while count < each
                            && let Ok(read @ 1..) = reading.read(&mut buffer)
                        {
                            kept.extend_from_slice(&buffer[..read]);
                            count += count_answers(&kept);
                            // What may be the beginning of one more.
                            kept.drain(..kept.len().saturating_sub(ANSWER.len() - 1));
                        }
                        count
                    });
                    let _ = stream.write_all(requests.as_bytes());
                    reader.join().unwrap()
                })
            })
            .collect();
        let others: Vec<_> = (0..20)
            .map(|_| {
                std::thread::sleep(Duration::from_millis(200));
                server.other_call()
            })
            .collect();
        let answers: usize = floods.into_iter().map(|flood| flood.join().unwrap()).sum();
        (answers, others)
    });
    let seconds = started.elapsed().as_secs_f64();
    let what = "10^5 calls written by 50 HTTP clients: answered, seconds";
    report(what, &format!("{answers}, {seconds:.0} s"), "all");
    report("  another client's call meanwhile (p50 / p95)", &percentiles(others), "");
    report("  peak memory", &server.peak(), "bounded");

    let list = format!("{}\n", request(1, "tools/list", &json!({})));
    let mut stream = server.lines();
    let written = write_unread(&mut stream, list.repeat(FLOOD).as_bytes());
    let accepted = format!("{} of {FLOOD}", written / list.len());
    report("a client of lines that never reads: lists taken from it", &accepted, "bounded");
    report("  another client's call meanwhile", &percentiles(vec![server.other_call()]), "");
    report("  peak memory", &server.peak(), "bounded");
    drop(stream);

    let mut stream = server.connect();
    let list = server.post(1, "tools/list", &json!({}));
    let written = write_unread(&mut stream, list.repeat(20_000).as_bytes());
    let accepted = format!("{} of 20000", written / list.len());
    report("a client of HTTP that never reads: lists taken from it", &accepted, "bounded");
    report("  another client's call meanwhile", &percentiles(vec![server.other_call()]), "");
    report("  peak memory", &server.peak(), "bounded");
    drop(stream);

    let mut stream = server.lines();
    let started = Instant::now();
    stream.write_all("x".repeat(LONG_LINE).as_bytes()).unwrap();
    stream.write_all(format!("\n{}\n", request(7, "ping", &json!({}))).as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    while !line.contains("\"id\":7") {
        line.clear();
        assert_ne!(reader.read_line(&mut line).unwrap(), 0);
    }
    let passed = format!("{} ms", started.elapsed().as_millis());
    report("a line of 100 MB, and the answer to the next request", &passed, "");
    report("  peak memory", &server.peak(), "bounded");
}

/// How many answers begin in these bytes.
fn count_answers(bytes: &[u8]) -> usize {
    bytes.windows(ANSWER.len()).filter(|window| *window == ANSWER).count()
}
