//! Sorts names that only tests define behind the project's own, except within tests.

use super::{CompletionBuilder, CompletionCandidate};

/// Folders of tests and test data.
const TEST_FOLDERS: &[&str] =
    &["__mocks__", "__tests__", "e2e", "fixtures", "spec", "specs", "test", "testdata", "tests"];

/// Whether a file belongs to tests, by the usual paths of all languages.
fn is_test_file(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    folders.split('/').any(|folder| TEST_FOLDERS.contains(&folder))
        || stem.starts_with("test_")
        || stem == "conftest"
        || ["_test", ".test", "_spec", ".spec", "Test", "Tests"]
            .iter()
            .any(|end| stem.ends_with(end))
}

impl CompletionBuilder<'_, '_> {
    /// Moves the candidates that tests define behind the others, among those from index `from` on.
    /// The sort is stable.
    pub(super) fn put_tests_last(&mut self, from: usize) {
        if is_test_file(self.resolver.path(self.typing.file)) {
            return;
        }
        let is_last = |candidate: &CompletionCandidate| {
            let file = candidate.location.as_ref().map(|(file, _)| *file);
            file.is_some_and(|file| is_test_file(self.resolver.path(file)))
        };
        let (last, mut first): (Vec<_>, Vec<_>) =
            self.candidates.drain(from..).partition(|candidate| is_last(candidate));
        first.extend(last);
        self.candidates.extend(first);
    }
}

#[cfg(test)]
mod tests {
    use super::is_test_file;

    #[test]
    fn test_files_are_recognised() {
        for path in [
            "tests/a.py",
            "src/__tests__/a.ts",
            "a/test_b.py",
            "a/b_test.go",
            "b.spec.tsx",
            "src/test/java/ATest.java",
            "conftest.py",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in ["src/a.py", "src/testing.rs", "latest.ts", "contest/a.go", "Attest.java"] {
            assert!(!is_test_file(path), "{path}");
        }
    }
}
