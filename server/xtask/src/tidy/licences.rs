//! The licence files are there and say what Cargo.toml says.

use super::Finding;
use super::tree::Tree;

const FILES: &[(&str, &str)] = &[
    ("LICENSE-MIT", "Permission is hereby granted, free of charge"),
    ("LICENSE-APACHE", "Version 2.0, January 2004"),
];
const EXPRESSION: &str = "license = \"MIT OR Apache-2.0\"";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let missing = FILES
        .iter()
        .filter(|(path, words)| !tree.file(path).is_some_and(|file| file.text.contains(words)))
        .map(|(path, _)| Finding::error(path, 0, "the licence's text is missing"));
    let stated = tree.file("Cargo.toml").is_some_and(|file| file.text.contains(EXPRESSION));
    let unstated =
        (!stated).then(|| Finding::error("Cargo.toml", 0, format!("`{EXPRESSION}` is missing")));
    missing.chain(unstated).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_licence_is_found() {
        let found = check(&Tree::from_files(&[
            ("LICENSE-MIT", "Permission is hereby granted, free of charge, to"),
            ("Cargo.toml", "[workspace.package]\nlicense = \"MIT OR Apache-2.0\"\n"),
        ]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, "LICENSE-APACHE");
    }
}
