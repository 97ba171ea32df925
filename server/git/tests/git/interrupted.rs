//! What nobody wants any more ends.

use std::sync::atomic::AtomicBool;

use git::{Between, DiffQuestion, GitError, StatusQuestion, Unsaved};
use workspace::Budget;

use crate::program::Place;

#[test]
fn a_status_and_a_diff_end_once_nobody_wants_them() {
    let temporary = tempfile::tempdir().unwrap();
    let mut place = Place::new(temporary.path().join("root"));
    place.git(&["init", "-q"]);
    place.write("a.txt", "a\n");
    place.git(&["add", "-A"]);
    place.write("a.txt", "b\n");
    let repo = place.open();
    let given_up = AtomicBool::new(true);
    let budget = &Budget::new(&given_up);
    let status = repo.status_until(&StatusQuestion::default(), &Unsaved::default(), budget);
    assert_eq!(status.unwrap_err(), GitError::Cancelled);
    for between in [Between::IndexAndWork, Between::TreeAndIndex(None)] {
        let question =
            DiffQuestion { between, within: Vec::new(), context: 3, renames: true, words: false };
        let (mut wanted, mut take) = (|_: &_| true, |_| panic!("nobody wants it"));
        let diff = repo.diff(&question, &Unsaved::default(), budget, &mut wanted, &mut take);
        assert_eq!(diff.unwrap_err(), GitError::Cancelled);
    }
    repo.status(&StatusQuestion::default(), &Unsaved::default()).unwrap();
}
