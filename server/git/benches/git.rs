//! Compares this crate with the `git` program on a repository of 50,000 files and 5,000 commits:
//! `cargo bench -p git`. Prints a table of medians.
//!
//! `TANDEM_BENCH_GIT` names a folder in which the repository is kept between runs.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench, for people")]

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use git::{
    BlameOptions, Comparison, DiffOptions, LogOptions, Repo, RepoLayout, RepoPath, StatusOptions,
    Trust, UnsavedFiles,
};
use workspace::{CallBudget, FilePath, Root, Workspace};

const FILES: usize = 50_000;
const COMMITS: usize = 5_000;
const LINES: usize = 5_000;
const BIG_COMMITS: usize = 1_000;
const ROUNDS: usize = 9;

fn git(folder: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdout(Stdio::null());
    command
}

fn file(number: usize) -> String {
    format!("dir{:03}/sub{}/file{number:05}.txt", number / 200, number / 50 % 4)
}

fn text(number: usize, version: usize) -> String {
    (0..12).map(|line| format!("file {number} line {line} version {version}\n")).collect()
}

fn make(folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    assert!(git(folder).args(["init", "-q", "-b", "main"]).status().unwrap().success());
    let mut child =
        git(folder).args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut out = BufWriter::new(child.stdin.take().unwrap());
    let mut big: Vec<String> = (0..LINES).map(|n| format!("big line {n} as it was\n")).collect();
    let mut seed = 1u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for commit in 0..COMMITS {
        let when = 1_500_000_000 + 600 * commit;
        let message = format!("commit {commit}");
        write!(
            out,
            "commit refs/heads/main\ncommitter A <a@example.com> {when} +0000\ndata {}\n{message}\n",
            message.len()
        )
        .unwrap();
        let mut put = |path: &str, text: &str| {
            write!(out, "M 100644 inline {path}\ndata {}\n{text}\n", text.len()).unwrap();
        };
        if commit == 0 {
            for number in 0..FILES {
                put(&file(number), &text(number, 0));
            }
        } else {
            for _ in 0..3 {
                let number = random(FILES);
                put(&file(number), &text(number, commit));
            }
        }
        if commit % (COMMITS / BIG_COMMITS) == 0 {
            let at = random(LINES);
            big[at] = format!("big line {at} changed by {commit}\n");
            put("big.txt", &big.concat());
        }
    }
    out.flush().unwrap();
    drop(out);
    assert!(child.wait().unwrap().success());
    assert!(git(folder).args(["reset", "-q", "--hard"]).status().unwrap().success());
    // No file may be as new as the index: git would have to read it.
    std::thread::sleep(Duration::from_millis(1_200));
    assert!(git(folder).args(["update-index", "-q", "--refresh"]).status().unwrap().success());
}

fn open(folder: &Path) -> Repo {
    let snapshot = Workspace::with_index_cache(None, vec![Root::open(folder).unwrap()]).snapshot();
    let root = FilePath::from_root(&snapshot.roots()[0]);
    Repo::open(RepoLayout::find(&snapshot, &root, Trust::Untrusted).unwrap()).unwrap()
}

fn time(work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Alternates the two, so that other load on the machine affects both.
fn row(what: &str, folder: &Path, args: &[&str], mut ours: impl FnMut()) {
    let (mut their_times, mut our_times) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        their_times.push(time(&mut || {
            assert!(git(folder).args(args).status().unwrap().success());
        }));
        our_times.push(time(&mut ours));
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort_unstable();
        times[ROUNDS / 2].as_secs_f64() * 1_000.0
    };
    let (theirs, ours) = (median(&mut their_times), median(&mut our_times));
    println!("| {what} | {theirs:.0} ms | {ours:.0} ms | {:.2} |", ours / theirs);
}

fn main() {
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let temporary = tempfile::tempdir().unwrap();
    let reused = std::env::var_os("TANDEM_BENCH_GIT").map(PathBuf::from);
    let folder = reused.unwrap_or_else(|| temporary.path().join("repository"));
    if !folder.join(".git").exists() {
        make(&folder);
    }
    let folder = folder.canonicalize().unwrap();
    let budget = &CallBudget::without_cancel();
    println!("| {FILES} files, {COMMITS} commits | git | ours | ratio |\n|---|--:|--:|--:|");
    row("open", &folder, &["rev-parse", "HEAD"], || {
        open(&folder).head().unwrap();
    });
    let status = ["status", "--porcelain=v2", "-z"];
    let status_now =
        || open(&folder).status(&StatusOptions::default(), &UnsavedFiles::default()).unwrap();
    // A full scan, watching included.
    let full_scan = || {
        git::clear_status_cache();
        assert!(status_now().is_full_scan);
    };
    row("status", &folder, &status, full_scan);
    let cached = |changed: usize| {
        let found = status_now();
        assert_eq!((found.unstaged.len(), found.is_full_scan), (changed, false));
    };
    status_now();
    status_now();
    row("status again", &folder, &status, || cached(0));
    for number in 0..100 {
        std::fs::write(folder.join(file(number * 499)), text(number, 1)).unwrap();
    }
    row("status again, 100 files changed since", &folder, &status, || cached(100));
    row("status, 100 files changed", &folder, &status, full_scan);
    let options = DiffOptions {
        comparison: Comparison::IndexToWorkTree,
        paths: Vec::new(),
        context: 3,
        renames: true,
        intraline: false,
    };
    let diff = || {
        let mut files = 0;
        let mut visit = |_| {
            files += 1;
            true
        };
        open(&folder)
            .diff(&options, &UnsavedFiles::default(), budget, &mut |_| true, &mut visit)
            .unwrap();
        assert_eq!(files, 100);
    };
    row("diff, 100 files changed", &folder, &["diff"], || {
        git::clear_status_cache();
        diff();
    });
    diff();
    diff();
    row("diff again", &folder, &["diff"], diff);
    row("log, 100 commits", &folder, &["log", "-100", "--decorate=full"], || {
        let repo = open(&folder);
        let from = vec![repo.head().unwrap().commit.unwrap()];
        let options = LogOptions { start: from, limit: 100, ..LogOptions::default() };
        assert_eq!(repo.log(&options, budget).unwrap().commits.len(), 100);
    });
    row("log of a file", &folder, &["log", "--", "big.txt"], || {
        let repo = open(&folder);
        let from = vec![repo.head().unwrap().commit.unwrap()];
        let path = Some(RepoPath::new(b"big.txt"));
        let options = LogOptions { start: from, path, limit: 5_000, ..LogOptions::default() };
        assert_eq!(repo.log(&options, budget).unwrap().commits.len(), BIG_COMMITS);
    });
    row("blame, 5,000 lines, 1,000 commits", &folder, &["blame", "--porcelain", "big.txt"], || {
        let options = BlameOptions { path: RepoPath::new(b"big.txt"), ..BlameOptions::default() };
        open(&folder).blame(&options, budget).unwrap();
    });
    assert!(git(&folder).args(["checkout", "-q", "."]).status().unwrap().success());
}
