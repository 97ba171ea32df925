//! Which crate may depend on which: the design's arrows, held against the Cargo.toml files.

use super::Finding;
use crate::workspace::Crate;

/// Each crate and the crates of the workspace that it may use outside its tests.
const ARROWS: &[(&str, &[&str])] = &[
    ("text", &[]),
    ("syntax", &["text"]),
    ("names", &["text", "syntax"]),
    ("patch", &["text"]),
    ("rewrite", &["text", "syntax"]),
    ("secrets", &[]),
    ("vulnerabilities", &[]),
    ("embedding", &[]),
    ("framing", &[]),
    ("mountinfo", &[]),
    ("workspace", &["text", "syntax", "names", "patch", "mountinfo"]),
    ("git", &["text", "syntax", "names", "patch", "workspace"]),
    ("process", &["mountinfo"]),
    ("debug", &["framing", "process"]),
    ("tools", &["text", "syntax", "names", "workspace", "process"]),
    ("search-tools", &["text", "syntax", "secrets", "workspace", "tools"]),
    (
        "code-tools",
        &[
            "text",
            "syntax",
            "names",
            "patch",
            "rewrite",
            "process",
            "workspace",
            "tools",
            "search-tools",
        ],
    ),
    ("git-tools", &["text", "syntax", "secrets", "git", "process", "workspace", "tools"]),
    ("debug-tools", &["text", "syntax", "debug", "process", "workspace", "tools"]),
    ("process-tools", &["git", "process", "workspace", "tools", "search-tools"]),
    (
        "security-tools",
        &["secrets", "vulnerabilities", "workspace", "tools", "search-tools", "git-tools"],
    ),
    ("records", &["secrets", "workspace", "tools"]),
    ("live", &["workspace", "tools"]),
    ("agents", &["syntax", "process", "workspace", "tools", "git-tools"]),
    ("checks", &["text", "process", "workspace", "tools", "git-tools"]),
    ("hub", &["process", "workspace", "tools", "process-tools"]),
    ("dashboard", &["hub", "process", "workspace", "tools"]),
    ("web", &["text", "process", "workspace", "tools"]),
    ("models", &["embedding", "web", "workspace", "tools", "records"]),
    ("cdp", &[]),
    ("browser", &["cdp", "process", "web", "workspace", "tools"]),
    ("node-dap", &["cdp", "framing"]),
    ("dbus", &[]),
    ("desktop", &["dbus", "process", "workspace", "tools"]),
    ("containers", &["web", "workspace", "tools"]),
    ("database", &["web", "workspace", "tools"]),
    ("infrastructure", &["process", "workspace", "tools"]),
    ("clusters", &["web", "workspace", "tools"]),
    ("knowledge", &["embedding", "syntax", "workspace", "tools"]),
    (
        "lsp",
        &[
            "framing",
            "text",
            "syntax",
            "names",
            "patch",
            "workspace",
            "git",
            "debug",
            "tools",
            "git-tools",
            "debug-tools",
            "live",
        ],
    ),
    ("mcp", &["workspace", "tools", "live"]),
    ("client", &["framing"]),
    (
        "tandem",
        &[
            "text",
            "syntax",
            "names",
            "patch",
            "workspace",
            "process",
            "debug",
            "tools",
            "search-tools",
            "code-tools",
            "git-tools",
            "debug-tools",
            "process-tools",
            "security-tools",
            "records",
            "live",
            "lsp",
            "mcp",
            "agents",
            "checks",
            "web",
            "models",
            "hub",
            "dashboard",
            "browser",
            "node-dap",
            "desktop",
            "containers",
            "database",
            "infrastructure",
            "clusters",
            "knowledge",
            "client",
        ],
    ),
    ("insta", &[]),
    ("xtask", &["client"]),
    ("tests", &["client", "dbus"]),
];

/// Crates that take data and give data.
const PURE_CRATES: &[&str] =
    &["text", "syntax", "names", "patch", "rewrite", "secrets", "embedding"];
/// Dependencies for async code or I/O, which pure crates must not have.
const IMPURE_DEPENDENCIES: &[&str] =
    &["tokio", "async-std", "smol", "futures-util", "rustix", "cap-std", "ignore"];

pub(super) fn check(crates: &[Crate]) -> Vec<Finding> {
    crates.iter().flat_map(|package| check_crate(package, crates)).collect()
}

fn check_crate(package: &Crate, crates: &[Crate]) -> Vec<Finding> {
    let name = package.name.as_str();
    let found = |what: String| Finding::error(&format!("crate {name}"), 0, what);
    let Some((_, allowed)) = ARROWS.iter().find(|(crate_name, _)| *crate_name == name) else {
        return vec![found("has no place among the arrows of tidy/arrows.rs yet".to_owned())];
    };
    let mut findings = Vec::new();
    for dependency in package.dependencies.iter().map(String::as_str) {
        let is_ours = crates.iter().any(|other| other.name == dependency);
        if is_ours && !allowed.contains(&dependency) {
            findings.push(found(format!("depends on `{dependency}`, against the arrows")));
        }
        if PURE_CRATES.contains(&name) && IMPURE_DEPENDENCIES.contains(&dependency) {
            findings.push(found(format!("is pure and depends on `{dependency}`")));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Crate {
        Crate {
            name: name.into(),
            dependencies: dependencies.iter().map(|name| (*name).into()).collect(),
            targets: Vec::new(),
        }
    }

    #[test]
    fn an_arrow_that_points_back_is_found() {
        let crates = [package("text", &["syntax", "ropey"]), package("syntax", &["text"])];
        let found = check(&crates);
        assert_eq!(found.len(), 1);
        assert!(found[0].path.contains("text") && found[0].what.contains("syntax"));
    }

    #[test]
    fn pure_crates_must_not_block_and_new_crates_must_be_listed() {
        assert_eq!(check(&[package("patch", &["tokio"])]).len(), 1);
        assert_eq!(check(&[package("lsp", &["tokio"])]).len(), 0);
        assert_eq!(check(&[package("newcomer", &[])]).len(), 1);
    }
}
