//! What one edit costs over the wire: a dry run and a real one, exact and re-indented, in closed files
//! of four lengths, beside whole runs of codex's `apply_patch` (`TANDEM_CODEX`).
//!
//! `cargo build --release --all-features && cargo bench -p tests --bench edits`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use tests::Server;

/// Lines of a file, how often it is edited, and the goal in milliseconds.
const SIZES: [(usize, usize, u128); 4] =
    [(200, 30, 2), (2_000, 30, 4), (10_000, 20, 12), (100_000, 10, 80)];

fn main() {
    // `cargo test --benches` builds and runs this file too: only a bench is asked for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("| lines | language | edit | first | p50 | slowest | goal | codex |");
    println!("|---:|---|---|---:|---:|---:|---:|---:|");
    for (lines, rounds, goal) in SIZES {
        for language in ["py", "rs"] {
            measure(language, lines, rounds, goal);
        }
    }
}

fn function(language: &str, n: usize) -> String {
    match language {
        "py" => format!(
            "class C{n}:\n    def run(self, value):\n        total = value + {n}\n        if total > {n}:\n            return [total, {n}]\n        return None\n\n"
        ),
        _ => format!(
            "impl Run for C{n} {{\n    fn run(&self, value: u64) -> u64 {{\n        let total = value + {n};\n        if total > {n} {{\n            return total;\n        }}\n        {n}\n    }}\n}}\n\n"
        ),
    }
}

fn measure(language: &str, lines: usize, rounds: usize, goal: u128) {
    let count = lines / function(language, 1).lines().count();
    let text: String = (0..count).map(|n| function(language, n)).collect();
    let rounds = rounds.min(count / 2);
    let path = format!("a.{language}");
    for (name, dry, indented) in [
        ("exact, dry", true, false),
        ("exact", false, false),
        ("re-indented, dry", true, true),
        ("re-indented", false, true),
    ] {
        let server = Server::start("//- /x.txt\nx\n");
        server.write(&path, &text);
        server.wait_until_read();
        let mut samples = Vec::new();
        for round in 0..rounds {
            let n = (round + 1) * count / (rounds + 2);
            let (old, new) = edit(language, n, indented);
            let params = json!({ "path": path, "old_text": old, "new_text": new, "dry_run": dry });
            let started = Instant::now();
            let result = server.must("apply_edit", params);
            samples.push(started.elapsed());
            assert_eq!(result["changed"], true, "{result}");
        }
        let codex = if dry {
            String::new()
        } else {
            codex(server.root().as_path(), language, &text, count)
        };
        let first = samples[0];
        let mut rest = samples.split_off(1);
        rest.sort_unstable();
        let (p50, slowest) = (rest[rest.len() / 2], rest[rest.len() - 1]);
        let (first, p50, slowest) = (format_time(first), format_time(p50), format_time(slowest));
        println!(
            "| {lines} | {language} | {name} | {first} | {p50} | {slowest} | {goal} ms | {codex} |"
        );
    }
}

/// Two lines of a function, and what becomes of them.
fn edit(language: &str, n: usize, indented: bool) -> (String, String) {
    let text = function(language, n);
    let lines: Vec<&str> = text.lines().skip(2).take(2).collect();
    let by = if indented { 4 } else { 0 };
    let old: String = lines.iter().map(|line| format!("{}\n", &line[by..])).collect();
    let new = old.replacen(&format!("value + {n}"), &format!("value + {n} + 1"), 1);
    (old, new)
}

fn format_time(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A whole run of codex's program on the same kind of edit.
fn codex(root: &Path, language: &str, text: &str, count: usize) -> String {
    let Some(program) = std::env::var_os("TANDEM_CODEX") else { return "absent".to_owned() };
    std::fs::write(root.join("codex.txt"), text).unwrap();
    let mut samples: Vec<Duration> = (0..5)
        .map(|round| {
            let (old, new) = edit(language, count - 1 - round, false);
            let marked = |mark: &str, text: &str| -> String {
                text.lines().map(|line| format!("{mark}{line}\n")).collect()
            };
            let patch = format!(
                "*** Begin Patch\n*** Update File: codex.txt\n@@\n{}{}*** End Patch",
                marked("-", &old),
                marked("+", &new)
            );
            let started = Instant::now();
            let done = Command::new(&program)
                .arg0("apply_patch")
                .arg(patch)
                .current_dir(root)
                .stdout(Stdio::null())
                .status();
            assert!(done.unwrap().success());
            started.elapsed()
        })
        .collect();
    samples.sort_unstable();
    format_time(samples[samples.len() / 2])
}
