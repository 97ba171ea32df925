//! Small repositories that would cost enormous resources: each is rejected quickly and without a
//! panic.

use std::fs::{self, File};
use std::process::Command;
use std::time::{Duration, Instant};

use git::{Comparison, DiffOptions, GitError, Repo, StatusOptions, Trust, UnsavedFiles};
use git2::{Oid, Repository, Signature};
use workspace::CallBudget;

use crate::test_repo::TestRepo;

/// Longer than any rejection takes, and shorter than any bomb would.
const DEADLINE: Duration = Duration::from_secs(10);

fn new_repo(folder: &tempfile::TempDir) -> TestRepo {
    let mut test_repo = TestRepo::new(folder.path().join("root"));
    test_repo.git(&["init", "-q"]);
    test_repo.write("a.txt", "a\n");
    test_repo.git(&["add", "-A"]);
    test_repo.git(&["commit", "-qm", "one"]);
    test_repo
}

fn within_deadline<R>(work: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    let done = work();
    assert!(begun.elapsed() < DEADLINE, "took {:?}", begun.elapsed());
    done
}

fn assert_rejected<R>(result: Result<R, GitError>, word: &str) {
    match result.map(drop) {
        Err(error @ GitError::TooLarge { .. }) => {
            assert!(error.to_string().contains(word), "{error}");
        }
        other => panic!("{other:?}"),
    }
}

/// Commits a tree that unfolds to 10^11 files: eleven levels deep, each with ten names of the same
/// folder.
fn tree_bomb(test_repo: &TestRepo) -> Oid {
    let git = Repository::open(&test_repo.root).unwrap();
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
fn a_tree_bomb_is_rejected_wherever_trees_are_walked() {
    let folder = tempfile::tempdir().unwrap();
    let test_repo = new_repo(&folder);
    let bomb = tree_bomb(&test_repo);
    let repo = test_repo.open();
    let unsaved = UnsavedFiles::default();
    let before = repo.parent(bomb).unwrap();
    let message = "unfolds to more than";
    within_deadline(|| assert_rejected(repo.status(&StatusOptions::default(), &unsaved), message));
    for between in [
        Comparison::TreeToIndex(None),
        Comparison::TreeToWorkTree(bomb),
        Comparison::TreeToTree(before, Some(bomb)),
        Comparison::TreeToTree(Some(bomb), None),
    ] {
        let options = DiffOptions {
            comparison: between,
            paths: Vec::new(),
            context: 3,
            renames: true,
            intraline: false,
        };
        let budget = CallBudget::without_cancel();
        within_deadline(|| {
            let diff = repo.diff(&options, &unsaved, &budget, &mut |_| true, &mut |_| true);
            assert_rejected(diff, message);
        });
    }
    within_deadline(|| {
        assert_rejected(repo.checkpoint("x", &unsaved, &CallBudget::without_cancel()), message)
    });
    within_deadline(|| {
        assert_rejected(repo.staged_paths(10, &CallBudget::without_cancel()), message)
    });
    within_deadline(|| {
        assert_rejected(
            repo.files_changed_between(before, bomb, &CallBudget::without_cancel()),
            message,
        )
    });
    within_deadline(|| {
        assert_rejected(
            repo.files_changed_between(Some(bomb), bomb, &CallBudget::without_cancel()),
            message,
        )
    });
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
        let test_repo = new_repo(&folder);
        let path = test_repo.at(".git").join(name);
        File::options().create(true).append(true).open(path).unwrap().set_len(size).unwrap();
        within_deadline(|| {
            let opened = test_repo.find(Trust::Untrusted).and_then(Repo::open);
            let error = opened.map(drop).unwrap_err().to_string();
            assert!(error.contains("more than"), "{name}: {error}");
        });
    }
}

#[test]
fn a_blob_that_is_too_large_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut test_repo = new_repo(&folder);
    File::create(test_repo.at("big.bin")).unwrap().set_len(200 << 20).unwrap();
    test_repo.git(&["add", "-A"]);
    test_repo.git(&["commit", "-qm", "big"]);
    let id = String::from_utf8(test_repo.git(&["rev-parse", "HEAD:big.bin"])).unwrap();
    let repo = test_repo.open();
    within_deadline(|| assert_rejected(repo.blob(id.trim().parse().unwrap()), "not read"));
}

#[test]
fn an_index_with_invalid_paths_is_rejected() {
    for (name, path) in [("xabs/lute", "/abs/lute"), ("xx/passwd", "../passwd"), ("a/x/b", "a/./b")]
    {
        let folder = tempfile::tempdir().unwrap();
        let mut test_repo = new_repo(&folder);
        test_repo.write(name, "x\n");
        test_repo.git(&["add", "-A"]);
        let index = test_repo.at(".git/index");
        let mut bytes = fs::read(&index).unwrap();
        let at = bytes.windows(name.len()).position(|part| part == name.as_bytes()).unwrap();
        bytes[at..at + path.len()].copy_from_slice(path.as_bytes());
        // Cut off the checksum at the end, and the extensions that contain the old name.
        let end = bytes.windows(4).position(|part| part == b"TREE").unwrap_or(bytes.len() - 20);
        bytes.truncate(end);
        fs::write(&index, &bytes).unwrap();
        let sum = Command::new("sha1sum").arg(&index).output().unwrap().stdout;
        let sum: Oid = std::str::from_utf8(&sum[..40]).unwrap().parse().unwrap();
        bytes.extend_from_slice(sum.as_bytes());
        fs::write(&index, &bytes).unwrap();
        let layout = test_repo.find(Trust::Untrusted).unwrap();
        let budget = CallBudget::without_cancel();
        let made = layout.run_sandboxed(true, |repo| {
            repo.checkpoint("x", &UnsavedFiles::default(), &budget).map(drop)
        });
        match made {
            Err(GitError::Corrupt { .. }) => {}
            other => panic!("{path}: {other:?}"),
        }
    }
}
