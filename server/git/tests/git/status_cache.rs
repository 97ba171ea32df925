//! The status cache: compares repeated status queries with git's after every change by files,
//! folders or the `git` program.
//!
//! `TANDEM_GIT_CASES` and `TANDEM_GIT_SEED` as in [`crate::differential`].

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::differential::{compare_status, number};
use crate::random_repository::{Random, random_repository};
use crate::test_repo::TestRepo;

const CASES: usize = 24;
const STEPS: usize = 60;

const FILES: &[&str] = &[
    "a.txt",
    "b.txt",
    "src/main.rs",
    "src/lib.rs",
    "src/deep/er/x.c",
    "src/deep/er/y.c",
    "docs/one.md",
    "docs/two.md",
    "other/deep/z.txt",
    "untracked/x/y",
];
const FOLDERS: &[&str] = &["src", "src/deep", "src/deep/er", "docs", "other", "other/deep", "new"];

#[test]
fn a_cached_status_is_that_of_git() {
    let cases = number("TANDEM_GIT_CASES").map_or(CASES, |n| usize::try_from(n).unwrap());
    let seeds: Vec<u64> = match number("TANDEM_GIT_SEED") {
        Some(seed) => vec![seed],
        None => (1..=cases as u64).collect(),
    };
    let (next, cached, total) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let failures = std::sync::Mutex::new(Vec::new());
    // No more threads than this: the cache has room for only a few work trees.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(mismatch) = case(*seed, &cached, &total) {
                        failures.lock().unwrap().push(format!("seed {seed}: {mismatch}"));
                    }
                }
            });
        }
    });
    let (cached, total) = (cached.into_inner(), total.into_inner());
    println!(
        "| watched status | {total} answers the same, {cached} without a look at every file |"
    );
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} wrong:\n{}", failures.len(), failures.join("\n"));
    if number("TANDEM_GIT_SEED").is_none() {
        assert!(cached > total / 2, "{cached} of {total}");
    }
}

fn case(seed: u64, cached: &AtomicUsize, total: &AtomicUsize) -> Result<(), String> {
    let temporary = tempfile::tempdir().unwrap();
    let mut repo = TestRepo::new(temporary.path().join("root"));
    let mut random = Random::new(seed);
    random_repository(&mut repo, &mut random);
    let mut done = Vec::new();
    for step in 0..STEPS {
        for _ in 0..random.below(3) {
            done.push(change(&mut repo, &mut random));
        }
        if random.one_in(4) {
            done.push(run_git(&mut repo, &mut random));
        }
        let options = git::StatusOptions { all_untracked: random.one_in(2), ..Default::default() };
        // Ours first: git refreshes the index file when it has compared files.
        let ours = repo.open().status(&options, &git::UnsavedFiles::default());
        let ours = ours.map_err(|error| format!("step {step}: {error}\n{done:?}"))?;
        total.fetch_add(1, Ordering::Relaxed);
        cached.fetch_add(usize::from(!ours.is_full_scan), Ordering::Relaxed);
        let mismatch = compare_status(&mut repo, &ours, options.all_untracked, false);
        mismatch.map_err(|mismatch| {
            git::clear_status_cache();
            let fresh = repo.open().status(&options, &git::UnsavedFiles::default()).unwrap();
            let fresh = compare_status(&mut repo, &fresh, options.all_untracked, false);
            let porcelain = repo.run(&["status", "--porcelain=v2", "--untracked-files=all"]);
            let porcelain = String::from_utf8_lossy(&porcelain.stdout).into_owned();
            let is_right = fresh.is_ok();
            format!("step {step} (a look at all is right: {is_right}): {mismatch}\n{porcelain}\n{done:?}")
        })?;
    }
    Ok(())
}

/// Changes something in the work tree; describes the change.
fn change(repo: &mut TestRepo, random: &mut Random) -> String {
    let file = random.pick(FILES);
    let folder = random.pick(FOLDERS);
    let at = repo.at(file);
    let is_file = at.is_file() && !at.is_symlink();
    let make_room = || {
        let _ = fs::create_dir_all(at.parent().unwrap());
    };
    match random.below(15) {
        0..=2 => {
            make_room();
            let _ = fs::write(&at, format!("{}\n", random.below(1_000)));
            format!("write {file}")
        }
        // The same size as before.
        3 if is_file => {
            let mut bytes = fs::read(&at).unwrap();
            if let Some(first) = bytes.first_mut() {
                *first = first.wrapping_add(1) | 0x40;
            }
            let _ = fs::write(&at, bytes);
            format!("rewrite {file}")
        }
        4 => {
            let _ = fs::remove_file(&at);
            format!("remove {file}")
        }
        5 => {
            let _ = fs::remove_dir_all(repo.at(folder));
            format!("remove {folder}/")
        }
        6 => {
            let to = random.pick(FOLDERS);
            let _ = fs::rename(repo.at(folder), repo.at(to));
            format!("move {folder}/ to {to}/")
        }
        7 => {
            let to = random.pick(FILES);
            let _ = fs::create_dir_all(repo.at(to).parent().unwrap());
            let _ = fs::rename(&at, repo.at(to));
            format!("move {file} to {to}")
        }
        8 if is_file => {
            let mode = if random.one_in(2) { 0o755 } else { 0o644 };
            fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
            format!("mode {file} {mode:o}")
        }
        9 => {
            make_room();
            let _ = fs::remove_file(&at);
            let _ = symlink("nowhere", &at);
            format!("link {file}")
        }
        // A folder is replaced by a link to it.
        10 => {
            let moved = repo.at(format!("moved-{}", random.below(3)));
            if repo.at(folder).is_dir() && !moved.exists() {
                fs::rename(repo.at(folder), &moved).unwrap();
                let _ = symlink(&moved, repo.at(folder));
            }
            format!("link {folder}/")
        }
        11 => {
            let _ = fs::remove_file(repo.at(folder));
            format!("remove link {folder}")
        }
        // An atomic replacement, as editors save.
        12 if is_file => {
            let new = at.with_extension("new~");
            let _ = fs::copy(&at, &new);
            let _ = fs::write(&new, format!("{}\n", random.below(10)));
            let _ = fs::rename(&new, &at);
            format!("replace {file}")
        }
        // A hard link, through which the file may change later.
        13 if is_file => {
            let other = repo.root.with_file_name(format!("other-{}", random.below(1_000)));
            let _ = fs::hard_link(&at, &other);
            format!("hard link {file}")
        }
        _ => {
            repo.write(
                ".gitignore",
                if random.one_in(2) { "*.txt\n/docs/*.md\n" } else { "*.o\n" },
            );
            "ignore".to_owned()
        }
    }
}

/// Changes something with the `git` program; returns its arguments.
fn run_git(repo: &mut TestRepo, random: &mut Random) -> String {
    let file = random.pick(FILES);
    let folder = random.pick(FOLDERS);
    let choices: &[&[&str]] = &[
        &["add", "-A"],
        &["add", file],
        &["commit", "-q", "-am", "x"],
        &["commit", "-q", "--allow-empty", "-m", "x"],
        &["checkout", "-q", "-f"],
        &["checkout", "-q", "HEAD~1"],
        &["checkout", "-q", "-B", "topic"],
        &["reset", "-q", "--hard"],
        &["reset", "-q"],
        &["reset", "-q", "--soft", "HEAD~1"],
        &["rm", "-q", "--cached", "-r", "--ignore-unmatch", folder],
        &["stash", "-q", "-u"],
        &["stash", "pop", "-q"],
        &["clean", "-qfd"],
        &["update-index", "--assume-unchanged", file],
        &["update-index", "--no-assume-unchanged", file],
        &["update-index", "--refresh", "-q"],
        &["update-index", "--index-version", "4"],
        &["update-index", "--index-version", "2"],
        &["status"],
    ];
    let args = choices[random.below(choices.len())];
    let _ = repo.run(args);
    args.join(" ")
}

/// A write through a hard link outside the work tree is found if the link existed at the last full
/// scan.
#[test]
fn changes_through_hard_links_are_found() {
    let temporary = tempfile::tempdir().unwrap();
    let mut repo = TestRepo::new(temporary.path().join("root"));
    repo.git(&["init", "-q"]);
    repo.write("a.txt", "a\n");
    fs::hard_link(repo.at("a.txt"), temporary.path().join("other")).unwrap();
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "x"]);
    let status = || repo.open().status(&git::StatusOptions::default(), &Default::default());
    while status().unwrap().is_full_scan {}
    fs::write(temporary.path().join("other"), "changed\n").unwrap();
    let found = status().unwrap();
    assert_eq!((found.unstaged.len(), found.is_full_scan), (1, false));
}

#[test]
fn work_trees_that_swap_paths_are_not_confused() {
    let temporary = tempfile::tempdir().unwrap();
    let make = |name: &str, text: &str| {
        let mut repo = TestRepo::new(temporary.path().join(name));
        repo.git(&["init", "-q"]);
        repo.write("a.txt", "a\n");
        repo.git(&["add", "-A"]);
        repo.git(&["commit", "-qm", "x"]);
        repo.write("a.txt", text);
        repo
    };
    let (one, other) = (make("one/root", "a\n"), make("two/root", "b\n"));
    let status = |repo: &TestRepo| {
        repo.open().status(&git::StatusOptions::default(), &Default::default()).unwrap()
    };
    for _ in 0..3 {
        assert_eq!((status(&one).unstaged.len(), status(&other).unstaged.len()), (0, 1));
    }
    let at = |name: &str| temporary.path().join(name);
    let swap = |a: &Path, b: &Path| {
        let aside = a.with_extension("aside");
        fs::rename(a, &aside).unwrap();
        fs::rename(b, a).unwrap();
        fs::rename(&aside, b).unwrap();
    };
    swap(&at("one"), &at("two"));
    for _ in 0..3 {
        assert_eq!((status(&one).unstaged.len(), status(&other).unstaged.len()), (1, 0));
    }
    assert!(one.root.file_name() == Some(OsStr::new("root")));
}
