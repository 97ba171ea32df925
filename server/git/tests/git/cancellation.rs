//! Cancelled operations end.

use std::sync::atomic::AtomicBool;

use git::{Between, DiffQuestion, GitError, StatusQuestion, Unsaved};
use workspace::Budget;

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
    let budget = &Budget::new(&cancelled);
    let status = repo.status_until(&StatusQuestion::default(), &Unsaved::default(), budget);
    assert_eq!(status.unwrap_err(), GitError::Cancelled);
    for between in [Between::IndexAndWork, Between::TreeAndIndex(None)] {
        let options =
            DiffQuestion { between, within: Vec::new(), context: 3, renames: true, words: false };
        let (mut wanted, mut take) = (|_: &_| true, |_| panic!("nobody wants it"));
        let diff = repo.diff(&options, &Unsaved::default(), budget, &mut wanted, &mut take);
        assert_eq!(diff.unwrap_err(), GitError::Cancelled);
    }
    repo.status(&StatusQuestion::default(), &Unsaved::default()).unwrap();
}
