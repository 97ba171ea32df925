//! Cancelled operations end.

use std::sync::atomic::AtomicBool;

use git::{Comparison, DiffOptions, GitError, StatusOptions, UnsavedFiles};
use workspace::CallBudget;

use crate::test_repo::TestRepo;

#[test]
fn a_cancelled_status_and_diff_end() {
    let temporary = tempfile::tempdir().unwrap();
    let mut test_repo = TestRepo::new(temporary.path().join("root"));
    test_repo.git(&["init", "-q"]);
    test_repo.write("a.txt", "a\n");
    test_repo.git(&["add", "-A"]);
    test_repo.write("a.txt", "b\n");
    let repo = test_repo.open();
    let cancelled = AtomicBool::new(true);
    let budget = &CallBudget::new(&cancelled);
    let status =
        repo.status_with_budget(&StatusOptions::default(), &UnsavedFiles::default(), budget);
    assert_eq!(status.unwrap_err(), GitError::Cancelled);
    for between in [Comparison::IndexToWorkTree, Comparison::TreeToIndex(None)] {
        let options = DiffOptions {
            comparison: between,
            paths: Vec::new(),
            context: 3,
            renames: true,
            intraline: false,
        };
        let (mut wanted, mut take) = (|_: &_| true, |_| panic!("nobody wants it"));
        let diff = repo.diff(&options, &UnsavedFiles::default(), budget, &mut wanted, &mut take);
        assert_eq!(diff.unwrap_err(), GitError::Cancelled);
    }
    assert_eq!(repo.staged_paths(10, budget).unwrap_err(), GitError::Cancelled);
    test_repo.git(&["commit", "-qm", "one"]);
    let mut repo = test_repo.open();
    let head = repo.head().unwrap().commit.unwrap();
    assert_eq!(repo.files_changed_between(None, head, budget).unwrap_err(), GitError::Cancelled);
    assert_eq!(repo.files_changed_by_switch(head, budget).unwrap_err(), GitError::Cancelled);
    assert_eq!(repo.files_changed_by_stash(None, true, budget).unwrap_err(), GitError::Cancelled);
    test_repo.git(&["stash", "-q"]);
    let stash = repo.files_changed_by_stash(Some(0), true, budget);
    assert_eq!(stash.unwrap_err(), GitError::Cancelled);
    repo.status(&StatusOptions::default(), &UnsavedFiles::default()).unwrap();
}
