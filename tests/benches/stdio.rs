//! The server from outside: what a client waits for, over stdio, through the real binary.
//!
//! `cargo build --release && cargo bench -p tests --bench stdio`

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::fmt::Write;
use std::time::{Duration, Instant};

use serde_json::json;
use tests::Server;

/// One line of the table.
fn report(what: &str, mut samples: Vec<Duration>) {
    samples.sort_unstable();
    let at = |percent: usize| samples[(samples.len() - 1) * percent / 100];
    let show = |duration: Duration| match duration.as_micros() {
        micros @ 0..10_000 => format!("{micros} µs"),
        micros => format!("{:.1} ms", micros as f64 / 1_000.0),
    };
    println!(
        "| {what:52} | {:5} | {:>9} | {:>9} | {:>9} |",
        samples.len(),
        show(at(50)),
        show(at(95)),
        show(at(100))
    );
}

fn times(count: usize, mut run: impl FnMut(usize)) -> Vec<Duration> {
    let once = |n| {
        let started = Instant::now();
        run(n);
        started.elapsed()
    };
    (0..count).map(once).collect()
}

fn main() {
    // `cargo test --benches` builds and runs this file too: only a bench is asked for figures.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!("| {:52} | {:>5} | {:>9} | {:>9} | {:>9} |", "", "n", "p50", "p95", "max");
    println!("|{:-<54}|{:->7}|{:->11}|{:->11}|{:->11}|", "", ":", ":", ":", ":");
    start();
    idle();
    large("rust", "big.rs", &rust(100_000), "    // typed here\n");
    large("python", "big.py", &python(100_000), "    # typed here\n");
}

fn start() {
    let setups: Vec<_> = (0..30).map(|_| Server::builder("//- /a.txt\nx\n")).collect();
    let mut samples = Vec::new();
    for setup in setups {
        let started = Instant::now();
        let server = setup.start();
        samples.push(started.elapsed());
        drop(server);
    }
    report("spawn to initialize answer", samples);
}

fn idle() {
    let server = Server::start(
        "//- /a.txt\nx\n//- /main.py\nfrom shapes import Circle\nc = Circle()\n//- /shapes.py\nclass Circle:\n    pass\n",
    );
    server.open_file("a.txt");
    server.open_file("main.py");
    let text = server.buffer("main.py");
    let at = text.rfind("Circle").unwrap();
    for _ in 0..50 {
        server.read("a.txt");
        server.request_at("textDocument/definition", "main.py", at, &text);
    }
    let read = json!({ "path": "a.txt" });
    report(
        "read_file, an open buffer of 2 bytes",
        times(1_000, |_| drop(server.must("read_file", read.clone()))),
    );
    let nowhere = json!({ "textDocument": { "uri": "untitled:nowhere" } });
    report(
        "documentSymbol of an unknown document",
        times(1_000, |_| drop(server.request("textDocument/documentSymbol", nowhere.clone()))),
    );
    report("documentSymbol, 2 lines of Python", times(1_000, |_| drop(server.symbols("main.py"))));
    report(
        "definition in another file of 2",
        times(1_000, |_| drop(server.request_at("textDocument/definition", "main.py", at, &text))),
    );
}

/// A document of 100,000 lines: a keystroke with a small question right behind it, and the rest.
fn large(language: &str, path: &str, text: &str, typed: &str) {
    let server = Server::start("//- /small.txt\nx\n");
    server.open_file("small.txt");
    server.open_text(path, text);
    server.symbols(path);
    let uri = server.uri(path);
    let small = json!({ "path": "small.txt" });
    let type_at = |n: usize| {
        let line = 2 + (n * 7_919) % 99_000;
        let start = json!({ "line": line, "character": 0 });
        let change = json!({ "range": { "start": start, "end": start }, "text": typed });
        server.change(&uri, n as i32 + 2, json!([change])).unwrap();
    };
    let lines = text.lines().count();
    report(
        &format!("didChange, {lines} lines of {language}, then a small read"),
        times(200, |n| {
            type_at(n);
            server.must("read_file", small.clone());
        }),
    );
    let page = json!({ "path": path });
    report(
        &format!("didChange, {language}, then its own first page"),
        times(50, |n| {
            type_at(n);
            server.must("read_file", page.clone());
        }),
    );
    report(
        &format!("didChange, {language}, then its symbols"),
        times(10, |n| {
            type_at(n);
            server.symbols(path);
        }),
    );
    report(
        &format!("documentSymbol, {language}, nothing changed"),
        times(10, |_| drop(server.symbols(path))),
    );
}

fn rust(lines: usize) -> String {
    let mut text = String::new();
    for n in 0..lines / 5 {
        write!(text, "/// The number {n}.\npub fn number_{n}(x: u64) -> u64 {{\n    let y = x + {n};\n    y * 2\n}}\n").unwrap();
    }
    text
}

fn python(lines: usize) -> String {
    let mut text = String::new();
    for n in 0..lines / 5 {
        write!(text, "def number_{n}(x):\n    y = x + {n}\n    if y > 3:\n        return y\n    return y * 2\n").unwrap();
    }
    text
}
