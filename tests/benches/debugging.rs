//! Debugging beside the adapter driven bare, in one run, as a table:
//!
//! `cargo build --release && cargo bench -p tests --bench debugging [-- steps|breakpoints|output|pages]`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod bare;
mod measured;
mod written;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use bare::Bare;
use client::{Answer, Client};
use measured::row;
use serde_json::{Value, json};

const STEPS: usize = 300;
const BREAKPOINTS: usize = 1_000;
const ELEMENTS: usize = 100_000;
const PAGES: usize = 50;
const ADAPTERS: &str = include_str!("../../server/debug/src/adapters.toml");

struct TandemClient(Client);

impl TandemClient {
    fn start(home: &Path, tree: &Path, capabilities: Value) -> Self {
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
        command.envs(tests::rust_formatters().map(|file| ("TANDEM_RUST_FORMATTERS", file)));
        let mut client = Client::spawn(&mut command).unwrap();
        client.set_timeout(Duration::from_secs(120));
        client.on_request(|request, _| match request.method.as_str() {
            "window/showMessageRequest" => Answer::Result(json!({ "title": "Allow once" })),
            _ => Answer::Default,
        });
        let mut capabilities = capabilities;
        capabilities["window"] = json!({ "showMessage": {} });
        client.initialize(tree, capabilities).unwrap();
        Self(client)
    }

    fn call(&self, tool: &str, params: Value) -> Value {
        let command = format!("tandem.{tool}");
        self.0.execute_command(&command, json!([params])).unwrap_or_else(|e| panic!("{tool}: {e}"))
    }

    /// To a stop at a line.
    fn stopped(&self, program: &str, file: &str, line: usize) {
        self.call("debug_breakpoint", json!({ "action": "set", "file": file, "line": line }));
        let report = self.call("debug_launch", json!({ "program": program, "wait_ms": 60_000 }));
        assert_eq!(report["state"], "stopped", "{report}");
    }

    fn leave(&self) {
        self.call("debug_stop", json!({}));
        self.call("debug_breakpoint", json!({ "action": "remove", "all": true }));
    }

    /// In MiB.
    fn resident(&self) -> f64 {
        let id = self.0.process().unwrap().id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1_024.0
    }
}

/// What there is to measure with.
struct Bench {
    home: PathBuf,
    tree: PathBuf,
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let chosen: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let wants = |part: &str| chosen.is_empty() || chosen.iter().any(|one| *one == part);
    let home = tempfile::tempdir().unwrap();
    let tree = home.path().canonicalize().unwrap().join("tree");
    std::fs::create_dir(&tree).unwrap();
    let bench = Bench { home: home.path().to_owned(), tree };
    let load = std::fs::read_to_string("/proc/loadavg").unwrap();
    println!("load at the start: {}", load.trim());
    println!("\n| debugging | n | p50 | p95 | max |\n|---|---:|---:|---:|---:|");
    let mut notes = Vec::new();
    for name in ["debugpy", "lldb-dap"] {
        if tests::component(name).is_none() {
            println!("{name} is not here: `cargo xtask setup` brings it");
            return;
        }
    }
    if wants("steps") {
        notes.extend(bench.steps());
    }
    if wants("breakpoints") {
        bench.breakpoints();
    }
    if wants("pages") {
        bench.pages();
    }
    if wants("output") {
        notes.extend(bench.floods());
        notes.extend(bench.output());
    }
    println!();
    for note in notes {
        println!("- {note}");
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = what();
    (done, begun.elapsed())
}

/// debugpy as anyone starts it, or as the table of adapters has it.
fn debugpy(is_ours: bool) -> Command {
    let adapter = tests::component("debugpy").unwrap();
    let mut command = Command::new("python3");
    if is_ours {
        let (_, rest) = ADAPTERS.split_once("\"-c\", \"\"\"\n").unwrap();
        command.args(["-c", rest.split_once("\"\"\"").unwrap().0]);
    }
    command.arg(adapter);
    command
}

fn lldb() -> Command {
    Command::new(tests::component("lldb-dap").unwrap())
}

/// A step and its report, bare: how long the step takes, and both.
fn bare_step(bare: &mut Bare, thread: &Value) -> (Duration, Duration) {
    let begun = Instant::now();
    bare.request("next", json!({ "threadId": thread }));
    bare.event("stopped");
    let alone = begun.elapsed();
    assert!(!bare.report(thread)["variables"].as_array().unwrap().is_empty());
    (alone, begun.elapsed())
}

fn our_step(ours: &TandemClient) -> Duration {
    let step = || ours.call("debug_step", json!({ "action": "over", "wait_ms": 60_000 }));
    let (report, took) = timed(step);
    assert!(report["state"] == "stopped" && !report["locals"][0].is_null(), "{report}");
    took
}

impl Bench {
    fn ours(&self) -> TandemClient {
        TandemClient::start(&self.home, &self.tree, json!({}))
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.tree.join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    fn built(&self, words: &[&str]) {
        let status = Command::new(words[0]).args(&words[1..]).current_dir(&self.tree).status();
        assert!(status.is_ok_and(|status| status.success()), "{words:?}");
    }

    fn python(&self, program: &Path) -> Value {
        json!({
            "type": "python", "request": "launch", "program": program, "console": "internalConsole",
            "redirectOutput": true, "subProcess": false, "cwd": self.tree, "justMyCode": true,
            "showReturnValue": true,
            "variablePresentation": {
                "special": "hide", "function": "hide", "class": "hide", "protected": "inline" },
        })
    }

    fn steps(&self) -> Vec<String> {
        let body: String = (0..8).map(|n| format!("        v{n} = total * {n}\n")).collect();
        let text = format!(
            "def work(count):\n    total = 0\n    for number in range(count):\n        \
             total += number\n{body}    return total\nwork(1000000)\n"
        );
        let python = self.write("steps.py", &text);
        let body: String = (0..8).map(|n| format!("        v{n} = total * {n};\n")).collect();
        let text = format!(
            "int main(void) {{\n    long total = 0, v0, v1, v2, v3, v4, v5, v6, v7;\n    \
             for (long n = 0; n < 1000000; n++) {{\n        total += n;\n{body}    }}\n    \
             return (int)(total + v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7);\n}}\n"
        );
        let c = self.write("steps.c", &text);
        self.built(&["cc", "-g", "-O0", "-o", "steps", "steps.c"]);
        let lldb_launch = json!({ "program": self.tree.join("steps"), "cwd": self.tree });
        let mut notes = Vec::new();
        let mut all = vec![
            ("debugpy", debugpy(false), self.python(&python), &python, "steps.py"),
            ("debugpy as ours starts it", debugpy(true), self.python(&python), &python, "steps.py"),
            ("lldb-dap", lldb(), lldb_launch, &c, "steps"),
        ];
        for (name, command, launch, file, program) in &mut all {
            let mut bare = Bare::start(command);
            let stop = bare.launch(launch.clone(), file, &[4]);
            let source = file.file_name().unwrap().to_str().unwrap();
            let ours = self.ours();
            ours.stopped(program, source, 4);
            let (mut alone, mut reported, mut through) = (Vec::new(), Vec::new(), Vec::new());
            // In turns: what else the machine does falls on both.
            for _ in 0..STEPS {
                let (step, both) = bare_step(&mut bare, &stop["threadId"]);
                alone.push(step);
                reported.push(both);
                through.push(our_step(&ours));
            }
            ours.leave();
            let added = median(&through).as_secs_f64() - median(&reported).as_secs_f64();
            notes.push(format!("beside {name}, a report adds {:.1} ms (p50)", added * 1e3));
            row(&format!("{name}: a step"), alone);
            row(&format!("{name}: a step and the three questions of a report"), reported);
            row("ours: a step and its report", through);
        }
        let watched = TandemClient::start(
            &self.home,
            &self.tree,
            json!({ "experimental": { "debug": true } }),
        );
        watched.stopped("steps.py", "steps.py", 4);
        row(
            "ours, watched by an editor (debugpy)",
            (0..STEPS).map(|_| our_step(&watched)).collect(),
        );
        watched.leave();
        notes
    }

    fn breakpoints(&self) {
        let text: String = (0..=BREAKPOINTS).map(|n| format!("x = {n}\n")).collect();
        let python = self.write("many.py", &text);
        let body: String = (0..=BREAKPOINTS).map(|n| format!("x = {n};\n")).collect();
        let c = self.write("many.c", &format!("int main(void) {{ int x;\n{body}return x; }}\n"));
        self.built(&["cc", "-g", "-O0", "-o", "many", "many.c"]);
        let lldb_launch = json!({ "program": self.tree.join("many"), "cwd": self.tree });
        for (name, mut command, launch, file, program) in [
            ("debugpy", debugpy(false), self.python(&python), &python, "many.py"),
            ("lldb-dap", lldb(), lldb_launch, &c, "many"),
        ] {
            let lines = 2..BREAKPOINTS + 2;
            let mut bare = Bare::start(&mut command);
            bare.launch(launch, file, &[2]);
            let all: Vec<_> = lines.clone().map(|line| json!({ "line": line })).collect();
            let set = json!({ "source": { "path": file }, "breakpoints": all });
            let (set, alone) = timed(|| bare.request("setBreakpoints", set));
            assert_eq!(set["breakpoints"].as_array().unwrap().len(), BREAKPOINTS);
            drop(bare);
            let ours = self.ours();
            let source = file.file_name().unwrap().to_str().unwrap();
            ours.stopped(program, source, 2);
            let all: Vec<_> = lines.map(|line| json!({ "file": source, "line": line })).collect();
            let params = json!({ "action": "set", "breakpoints": all });
            let (set, through) = timed(|| ours.call("debug_breakpoint", params));
            let all = set["breakpoints"].as_array().unwrap();
            assert_eq!(all.iter().filter(|one| one["verified"] == true).count(), BREAKPOINTS);
            row(&format!("{name}: 1,000 breakpoints in one request"), vec![alone]);
            row("ours: 1,000 breakpoints in one call", vec![through]);
            ours.leave();
        }
    }

    /// 100 of 100,000 elements, the first and others.
    fn pages(&self) {
        let python = self.write("long.py", &format!("all = list(range({ELEMENTS}))\nx = 1\n"));
        let c = self.write(
            "array.c",
            &format!(
                "int main(void) {{\n    static int all[{ELEMENTS}];\n    \
                 for (int n = 0; n < {ELEMENTS}; n++) all[n] = n;\n    return all[7] - 7;\n}}\n"
            ),
        );
        self.built(&["cc", "-g", "-O0", "-o", "array", "array.c"]);
        let rust = self.write(
            "vec.rs",
            &format!(
                "fn main() {{\n    let all: Vec<i64> = (0..{ELEMENTS}).collect();\n    \
                 println!(\"{{}}\", all.len());\n}}\n"
            ),
        );
        self.built(&["rustc", "-g", "-o", "vec", "vec.rs"]);
        let native = |name: &str| json!({ "program": self.tree.join(name), "cwd": self.tree });
        for (what, mut command, launch, file, line, program) in [
            ("debugpy: list", debugpy(true), self.python(&python), &python, 2, "long.py"),
            ("lldb-dap: int[]", lldb(), native("array"), &c, 4, "array"),
            ("lldb-dap: Vec", lldb(), native("vec"), &rust, 3, "vec"),
        ] {
            let mut bare = Bare::start(&mut command);
            let stop = bare.launch(launch, file, &[line]);
            let held = bare.report(&stop["threadId"]);
            let all = held["variables"].as_array().unwrap();
            let all = all.iter().find(|one| one["name"] == "all").cloned();
            // A far page is had bare where the adapter has such.
            let mut page = |start: usize| {
                let wanted = json!({
                    "variablesReference": all.as_ref()?["variablesReference"],
                    "filter": "indexed", "start": start, "count": 100,
                });
                let (found, took) = timed(|| bare.request("variables", wanted));
                let first = &found["variables"][0];
                (first["value"].as_str() == Some(start.to_string().as_str())).then_some(took)
            };
            row(&format!("{what}, elements 50,000 to 50,100 bare"), Vec::from_iter(page(50_000)));
            let ours = self.ours();
            let source = file.file_name().unwrap().to_str().unwrap();
            ours.stopped(program, source, line);
            let value = ours.call("debug_evaluate", json!({ "expression": "all" }));
            let page = |start: usize| {
                let params =
                    json!({ "reference": value["reference"], "cursor": start.to_string() });
                let (found, took) = timed(|| ours.call("debug_variables", params));
                let shown = found["variables"].as_array().unwrap();
                let values = shown.iter().map(|one| one["value"].as_str().unwrap().to_owned());
                let wanted = (start..start + 100).map(|n| n.to_string());
                assert!(values.eq(wanted), "{what} from {start}: {found}");
                took
            };
            row(&format!("{what}, the first 100 of 100,000 elements, ours"), vec![page(0)]);
            let far = (1..PAGES).map(|n| page(n * (ELEMENTS / PAGES) + 50)).collect();
            row(&format!("{what}, 100 others, ours"), far);
            ours.leave();
        }
    }
}
