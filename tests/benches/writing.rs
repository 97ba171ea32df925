//! What a person feels while writing, on a large tree: lists, signatures, hints, lenses, callers.
//!
//! `TANDEM_TREE=DIR TANDEM_LANGUAGE=rs cargo bench -p tests --bench writing`. `TANDEM_PEERS` names
//! servers to ask the same of the same places, as `NAME=COMMAND` separated by semicolons.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod measured;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use client::file_uri;
use measured::{is_empty, open, row, sources, started};
use serde_json::{Value, json};

/// Calls to query at.
const SITES: usize = 200;
/// How long a server has to be ready.
const START_TIMEOUT: Duration = Duration::from_secs(300);

/// A call in a file: where its arguments begin, and a file's whole text.
struct Site {
    path: PathBuf,
    line: u64,
    open: u64,
}

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(tree) = std::env::var_os("TANDEM_TREE").map(PathBuf::from) else {
        println!("TANDEM_TREE=DIR names the tree to read");
        return;
    };
    let tree = tree.canonicalize().unwrap();
    let ending = std::env::var("TANDEM_LANGUAGE").unwrap_or_else(|_| "rs".to_owned());
    let sites = sites(&tree, &ending);
    println!("{} calls in .{ending} files\n", sites.len());
    println!("| asked of | n | p50 | p95 | max |");
    println!("|---|---:|---:|---:|---:|");
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(tests::binary());
    command.arg("lsp").env("XDG_CACHE_HOME", home.path()).env("XDG_STATE_HOME", home.path());
    measure_server("tandem", &tree, &mut command, &sites);
    for peer in std::env::var("TANDEM_PEERS").unwrap_or_default().split(';') {
        if let Some((name, line)) = peer.split_once('=') {
            let mut words = line.split_whitespace();
            let mut command = Command::new(words.next().unwrap());
            command.args(words);
            measure_server(name, &tree, &mut command, &sites);
        }
    }
}

/// Measures all queries of a server at every site.
fn measure_server(name: &str, tree: &Path, command: &mut Command, sites: &[Site]) {
    let client = started(tree, command);
    let mut opened: Vec<&Path> = Vec::new();
    for site in sites {
        if !opened.contains(&&*site.path) {
            open(&client, &site.path);
            opened.push(&site.path);
        }
    }
    // What comes first waits for the index, or for whatever the server waits for.
    let begun = Instant::now();
    while begun.elapsed() < START_TIMEOUT {
        let signature = client.request("textDocument/signatureHelp", position_params(&sites[0], 1));
        let symbols = client.request("workspace/symbol", json!({ "query": "main" }));
        if signature.is_ok_and(|s| !s.is_null()) || symbols.is_ok_and(|s| !is_empty(&s)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let whole = |site: &Site| {
        json!({ "textDocument": { "uri": file_uri(&site.path) },
            "range": { "start": { "line": site.line.saturating_sub(25), "character": 0 },
                       "end": { "line": site.line + 25, "character": 0 } } })
    };
    type Params<'p> = &'p dyn Fn(&Site) -> Value;
    let asked: [(&str, Params<'_>); 5] = [
        ("textDocument/signatureHelp", &|s| position_params(s, 1)),
        ("textDocument/completion", &|s| position_params(s, -1)),
        ("textDocument/inlayHint", &whole),
        (
            "textDocument/codeLens",
            &|s| json!({ "textDocument": position_params(s, 0)["textDocument"] }),
        ),
        ("textDocument/prepareCallHierarchy", &|s| position_params(s, -1)),
    ];
    let mut items = Vec::new();
    for (method, params) in asked {
        let mut times = Vec::new();
        let mut answered = 0;
        for site in sites {
            let params = params(site);
            let started = Instant::now();
            let answer = client.request(method, params);
            times.push(started.elapsed());
            let answer = answer.unwrap_or(Value::Null);
            answered += usize::from(!is_empty(&answer));
            if method.ends_with("CallHierarchy") && answer[0].is_object() {
                items.push(answer[0].clone());
            }
        }
        row(&format!("{name}: {method}, {answered} answered"), times);
    }
    for method in ["callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"] {
        let (mut times, mut answered) = (Vec::new(), 0);
        for item in &items {
            let started = Instant::now();
            let answer = client.request(method, json!({ "item": item })).unwrap_or(Value::Null);
            times.push(started.elapsed());
            answered += usize::from(!is_empty(&answer));
        }
        row(&format!("{name}: {method}, {answered} answered"), times);
    }
}

/// The position `behind` characters after a call's opening bracket.
fn position_params(site: &Site, behind: i64) -> Value {
    json!({
        "textDocument": { "uri": file_uri(&site.path) },
        "position": { "line": site.line, "character": site.open.saturating_add_signed(behind) },
    })
}

/// Calls in lines of their own, spread over the tree.
fn sites(tree: &Path, ending: &str) -> Vec<Site> {
    let mut files = sources(tree);
    files.retain(|f| f.extension().is_some_and(|e| e.to_string_lossy() == ending));
    let step = (files.len() / 60).max(1);
    let mut all = Vec::new();
    for path in files.into_iter().step_by(step) {
        let Ok(source) = fs::read_to_string(&path) else { continue };
        let lines: Vec<_> = source.lines().collect();
        let step = (lines.len() / 6).max(3);
        for (line, text) in lines.iter().enumerate().skip(step / 2).step_by(step) {
            let Some(open) = text.find('(').filter(|_| text.is_ascii()) else { continue };
            let named = text[..open].ends_with(|c: char| c.is_alphanumeric());
            let defines = ["fn ", "def ", "func "].iter().any(|word| text.contains(word));
            if named && !defines && !text.trim_start().starts_with(['/', '#', '*']) {
                all.push(Site { path: path.clone(), line: line as u64, open: open as u64 });
            }
        }
    }
    all.truncate(SITES);
    all
}
