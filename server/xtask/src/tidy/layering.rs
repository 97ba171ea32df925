//! Names that only certain crates or folders may use: protocol types, the clock, async code.

use super::Finding;
use super::rust_source::{NamedPath, named_paths};
use super::tree::Tree;

struct Rule {
    /// Paths, found wherever their segments stand in a row within a longer path.
    names: &'static [&'static str],
    /// Where the rule holds, by the beginning of file paths.
    holds: Scope,
    /// Whether test code keeps it too.
    in_tests: bool,
    why: &'static str,
}

enum Scope {
    /// Everywhere else.
    Outside(&'static [&'static str]),
    /// Only there.
    Inside(&'static [&'static str]),
}

const RULES: &[Rule] = &[
    Rule {
        names: &["ls_types", "tower_lsp_server"],
        holds: Scope::Outside(&["server/lsp/"]),
        in_tests: true,
        why: "protocol types stay in server/lsp",
    },
    Rule {
        names: &[
            "std::fs",
            "std::net",
            "std::process",
            "SystemTime",
            "Instant",
            "tokio",
            "async",
            "await",
        ],
        holds: Scope::Inside(&["server/text/", "server/syntax/", "server/names/", "server/patch/"]),
        in_tests: false,
        why: "this crate is data in, data out: no disk, no network, no clock, no async",
    },
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, rust) in tree.rust() {
        for rule in RULES.iter().filter(|rule| rule.applies_to(&file.path)) {
            let code = if rule.in_tests { &rust.code } else { &rust.production };
            for path in named_paths(code) {
                if let Some(name) = rule.names.iter().find(|name| names(&path, name)) {
                    let what = format!("`{name}`: {}", rule.why);
                    findings.push(Finding::error(&file.path, path.line, what));
                }
            }
        }
    }
    findings
}

impl Rule {
    fn applies_to(&self, path: &str) -> bool {
        let within = |rooms: &[&str]| rooms.iter().any(|room| path.starts_with(room));
        match self.holds {
            Scope::Outside(rooms) => !within(rooms),
            Scope::Inside(rooms) => within(rooms),
        }
    }
}

fn names(path: &NamedPath, name: &str) -> bool {
    let wanted: Vec<_> = name.split("::").collect();
    path.segments.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        let findings = check(&Tree::from_files(&[(path, text)]));
        findings.iter().map(|f| f.what.split('`').nth(1).unwrap().to_owned()).collect()
    }

    #[test]
    fn protocol_types_stay_in_their_crates() {
        let text = "use tower_lsp_server::{ls_types::Url};\n";
        assert_eq!(found("server/tools/src/lib.rs", text), ["ls_types"]);
        assert_eq!(found("tests/protocol/main.rs", "ls_types::Url::x();"), ["ls_types"]);
        assert!(found("server/lsp/src/lib.rs", text).is_empty());
        assert!(found("server/tools/src/lib.rs", "// ls_types\nlet x = \"ls_types\";").is_empty());
    }

    #[test]
    fn pure_crates_have_no_clock_and_no_async() {
        let text = "use std::time::{Duration, Instant};\nasync fn a() { b().await }\n";
        assert_eq!(found("server/text/src/lib.rs", text), ["Instant", "async", "await"]);
        assert!(found("server/text/benches/rope.rs", text).is_empty());
        assert!(found("server/lsp/src/lib.rs", text).is_empty());
    }
}
