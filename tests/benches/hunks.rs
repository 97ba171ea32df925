//! Hunks after a keystroke in a long file, over the wire: `cargo bench -p tests --bench hunks`.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod measured;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use client::{Client, file_uri};
use measured::{open, row, started};
use serde_json::json;

const LINES: usize = 5_000;
const KEYSTROKES: usize = 300;
/// Changes by others.
const EXTERNAL_CHANGES: usize = 50;
/// Every so many lines differ from the index, before anything is typed.
const LINES_PER_HUNK: usize = 50;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let tree = home.path().join("tree");
    std::fs::create_dir(&tree).unwrap();
    let line = |n: usize| format!("    let value_{n} = compute(value_{}, {n});\n", n / 2);
    let text: String = (0..LINES).map(line).collect();
    let path = tree.join("long.rs");
    std::fs::write(&path, &text).unwrap();
    git(&tree, &["init", "-q"]);
    git(&tree, &["add", "-A"]);
    git(&tree, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "first"]);
    let changed =
        |n: usize| if n.is_multiple_of(LINES_PER_HUNK) { format!("// {n}\n") } else { line(n) };
    std::fs::write(&path, (0..LINES).map(changed).collect::<String>()).unwrap();
    let mut command = Command::new(tests::binary());
    command.arg("lsp").env("XDG_CACHE_HOME", home.path()).env("XDG_STATE_HOME", home.path());
    let client = started(&tree, &mut command);
    open(&client, &path);
    let document = json!({ "uri": file_uri(&path) });
    println!(
        "| hunks in {LINES} lines, {} of them | n | p50 | p95 | max |",
        LINES / LINES_PER_HUNK
    );
    println!("|---|---:|---:|---:|---:|");
    let (mut asked, mut told) = (Vec::new(), Vec::new());
    for stroke in 0..KEYSTROKES {
        let at = json!({ "line": stroke * 7 % LINES, "character": 0 });
        let change = json!({
            "textDocument": { "uri": file_uri(&path), "version": stroke + 2 },
            "contentChanges": [{ "range": { "start": at, "end": at }, "text": "x" }],
        });
        let begun = Instant::now();
        client.notify("textDocument/didChange", change).unwrap();
        let found = client.request("tandem/hunks", json!({ "textDocument": document })).unwrap();
        asked.push(begun.elapsed());
        assert!(found["hunks"].as_array().unwrap().len() >= LINES / LINES_PER_HUNK);
        let is_it = |params: &serde_json::Value| params["version"] == stroke + 2;
        // The first one was requested before any notification.
        let wait = Duration::from_secs(if stroke == 0 { 1 } else { 20 });
        let heard = client.wait_for_notification("tandem/didChangeHunks", wait, is_it);
        if heard.is_ok() {
            told.push(begun.elapsed());
        }
    }
    let staged = outside(&client, &tree, &path);
    row("from the keystroke to the answer", asked);
    row("from the keystroke to being told, with a pause of 30 ms", told);
    row("from the end of `git add` in a terminal to being told", staged);
}

/// The time from the end of an external git command to the notification of the client.
fn outside(client: &Client, tree: &Path, path: &Path) -> Vec<Duration> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut told = Vec::new();
    for round in 0..EXTERNAL_CHANGES {
        let hear = |wait| client.wait_for_notification("tandem/didChangeHunks", wait, |_| true);
        // Earlier notifications have arrived by then.
        std::thread::sleep(Duration::from_millis(200));
        while hear(Duration::from_millis(1)).is_ok() {}
        // Each time something else is staged.
        std::fs::write(path, format!("{text}// {round}\n")).unwrap();
        git(tree, &["add", "-A"]);
        let begun = Instant::now();
        hear(Duration::from_secs(20)).unwrap();
        told.push(begun.elapsed());
    }
    told
}

fn git(folder: &Path, args: &[&str]) {
    let mut command = Command::new("git");
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").args(args);
    assert!(command.status().unwrap().success(), "{args:?}");
}
