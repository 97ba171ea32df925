//! Every crate's documentation starts with its purpose and its limits.

use super::Finding;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|(file, _)| file.path.ends_with("src/lib.rs") || file.path.ends_with("src/main.rs"))
        .filter(|(file, _)| !is_described(&file.text))
        .map(|(file, _)| {
            let what = "a crate opens with `//!`: what it is for, what it knows nothing of";
            Finding::error(&file.path, 1, what)
        })
        .collect()
}

fn is_described(text: &str) -> bool {
    text.lines()
        .next()
        .and_then(|line| line.strip_prefix("//!"))
        .is_some_and(|words| !words.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_without_a_module_head_is_found() {
        let found = check(&Tree::from_files(&[
            ("server/a/src/lib.rs", "//! What it is for.\n"),
            ("server/b/src/lib.rs", "//! \n"),
            ("server/c/src/main.rs", "fn main() {}\n"),
            ("server/c/src/other.rs", "fn other() {}\n"),
        ]));
        let paths: Vec<_> = found.iter().map(|finding| finding.path.as_str()).collect();
        assert_eq!(paths, ["server/b/src/lib.rs", "server/c/src/main.rs"]);
    }
}
