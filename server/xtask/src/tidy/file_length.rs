//! Limits on the length of source files.

use super::Finding;
use super::rust_source::is_test_path;
use super::tree::{SourceFile, Tree};

/// Longer files get a warning.
const WARN_LINES: usize = 400;
/// Longer files are an error.
const MAX_LINES: usize = 800;
/// Kinds of files that people write line by line.
const SOURCE_EXTENSIONS: &[&str] = &[".rs", ".ts", ".js", ".lua", ".py", ".scm", ".sh"];
/// Folders of data that programs make, or that tests take from elsewhere.
const DATA_FOLDERS: &[&str] = &["fixtures/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files().filter(|file| is_source(file)).filter_map(length_finding).collect()
}

fn is_source(file: &SourceFile) -> bool {
    SOURCE_EXTENSIONS.iter().any(|kind| file.path.ends_with(kind))
        && !DATA_FOLDERS.iter().any(|folder| file.path.starts_with(folder))
}

fn length_finding(file: &SourceFile) -> Option<Finding> {
    let lines = file.text.lines().count();
    if lines <= WARN_LINES {
        return None;
    }
    let what = format!("{lines} lines; {WARN_LINES} ask to be split, {MAX_LINES} is the most");
    // A table that a program wrote, or a list of cases, is not read from top to bottom.
    let only_warn = lines <= MAX_LINES || is_test_path(&file.path) || is_generated(&file.text);
    Some(if only_warn {
        Finding::warning(&file.path, 0, what)
    } else {
        Finding::error(&file.path, 0, what)
    })
}

fn is_generated(text: &str) -> bool {
    text.lines().take(5).any(|line| line.contains("@generated"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_warned_about_and_longer_ones_refused() {
        let lines = |count: usize| "x\n".repeat(count);
        let (fine, long, huge) = (lines(400), lines(401), lines(801));
        let made = format!("// @generated\n{huge}");
        let found = check(&Tree::from_files(&[
            ("a/src/fine.rs", &fine),
            ("a/src/long.rs", &long),
            ("a/src/huge.rs", &huge),
            ("a/tests/huge.rs", &huge),
            ("a/src/made.rs", &made),
            ("docs/huge.md", &huge),
        ]));
        let told: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.is_warning)).collect();
        assert_eq!(
            told,
            [
                ("a/src/long.rs", true),
                ("a/src/huge.rs", false),
                ("a/tests/huge.rs", true),
                ("a/src/made.rs", true)
            ]
        );
    }
}
