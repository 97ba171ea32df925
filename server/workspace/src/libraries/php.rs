//! PHP: Composer's packages in the folder `vendor` of a project.

use std::collections::BTreeSet;
use std::path::Path;

use super::{Environment, Libraries, LibraryScope, is_file, names_below, text_below};
use crate::Root;

/// The folder of packages, and the tables of its autoloader.
const VENDOR: &str = "vendor";
const NAMESPACES: &str = "composer/autoload_psr4.php";
const CLASSES: &str = "composer/autoload_classmap.php";
const FILES: &str = "composer/autoload_files.php";
/// Packages that define what newer versions of PHP have: their functions are not what runs.
const POLYFILLS: &str = "/polyfill-";
/// Limits for the classes and files of a project.
const MAX_CLASSES: usize = 50_000;
const MAX_FILES: usize = 100;
/// Limit for the projects in the folders of a root.
const MAX_PROJECTS: usize = 50;

pub(super) fn find(roots: &[&Root], _: &Environment, found: &mut Libraries) {
    for root in roots {
        let below = names_below(root, "");
        let projects = below.iter().map(Path::new).filter(|name| has_composer(root, name));
        for project in std::iter::once(Path::new("")).chain(projects).take(MAX_PROJECTS) {
            let folder = root.beneath(&project.join(VENDOR));
            if let Some(vendor) = folder.ok().filter(|vendor| is_file(vendor, NAMESPACES)) {
                add(vendor, found);
            }
        }
    }
}

fn has_composer(root: &Root, folder: &Path) -> bool {
    is_file(root, folder.join("composer.json"))
}

fn add(vendor: Root, found: &mut Libraries) {
    let table = |path: &str| text_below(&vendor, path).unwrap_or_default();
    let (namespaces, classes, files) = (table(NAMESPACES), table(CLASSES), table(FILES));
    let folder = found.add_folder(vendor, LibraryScope::All);
    let mut seen = BTreeSet::new();
    let mut add = |name: &str, path: &str| {
        let path = format!("{folder}{path}");
        if seen.insert((name.to_owned(), path.clone())) {
            found.add_import("php", name, path);
        }
    };
    for (prefix, path) in entries(&namespaces) {
        add(prefix.trim_end_matches('\\'), path);
    }
    let classes = entries(&classes).filter(|(_, path)| path.ends_with(".php"));
    for (class, path) in classes.take(MAX_CLASSES) {
        add(&class, path);
    }
    let is_own = |path: &&str| path.ends_with(".php") && !path.contains(POLYFILLS);
    for path in entries(&files).map(|(_, path)| path).filter(is_own).take(MAX_FILES) {
        add("", path);
    }
}

/// The entries of a table: `'Name\\Space\\' => array($vendorDir . '/package/src', …),`, one a line. Each path
/// begins with `/`; those in the project itself (`$baseDir`) are left out.
fn entries(table: &str) -> impl Iterator<Item = (String, &str)> {
    table.lines().flat_map(|line| {
        let (key, value) = line.trim().split_once(" => ").unwrap_or_default();
        let key = key.strip_prefix('\'').and_then(|key| key.strip_suffix('\''));
        let paths = value.split("$vendorDir . '").skip(1);
        let paths = paths.filter_map(|rest| Some(rest.split_once('\'')?.0));
        let plain = paths.filter(|path| path.starts_with('/') && !path.contains('\\'));
        key.into_iter().flat_map(move |key| {
            let key = key.replace("\\\\", "\\");
            plain.clone().map(move |path| (key.clone(), path))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_names_and_paths_in_vendor() {
        let table = "<?php\n\n$vendorDir = dirname(__DIR__);\n\nreturn array(\n    \
            'Psr\\\\Log\\\\' => array($vendorDir . '/psr/log/src', $vendorDir . '/psr/more'),\n    \
            'App\\\\' => array($baseDir . '/src'),\n    \
            'TestCase' => $vendorDir . '/phpunit/src/TestCase.php',\n);\n";
        let found: Vec<_> = entries(table).collect();
        let expected = [
            ("Psr\\Log\\", "/psr/log/src"),
            ("Psr\\Log\\", "/psr/more"),
            ("TestCase", "/phpunit/src/TestCase.php"),
        ];
        assert_eq!(found, expected.map(|(name, path)| (name.to_owned(), path)));
    }
}
