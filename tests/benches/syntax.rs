//! What syntax costs over the wire, in long files of real code: a keystroke, colours, outlines, memory;
//! and highlighting beside other programs.
//!
//! `TANDEM_SOURCES=DIR:DIR cargo bench -p tests --bench syntax`: the folders are looked through for
//! files in the languages below, which are put one behind the other until there are enough lines.
//! Without it the repository is. `TANDEM_BAT` names a `bat` to highlight the same files.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod measured;

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use client::{Answer, Client, file_uri};
use measured::{joined, open, row, sources, started};
use serde_json::{Value, json};
use syntax::Language;
use tree_sitter::{InputEdit, Parser, Point};

const LANGUAGES: [(&str, &str); 4] =
    [("rust", "rs"), ("go", "go"), ("typescript", "ts"), ("python", "py")];
const LONG_LINES: usize = 100_000;
const MEDIUM_LINES: usize = 10_000;
const KEYSTROKES: usize = 100;
/// Full requests to time, each for another document.
const FULL_REQUESTS: usize = 10;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let tree = home.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let files = files();
    println!("| what | n | p50 | p95 | max |");
    println!("|---|---:|---:|---:|---:|");
    let mut long = Vec::new();
    for (id, extension) in LANGUAGES {
        let Some(text) = joined(&files, id, LONG_LINES) else { continue };
        let path = tree.join(format!("long.{extension}"));
        fs::write(&path, &text).unwrap();
        bare(id, &text);
        keystrokes(home.path(), &tree, id, &path, &text);
        long.push(path);
        let text = joined(&files, id, MEDIUM_LINES).unwrap();
        let path = tree.join(format!("middling.{extension}"));
        fs::write(&path, &text).unwrap();
        answers(home.path(), &tree, id, &path, &text);
    }
    compare_highlighters(&tree);
    memory(home.path(), &tree, &long);
}

/// The files to take code from, in order.
fn files() -> Vec<PathBuf> {
    let repository = || Path::new(env!("CARGO_MANIFEST_DIR")).join("..").into_os_string();
    let folders = std::env::var_os("TANDEM_SOURCES").unwrap_or_else(repository);
    std::env::split_paths(&folders).flat_map(|folder| sources(&folder)).collect()
}

fn server(home: &Path, tree: &Path) -> Client {
    let mut command = Command::new(tests::binary());
    command.arg("lsp").env("XDG_CACHE_HOME", home).env("XDG_STATE_HOME", home);
    started(tree, &mut command)
}

/// Places to type at, spread over a text: lines and the columns of their ends.
fn typing_positions(text: &str) -> Vec<(usize, usize)> {
    let lines: Vec<_> = text.lines().collect();
    let step = lines.len() / KEYSTROKES;
    let ends = |n: usize| (n, lines[n].encode_utf16().count());
    (0..KEYSTROKES).map(|n| ends((n * 37 % KEYSTROKES) * step + step / 2)).collect()
}

/// tree-sitter alone, with every edit passed to it.
fn bare(id: &str, text: &str) {
    let mut parser = Parser::new();
    parser.set_language(Language::by_id(id).unwrap().grammar()).unwrap();
    let begun = Instant::now();
    let mut tree = parser.parse(text, None).unwrap();
    row(
        &format!("{id}, {LONG_LINES} lines: tree-sitter alone, from nothing"),
        vec![begun.elapsed()],
    );
    let mut text = text.to_owned();
    let mut times = Vec::new();
    for (line, _) in typing_positions(&text) {
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let at = start + text[start..].lines().next().unwrap_or_default().len();
        for typed in [true, false] {
            let (old, new) = if typed { (at, at + 1) } else { (at + 1, at) };
            text.replace_range(at..old, if typed { "x" } else { "" });
            let point = |end: usize| Point::new(line, end - start);
            let begun = Instant::now();
            tree.edit(&InputEdit {
                start_byte: at,
                old_end_byte: old,
                new_end_byte: new,
                start_position: point(at),
                old_end_position: point(old),
                new_end_position: point(new),
            });
            tree = parser.parse(&text, Some(&tree)).unwrap();
            times.push(begun.elapsed());
        }
    }
    row(&format!("{id}: tree-sitter alone, a keystroke"), times);
}

fn next_version() -> i32 {
    static VERSION: AtomicI32 = AtomicI32::new(1);
    VERSION.fetch_add(1, Ordering::Relaxed) + 1
}

/// Types a character at the end of a line, or takes it back, and asks `then`.
fn typed(
    client: &Client,
    path: &Path,
    text: &str,
    mut then: impl FnMut(usize, usize),
) -> Vec<Duration> {
    let mut times = Vec::new();
    for (line, column) in typing_positions(text) {
        for (end, new) in [(column, "x"), (column + 1, "")] {
            let version = next_version();
            let range = json!({ "start": { "line": line, "character": column },
                                "end": { "line": line, "character": end } });
            let change = json!({
                "textDocument": { "uri": file_uri(path), "version": version },
                "contentChanges": [{ "range": range, "text": new }],
            });
            let begun = Instant::now();
            client.notify("textDocument/didChange", change).unwrap();
            then(line, column);
            times.push(begun.elapsed());
        }
    }
    times
}

/// From a keystroke to what needs the fresh tree, and to the colours of the screen.
fn keystrokes(home: &Path, tree: &Path, id: &str, path: &Path, text: &str) {
    let client = server(home, tree);
    open(&client, path);
    let document = json!({ "uri": file_uri(path) });
    let selection = |line: usize, character: usize| {
        let asked = json!({ "textDocument": document,
            "positions": [{ "line": line, "character": character }] });
        client.request("textDocument/selectionRange", asked).unwrap();
    };
    selection(0, 0);
    let times = typed(&client, path, text, selection);
    row(&format!("{id}: a keystroke to an answer from the fresh tree"), times);
    let screen = |line: usize, _| {
        let from = line.saturating_sub(25);
        let asked = json!({ "textDocument": document, "range": {
            "start": { "line": from, "character": 0 },
            "end": { "line": from + 50, "character": 0 } } });
        client.request("textDocument/semanticTokens/range", asked).unwrap();
    };
    screen(0, 0);
    let times = typed(&client, path, text, screen);
    row(&format!("{id}: a keystroke to the colours of 50 lines"), times);
    // A quote that is never closed, and its end again.
    let mut times = Vec::new();
    for n in 0..20 {
        let (start, end) = (n / 2 * 9_000 + 7, if n % 2 == 0 { 0 } else { 3 });
        let range = json!({ "start": { "line": start, "character": 0 },
                            "end": { "line": start, "character": end } });
        let new = if end == 0 { "\"\"\"" } else { "" };
        let change = json!({
            "textDocument": { "uri": file_uri(path), "version": next_version() },
            "contentChanges": [{ "range": range, "text": new }],
        });
        let begun = Instant::now();
        client.notify("textDocument/didChange", change).unwrap();
        screen(start + 30, 0);
        times.push(begun.elapsed());
    }
    row(&format!("{id}: a quote opened or closed to the colours of 50 lines"), times);
    drop(client);
}

/// Whole answers about a file of middling length.
fn answers(home: &Path, tree: &Path, id: &str, path: &Path, text: &str) {
    let client = server(home, tree);
    // What a language needs is compiled when its first document opens.
    let warm = tree.join(format!("warm.{}", path.extension().unwrap().display()));
    fs::write(&warm, "\n").unwrap();
    open(&client, &warm);
    std::thread::sleep(Duration::from_secs(3));
    let asked = |uri: &str| json!({ "textDocument": { "uri": uri } });
    // As editors do, it requests again after a refresh.
    let (sender, refreshed) = channel();
    client.on_request(move |request, _| {
        if request.method == "workspace/semanticTokens/refresh" {
            let _ = sender.send(());
        }
        Answer::Default
    });
    let (mut first, mut whole) = (Vec::new(), Vec::new());
    let (mut again, mut outlines) = (Vec::new(), Vec::new());
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    for n in 0..FULL_REQUESTS {
        let path = path.with_file_name(format!("{n}_{name}"));
        fs::write(&path, text).unwrap();
        open(&client, &path);
        let uri = file_uri(&path);
        // The tree is there, as after the first look at a file.
        let place = json!({ "line": 0, "character": 0 });
        let selection = json!({ "textDocument": { "uri": uri }, "positions": [place] });
        client.request("textDocument/selectionRange", selection).unwrap();
        let tokens = || {
            let begun = Instant::now();
            client.request("textDocument/semanticTokens/full", asked(&uri)).unwrap();
            begun.elapsed()
        };
        let begun = Instant::now();
        first.push(tokens());
        if refreshed.recv_timeout(Duration::from_secs(1)).is_ok() {
            tokens();
            whole.push(begun.elapsed());
        }
        again.push(tokens());
        let begun = Instant::now();
        client.request("textDocument/documentSymbol", asked(&uri)).unwrap();
        outlines.push(begun.elapsed());
        fs::remove_file(&path).unwrap();
    }
    row(&format!("{id}, {MEDIUM_LINES} lines: semanticTokens/full, at first"), first);
    row(&format!("{id}: to the colours of all code inside, where some came later"), whole);
    row(&format!("{id}: semanticTokens/full, again"), again);
    row(&format!("{id}: documentSymbol"), outlines);
    open(&client, path);
    let uri = file_uri(path);
    let full = client.request("textDocument/semanticTokens/full", asked(&uri)).unwrap();
    let mut last = full["resultId"].clone();
    let mut bytes = 0;
    let times = typed(&client, path, text, |_, _| {
        let mut asked = asked(&uri);
        asked["previousResultId"] = last.clone();
        let answer = client.request("textDocument/semanticTokens/full/delta", asked).unwrap();
        bytes = bytes.max(answer["edits"].to_string().len());
        last = answer["resultId"].clone();
    });
    row(&format!("{id}: a keystroke to semanticTokens/full/delta, {bytes} bytes at most"), times);
}

/// Highlighting a file in the terminal, beside other programs.
fn compare_highlighters(tree: &Path) {
    println!("\n| highlighting 10,000 lines | time | most memory |\n|---|---:|---:|");
    let bat = std::env::var_os("TANDEM_BAT").map(PathBuf::from);
    let files = fs::read_dir(tree).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|p| p.file_name().unwrap().to_string_lossy().starts_with("middling"))
        .collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let mut ours = Command::new(tests::binary());
        ours.arg("highlight").arg(&file);
        let mut line = String::new();
        for (program, command) in [
            ("tandem highlight", Some(ours)),
            (
                "bat",
                bat.as_ref().map(|bat| {
                    let mut command = Command::new(bat);
                    command.args(["--plain", "--paging=never", "--color=always"]).arg(&file);
                    command
                }),
            ),
        ] {
            let Some(mut command) = command else { continue };
            let mut runs: Vec<_> = (0..5).map(|_| measured_run(&mut command)).collect();
            runs.sort_unstable();
            let (time, memory) = runs[runs.len() / 2];
            writeln!(line, "| {name}, {program} | {time:.0?} | {} MB |", memory / 1_024).unwrap();
        }
        print!("{line}");
    }
}

/// How long a program takes, and the most memory that was seen, in KiB.
fn measured_run(command: &mut Command) -> (Duration, u64) {
    let begun = Instant::now();
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut most = 0;
    loop {
        most = most.max(status(child.id(), "VmHWM:"));
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success(), "{command:?}");
            return (begun.elapsed(), most);
        }
        std::thread::sleep(Duration::from_micros(500));
    }
}

fn status(process: u32, what: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(what));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// Memory with long files open, and after they were closed.
fn memory(home: &Path, tree: &Path, files: &[PathBuf]) {
    let folder = tree.join("empty");
    fs::create_dir(&folder).unwrap();
    let client = server(home, &folder);
    let process = client.process().unwrap().id();
    let resident = || {
        // What is given back is given back a little later.
        std::thread::sleep(Duration::from_secs(3));
        status(process, "VmRSS:") / 1_024
    };
    println!("\n| memory, {} files of {LONG_LINES} lines | MB resident |\n|---|---:|", files.len());
    println!("| before | {} |", resident());
    for file in files {
        open(&client, file);
        let asked = json!({ "textDocument": { "uri": file_uri(file) } });
        let _: Value = client.request("textDocument/documentSymbol", asked).unwrap();
    }
    println!("| open, their outlines asked for | {} |", resident());
    for file in files {
        let closed = json!({ "textDocument": { "uri": file_uri(file) } });
        client.notify("textDocument/didClose", closed).unwrap();
    }
    println!("| closed | {} |", resident());
}
