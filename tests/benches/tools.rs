//! The tools from outside: what a call costs beside the plain system calls it is made of, and
//! what a hundred thousand of them leave behind.
//!
//! `cargo build --release && cargo bench -p tests --bench tools`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::Server;

const MEGABYTE: usize = 1 << 20;
/// Calls between two measurements of memory.
const CALLS: usize = 100_000;

fn main() {
    // `cargo test --benches` builds and runs this file too: only a bench is asked for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    durable_writes();
    memory();
}

fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort_unstable();
    samples[samples.len() / 2]
}

fn timed(run: impl FnOnce()) -> Duration {
    let started = Instant::now();
    run();
    started.elapsed()
}

/// A file of one megabyte, replaced durably: by hand, and by the tool; turn and turn about.
fn durable_writes() {
    let server = Server::start("//- /a.txt\nx\n");
    let (mut plain, mut tool) = (Vec::new(), Vec::new());
    let by_hand = server.path("by-hand.txt");
    for n in 0..40_u8 {
        let content = text(n);
        plain.push(timed(|| replace(&by_hand, content.as_bytes())));
        let call = json!({ "path": "tool.txt", "content": content });
        tool.push(timed(|| drop(server.must("write_file", call))));
    }
    let (plain, tool) = (median(plain), median(tool));
    println!("| 1 MB, durable | p50 |\n|---|---:|");
    println!("| write + fsync + rename | {:.1} ms |", plain.as_secs_f64() * 1e3);
    println!("| write_file | {:.1} ms |", tool.as_secs_f64() * 1e3);
    println!("| ratio (goal 2.0) | {:.2} |\n", tool.as_secs_f64() / plain.as_secs_f64());
}

/// One megabyte of lines, each round's its own.
fn text(round: u8) -> String {
    let line = |n: usize| format!("{round} {n} the quick brown fox jumps over the lazy dog\n");
    let mut text: String = (0..MEGABYTE / 50).map(line).collect();
    text.truncate(MEGABYTE);
    text
}

fn replace(path: &Path, bytes: &[u8]) {
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
    std::fs::rename(&temporary, path).unwrap();
    File::open(path.parent().unwrap()).unwrap().sync_all().unwrap();
}

/// Resident memory and open files over many calls of several tools.
fn memory() {
    let server = Server::start(
        "//- /a.txt\none\ntwo\n//- /src/main.py\ndef main():\n    pass\n//- /b.txt\nx = 0\n",
    );
    let process = server.process().unwrap().id();
    let calls = [
        ("read_file", json!({ "path": "a.txt" })),
        ("get_file_info", json!({ "path": "src/main.py" })),
        ("grep_search", json!({ "pattern": "main" })),
        ("find_files", json!({ "pattern": "main" })),
        ("list_directory", json!({})),
        ("read_file_range", json!({ "path": "a.txt", "start_line": 2 })),
    ];
    println!("| calls | resident | open files | p50 of a call |\n|---:|---:|---:|---:|");
    let mut done = 0;
    for until in [1_000, CALLS / 10, CALLS / 2, CALLS] {
        let mut samples = Vec::new();
        while done < until {
            let (tool, arguments) = &calls[done % calls.len()];
            samples.push(timed(|| drop(server.must(tool, arguments.clone()))));
            if done % 500 == 0 {
                let edit = json!({ "path": "b.txt", "old_text": format!("x = {}", done / 500),
                    "new_text": format!("x = {}", done / 500 + 1) });
                server.must("apply_edit", edit);
            }
            done += 1;
        }
        let files = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count();
        println!(
            "| {done} | {:.1} MB | {files} | {} µs |",
            resident(process),
            median(samples).as_micros()
        );
    }
}

/// Resident memory of a process in megabytes.
fn resident(process: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let kilobytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes / 1024.0
}
