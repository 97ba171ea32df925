//! Debugging beside the adapter driven bare, in one run: `cargo bench -p tests --bench debugging`.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod measured;

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use client::{Answer, Client};
use measured::row;
use serde_json::{Value, json};

const STEPS: usize = 300;
const LINES: usize = 50_000;
const BREAKPOINTS: usize = 1_000;
const ELEMENTS: usize = 100_000;
const PAGES: usize = 50;

/// An adapter on its own, spoken to as briefly as can be.
struct Bare {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    sequence: i64,
    events: Vec<Value>,
}

impl Bare {
    fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (stdin, stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self { child, stdin, stdout: BufReader::new(stdout), sequence: 0, events: Vec::new() }
    }

    fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.sequence += 1;
        let body = json!({
            "seq": self.sequence, "type": "request", "command": command, "arguments": arguments,
        })
        .to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.stdin.write_all(frame.as_bytes()).unwrap();
        self.sequence
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.stdout.read_line(&mut line).unwrap() > 0, "the adapter has ended");
            match line.trim().split_once(':') {
                Some((_, value)) => length = value.trim().parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.stdout.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn request(&mut self, command: &str, arguments: Value) -> Value {
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

    fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|e| e["event"] == name) {
                return self.events.remove(at)["body"].clone();
            }
            let message = self.read();
            if message["type"] == "event" {
                self.events.push(message);
            }
        }
    }

    /// To the first stop.
    fn launch(&mut self, launch: Value, file: &Path, lines: &[usize]) -> Value {
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
    fn report(&mut self, thread: &Value) -> Value {
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

struct Ours(Client);

impl Ours {
    fn start(home: &Path, tree: &Path) -> Self {
        let mut command = Command::new(tests::binary());
        command.arg("lsp").current_dir(tree).env("HOME", home);
        for name in ["XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR"] {
            command.env(name, home.join(name));
        }
        for (variable, component) in
            [("TANDEM_DEBUGPY", "debugpy"), ("TANDEM_LLDB_DAP", "lldb-dap")]
        {
            command.envs(tests::component(component).map(|program| (variable, program)));
        }
        let mut client = Client::spawn(&mut command).unwrap();
        client.set_timeout(Duration::from_secs(120));
        client.on_request(|request, _| match request.method.as_str() {
            "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
            _ => Answer::Default,
        });
        client.initialize(tree, json!({ "window": { "showMessage": {} } })).unwrap();
        Self(client)
    }

    fn call(&self, tool: &str, params: Value) -> Value {
        let command = format!("tandem.{tool}");
        self.0.execute_command(&command, json!([params])).unwrap_or_else(|e| panic!("{tool}: {e}"))
    }

    fn resident(&self) -> u64 {
        let id = self.0.process().unwrap().id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1_024
    }
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let tree = home.path().canonicalize().unwrap().join("tree");
    std::fs::create_dir(&tree).unwrap();
    println!("| debugging | n | p50 | p95 | max |\n|---|---:|---:|---:|---:|");
    match tests::component("debugpy") {
        Some(adapter) => python(home.path(), &tree, &adapter),
        None => println!("debugpy is not here: `cargo xtask setup` brings it"),
    }
    match tests::component("lldb-dap") {
        Some(adapter) => array(home.path(), &tree, &adapter),
        None => println!("lldb-dap is not here: `cargo xtask setup` brings it"),
    }
}

fn debugpy(adapter: &Path) -> Command {
    let mut command = Command::new("python3");
    command.arg(adapter);
    command
}

fn python(home: &Path, tree: &Path, adapter: &Path) {
    let file = tree.join("steps.py");
    let body: String = (0..8).map(|n| format!("        v{n} = total * {n}\n")).collect();
    let text = format!(
        "def work(count):\n    total = 0\n    for number in range(count):\n        total += number\n{body}    return total\nwork(1000000)\n"
    );
    std::fs::write(&file, text).unwrap();
    let launch = |program: &Path| {
        json!({
            "type": "python", "request": "launch", "program": program, "console": "internalConsole",
            "redirectOutput": true, "subProcess": false, "cwd": tree, "justMyCode": true,
            "showReturnValue": true,
            "variablePresentation": {
                "special": "hide", "function": "hide", "class": "hide", "protected": "inline" },
        })
    };
    let ours = Ours::start(home, tree);
    steps(&ours, &mut Bare::start(&mut debugpy(adapter)), &file, launch(&file));
    breakpoints(&ours, tree, adapter, &launch);
    output(&ours, tree, adapter, &launch);
}

fn steps(ours: &Ours, bare: &mut Bare, file: &Path, launch: Value) {
    let stop = bare.launch(launch, file, &[4]);
    let thread = &stop["threadId"];
    ours.call("debug_breakpoint", json!({ "action": "set", "file": "steps.py", "line": 4 }));
    let report = ours.call("debug_launch", json!({ "program": "steps.py", "wait_ms": 60_000 }));
    assert_eq!(report["state"], "stopped", "{report}");
    let (mut alone, mut reported, mut through) = (Vec::new(), Vec::new(), Vec::new());
    // In turns: what else the machine does falls on both.
    for _ in 0..STEPS {
        let begun = Instant::now();
        bare.request("next", json!({ "threadId": thread }));
        bare.event("stopped");
        alone.push(begun.elapsed());
        assert!(bare.report(thread)["variables"].as_array().unwrap().len() > 2);
        reported.push(begun.elapsed());
        let begun = Instant::now();
        let report = ours.call("debug_step", json!({ "action": "over", "wait_ms": 60_000 }));
        through.push(begun.elapsed());
        assert_eq!(report["state"], "stopped", "{report}");
    }
    let added = median(&through).saturating_sub(median(&reported));
    row("debugpy, a step", alone);
    row("debugpy, a step and the three questions of a report", reported);
    row("ours, a step and its report", through);
    println!("\nA report adds {:.1} ms (p50).\n", added.as_secs_f64() * 1e3);
    ours.call("debug_stop", json!({}));
    ours.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

fn breakpoints(ours: &Ours, tree: &Path, adapter: &Path, launch: &dyn Fn(&Path) -> Value) {
    let file = tree.join("many.py");
    let text: String = (0..=BREAKPOINTS).map(|n| format!("x = {n}\n")).collect();
    std::fs::write(&file, text).unwrap();
    let mut bare = Bare::start(&mut debugpy(adapter));
    bare.launch(launch(&file), &file, &[1]);
    let all: Vec<_> = (1..=BREAKPOINTS).map(|line| json!({ "line": line })).collect();
    let begun = Instant::now();
    let set = json!({ "source": { "path": file }, "breakpoints": all });
    let set = bare.request("setBreakpoints", set);
    let alone = begun.elapsed();
    assert_eq!(set["breakpoints"].as_array().unwrap().len(), BREAKPOINTS);
    drop(bare);
    let stopped = json!({ "program": "many.py", "stop_on_entry": true, "wait_ms": 60_000 });
    let report = ours.call("debug_launch", stopped);
    assert_eq!(report["state"], "stopped", "{report}");
    let all: Vec<_> =
        (1..=BREAKPOINTS).map(|line| json!({ "file": "many.py", "line": line })).collect();
    let begun = Instant::now();
    let set = ours.call("debug_breakpoint", json!({ "action": "set", "breakpoints": all }));
    let through = begun.elapsed();
    let verified = set["breakpoints"].as_array().unwrap().iter().filter(|b| b["verified"] == true);
    assert_eq!(verified.count(), BREAKPOINTS);
    row("debugpy, 1,000 breakpoints in one request", vec![alone]);
    row("ours, 1,000 breakpoints in one call", vec![through]);
    ours.call("debug_stop", json!({}));
    ours.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
}

fn output(ours: &Ours, tree: &Path, adapter: &Path, launch: &dyn Fn(&Path) -> Value) {
    let file = tree.join("writes.py");
    let text = format!(
        "import sys\nx = 1\nfor n in range({LINES}):\n    sys.stdout.write(f'line {{n}}\\n')\n"
    );
    std::fs::write(&file, text).unwrap();
    let last = format!("line {}\n", LINES - 1);
    let mut bare = Bare::start(&mut debugpy(adapter));
    bare.launch(launch(&file), &file, &[2]);
    bare.events.clear();
    let begun = Instant::now();
    bare.send("continue", json!({ "threadId": 1 }));
    let mut events = 0;
    loop {
        let message = bare.read();
        if message["event"] == "output" && message["body"]["category"] == "stdout" {
            events += 1;
            if message["body"]["output"].as_str().unwrap().ends_with(&last) {
                break;
            }
        }
    }
    let alone = begun.elapsed();
    drop(bare);
    ours.call("debug_breakpoint", json!({ "action": "set", "file": "writes.py", "line": 2 }));
    let report = ours.call("debug_launch", json!({ "program": "writes.py", "wait_ms": 60_000 }));
    assert_eq!(report["state"], "stopped", "{report}");
    let before = ours.resident();
    let begun = Instant::now();
    let end = ours.call("debug_step", json!({ "action": "continue", "wait_ms": 300_000 }));
    let through = begun.elapsed();
    assert_eq!(end["state"], "exited", "{end}");
    let (mut cursor, mut written) = (json!(0), String::new());
    loop {
        let page = ours.call("debug_output", json!({ "cursor": cursor, "category": "stdout" }));
        written.push_str(page["output"].as_str().unwrap());
        cursor = page["next_cursor"].clone();
        if page["more"] == false {
            break;
        }
    }
    let whole: String = (0..LINES).map(|n| format!("line {n}\n")).collect();
    let lost = if written == whole { "nothing is lost" } else { "OUTPUT IS LOST" };
    let rate = |time: Duration| events as f64 / time.as_secs_f64();
    println!(
        "\n{LINES} lines, {events} output events: debugpy bare {:.0} events/s, ours to the exit \
         {:.0} events/s, {lost}; the server grew by {} MiB.\n",
        rate(alone),
        rate(through),
        ours.resident().saturating_sub(before),
    );
    ours.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
}

fn array(home: &Path, tree: &Path, adapter: &PathBuf) {
    let source = tree.join("array.c");
    let text = format!(
        "int main(void) {{\n    static int all[{ELEMENTS}];\n    for (int n = 0; n < {ELEMENTS}; n++) all[n] = n;\n    return all[7] - 7;\n}}\n"
    );
    std::fs::write(&source, text).unwrap();
    let program = tree.join("array");
    let built = Command::new("cc").args(["-g", "-O0", "-o"]).arg(&program).arg(&source).status();
    if !built.is_ok_and(|status| status.success()) {
        println!("no C compiler is here");
        return;
    }
    let mut bare = Bare::start(&mut Command::new(adapter));
    let stop = bare.launch(json!({ "program": program, "cwd": tree }), &source, &[4]);
    let held = bare.report(&stop["threadId"]);
    let reference = held["variables"].as_array().unwrap().iter().find(|v| v["name"] == "all");
    let ours = Ours::start(home, tree);
    ours.call("debug_breakpoint", json!({ "action": "set", "file": "array.c", "line": 4 }));
    let report = ours.call("debug_launch", json!({ "program": "array", "wait_ms": 60_000 }));
    assert_eq!(report["state"], "stopped", "{report}");
    let value = ours.call("debug_evaluate", json!({ "expression": "all" }));
    let own = &value["reference"];
    let (mut alone, mut through) = (Vec::new(), Vec::new());
    for page in 0..PAGES {
        let start = page * (ELEMENTS / PAGES);
        if let Some(array) = reference {
            let wanted = json!({
                "variablesReference": array["variablesReference"], "filter": "indexed",
                "start": start, "count": 100,
            });
            let begun = Instant::now();
            bare.request("variables", wanted);
            alone.push(begun.elapsed());
        }
        let begun = Instant::now();
        let params = json!({ "reference": own, "cursor": start.to_string() });
        let found = ours.call("debug_variables", params);
        through.push(begun.elapsed());
        let first = &found["variables"][0];
        assert_eq!(first["value"], start.to_string(), "{first}");
    }
    row("lldb-dap, 100 of 100,000 elements", alone);
    row("ours, a page of the same", through);
}
