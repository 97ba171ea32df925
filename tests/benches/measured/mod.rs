//! What the benches on a large tree share: its sources, a server on it, a table's row.

#![allow(dead_code, reason = "each bench uses what it needs")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use client::{Client, file_uri};
use serde_json::{Value, json};
use syntax::Language;

/// The files of a tree that are in a language that is known, in order.
pub(crate) fn sources(tree: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![tree.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            if kind.is_dir() && !name.starts_with('.') {
                folders.push(entry.path());
            } else if kind.is_file() && Language::detect(&name, "").is_some() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    files
}

/// So many lines of a language, of which no file is repeated before all were taken.
pub(crate) fn joined(files: &[PathBuf], id: &str, lines: usize) -> Option<String> {
    let is = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Language::detect(&name, "").is_some_and(|language| language.id() == id)
    };
    let texts: Vec<_> =
        files.iter().filter(is).filter_map(|f| fs::read_to_string(f).ok()).collect();
    let (mut all, mut count) = (String::new(), 0);
    for text in texts.iter().cycle().take_while(|_| !texts.is_empty()) {
        all += text;
        all.push('\n');
        count += text.lines().count() + 1;
        if count >= lines {
            return Some(all);
        }
    }
    None
}

/// A server on a tree, from its start to what `initialize` answers.
pub(crate) fn started(tree: &Path, command: &mut Command) -> Client {
    command.current_dir(tree);
    let mut client = Client::spawn(command).unwrap();
    client.set_timeout(Duration::from_secs(600));
    let root = file_uri(tree);
    let initialize = json!({
        "processId": std::process::id(), "rootUri": root,
        "workspaceFolders": [{ "uri": root, "name": "tree" }],
        "capabilities": {
            "workspace": {
                "applyEdit": true, "semanticTokens": { "refreshSupport": true },
                "didChangeWatchedFiles": { "dynamicRegistration": true } },
            "textDocument": { "signatureHelp": { "signatureInformation": {
                "parameterInformation": { "labelOffsetSupport": true } } } },
        },
    });
    client.request("initialize", initialize).unwrap();
    client.notify("initialized", json!({})).unwrap();
    client
}

/// Opens a file as it is on disk.
pub(crate) fn open(client: &Client, path: &Path) {
    let language = Language::detect(&path.file_name().unwrap().to_string_lossy(), "").unwrap();
    let document = json!({
        "uri": file_uri(path), "languageId": language.id(), "version": 1,
        "text": fs::read_to_string(path).unwrap(),
    });
    client.notify("textDocument/didOpen", json!({ "textDocument": document })).unwrap();
}

/// A row of a table: what stands first, how many there were, median, 95th percentile and worst.
pub(crate) fn row(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    if times.is_empty() {
        return;
    }
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_secs_f64() * 1e3;
    let (middle, most, worst) = (at(50), at(95), at(100));
    println!("| {what} | {} | {middle:.2} ms | {most:.2} ms | {worst:.2} ms |", times.len());
}

/// Whether an LSP result is empty.
pub(crate) fn is_empty(answer: &Value) -> bool {
    let list = answer.as_array().or(answer["items"].as_array()).or(answer["signatures"].as_array());
    list.map_or(answer.is_null(), Vec::is_empty)
}
