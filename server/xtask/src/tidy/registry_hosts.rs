//! No host of a package registry in lock files, settings or documentation: what one machine
//! installs from is not what another does.

use super::Finding;
use super::tree::Tree;

/// First labels by which the hosts of registries and their mirrors go.
const LABELS: &[&str] = &[
    "registry",
    "index",
    "static",
    "pypi",
    "files",
    "npm",
    "packages",
    "deb",
    "mirror",
    "mirrors",
    "proxy",
    "artifactory",
    "nexus",
];
/// Last labels of hosts, so that a file's name is not taken for one.
const TOP_LEVEL: &[&str] = &["org", "com", "io", "net", "dev", "cloud", "internal", "local"];
/// The name by which Cargo calls its standard registry in every lock file, whatever the host.
const CARGO_SOURCE: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files() {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        for (index, line) in file.text.lines().enumerate().filter(|_| is_read(&file.path)) {
            let mut found = |what: String| {
                findings.push(Finding::error(&file.path, index + 1, what));
            };
            if let Some(host) = host(line) {
                found(format!("`{host}` looks like the host of a registry"));
            }
            if name == "package-lock.json" && line.contains("\"resolved\": \"http") {
                found("`resolved`: write it with omit-lockfile-registry-resolved".to_owned());
            }
            if name == "Cargo.lock" && line.starts_with("source = ") && line != CARGO_SOURCE {
                found(format!("{line}: only the standard registry"));
            }
        }
    }
    findings
}

fn is_read(path: &str) -> bool {
    const NAMES: &[&str] = &["package-lock.json", "package.json", ".npmrc", "pip.conf", ".ci/run"];
    const EXTENSIONS: &[&str] = &[".md", ".lock", ".toml", ".yaml", ".yml", "requirements.txt"];
    NAMES.iter().any(|name| path.ends_with(name))
        || EXTENSIONS.iter().any(|end| path.ends_with(end))
}

fn host(line: &str) -> Option<&str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-')).find(|word| {
        let labels: Vec<_> = word.split('.').collect();
        labels.len() >= 3
            && LABELS.contains(&labels[0])
            && labels.last().is_some_and(|last| TOP_LEVEL.contains(last))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_and_resolved_addresses_are_found() {
        let found = check(&Tree::from_files(&[
            ("README.md", "see index.html, static.rs and docs.example.org\n"),
            ("docs/a.md", "from https://registry.example.org/x\n"),
            ("editors/vscode/package-lock.json", "  \"resolved\": \"https://a/b.tgz\",\n"),
            ("Cargo.lock", &format!("{CARGO_SOURCE}\nsource = \"git+https://a/b\"\n")),
            ("src/main.rs", "registry.example.org\n"),
        ]));
        let places: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(
            places,
            [("docs/a.md", 1), ("editors/vscode/package-lock.json", 1), ("Cargo.lock", 2)]
        );
    }
}
