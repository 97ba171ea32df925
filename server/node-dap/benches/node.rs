//! Debugging Node through the adapter, beside its bare inspector, in one run, as a table:
//!
//! `TANDEM_NODE=/path/to/node cargo bench -p node-dap`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use cdp::{Connection, Event, Stop, Transport, Waiting};
use node_dap::Options;
use serde_json::{Value, json};

const LAUNCHES: usize = 20;
const STEPS: usize = 300;
/// The line with the breakpoint, 0-based.
const LINE: u64 = 3;
const PROGRAM: &str = "let sum = 0;
const item = { price: 3, name: 'tea' };
for (let i = 0; i < 1000000; i++) {
  sum += item.price;
  sum -= i % 2;
}
";

struct Patient;

impl Waiting for Patient {
    fn check(&self) -> Result<(), Stop> {
        Ok(())
    }
}

/// The inspector without an adapter.
struct Bare {
    child: Child,
    connection: Connection,
    events: Receiver<Event>,
}

impl Bare {
    fn start(node: &Path, program: &Path) -> Self {
        let mut child = Command::new(node)
            .arg("--inspect-brk=127.0.0.1:0")
            .arg(program)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap().to_owned();
        let address = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
        let stream = TcpStream::connect(address).unwrap();
        let (sender, events) = channel();
        let transport = Transport::web_socket(&url, stream).unwrap();
        let connection = Connection::start(transport, move |_, event| {
            if let Some(event) = event {
                let _ = sender.send(event);
            }
        });
        let bare = Self { child, connection: connection.unwrap(), events };
        bare.call("Runtime.enable", json!({}));
        bare.call("Debugger.enable", json!({}));
        let url = format!("file://{}", program.display());
        bare.call("Debugger.setBreakpointByUrl", json!({ "url": url, "lineNumber": LINE }));
        bare.call("Runtime.runIfWaitingForDebugger", json!({}));
        bare.until_paused();
        bare.call("Debugger.resume", json!({}));
        bare.until_paused();
        bare
    }

    fn call(&self, method: &str, params: Value) -> Value {
        self.connection.call(None, method, params, &Patient).unwrap()
    }

    fn until_paused(&self) -> Value {
        loop {
            let event = self.events.recv_timeout(Duration::from_secs(20)).unwrap();
            if event.method == "Debugger.paused" {
                return event.params;
            }
        }
    }

    fn step(&self) {
        self.call("Debugger.stepOver", json!({}));
        let paused = self.until_paused();
        let id = &paused["callFrames"][0]["scopeChain"][0]["object"]["objectId"];
        self.call("Runtime.getProperties", json!({ "objectId": id, "ownProperties": true }));
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The adapter.
struct Ours {
    writer: UnixStream,
    reader: BufReader<UnixStream>,
    seq: i64,
}

impl Ours {
    fn start(node: &Path, program: &Path, socket: &Path) -> Self {
        let options = Options {
            node: Some(node.to_owned()),
            socket: Some(socket.to_owned()),
            is_contained: true,
        };
        std::thread::spawn(move || node_dap::serve(&options));
        while !socket.exists() {
            std::thread::sleep(Duration::from_micros(100));
        }
        let writer = loop {
            if let Ok(stream) = UnixStream::connect(socket) {
                break stream;
            }
        };
        let reader = BufReader::new(writer.try_clone().unwrap());
        let mut ours = Self { writer, reader, seq: 0 };
        ours.request("initialize", json!({}));
        ours.request("launch", json!({ "program": program }));
        let breakpoint = json!({
            "source": { "path": program }, "breakpoints": [{ "line": LINE + 1 }],
        });
        ours.request("setBreakpoints", breakpoint);
        ours.request("configurationDone", json!({}));
        ours.until(|message| message["event"] == "stopped");
        ours
    }

    fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.seq += 1;
        let seq = self.seq;
        let message =
            json!({ "seq": seq, "type": "request", "command": command, "arguments": arguments });
        self.writer.write_all(&framing::encode(message.to_string().as_bytes())).unwrap();
        let response = self.until(|message| message["request_seq"] == seq);
        assert_eq!(response["success"], true, "{response}");
        response["body"].clone()
    }

    fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let body = framing::read(&mut self.reader).unwrap().unwrap();
            let message: Value = serde_json::from_slice(&body).unwrap();
            if wanted(&message) {
                return message;
            }
        }
    }

    fn step(&mut self) {
        self.request("next", json!({ "threadId": 1 }));
        self.until(|message| message["event"] == "stopped");
        let stack = self.request("stackTrace", json!({ "threadId": 1, "levels": 1 }));
        let scopes = self.request("scopes", json!({ "frameId": stack["stackFrames"][0]["id"] }));
        let reference = &scopes["scopes"][0]["variablesReference"];
        self.request("variables", json!({ "variablesReference": reference }));
    }
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort();
    times[times.len() / 2].as_secs_f64() * 1_000.0
}

fn timed(count: usize, mut run: impl FnMut(usize)) -> Vec<Duration> {
    (0..count)
        .map(|index| {
            let started = Instant::now();
            run(index);
            started.elapsed()
        })
        .collect()
}

fn main() {
    let Some(node) = std::env::var_os("TANDEM_NODE").map(PathBuf::from) else {
        println!("TANDEM_NODE is not set: nothing is measured");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program.js");
    std::fs::write(&program, PROGRAM).unwrap();
    let (mut bare, mut ours) = (Vec::new(), Vec::new());
    for index in 0..LAUNCHES {
        bare.extend(timed(1, |_| drop(Bare::start(&node, &program))));
        let socket = folder.path().join(format!("launch-{index}.sock"));
        ours.extend(timed(1, |_| {
            let mut ours = Ours::start(&node, &program, &socket);
            ours.request("disconnect", json!({}));
        }));
    }
    println!("| | bare inspector | tandem node-dap |\n|---|---:|---:|");
    println!(
        "| launch to the first stop, and its end | {:.0} ms | {:.0} ms |",
        median(bare),
        median(ours)
    );
    let stepped = Bare::start(&node, &program);
    let bare = timed(STEPS, |_| stepped.step());
    let mut stepped = Ours::start(&node, &program, &folder.path().join("steps.sock"));
    let ours = timed(STEPS, |_| stepped.step());
    println!("| a step and its variables | {:.2} ms | {:.2} ms |", median(bare), median(ours));
    stepped.request("disconnect", json!({}));
}
