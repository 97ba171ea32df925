//! Compares a durable write with history to a plain write + fsync + rename, in one run.
//!
//! `cargo bench -p workspace --bench write`; `$TMPDIR` selects the file system.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a bench")]

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use workspace::{Change, Headless, Root, Source, Workspace};

const ROUNDS: usize = 60;

fn plain(dir: &Path, bytes: &[u8]) {
    let (temporary, path) = (dir.join("plain.tmp"), dir.join("plain.txt"));
    let mut file = File::create(&temporary).unwrap();
    file.write_all(bytes).unwrap();
    file.sync_all().unwrap();
    fs::rename(&temporary, &path).unwrap();
    File::open(dir).unwrap().sync_all().unwrap();
}

fn ours(workspace: &Workspace, bytes: &str) {
    let interrupt = AtomicBool::new(false);
    let write_lock = workspace.write_lock(&interrupt).unwrap();
    let snapshot = workspace.snapshot();
    let path = snapshot.locate("ours.txt").unwrap();
    let file = snapshot.read(&path).unwrap();
    assert!(matches!(file.source, Source::Disk(_)));
    let edits = vec![(0..file.text.len(), bytes.to_owned())];
    let change = Change::Edit { file, edits, after: bytes.to_owned() };
    let editor = Headless { approve_all: true };
    let done = workspace.commit(&write_lock, "bench", &snapshot, &[change], &editor).unwrap();
    assert!(done.action.is_some(), "{:?}", done.unrecorded);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("workspace");
    fs::create_dir(&root).unwrap();
    // The history is written to the user's state folder: set XDG_STATE_HOME to a temporary
    // folder before running this.
    let workspace = Workspace::new(vec![Root::open(&root).unwrap()]);
    println!("{:>10} {:>12} {:>12} {:>8}", "bytes", "plain", "ours", "ratio");
    for size in [100, 10_000, 100_000, 1_000_000] {
        fs::write(root.join("ours.txt"), "x".repeat(size)).unwrap();
        let (mut plains, mut own) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            let text = format!("{round:08}").repeat(size / 8 + 1);
            let text = &text[..size];
            let started = Instant::now();
            plain(&root, text.as_bytes());
            plains.push(started.elapsed());
            let started = Instant::now();
            ours(&workspace, text);
            own.push(started.elapsed());
        }
        let (plain, own) = (median(plains), median(own));
        let ratio = own.as_secs_f64() / plain.as_secs_f64();
        println!("{size:>10} {plain:>12.1?} {own:>12.1?} {ratio:>8.2}");
    }
}
