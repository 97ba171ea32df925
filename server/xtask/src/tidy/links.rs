//! Links between the project's own documents lead somewhere.

use super::Finding;
use super::tree::Tree;

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.files().filter(|file| is_document(&file.path)) {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        for (index, line) in file.text.lines().enumerate() {
            for target in targets(line) {
                if !resolve(folder, target).is_some_and(|path| tree.has(&path)) {
                    let what = format!("the link to `{target}` leads nowhere");
                    findings.push(Finding::error(&file.path, index + 1, what));
                }
            }
        }
    }
    findings
}

fn is_document(path: &str) -> bool {
    path.ends_with(".md") && !path.starts_with("fixtures/")
}

/// Targets of a line's `[text](target)` links that name files, without their fragments.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| {
        let target = rest.split(')').next()?.split('#').next()?;
        let is_file = !target.is_empty() && !target.contains("://") && !target.contains(' ');
        is_file.then_some(target)
    })
}

fn resolve(folder: &str, target: &str) -> Option<String> {
    let mut parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dangling_link_is_found() {
        let found = check(&Tree::from_files(&[
            ("README.md", "[a](docs/a.md) [b](docs/b.md)\n[c](https://example.org/) [d](#e)\n"),
            ("docs/a.md", "[up](../README.md#part) [out](../../x.md)\n"),
        ]));
        let told: Vec<_> = found.iter().map(|f| (f.path.as_str(), f.line)).collect();
        assert_eq!(told, [("README.md", 1), ("docs/a.md", 1)]);
    }
}
