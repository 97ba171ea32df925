//! Names on a large tree: reading it, keeping it, asking it, beside peers on the same tree.
//!
//! `TANDEM_TREE=DIR cargo bench -p tests --bench names`; a file of the tree that is no git checkout
//! is better than a toy. `TANDEM_PEERS` names servers to ask as well, as `NAME=COMMAND` separated by
//! semicolons, for the language `TANDEM_LANGUAGE` (an ending, as `rs`).

#![allow(clippy::print_stdout, reason = "printing is what it is for")]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![allow(clippy::cast_precision_loss, reason = "figures for people")]

mod measured;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use client::{Client, file_uri};
use measured::{open, row, sources, started};
use serde_json::{Value, json};
use syntax::{Language, Syntax};
use text::Text;

/// Positions to query.
const SITES: usize = 240;

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
    let home = tempfile::tempdir().unwrap();
    let (files, lines) = index(&tree, home.path());
    peers_of_reading(&tree);
    let sites = sites(&tree, &ending);
    println!("\n{files} files, {lines} lines; {} places of .{ending} files\n", sites.len());
    println!("| server | spawn to the first right definition | p50 | p99 | memory, MB |");
    println!("|---|---:|---:|---:|---:|");
    let tandem = tests::binary();
    let cold = tempfile::tempdir().unwrap();
    let mut command = Command::new(&tandem);
    command.arg("lsp").env("XDG_CACHE_HOME", cold.path()).env("XDG_STATE_HOME", cold.path());
    let wanted = measure_definitions(&tree, "tandem, cold", &mut command, &sites, None);
    let mut command = Command::new(&tandem);
    command.arg("lsp").env("XDG_CACHE_HOME", home.path()).env("XDG_STATE_HOME", home.path());
    measure_definitions(&tree, "tandem, kept index", &mut command, &sites, wanted.as_ref());
    for peer in std::env::var("TANDEM_PEERS").unwrap_or_default().split(';') {
        if let Some((name, line)) = peer.split_once('=') {
            let mut words = line.split_whitespace();
            let mut command = Command::new(words.next().unwrap());
            command.args(words);
            measure_definitions(&tree, name, &mut command, &sites, wanted.as_ref());
        }
    }
    measure_other_queries(&tree, home.path(), &sites);
}

/// Reads the tree from nothing and again; its files and lines.
fn index(tree: &Path, home: &Path) -> (u64, u64) {
    let mut counts = (0, 0);
    println!(
        "| index | seconds | MB/s | index, MB per M lines | resident, MB per M lines | kept |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    for what in ["cold", "kept", "kept, again"] {
        let mut command = Command::new(tests::binary());
        command.arg("index").arg(tree).arg("--json");
        command.env("XDG_CACHE_HOME", home).env("XDG_STATE_HOME", home);
        let output = command.stderr(Stdio::null()).output().unwrap();
        let figures: Value = serde_json::from_slice(&output.stdout).unwrap();
        let number = |name: &str| figures[name].as_f64().unwrap_or(0.0);
        let lines = number("lines") / 1e6;
        println!(
            "| {what} | {:.2} | {:.1} | {:.0} | {:.0} | {} of {} |",
            number("seconds"),
            number("bytes_per_second") / 1e6,
            number("index_bytes") / 1e6 / lines,
            number("resident_bytes") / 1e6 / lines,
            number("kept"),
            number("files"),
        );
        counts = (number("files") as u64, number("lines") as u64);
    }
    counts
}

/// What parsing alone takes, on two threads, and what `ctags` takes.
fn peers_of_reading(tree: &Path) {
    let files = sources(tree);
    let next = AtomicUsize::new(0);
    let bytes = AtomicUsize::new(0);
    let started = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Ok(source) = fs::read_to_string(path) else { continue };
                    let name = path.file_name().unwrap().to_string_lossy();
                    let Some(language) = Language::detect(&name, &source) else { continue };
                    bytes.fetch_add(source.len(), Ordering::Relaxed);
                    let _ =
                        Syntax::parse(language, &Text::new(&source), None, &AtomicBool::new(false));
                }
            });
        }
    });
    let took = started.elapsed().as_secs_f64();
    let megabytes = bytes.into_inner() as f64 / 1e6;
    println!("| bare parse, 2 threads | {took:.2} | {:.1} | | | |", megabytes / took);
    let started = Instant::now();
    let mut ctags = Command::new("ctags");
    ctags.args(["-R", "-f", "-"]).arg(tree).stdout(Stdio::null()).stderr(Stdio::null());
    if ctags.status().is_ok_and(|s| s.success()) {
        println!(
            "| `ctags -R` (definitions alone) | {:.2} | | | | |",
            started.elapsed().as_secs_f64()
        );
    }
}

/// A position to query.
struct Site {
    path: PathBuf,
    line: u64,
    character: u64,
    name: String,
}

/// Names in lines that call something, spread over the tree.
fn sites(tree: &Path, ending: &str) -> Vec<Site> {
    let mut files = sources(tree);
    files.retain(|f| f.extension().is_some_and(|e| e.to_string_lossy() == ending));
    let step = (files.len() / 150).max(1);
    let mut all = Vec::new();
    for path in files.into_iter().step_by(step) {
        let Ok(source) = fs::read_to_string(&path) else { continue };
        let lines: Vec<_> = source.lines().collect();
        let step = (lines.len() / 5).max(3);
        for (line, text) in lines.iter().enumerate().skip(step / 2).step_by(step) {
            let Some(open) = text.find('(').filter(|_| text.is_ascii()) else { continue };
            let part = |c: char| c.is_alphanumeric() || c == '_';
            let name: String = text[..open].chars().rev().take_while(|c| part(*c)).collect();
            if name.len() < 4 || text.trim_start().starts_with(['/', '#', '*']) {
                continue;
            }
            all.push(Site {
                path: path.clone(),
                line: line as u64,
                character: (open - 2) as u64,
                name: name.chars().rev().collect(),
            });
        }
    }
    all.truncate(SITES);
    all
}

/// The first place whose definition is in another file, and that file.
type ExpectedDefinition = (usize, String);

fn definition(client: &Client, site: &Site) -> Vec<String> {
    let answer =
        client.request("textDocument/definition", position_params(site)).unwrap_or(Value::Null);
    let list = match answer {
        Value::Array(list) => list,
        Value::Null => Vec::new(),
        one => vec![one],
    };
    let uri = |l: &Value| l["uri"].as_str().or(l["targetUri"].as_str()).map(str::to_owned);
    list.iter().filter_map(uri).collect()
}

fn position_params(site: &Site) -> Value {
    json!({
        "textDocument": { "uri": file_uri(&site.path) },
        "position": { "line": site.line, "character": site.character },
    })
}

/// Asks a server: the time to the first right definition, and what one costs after that.
fn measure_definitions(
    tree: &Path,
    name: &str,
    command: &mut Command,
    sites: &[Site],
    wanted: Option<&ExpectedDefinition>,
) -> Option<ExpectedDefinition> {
    let (mut first, mut found) = (None, wanted.cloned());
    let begun = Instant::now();
    let client = started(tree, command);
    if let Some((site, file)) = wanted {
        open(&client, &sites[*site].path);
        while begun.elapsed() < Duration::from_secs(300) {
            if definition(&client, &sites[*site]).contains(file) {
                first = Some(begun.elapsed());
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    let mut times = Vec::new();
    let mut opened: Vec<&Path> = Vec::new();
    for (number, site) in sites.iter().enumerate() {
        if !opened.contains(&&*site.path) {
            open(&client, &site.path);
            opened.push(&site.path);
            client.request("textDocument/documentSymbol", position_params(site)).ok();
        }
        let started = Instant::now();
        let answer = definition(&client, site);
        times.push(started.elapsed());
        let own = file_uri(&site.path);
        if found.is_none() && answer.len() == 1 && answer[0] != own {
            // The first one came after everything before it, so it is asked for again, alone.
            first = wanted
                .is_none()
                .then(|| cold_definition(tree, command, site, &answer[0]))
                .flatten();
            found = Some((number, answer[0].clone()));
        }
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    let memory = client.process().and_then(|p| resident(p.id()));
    println!(
        "| {name} | {} | {:.2} ms | {:.2} ms | {:.0} |",
        first.map_or("none".to_owned(), |f| format!("{:.0} ms", f.as_secs_f64() * 1e3)),
        at(50).as_secs_f64() * 1e3,
        at(99).as_secs_f64() * 1e3,
        memory.unwrap_or(0.0),
    );
    found
}

/// The time to one definition in a fresh server without an index file.
fn cold_definition(tree: &Path, command: &Command, site: &Site, file: &str) -> Option<Duration> {
    let cold = tempfile::tempdir().unwrap();
    let mut fresh = Command::new(command.get_program());
    fresh.args(command.get_args());
    fresh.env("XDG_CACHE_HOME", cold.path()).env("XDG_STATE_HOME", cold.path());
    let begun = Instant::now();
    let client = started(tree, &mut fresh);
    open(&client, &site.path);
    let answer = definition(&client, site);
    answer.iter().any(|f| f == file).then(|| begun.elapsed())
}

fn resident(process: u32) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1e3)
}

/// References, symbols, completion and edits of ours.
fn measure_other_queries(tree: &Path, home: &Path, sites: &[Site]) {
    let mut command = Command::new(tests::binary());
    command.arg("lsp").env("XDG_CACHE_HOME", home).env("XDG_STATE_HOME", home);
    let client = started(tree, &mut command);
    let Some(site) = sites.first() else { return };
    open(&client, &site.path);
    let references = |site: &Site| {
        let mut params = position_params(site);
        params["context"] = json!({ "includeDeclaration": true });
        client.request("textDocument/references", params).unwrap_or(Value::Null)
    };
    references(site);
    println!("\n| asked of the kept index | n | p50 | p95 | max |\n|---|---:|---:|---:|---:|");
    let (mut times, mut places) = (Vec::new(), 0);
    for site in sites.iter().step_by(6) {
        let started = Instant::now();
        places += references(site).as_array().map_or(0, Vec::len);
        times.push(started.elapsed());
    }
    row(&format!("references, {places} places in all"), times);
    let timed = |run: &dyn Fn(&Site)| {
        let one = |site: &Site| {
            let started = Instant::now();
            run(site);
            started.elapsed()
        };
        sites.iter().step_by(4).map(one).collect::<Vec<_>>()
    };
    row(
        "workspace/symbol, the first four letters of a name",
        timed(&|site| {
            client.request("workspace/symbol", json!({ "query": &site.name[..4] })).unwrap();
        }),
    );
    row(
        "completion, in the middle of a name",
        timed(&|site| {
            client.request("textDocument/completion", position_params(site)).unwrap();
        }),
    );
    let mut version = 1;
    let mut edits = Vec::new();
    for _ in 0..100 {
        version += 1;
        let change = json!({
            "textDocument": { "uri": file_uri(&site.path), "version": version },
            "contentChanges": [{ "range": {
                "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
                "text": "\n" }],
        });
        let started = Instant::now();
        client.notify("textDocument/didChange", change).unwrap();
        let mut moved = position_params(site);
        moved["position"]["line"] = json!(site.line + version - 1);
        client.request("textDocument/definition", moved).unwrap();
        edits.push(started.elapsed());
    }
    row("an edit and a definition after it", edits);
}
