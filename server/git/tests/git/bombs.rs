//! Repositories that cost more than they weigh: each is refused at once, in words, and without a panic.

use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, Instant};

use git::{Between, DiffQuestion, GitError, Repo, StatusQuestion, Trust, Unsaved};
use git2::{Oid, Repository, Signature};
use workspace::Budget;

use crate::program::Place;

/// More than any of these takes, and less than any bomb would.
const SOON: Duration = Duration::from_secs(10);

fn place(folder: &tempfile::TempDir) -> Place {
    let mut place = Place::new(folder.path().join("root"));
    place.git(&["init", "-q"]);
    place.write("a.txt", "a\n");
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "one"]);
    place
}

fn soon<R>(work: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    let done = work();
    assert!(begun.elapsed() < SOON, "took {:?}", begun.elapsed());
    done
}

fn refused<R>(result: Result<R, GitError>, word: &str) {
    match result.map(drop) {
        Err(error @ GitError::TooLarge { .. }) => {
            assert!(error.to_string().contains(word), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

/// Commits a tree that unfolds to 10^11 files: eleven folders deep, ten names for one folder in each.
fn tree_bomb(place: &Place) -> Oid {
    let git = Repository::open(&place.root).unwrap();
    let mut builder = git.treebuilder(None).unwrap();
    builder.insert("file", git.blob(b"x\n").unwrap(), 0o100_644).unwrap();
    let mut tree = builder.write().unwrap();
    for _ in 0..11 {
        let mut builder = git.treebuilder(None).unwrap();
        for name in 0..10 {
            builder.insert(format!("d{name}"), tree, 0o040_000).unwrap();
        }
        tree = builder.write().unwrap();
    }
    let who = Signature::now("a", "a@example.com").unwrap();
    let parent = git.head().unwrap().peel_to_commit().unwrap();
    let tree = git.find_tree(tree).unwrap();
    git.commit(Some("HEAD"), &who, &who, "bomb", &tree, &[&parent]).unwrap()
}

#[test]
fn a_tree_that_unfolds_is_refused_wherever_it_is_walked() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(&folder);
    let bomb = tree_bomb(&place);
    let repo = place.open();
    let unsaved = Unsaved::default();
    let before = repo.parent(bomb).unwrap();
    let words = "unfolds to more than";
    soon(|| refused(repo.status(&StatusQuestion::default(), &unsaved), words));
    for between in [
        Between::TreeAndIndex(None),
        Between::TreeAndWork(bomb),
        Between::Trees(before, Some(bomb)),
        Between::Trees(Some(bomb), None),
    ] {
        let question =
            DiffQuestion { between, within: Vec::new(), context: 3, renames: true, words: false };
        let budget = Budget::of_one_call();
        soon(|| {
            let diff = repo.diff(&question, &unsaved, &budget, &mut |_| true, &mut |_| true);
            refused(diff, words);
        });
    }
    soon(|| refused(repo.checkpoint("x", &unsaved, &Budget::of_one_call()), words));
    soon(|| refused(repo.staged_paths(10), words));
    soon(|| refused(repo.changed_between(before, bomb), words));
    soon(|| refused(repo.changed_between(Some(bomb), bomb), words));
}

#[test]
fn files_of_the_git_folder_that_are_too_large_are_not_read() {
    for (name, size) in [
        ("index", 20 << 30),
        ("HEAD", 1 << 30),
        ("packed-refs", 20 << 30),
        ("config", 1 << 30),
        ("MERGE_MSG", 20u64 << 30),
        ("refs/heads/other", 20 << 30),
        ("logs/HEAD", 20 << 30),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let place = place(&folder);
        let path = place.at(".git").join(name);
        File::options().create(true).append(true).open(path).unwrap().set_len(size).unwrap();
        soon(|| {
            let opened = place.find(Trust::Withheld).and_then(Repo::open);
            let error = opened.map(drop).unwrap_err().to_string();
            assert!(error.contains("more than"), "{name}: {error}");
        });
    }
}

#[test]
fn a_blob_that_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut place = place(&folder);
    File::create(place.at("big.bin")).unwrap().set_len(200 << 20).unwrap();
    place.git(&["add", "-A"]);
    place.git(&["commit", "-qm", "big"]);
    let id = String::from_utf8(place.git(&["rev-parse", "HEAD:big.bin"])).unwrap();
    let repo = place.open();
    soon(|| refused(repo.blob(id.trim().parse().unwrap()), "not read"));
}

#[test]
fn an_index_that_names_what_is_no_path_in_it_is_refused() {
    for (name, path) in [("xabs/lute", "/abs/lute"), ("xx/passwd", "../passwd"), ("a/x/b", "a/./b")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut place = place(&folder);
        place.write(name, "x\n");
        place.git(&["add", "-A"]);
        let index = place.at(".git/index");
        let mut bytes = fs::read(&index).unwrap();
        let at = bytes.windows(name.len()).position(|part| part == name.as_bytes()).unwrap();
        bytes[at..at + path.len()].copy_from_slice(path.as_bytes());
        // The file ends in its own checksum; extensions that know the old name are cut off with it.
        let end = bytes.windows(4).position(|part| part == b"TREE").unwrap_or(bytes.len() - 20);
        bytes.truncate(end);
        fs::write(&index, &bytes).unwrap();
        let sum = Command::new("sha1sum").arg(&index).output().unwrap().stdout;
        let sum: Oid = std::str::from_utf8(&sum[..40]).unwrap().parse().unwrap();
        bytes.extend_from_slice(sum.as_bytes());
        fs::write(&index, &bytes).unwrap();
        let layout = place.find(Trust::Withheld).unwrap();
        let budget = Budget::of_one_call();
        let made = layout
            .behind(true, |repo| repo.checkpoint("x", &Unsaved::default(), &budget).map(drop));
        match made {
            Err(GitError::Corrupt { .. }) => {}
            other => panic!("{path}: {other:?}"),
        }
    }
}
