//! Retired words do not return: private vocabulary that the field has a standard term for.
//!
//! The glossary in docs/ARCHITECTURE.md has the terms to use. Identifiers, comments and documentation
//! are checked; messages of earlier commits are not.

use super::Finding;
use super::tree::Tree;

/// A retired word or phrase, and what to write instead.
const RETIRED: &[(&str, &str)] = &[
    ("Crew", "BlockingPool"),
    ("CatchingUp", "background parse"),
    ("Meant", "what it holds"),
    ("PATIENCE", "a timeout named for what it limits"),
    ("Painted", "HighlightCache"),
    ("SURE", "a limit named for what it limits"),
    ("Shifted", "StaleTree"),
    ("Teller", "OutputReporter"),
    ("Told", "what it holds"),
    ("Wanted", "what it holds"),
    ("asks for leave", "asks for approval"),
    ("catching up", "background parse"),
    ("code inside code", "embedded language"),
    ("fn meant", "a noun"),
    ("fn said", "a noun"),
    ("fn told", "a noun"),
    ("gives leave", "approves"),
    ("outside_wall", "unsandboxed"),
    ("own_wall", "own_sandbox"),
    ("takes_turn", "needs_write_lock"),
    ("that which", "what, or a noun"),
    ("the turn to write", "the write lock"),
    ("with_leave", "with_approval"),
];

/// This file names them.
const THIS_FILE: &str = "server/xtask/src/tidy/words.rs";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let is_checked = |path: &str| {
        path != THIS_FILE
            && (path.ends_with(".rs")
                && (path.starts_with("server/") || path.starts_with("tests/"))
                || path == "README.md"
                || path.ends_with(".md") && path.starts_with("docs/"))
    };
    let mut findings = Vec::new();
    for file in tree.files().filter(|file| is_checked(&file.path)) {
        for (index, line) in file.text.lines().enumerate() {
            for (retired, instead) in RETIRED.iter().filter(|(word, _)| has_word(line, word)) {
                let what = format!("`{retired}` is retired: write {instead}");
                findings.push(Finding::error(&file.path, index + 1, what));
            }
        }
    }
    findings
}

/// Whether a line has a word or phrase that is not part of a longer word.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(start, _)| {
        !is_part(line[..start].chars().next_back())
            && !is_part(line[start + word.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retired_words_are_found_in_code_comments_and_docs() {
        let files = [
            ("server/a/src/lib.rs", "struct Crew;\n// It asks for leave.\nstruct Crewed;\n"),
            ("docs/a.md", "fine\nthe turn to write\n"),
            ("editors/a.rs", "struct Crew;\n"),
        ];
        let found = check(&Tree::from_files(&files));
        let lines: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(
            lines,
            [("server/a/src/lib.rs", 1), ("server/a/src/lib.rs", 2), ("docs/a.md", 2)]
        );
    }
}
