//! What a second worktree costs in the same process: `worktree_memory FOLDER FOLDER…` indexes one after the
//! other and prints how long it took and how much memory was added.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "it measures, and prints")]

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use workspace::{Root, Workspace};

fn main() {
    let mut workspaces = Vec::new();
    let mut before = anonymous_memory();
    println!("at the start: {before} KB");
    for folder in std::env::args().skip(1) {
        let begun = Instant::now();
        let root = Path::new(&folder).canonicalize().unwrap();
        let workspace = Workspace::with_index_cache(None, vec![Root::open(&root).unwrap()]);
        let snapshot = workspace.snapshot();
        snapshot.build_index(&AtomicBool::new(false), &|_| {});
        let seconds = begun.elapsed().as_secs_f64();
        let counts = snapshot.index_counts();
        let files: usize = counts.languages.iter().map(|language| language.files).sum();
        std::thread::sleep(Duration::from_secs(1));
        let now = anonymous_memory();
        let added = now.saturating_sub(before);
        println!("{folder}: {files} files in {seconds:.1} s, {added} KB more");
        before = now;
        workspaces.push(workspace);
    }
}

/// Memory of this process that no file backs, in KB.
fn anonymous_memory() -> u64 {
    let listed = std::fs::read_to_string("/proc/self/smaps_rollup").unwrap();
    let line = listed.lines().find_map(|line| line.strip_prefix("Anonymous:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
