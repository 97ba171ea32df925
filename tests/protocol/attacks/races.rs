//! Races: a file or folder is swapped for a link that escapes the workspace, as fast as possible, while
//! tools work on it.

use std::fs::File;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{CWD, RenameFlags, renameat_with};

use super::discovery::names;
use super::samples::{Role, SAMPLES};
use super::stage::Stage;

/// How long all races take together, in seconds.
const SECONDS: &str = "TANDEM_ATTACK_SECONDS";
/// Without that: enough for thousands of tries.
const DEFAULT_DURATION: Duration = Duration::from_secs(8);

/// Whether `cargo xtask attack` runs: what takes minutes is tried as well.
pub(crate) fn is_attack_run() -> bool {
    std::env::var_os(SECONDS).is_some()
}

/// What is exchanged, and the path that the tools are given.
const RACES: &[(Swap, &str)] = &[
    (Swap { inside: "race", other: "race-out", target: "../secret", folder: true }, "race/s.txt"),
    (Swap { inside: "race", other: "race-out", target: "../secret", folder: true }, "race/new.txt"),
    (
        Swap { inside: "raced.txt", other: "raced-out", target: "../secret/s.txt", folder: false },
        "raced.txt",
    ),
];

/// A file or folder and an escaping link that are swapped for each other.
struct Swap {
    inside: &'static str,
    other: &'static str,
    target: &'static str,
    folder: bool,
}

impl Swap {
    /// Swaps until stopped, and restores what the tools removed.
    fn run(&self, root: &Path, is_over: &AtomicBool, count: &AtomicUsize) {
        let (inside, other) = (root.join(self.inside), root.join(self.other));
        while !is_over.load(Ordering::Relaxed) {
            if renameat_with(CWD, &inside, CWD, &other, RenameFlags::EXCHANGE).is_ok() {
                let turn = count.fetch_add(1, Ordering::Relaxed);
                if turn.is_multiple_of(64) {
                    self.restore_file(&inside, &other);
                }
            } else {
                self.make(&inside, &other);
            }
        }
    }

    fn make(&self, inside: &Path, other: &Path) {
        for at in [inside, other] {
            // Whatever a tool has left there.
            let _ = std::fs::remove_dir_all(at);
            let _ = std::fs::remove_file(at);
        }
        if self.folder {
            let _ = std::fs::create_dir(inside);
        }
        let _ = symlink(self.target, other);
        self.restore_file(inside, other);
    }

    /// Puts the file there again, on whichever side is not the link.
    fn restore_file(&self, inside: &Path, other: &Path) {
        let is_link = |at: &PathBuf| at.symlink_metadata().is_ok_and(|found| found.is_symlink());
        for at in [inside, other].map(Path::to_owned) {
            if is_link(&at) {
                continue;
            }
            // Nobody but this thread exchanges the two.
            let file = if self.folder { at.join("s.txt") } else { at };
            if !file.exists() {
                let _ = std::fs::write(file, "secret, they say\n");
            }
        }
    }
}

#[test]
fn races_do_not_escape_the_workspace() {
    let seconds = std::env::var(SECONDS).ok().and_then(|text| text.parse().ok());
    let whole = seconds.map_or(DEFAULT_DURATION, Duration::from_secs);
    let tools = names();
    let samples: Vec<_> = SAMPLES
        .iter()
        .filter(|s| tools.contains(s.tool) && !matches!(s.role, Role::Show | Role::Run))
        .collect();
    let each = whole / u32::try_from(samples.len() * RACES.len()).unwrap();
    let stage = Stage::new(true);
    println!("| tool | parameter | race | tries | done | refused | exchanges | escapes |");
    println!("|---|---|---|--:|--:|--:|--:|--:|");
    let mut tries_in_all = 0;
    for sample in samples {
        for (swap, path) in RACES {
            stage.reset();
            swap.make(&stage.root().join(swap.inside), &stage.root().join(swap.other));
            let (is_over, exchanges) = (AtomicBool::new(false), AtomicUsize::new(0));
            let (mut done, mut refused) = (0, 0);
            std::thread::scope(|scope| {
                scope.spawn(|| swap.run(&stage.root(), &is_over, &exchanges));
                let stop = StopAtEnd(&is_over);
                let until = Instant::now() + each;
                while Instant::now() < until {
                    // An answer that contains the secret panics.
                    match stage.call(sample.tool, &(sample.params)(path)) {
                        Ok(_) => done += 1,
                        Err(error) => {
                            assert_ne!(error.data["code"], "E_INTERNAL", "{}", error.data);
                            // Two texts that both matter stay: the error names the other one.
                            let kept = error.data["details"]["kept"].as_array();
                            for kept in kept.into_iter().flatten() {
                                let _ =
                                    std::fs::remove_file(stage.root().join(kept.as_str().unwrap()));
                            }
                            refused += 1;
                        }
                    }
                    restore(&stage.root());
                }
                drop(stop);
            });
            let told = format!("a race of {} {} on {path}", sample.tool, sample.place);
            let hidden = hidden_files_left(&stage.root());
            assert!(hidden.is_empty(), "{told} leaves {hidden:?}");
            stage.check_outside(&told);
            stage.check_inside(&told);
            stage.check_alive(&told);
            let tries = done + refused;
            tries_in_all += tries;
            let exchanges = exchanges.into_inner();
            assert!(tries > 0 && exchanges > 0, "{told}: nothing was tried");
            println!(
                "| {} | {} | {path} | {tries} | {done} | {refused} | {exchanges} | 0 |",
                sample.tool, sample.place
            );
        }
    }
    println!("| all | | | {tries_in_all} | | | | 0 |");
}

/// The hidden files that are left. There may be none, whichever folder they were written to.
fn hidden_files_left(root: &Path) -> Vec<PathBuf> {
    let (mut left, mut todo) = (Vec::new(), vec![root.to_owned()]);
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                todo.push(entry.path());
            }
            if entry.file_name().to_string_lossy().starts_with(".tandem-") {
                left.push(entry.path());
            }
        }
    }
    left
}

/// Puts back what the calls use up besides the path that is raced for.
fn restore(root: &Path) {
    for gone in ["moved", "copied"] {
        let at = root.join(gone);
        let _ = std::fs::remove_dir_all(&at);
        let _ = std::fs::remove_file(&at);
    }
    let kept = root.join("a.txt");
    if !kept.exists() {
        drop(
            File::create(&kept)
                .and_then(|mut file| std::io::Write::write_all(&mut file, b"inside\n")),
        );
    }
}

/// Ends the exchanging also where a check panics: the thread is waited for.
struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
