//! No spaces at line ends, and every text ends its last line.

use super::Finding;
use super::tree::Tree;

/// Fixtures hold what tests need, odd spaces included.
const EXEMPT: &[&str] = &["fixtures/"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files() {
        if EXEMPT.iter().any(|folder| file.path.starts_with(folder)) {
            continue;
        }
        for (index, line) in file.text.split('\n').enumerate() {
            if line.ends_with([' ', '\t', '\r']) {
                findings.push(Finding::error(
                    &file.path,
                    index + 1,
                    "space at the end of the line",
                ));
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            findings.push(Finding::error(&file.path, 0, "no line break at the end"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_at_line_ends_are_found() {
        let found = check(&Tree::from_files(&[
            ("a.md", "fine\n"),
            ("b.md", "fine\nnot \n\t\n"),
            ("c.md", "carriage return\r\n"),
            ("d.md", "unfinished"),
            ("fixtures/e.md", "left as it is \n"),
        ]));
        let places: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(places, [("b.md", 2), ("b.md", 3), ("c.md", 1), ("d.md", 0)]);
    }
}
