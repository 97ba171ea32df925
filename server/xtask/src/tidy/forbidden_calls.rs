//! Calls that end a program on bad input or were left by accident, and tests that do not run.

use super::Finding;
use super::tree::Tree;

/// Text in blanked code, without spaces, and what to do about it.
const OUTSIDE_TESTS: &[(&str, &str)] = &[
    (".unwrap()", "say why it holds with `expect`, or return the error"),
    ("todo!", "write it, or answer that it is unsupported"),
    ("unimplemented!", "write it, or answer that it is unsupported"),
    ("dbg!", "left from debugging"),
];
const FORBIDDEN_EVERYWHERE: &[(&str, &str)] =
    &[("#[ignore", "a test runs, or skips loudly with its reason, or is deleted")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.rust() {
        for (code, table) in [(&rust.production, OUTSIDE_TESTS), (&rust.code, FORBIDDEN_EVERYWHERE)]
        {
            for (index, line) in code.lines().enumerate() {
                let line: String = line.split_whitespace().collect();
                for (text, advice) in table {
                    if contains(&line, text) {
                        let what = format!("`{text}`: {advice}");
                        findings.push(Finding::error(&file.path, index + 1, what));
                    }
                }
            }
        }
    }
    findings
}

/// Whether the text stands there and is not the end of a longer name.
fn contains(line: &str, text: &str) -> bool {
    line.match_indices(text).any(|(at, _)| {
        !text.starts_with(char::is_alphabetic)
            || !line[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_call_is_found_outside_tests() {
        let found = check(&Tree::from_files(&[(
            "a/src/lib.rs",
            "fn a() { b().unwrap(); }\nfn c() { todo!() }\nfn d() { dbg! (1); }\n\
             fn e() { b().unwrap_or(1); my_dbg!(); } // x.unwrap()\n\
             #[cfg(test)]\nmod tests { fn f() { b().unwrap() } }\n",
        )]));
        let lines: Vec<_> = found.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 2, 3]);
    }

    #[test]
    fn an_ignored_test_is_found_in_tests_too() {
        let text = "#[test]\n#[ignore = \"slow\"]\nfn a() { b().unwrap() }\n";
        let found = check(&Tree::from_files(&[("tests/protocol/main.rs", text)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
    }
}
