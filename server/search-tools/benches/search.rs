//! Searching a tree of 50,000 files, beside ripgrep and fd in the same run.
//!
//! `cargo bench -p search-tools --bench search`. The peers are `$TANDEM_RG` and `$TANDEM_FD`, or `rg` and
//! `fd` or `fdfind` on the path; without them their columns stay empty. Every figure is the median
//! wall time of several runs, taken in turns, on a warm cache.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench says what it finds"
)]

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::{Context, Session};
use workspace::{Headless, Root, Workspace};

const FILES: usize = 50_000;
const RUNS: usize = 11;

fn main() {
    // `cargo test --benches` only wants to see it run.
    let quick = !std::env::args().any(|argument| argument == "--bench");
    let (files, runs) = if quick { (500, 1) } else { (FILES, RUNS) };
    tools::add_families(vec![search_tools::family()]);
    let dir = tempfile::tempdir().unwrap();
    let bytes = make_tree(dir.path(), files);
    println!(
        "{files} files, {:.0} MB, {runs} runs each, median wall time in ms",
        bytes as f64 / 1e6
    );
    let workspace = Workspace::new(vec![Root::open(dir.path()).unwrap()]);
    let ours = |tool: &str, params: Value| {
        let interrupt = AtomicBool::new(false);
        let session = Session::new(&workspace.snapshot());
        let context = Context::new(
            &workspace,
            workspace.snapshot(),
            &Headless { approve_all: false },
            &interrupt,
            &session,
        );
        tools::call(&context, tool, params).unwrap()
    };

    println!(
        "\n| grep | matches | tandem, a page | tandem, all | rg, to a pipe | rg, to /dev/null | all : pipe |"
    );
    println!("|---|---|---|---|---|---|---|");
    let rg = peer("TANDEM_RG", &["rg"]);
    for (name, pattern, sensitive) in [
        ("no match", "zzqqxxunfindable", true),
        ("rare literal", "needle_in_the_haystack", true),
        ("common literal", "return", true),
        ("alternation", "needle_\\w+|hay_stack_\\d+|Wq[a-f]{3}z", true),
        ("class and repetition", "fn \\w+_\\w+_\\w+\\(x: Needle", true),
        ("case-insensitive", "NEEDLE_IN_the_haystack", false),
    ] {
        let params = json!({ "pattern": pattern, "case_sensitive": sensitive });
        let case = if sensitive { "--case-sensitive" } else { "--ignore-case" };
        let arguments =
            ["--no-heading", "--no-config", "-n", case, "--no-messages", "-e", pattern, "./"];
        let mut matches = 0;
        let [page, all, pipe, null] = medians(
            runs,
            [
                &mut || drop(ours("grep_search", params.clone())),
                &mut || matches = pages(&ours, "grep_search", &params, "matches"),
                &mut || run(rg.as_deref(), &arguments, dir.path(), true),
                &mut || run(rg.as_deref(), &arguments, dir.path(), false),
            ],
        );
        println!(
            "| {name} | {matches} | {} | {} | {} | {} | {} |",
            ms(page),
            ms(all),
            describe(&rg, pipe),
            describe(&rg, null),
            ratio(&rg, all, pipe)
        );
    }

    println!(
        "\n| find | files | tandem, a page | tandem, all | fd, to a pipe | fd, to /dev/null | page : pipe | all : pipe |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let fd = peer("TANDEM_FD", &["fd", "fdfind"]);
    let cases: [(&str, &str, Value, Vec<&str>); 4] = [
        ("name, rare", "find_files", json!({ "pattern": "needle" }), vec!["needle"]),
        ("name, none", "find_files", json!({ "pattern": "unfindable" }), vec!["unfindable"]),
        ("name, every tenth", "find_files", json!({ "pattern": "7" }), vec!["7"]),
        ("glob", "find_files_glob", json!({ "pattern": "**/*_7.py" }), vec!["--glob", "*_7.py"]),
    ];
    for (name, tool, params, arguments) in cases {
        let arguments = [vec!["--type", "f"], arguments].concat();
        let mut count = 0;
        let [page, all, pipe, null] = medians(
            runs,
            [
                &mut || drop(ours(tool, params.clone())),
                &mut || count = pages(&ours, tool, &params, "files"),
                &mut || run(fd.as_deref(), &arguments, dir.path(), true),
                &mut || run(fd.as_deref(), &arguments, dir.path(), false),
            ],
        );
        println!(
            "| {name} | {count} | {} | {} | {} | {} | {} | {} |",
            ms(page),
            ms(all),
            describe(&fd, pipe),
            describe(&fd, null),
            ratio(&fd, page, pipe),
            ratio(&fd, all, pipe)
        );
    }
}

/// Every page of a question; the number of results.
fn pages(ours: &dyn Fn(&str, Value) -> Value, tool: &str, params: &Value, field: &str) -> usize {
    let (mut params, mut count) = (params.clone(), 0);
    // So many pages are enough for every result but the common ones.
    for _ in 0..5 {
        let page = ours(tool, params.clone());
        count += page[field].as_array().unwrap().len();
        if page["next_cursor"].is_null() {
            break;
        }
        params["cursor"] = page["next_cursor"].clone();
    }
    count
}

fn peer(variable: &str, names: &[&str]) -> Option<String> {
    let configured = std::env::var(variable).ok();
    let found = names.iter().map(|name| (*name).to_owned());
    configured.into_iter().chain(found).find(|program| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    })
}

fn run(program: Option<&str>, arguments: &[&str], folder: &Path, pipe: bool) {
    let Some(program) = program else { return };
    let stdout = if pipe { Stdio::piped() } else { Stdio::null() };
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(stdout)
        .spawn()
        .unwrap();
    if let Some(mut stdout) = child.stdout.take() {
        let mut text = Vec::new();
        stdout.read_to_end(&mut text).unwrap();
    }
    child.wait().unwrap();
}

/// The median time of each, taken in turns so that what slows the machine slows all.
fn medians<const N: usize>(runs: usize, mut all: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times = vec![Vec::new(); N];
    for _ in 0..runs {
        for (one, times) in all.iter_mut().zip(&mut times) {
            let started = Instant::now();
            one();
            times.push(started.elapsed());
        }
    }
    std::array::from_fn(|n| {
        times[n].sort_unstable();
        times[n][times[n].len() / 2]
    })
}

fn ms(time: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e3)
}

fn describe(peer: &Option<String>, time: Duration) -> String {
    peer.as_ref().map_or_else(|| "-".to_owned(), |_| ms(time))
}

fn ratio(peer: &Option<String>, ours: Duration, theirs: Duration) -> String {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    peer.as_ref().map_or_else(|| "-".to_owned(), |_| format!("{ratio:.2}"))
}

/// Writes a tree as projects have it: nested folders, files of 0.2 to 30 KB, a tenth of it
/// ignored. The same every time. Gives the bytes written.
fn make_tree(root: &Path, files: usize) -> usize {
    std::fs::create_dir(root.join(".git")).unwrap();
    std::fs::write(root.join(".gitignore"), "build/\n*.log\n/out-*/\n!keep.log\n").unwrap();
    let mut random = Random(0x5EED);
    let (mut bytes, mut made) = (0, 0);
    let extensions = ["rs", "py", "ts", "md", "json", "c", "log", "go", "java", "toml"];
    while made < files {
        let depth = 1 + random.below(6);
        let mut folder = root.to_owned();
        for level in 0..depth {
            folder.push(match random.below(40) {
                0 => "build".to_owned(),
                n => {
                    format!("{}_{}", ["src", "lib", "core", "test", "mod"][n % 5], n % (3 + level))
                }
            });
        }
        folder.push(format!("part_{}", random.below(2_000)));
        std::fs::create_dir_all(&folder).unwrap();
        for _ in 0..1 + random.below(20) {
            let extension = extensions[random.below(extensions.len())];
            let stem = if random.below(5_000) == 0 { "needle" } else { "file" };
            let path = folder.join(format!("{stem}_{made}_{}.{extension}", made % 10));
            let text = text_of(&mut random, made);
            bytes += text.len();
            std::fs::write(path, text).unwrap();
            made += 1;
            if made == files {
                break;
            }
        }
    }
    bytes
}

fn text_of(random: &mut Random, number: usize) -> String {
    const WORDS: &[&str] = &[
        "let",
        "value",
        "return",
        "self",
        "index",
        "match",
        "config",
        "buffer",
        "if",
        "else",
        "for",
        "import",
        "struct",
        "result",
        "error",
        "string",
        "length",
        "state",
        "self.items",
        "0x7f",
        "// what stands here",
        "true",
        "None",
        "=>",
        "{",
        "}",
        "(x: &str)",
        "+ 1",
        "== 0",
    ];
    // Most files are small, some are not.
    let lines = 4 + random.below(60) + if random.below(12) == 0 { random.below(700) } else { 0 };
    let mut text = String::new();
    for line in 0..lines {
        let indent = 4 * random.below(4);
        let _ = write!(text, "{:indent$}", "");
        for _ in 0..3 + random.below(7) {
            text.push_str(WORDS[random.below(WORDS.len())]);
            text.push(' ');
        }
        if line == lines / 2 && number.is_multiple_of(2_500) {
            text.push_str("needle_in_the_haystack");
        }
        text.push('\n');
    }
    text
}

/// xorshift64*, so that the tree is the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let value = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(value).unwrap() % end
    }
}
