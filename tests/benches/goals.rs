//! What had missed its goal, in one table: the goal, another build of the server, this one, and a peer, in
//! turns in one run.
//!
//! `cargo build --release && cargo bench -p tests --bench goals`. What is measured is where these name
//! something: `TANDEM_BEFORE` another build, `TANDEM_DJANGO` the unpacked sources of Django 5.2 (first
//! answers, tokens, outlines, lenses), `TANDEM_GIT_TREE` a repository with changes (git by MCP), and the
//! peers `TANDEM_MCP_GIT` (`mcp-server-git`) and `TANDEM_CTAGS`. `TANDEM_ROUNDS` is how often.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod measured;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use client::file_uri;
use measured::{joined, open, sources, started};
use serde_json::{Value, json};

/// A tool, a name, and its file where uses are asked for.
const FIRST: &[(&str, &str, Option<&str>)] = &[
    ("find_symbol", "get_object_or_404", None),
    ("find_symbol", "QuerySet/filter", None),
    ("find_symbol", "save", None),
    ("find_symbol", "get_object_or_405", None),
    ("find_referencing_symbols", "get_object_or_404", Some("django/shortcuts.py")),
    ("find_referencing_symbols", "/reverse", Some("django/urls/base.py")),
    ("find_referencing_symbols", "Model/save", Some("django/db/models/base.py")),
    ("find_referencing_symbols", "QuerySet/filter", Some("django/db/models/query.py")),
];
/// Calls of a server after its first.
const CALLS: usize = 30;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let load = fs::read_to_string("/proc/loadavg").unwrap();
    println!("load at the start: {}\n", load.trim());
    println!("| median, ms (least) | goal | before | now | peer |\n|---|---:|---:|---:|---:|");
    let home = tempfile::tempdir().unwrap();
    let before = named("TANDEM_BEFORE");
    let bench = Bench { home: home.path().to_owned(), builds: [before, Some(tests::binary())] };
    if let Some(django) = named("TANDEM_DJANGO") {
        bench.first_answers(&django);
        bench.documents(&django);
    }
    if let Some(tree) = named("TANDEM_GIT_TREE") {
        bench.git(&tree);
    }
}

fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn rounds() -> usize {
    named("TANDEM_ROUNDS").and_then(|n| n.to_str()?.parse().ok()).unwrap_or(9)
}

fn row(what: &str, goal: &str, columns: [Vec<Duration>; 3]) {
    let cells = columns.map(|mut times| {
        times.sort_unstable();
        let ms = |time: &Duration| time.as_secs_f64() * 1e3;
        let cell = |least| format!("{:.1} ({:.1})", ms(&times[times.len() / 2]), ms(least));
        times.first().map_or_else(String::new, cell)
    });
    println!("| {what} | {goal} | {} |", cells.join(" | "));
}

struct Bench {
    home: PathBuf,
    /// Before and now.
    builds: [Option<PathBuf>; 2],
}

impl Bench {
    /// A program that keeps its state in a folder of this bench, `name`.
    fn command(&self, program: &Path, tree: &Path, name: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(tree).stderr(Stdio::null());
        for variable in ["XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
            let folder = self.home.join(name).join(variable);
            fs::create_dir_all(&folder).unwrap();
            command.env(variable, folder);
        }
        command
    }

    /// The first call in a workspace that was never read, the start of the program included.
    fn first_answers(&self, tree: &Path) {
        for (tool, name, file) in FIRST {
            let mut params = json!({ "name_path": name });
            if let Some(file) = file {
                params["path"] = json!(file);
            }
            let mut times = [Vec::new(), Vec::new(), Vec::new()];
            for round in 0..rounds() {
                for (build, times) in self.builds.iter().zip(&mut times) {
                    let Some(build) = build else { continue };
                    let kept = format!("first-{round}");
                    let mut command = self.command(build, tree, &kept);
                    command.args(["call", tool, &params.to_string()]).stdout(Stdio::null());
                    let begun = Instant::now();
                    command.status().unwrap();
                    times.push(begun.elapsed());
                    fs::remove_dir_all(self.home.join(kept)).unwrap();
                }
            }
            row(&format!("first answer: `{tool}` of `{name}`"), "300", times);
        }
    }

    /// Outline, tokens and lenses of long files that have just been opened.
    fn documents(&self, django: &Path) {
        let files = sources(django);
        let tree = self.home.join("tree");
        fs::create_dir_all(&tree).unwrap();
        for (what, request, lines, goal) in [
            ("outline", "documentSymbol", 10_000, "10"),
            ("all tokens", "semanticTokens/full", 10_000, "60"),
            ("code lenses", "codeLens", 50_000, ""),
        ] {
            let Some(text) = joined(&files, "python", lines) else { continue };
            let mut times = [Vec::new(), Vec::new(), Vec::new()];
            for round in 0..rounds() {
                let path = tree.join(format!("long{round}.py"));
                fs::write(&path, &text).unwrap();
                for (build, times) in self.builds.iter().zip(&mut times) {
                    let Some(build) = build else { continue };
                    let mut command = self.command(build, &tree, "documents");
                    let client = started(&tree, command.arg("lsp"));
                    open(&client, &path);
                    let document = json!({ "uri": file_uri(&path) });
                    let place = json!({ "line": 0, "character": 0 });
                    let asked = json!({ "textDocument": document, "positions": [place] });
                    // The tree is there, and so are the queries.
                    client.request("textDocument/selectionRange", asked).unwrap();
                    std::thread::sleep(Duration::from_secs(1));
                    let begun = Instant::now();
                    let asked = json!({ "textDocument": document });
                    client.request(&format!("textDocument/{request}"), asked).unwrap();
                    times.push(begun.elapsed());
                }
                if let Some(ctags) = named("TANDEM_CTAGS").filter(|_| what == "outline") {
                    let mut command = Command::new(ctags);
                    command.args(["-f", "-"]).arg(&path).stdout(Stdio::null());
                    let begun = Instant::now();
                    assert!(command.status().unwrap().success());
                    times[2].push(begun.elapsed());
                }
                fs::remove_file(&path).unwrap();
            }
            row(&format!("{what}, {lines} lines of Python"), goal, times);
        }
    }

    /// A repository's status and differences by MCP: a server's first call, and the later ones.
    fn git(&self, tree: &Path) {
        let peer = named("TANDEM_MCP_GIT");
        for tool in ["git_status", "git_diff"] {
            let (mut first, mut later) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
            for _ in 0..rounds() {
                let servers = self.builds.iter().chain([&peer]).enumerate();
                for (n, program) in servers.filter_map(|(n, program)| Some((n, program.as_ref()?)))
                {
                    let mut command = self.command(program, tree, "git");
                    let is_peer = n == 2;
                    let mut server = match is_peer {
                        true => Mcp::start(command.arg("-r").arg(tree)),
                        false => Mcp::start(command.args(["mcp", "--stdio"])),
                    };
                    let (tool, params) = match (is_peer, tool) {
                        (true, "git_diff") => ("git_diff_unstaged", json!({ "repo_path": tree })),
                        (true, tool) => (tool, json!({ "repo_path": tree })),
                        (false, tool) => (tool, json!({})),
                    };
                    first[n].push(server.call(tool, &params));
                    later[n].extend((0..CALLS).map(|_| server.call(tool, &params)));
                }
            }
            row(&format!("`{tool}` by MCP, a server's first call"), "", first);
            row(&format!("`{tool}` by MCP, later ones"), "", later);
        }
    }
}

/// A server of tools.
struct Mcp {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    asked: u64,
}

impl Mcp {
    fn start(command: &mut Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self { child, lines, asked: 0 };
        let about = json!({
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" },
        });
        server.request("initialize", &about);
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server.request("tools/list", &json!({}));
        server
    }

    fn send(&mut self, message: &Value) {
        self.child.stdin.as_mut().unwrap().write_all(format!("{message}\n").as_bytes()).unwrap();
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let line = self.lines.next().unwrap().unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id && message["method"].is_null() {
                return message;
            }
        }
    }

    fn call(&mut self, tool: &str, params: &Value) -> Duration {
        let begun = Instant::now();
        let asked = json!({ "name": tool, "arguments": params });
        let answer = self.request("tools/call", &asked);
        let took = begun.elapsed();
        assert!(answer["result"]["isError"] != true, "{answer}");
        took
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
