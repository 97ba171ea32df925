//! The symbol tools on a large tree, as an agent calls them: what each costs, seen from the client.
//!
//! `TANDEM_TREE=DIR cargo bench -p tests --bench symbol_tools`. Nothing is changed: what edits is
//! asked for a dry run.

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

mod measured;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use client::Client;
use measured::{sources, started};
use serde_json::{Value, json};

/// Symbols that each tool is called for.
const SYMBOLS: usize = 120;

fn main() {
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let Some(tree) = std::env::var_os("TANDEM_TREE").map(PathBuf::from) else {
        println!("TANDEM_TREE=DIR names the tree to read");
        return;
    };
    let tree = tree.canonicalize().unwrap();
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(tests::binary());
    command.arg("lsp").env("XDG_CACHE_HOME", home.path()).env("XDG_STATE_HOME", home.path());
    let client = started(&tree, &mut command);
    // The first call waits for the index; later ones use a warm server.
    let begun = Instant::now();
    let _ = call(&client, "repository_map", json!({}));
    println!("the first map, index and all: {:.2} s\n", begun.elapsed().as_secs_f64());
    let symbols = symbols(&client, &tree);
    println!("| tool | asked | p50 | p95 | max |");
    println!("|---|---:|---:|---:|---:|");
    timed(&client, "repository_map", &vec![json!({}); 5]);
    let words = |s: &Symbol| json!({ "paths": [s.path], "words": [s.name] });
    timed(&client, "repository_map", &symbols.iter().take(5).map(words).collect::<Vec<_>>());
    for (tool, arguments) in tool_arguments() {
        let all: Vec<_> = symbols.iter().map(arguments).collect();
        timed(&client, tool, &all);
    }
}

/// A symbol that the tools are called for.
struct Symbol {
    path: String,
    name_path: String,
    name: String,
    body: String,
    line: u64,
}

impl Symbol {
    fn place(&self) -> Value {
        json!({ "name_path": self.name_path, "path": self.path, "line": self.line })
    }

    fn with(&self, more: &Value) -> Value {
        let mut all = self.place();
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        all
    }
}

type Arguments = fn(&Symbol) -> Value;

/// The tools, and how each is called for a symbol.
fn tool_arguments() -> [(&'static str, Arguments); 11] {
    [
        ("find_symbol", |s| json!({ "name_path": s.name, "include_body": true })),
        ("find_symbol", |s| json!({ "name_path": s.name_path, "path": s.path })),
        ("symbols_overview", |s| json!({ "path": s.path, "depth": 1 })),
        ("find_referencing_symbols", Symbol::place),
        ("find_implementations", Symbol::place),
        ("replace_symbol_body", |s| s.with(&json!({ "body": s.body, "dry_run": true }))),
        ("insert_before_symbol", |s| s.with(&json!({ "body": s.body, "dry_run": true }))),
        ("insert_after_symbol", |s| s.with(&json!({ "body": s.body, "dry_run": true }))),
        ("safe_delete_symbol", |s| s.with(&json!({ "dry_run": true }))),
        ("rename_symbol", |s| {
            s.with(&json!({ "new_name": "renamed_by_a_bench", "dry_run": true }))
        }),
        ("get_diagnostics", |s| json!({ "path": s.path })),
    ]
}

/// Symbols spread over the tree's files.
fn symbols(client: &Client, tree: &Path) -> Vec<Symbol> {
    let files = sources(tree);
    let step = (files.len() / (SYMBOLS * 2)).max(1);
    let mut all = Vec::new();
    for path in files.iter().step_by(step) {
        let path = path.strip_prefix(tree).unwrap().to_string_lossy().into_owned();
        let Ok(overview) = call(client, "symbols_overview", json!({ "path": path })) else {
            continue;
        };
        let Some(list) = overview["files"][0]["symbols"].as_array() else { continue };
        let Some(symbol) = list.get(list.len() / 2) else { continue };
        let found = json!({ "path": path, "name_path": symbol["name_path"], "include_body": true });
        let Ok(found) = call(client, "find_symbol", found) else { continue };
        let Some(body) = found["symbols"][0]["body"].as_str() else { continue };
        all.push(Symbol {
            path,
            name_path: symbol["name_path"].as_str().unwrap().to_owned(),
            name: symbol["name"].as_str().unwrap().to_owned(),
            body: body.to_owned(),
            line: symbol["line"].as_u64().unwrap(),
        });
        if all.len() == SYMBOLS {
            break;
        }
    }
    all
}

fn call(client: &Client, tool: &str, arguments: Value) -> Result<Value, client::ClientError> {
    let params = json!({ "command": format!("tandem.{tool}"), "arguments": [arguments] });
    client.request("workspace/executeCommand", params)
}

/// Calls a tool and prints what that took.
fn timed(client: &Client, tool: &str, calls: &[Value]) {
    let (mut times, mut refused) = (Vec::new(), 0);
    for arguments in calls {
        let started = Instant::now();
        let answer = call(client, tool, arguments.clone());
        times.push(started.elapsed());
        refused += usize::from(answer.is_err());
    }
    let Some(first) = calls.first().and_then(Value::as_object) else { return };
    let named: Vec<_> = first.keys().map(String::as_str).collect();
    measured::row(&format!("`{tool}` {}; {refused} refused", named.join(", ")), times);
}
