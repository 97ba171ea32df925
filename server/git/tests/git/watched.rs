//! A status that is asked for again and again, beside git's own after every change: by files, by
//! folders, by the `git` program.
//!
//! `TANDEM_GIT_CASES` and `TANDEM_GIT_SEED` as for the histories made at random.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::differential::{compare_status, number};
use crate::made::{Dice, repository};
use crate::program::Place;

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
fn what_is_known_of_a_work_tree_is_what_git_says() {
    let cases = number("TANDEM_GIT_CASES").map_or(CASES, |n| usize::try_from(n).unwrap());
    let seeds: Vec<u64> = match number("TANDEM_GIT_SEED") {
        Some(seed) => vec![seed],
        None => (1..=cases as u64).collect(),
    };
    let (next, known, all) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = std::sync::Mutex::new(Vec::new());
    // Of more at once than this, what is known is forgotten.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(seed) = seeds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(told) = case(*seed, &known, &all) {
                        wrong.lock().unwrap().push(format!("seed {seed}: {told}"));
                    }
                }
            });
        }
    });
    let (known, all) = (known.into_inner(), all.into_inner());
    println!("| watched status | {all} answers the same, {known} without a look at every file |");
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    if number("TANDEM_GIT_SEED").is_none() {
        assert!(known > all / 2, "{known} of {all}");
    }
}

fn case(seed: u64, known: &AtomicUsize, all: &AtomicUsize) -> Result<(), String> {
    let temporary = tempfile::tempdir().unwrap();
    let mut place = Place::new(temporary.path().join("root"));
    let mut dice = Dice::new(seed);
    repository(&mut place, &mut dice);
    let mut done = Vec::new();
    for step in 0..STEPS {
        for _ in 0..dice.below(3) {
            done.push(change(&mut place, &mut dice));
        }
        if dice.one_in(4) {
            done.push(program(&mut place, &mut dice));
        }
        let question = git::StatusQuestion { all_untracked: dice.one_in(2), ..Default::default() };
        // Ours first: git's own writes the index anew where it has looked at files.
        let ours = place.open().status(&question, &git::Unsaved::default());
        let ours = ours.map_err(|error| format!("step {step}: {error}\n{done:?}"))?;
        all.fetch_add(1, Ordering::Relaxed);
        known.fetch_add(usize::from(!ours.looked_at_all), Ordering::Relaxed);
        let told = compare_status(&mut place, &ours, question.all_untracked, false);
        told.map_err(|told| {
            git::forget_looks();
            let anew = place.open().status(&question, &git::Unsaved::default()).unwrap();
            let anew = compare_status(&mut place, &anew, question.all_untracked, false);
            let shown = place.run(&["status", "--porcelain=v2", "--untracked-files=all"]);
            let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
            let is_right = anew.is_ok();
            format!("step {step} (a look at all is right: {is_right}): {told}\n{shown}\n{done:?}")
        })?;
    }
    Ok(())
}

/// Changes something in the work tree; what.
fn change(place: &mut Place, dice: &mut Dice) -> String {
    let file = dice.pick(FILES);
    let folder = dice.pick(FOLDERS);
    let at = place.at(file);
    let is_file = at.is_file() && !at.is_symlink();
    let make_room = || {
        let _ = fs::create_dir_all(at.parent().unwrap());
    };
    match dice.below(15) {
        0..=2 => {
            make_room();
            let _ = fs::write(&at, format!("{}\n", dice.below(1_000)));
            format!("write {file}")
        }
        // As long as before.
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
            let _ = fs::remove_dir_all(place.at(folder));
            format!("remove {folder}/")
        }
        6 => {
            let to = dice.pick(FOLDERS);
            let _ = fs::rename(place.at(folder), place.at(to));
            format!("move {folder}/ to {to}/")
        }
        7 => {
            let to = dice.pick(FILES);
            let _ = fs::create_dir_all(place.at(to).parent().unwrap());
            let _ = fs::rename(&at, place.at(to));
            format!("move {file} to {to}")
        }
        8 if is_file => {
            let mode = if dice.one_in(2) { 0o755 } else { 0o644 };
            fs::set_permissions(&at, fs::Permissions::from_mode(mode)).unwrap();
            format!("mode {file} {mode:o}")
        }
        9 => {
            make_room();
            let _ = fs::remove_file(&at);
            let _ = symlink("nowhere", &at);
            format!("link {file}")
        }
        // A folder that becomes a link to itself, as it were.
        10 => {
            let moved = place.at(format!("moved-{}", dice.below(3)));
            if place.at(folder).is_dir() && !moved.exists() {
                fs::rename(place.at(folder), &moved).unwrap();
                let _ = symlink(&moved, place.at(folder));
            }
            format!("link {folder}/")
        }
        11 => {
            let _ = fs::remove_file(place.at(folder));
            format!("remove link {folder}")
        }
        // Replaced as editors do.
        12 if is_file => {
            let new = at.with_extension("new~");
            let _ = fs::copy(&at, &new);
            let _ = fs::write(&new, format!("{}\n", dice.below(10)));
            let _ = fs::rename(&new, &at);
            format!("replace {file}")
        }
        // Another name of the same file, by which it is changed later.
        13 if is_file => {
            let other = place.root.with_file_name(format!("other-{}", dice.below(1_000)));
            let _ = fs::hard_link(&at, &other);
            format!("hard link {file}")
        }
        _ => {
            place.write(".gitignore", if dice.one_in(2) { "*.txt\n/docs/*.md\n" } else { "*.o\n" });
            "ignore".to_owned()
        }
    }
}

/// Has git's own program change something; what.
fn program(place: &mut Place, dice: &mut Dice) -> String {
    let file = dice.pick(FILES);
    let folder = dice.pick(FOLDERS);
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
    let args = choices[dice.below(choices.len())];
    let _ = place.run(args);
    args.join(" ")
}

/// The same file by another name outside the work tree: who writes by that one is seen as well,
/// as long as it was there when everything was looked at.
#[test]
fn files_with_other_names_are_looked_at() {
    let temporary = tempfile::tempdir().unwrap();
    let mut place = Place::new(temporary.path().join("root"));
    place.git(&["init", "-q"]);
    place.write("a.txt", "a\n");
    fs::hard_link(place.at("a.txt"), temporary.path().join("other")).unwrap();
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "x"]);
    let status = || place.open().status(&git::StatusQuestion::default(), &Default::default());
    while status().unwrap().looked_at_all {}
    fs::write(temporary.path().join("other"), "changed\n").unwrap();
    let found = status().unwrap();
    assert_eq!((found.unstaged.len(), found.looked_at_all), (1, false));
}

#[test]
fn a_tree_that_takes_anothers_place_is_another() {
    let temporary = tempfile::tempdir().unwrap();
    let make = |name: &str, text: &str| {
        let mut place = Place::new(temporary.path().join(name));
        place.git(&["init", "-q"]);
        place.write("a.txt", "a\n");
        place.git(&["add", "-A"]);
        place.git(&["commit", "-qm", "x"]);
        place.write("a.txt", text);
        place
    };
    let (one, other) = (make("one/root", "a\n"), make("two/root", "b\n"));
    let status = |place: &Place| {
        place.open().status(&git::StatusQuestion::default(), &Default::default()).unwrap()
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
