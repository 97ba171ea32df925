//! Names that only tests define stand behind the project's own, but in tests.

use super::{Asked, Candidate};

/// Folders of tests, and of what tests use.
const FOLDERS: &[&str] =
    &["__mocks__", "__tests__", "e2e", "fixtures", "spec", "specs", "test", "testdata", "tests"];

/// Whether a file belongs to tests, as its path is usual in one of the languages.
fn is_of_tests(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || stem.starts_with("test_")
        || stem == "conftest"
        || ["_test", ".test", "_spec", ".spec", "Test", "Tests"]
            .iter()
            .any(|end| stem.ends_with(end))
}

impl Asked<'_, '_> {
    /// Moves the candidates that tests define to the end of the list, looking only at those from
    /// number `from` on. The order is otherwise kept.
    pub(super) fn put_tests_last(&mut self, from: usize) {
        if is_of_tests(self.resolver.path(self.typing.file)) {
            return;
        }
        let is_last = |candidate: &Candidate| {
            let file = candidate.place.as_ref().map(|(file, _)| *file);
            file.is_some_and(|file| is_of_tests(self.resolver.path(file)))
        };
        let (last, mut first): (Vec<_>, Vec<_>) =
            self.candidates.drain(from..).partition(|candidate| is_last(candidate));
        first.extend(last);
        self.candidates.extend(first);
    }
}

#[cfg(test)]
mod tests {
    use super::is_of_tests;

    #[test]
    fn paths_of_tests_are_known() {
        for path in [
            "tests/a.py",
            "src/__tests__/a.ts",
            "a/test_b.py",
            "a/b_test.go",
            "b.spec.tsx",
            "src/test/java/ATest.java",
            "conftest.py",
        ] {
            assert!(is_of_tests(path), "{path}");
        }
        for path in ["src/a.py", "src/testing.rs", "latest.ts", "contest/a.go", "Attest.java"] {
            assert!(!is_of_tests(path), "{path}");
        }
    }
}
