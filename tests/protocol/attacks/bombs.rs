//! Bombs: inputs that cost more than they weigh. Each is called for over MCP and cancelled soon after; what
//! counts is the peak of memory, and how long the server works on for nobody.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::Home;

/// When a call is cancelled that has not been answered.
const CANCEL_AFTER: Duration = Duration::from_millis(500);
/// How long the server may work on after that, on a loaded machine.
const MAX_WORK_AFTER_CANCEL: Duration = Duration::from_secs(20);
/// How long to wait for the refusal of a bomb that no call may begin to work on.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// Most memory that it may take, in MiB.
const MAX_MEMORY_MIB: u64 = 1_500;

struct Bomb {
    name: &'static str,
    prepare: fn(&Path),
    tool: &'static str,
    arguments: fn() -> Value,
    /// Whether the answer is `E_TOO_LARGE`.
    refused: bool,
}

fn git(root: &Path, args: &[&str]) {
    let git = Command::new("git")
        .current_dir(root)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(args)
        .output()
        .unwrap();
    assert!(git.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&git.stderr));
}

fn repository(root: &Path) {
    git(root, &["init", "-q"]);
    fs::write(root.join("a.txt"), "a\n").unwrap();
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "one"]);
}

/// Commits a tree of eleven folders within each other, each with ten names: 10^11 files.
fn commit_exponential_tree(root: &Path) {
    repository(root);
    let made = |args: &[&str], input: &str| {
        let mut git = Command::new("git")
            .current_dir(root)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        git.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        let out = git.wait_with_output().unwrap();
        assert!(out.status.success(), "git {args:?}");
        String::from_utf8(out.stdout).unwrap().trim().to_owned()
    };
    let blob = made(&["hash-object", "-w", "--stdin"], "x\n");
    let mut tree = made(&["mktree"], &format!("100644 blob {blob}\tf\n"));
    for _ in 0..11 {
        let entries: String = (0..10).map(|n| format!("040000 tree {tree}\td{n}\n")).collect();
        tree = made(&["mktree"], &entries);
    }
    git(root, &["update-ref", "refs/heads/before", "HEAD"]);
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.com"];
    let commit: Vec<&str> =
        who.into_iter().chain(["commit-tree", &tree, "-p", "HEAD", "-m", "bomb"]).collect();
    let commit = made(&commit, "");
    git(root, &["update-ref", "HEAD", &commit]);
}

fn sparse(path: &Path, gib: u64) {
    File::options().create(true).append(true).open(path).unwrap().set_len(gib << 30).unwrap();
}

fn none() -> Value {
    json!({})
}

fn path_params(path: &str) -> Value {
    json!({ "path": path })
}

const BOMBS: &[Bomb] = &[
    Bomb {
        name: "tree of 10^11 files, status",
        prepare: commit_exponential_tree,
        tool: "git_status",
        arguments: none,
        refused: true,
    },
    Bomb {
        name: "tree of 10^11 files, show",
        prepare: commit_exponential_tree,
        tool: "git_show",
        arguments: none,
        refused: true,
    },
    Bomb {
        name: "tree of 10^11 files, diff",
        prepare: commit_exponential_tree,
        tool: "git_diff",
        arguments: || json!({ "commit": "before" }),
        refused: false,
    },
    Bomb {
        name: "tree of 10^11 files, staged",
        prepare: commit_exponential_tree,
        tool: "git_diff",
        arguments: || json!({ "staged": true }),
        refused: true,
    },
    Bomb {
        name: "tree of 10^11 files, log",
        prepare: commit_exponential_tree,
        tool: "git_log",
        arguments: || path_params("d1/f"),
        refused: false,
    },
    Bomb {
        name: "index of 20 GiB",
        prepare: |root| {
            repository(root);
            sparse(&root.join(".git/index"), 20)
        },
        tool: "git_status",
        arguments: none,
        refused: true,
    },
    Bomb {
        name: "HEAD of 20 GiB",
        prepare: |root| {
            repository(root);
            sparse(&root.join(".git/HEAD"), 20)
        },
        tool: "git_status",
        arguments: none,
        refused: true,
    },
    Bomb {
        name: "packed-refs of 20 GiB",
        prepare: |root| {
            repository(root);
            sparse(&root.join(".git/packed-refs"), 20)
        },
        tool: "git_log",
        arguments: none,
        refused: true,
    },
    Bomb {
        name: "config of 20 GiB",
        prepare: |root| {
            repository(root);
            sparse(&root.join(".git/config"), 20)
        },
        tool: "git_status",
        arguments: none,
        refused: false,
    },
    Bomb {
        name: "blob of 300 MiB",
        prepare: |root| {
            repository(root);
            File::create(root.join("big")).unwrap().set_len(300 << 20).unwrap();
            git(root, &["add", "-A"]);
            git(root, &["commit", "-qm", "big"]);
        },
        tool: "git_show",
        arguments: || path_params("big"),
        refused: true,
    },
    Bomb {
        name: "file of 20 GiB, read",
        prepare: |root| sparse(&root.join("big.txt"), 20),
        tool: "read_file",
        arguments: || path_params("big.txt"),
        refused: true,
    },
    Bomb {
        name: "file of 20 GiB, searched",
        prepare: |root| sparse(&root.join("big.txt"), 20),
        tool: "grep_search",
        arguments: || json!({ "pattern": "x+y" }),
        refused: false,
    },
    Bomb {
        name: "100,000 open tags",
        prepare: |root| fs::write(root.join("a.html"), "<div>".repeat(100_000)).unwrap(),
        tool: "symbols_overview",
        arguments: || path_params("a.html"),
        refused: false,
    },
    Bomb {
        name: "100,000 open tags, diagnostics",
        prepare: |root| fs::write(root.join("a.html"), "<div>".repeat(100_000)).unwrap(),
        tool: "get_diagnostics",
        arguments: || path_params("a.html"),
        refused: false,
    },
    Bomb {
        name: "20,000 generics, TypeScript",
        prepare: |root| {
            fs::write(
                root.join("a.ts"),
                format!("let x: {}B{};\n", "A<".repeat(20_000), ">".repeat(20_000)),
            )
            .unwrap()
        },
        tool: "get_diagnostics",
        arguments: || path_params("a.ts"),
        refused: false,
    },
    Bomb {
        name: "20,000 generics, Rust",
        prepare: |root| {
            fs::write(
                root.join("a.rs"),
                format!("type T = {}u8{};\n", "A<".repeat(20_000), ">".repeat(20_000)),
            )
            .unwrap()
        },
        tool: "get_diagnostics",
        arguments: || path_params("a.rs"),
        refused: false,
    },
    Bomb {
        name: "JSON 1,000,000 deep",
        prepare: |root| fs::write(root.join("a.json"), "[".repeat(1_000_000)).unwrap(),
        tool: "get_diagnostics",
        arguments: || path_params("a.json"),
        refused: false,
    },
    Bomb {
        name: "fuzzy match in 60 MB",
        prepare: |root| {
            let text: String = (0..1_200_000)
                .map(|n| format!("line {} alpha beta gamma delta epsilon\n", n % 977))
                .collect();
            fs::write(root.join("big.txt"), text).unwrap();
        },
        tool: "apply_edit",
        arguments: || json!({ "path": "big.txt", "old_text": "line 5 alpha beta gama delta epsilon\nline 6 alpha  beta gamma delta epsilon\nline 7 alpha bta gamma delta epsilon", "new_text": "y" }),
        refused: false,
    },
];

/// A server whose answers are read by nobody but here.
struct Mcp {
    child: Child,
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mcp {
    fn start(home: &Home) -> (Self, BufReader<impl Read + Send + 'static>) {
        let mut command = home.command();
        command.args(["mcp", "--headless", "--workspace", "workspace"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child };
        let client = json!({ "name": "bombs", "version": "1" });
        let hello =
            json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
        server.send(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }));
        stdout.read_line(&mut String::new()).unwrap();
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        (server, stdout)
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    fn proc_file(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap()
    }

    /// The most memory that it has had, in MiB.
    fn peak_memory(&self) -> u64 {
        let status = self.proc_file("status");
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() >> 10
    }

    /// Its processor time so far, in ticks of 10 ms.
    fn ticks(&self) -> u64 {
        let stat = self.proc_file("stat");
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }

    /// How long it goes on working: up to `most`.
    fn time_until_idle(&self, most: Duration) -> Duration {
        let begun = Instant::now();
        loop {
            let before = self.ticks();
            std::thread::sleep(Duration::from_millis(200));
            if self.ticks() <= before + 2 || begun.elapsed() > most {
                return begun.elapsed().saturating_sub(Duration::from_millis(200));
            }
        }
    }
}

/// The code of an error, or that there is a result.
fn outcome(line: &str) -> String {
    let answer: Value = serde_json::from_str(line).unwrap();
    let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
    let code = serde_json::from_str::<Value>(text).unwrap_or_default()["code"].clone();
    code.as_str().unwrap_or("result").to_owned()
}

#[test]
fn an_editor_that_does_not_read_costs_no_memory() {
    const REQUESTS: usize = 3_000;
    let home = Home::new();
    let mut command = home.command();
    let mut child =
        command.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let server = Mcp { child };
    let flood = std::thread::spawn(move || {
        let mut send = |message: Value| {
            stdin.write_all(&framing::encode(message.to_string().as_bytes())).unwrap();
        };
        let hello = json!({ "capabilities": {} });
        send(json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello }));
        std::thread::sleep(Duration::from_secs(1));
        send(json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        let text: String = (0..2_000).map(|n| format!("def f{n}(a):\n    return a\n")).collect();
        let uri = "file:///a.py";
        let open = json!({ "uri": uri, "languageId": "python", "version": 1, "text": text });
        let open = json!({ "textDocument": open });
        send(json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open }));
        let params = json!({ "textDocument": { "uri": uri } });
        let method = "textDocument/documentSymbol";
        for id in 1..=REQUESTS {
            send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        }
        // A cancel of what is long answered, behind all of them.
        let cancel = json!({ "id": 1 });
        send(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": cancel }));
        stdin
    });
    std::thread::sleep(Duration::from_secs(5));
    let peak = server.peak_memory();
    println!("| {REQUESTS} outlines that nobody reads | lsp | {peak} | | |");
    assert!(peak < 500, "{peak} MiB");
    // Once they are read, all are taken in and answered.
    let (mut frames, mut rest) = (0, Vec::new());
    let mut piece = vec![0; 1 << 20];
    while frames <= REQUESTS {
        let read = stdout.read(&mut piece).unwrap();
        assert!(read > 0, "ended after {frames} answers");
        rest.extend_from_slice(&piece[..read]);
        frames += rest.windows(5).filter(|five| five == b"\"id\":").count();
        let keep = rest.len().saturating_sub(4);
        rest.drain(..keep);
    }
    flood.join().unwrap();
}

#[test]
fn no_bomb_exhausts_the_machine() {
    let mut failed = Vec::new();
    println!(
        "| bomb | tool | peak MiB | answered | works on after the cancel, s |\n|---|---|---|---|---|"
    );
    for bomb in BOMBS {
        let home = Home::new();
        (bomb.prepare)(&home.root());
        let (mut server, mut stdout) = Mcp::start(&home);
        let params = json!({ "name": bomb.tool, "arguments": (bomb.arguments)() });
        server
            .send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }));
        let (sender, answer) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            if stdout.read_line(&mut line).is_ok() {
                let _ = sender.send(line);
            }
        });
        // What is refused is refused without being cancelled, however slow the machine is.
        let patience = if bomb.refused { RESPONSE_TIMEOUT } else { CANCEL_AFTER };
        let answered = answer.recv_timeout(patience).ok().map(|line| outcome(&line));
        if answered.is_none() {
            let params = json!({ "requestId": 1 });
            server.send(
                &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
            );
        }
        let (quiet, peak) = (server.time_until_idle(MAX_WORK_AFTER_CANCEL), server.peak_memory());
        let answered = answered.unwrap_or_else(|| "cancelled".to_owned());
        let seconds = quiet.as_secs_f32();
        println!("| {} | {} | {peak} | {answered} | {seconds:.1} |", bomb.name, bomb.tool);
        // A repository is refused for its size, not for something else.
        let is_refused = bomb.refused == (answered == "E_TOO_LARGE");
        if quiet >= MAX_WORK_AFTER_CANCEL || peak > MAX_MEMORY_MIB || !is_refused {
            failed.push(bomb.name);
        }
    }
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn a_client_that_does_not_read_costs_no_memory() {
    let home = Home::new();
    let (mut server, mut stdout) = Mcp::start(&home);
    let stdin = server.child.stdin.take().unwrap();
    let flood = std::thread::spawn(move || {
        let mut stdin = stdin;
        for id in 1..=6_000 {
            let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\"}}\n");
            if stdin.write_all(line.as_bytes()).is_err() {
                return None;
            }
        }
        Some(stdin)
    });
    std::thread::sleep(Duration::from_secs(3));
    let peak = server.peak_memory();
    println!("| 6,000 lists that nobody reads | mcp | {peak} | | |");
    assert!(peak < 300, "{peak} MiB");
    // All are answered once they are read.
    let mut line = String::new();
    for _ in 1..=6_000 {
        line.clear();
        assert!(stdout.read_line(&mut line).unwrap() > 0);
    }
    assert!(flood.join().unwrap().is_some());
}

#[test]
fn a_fifo_in_the_state_folder_does_not_block() {
    for name in ["history.db", "audit.db", "lock", "history.db-wal"] {
        let server = tests::Server::start("//- /a.txt\na\n");
        server.must("write_file", json!({ "path": "a.txt", "content": "b\n" }));
        let home = server.quit();
        let state = home.root().parent().unwrap().to_owned();
        let mut found = Vec::new();
        let mut folders = vec![state];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    folders.push(entry.path());
                } else if entry.file_name() == name.trim_end_matches("-wal") {
                    found.push(entry.path().with_file_name(name));
                }
            }
        }
        assert!(!found.is_empty(), "no {name}");
        for path in found {
            let _ = fs::remove_file(&path);
            assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        }
        let begun = Instant::now();
        let server = tests::Server::restart(home);
        assert_eq!(server.read("a.txt"), "b\n");
        assert!(begun.elapsed() < Duration::from_secs(10), "{name}: {:?}", begun.elapsed());
    }
}
