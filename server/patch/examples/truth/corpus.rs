//! Real files to make cases from.

use std::path::{Path, PathBuf};

use crate::cases::Words;
use crate::random::Random;

/// Languages, each with the ends of its files' names. Each has as many files.
const LANGUAGES: [&[&str]; 12] = [
    &["rs"],
    &["py"],
    &["js", "mjs", "jsx"],
    &["ts", "tsx"],
    &["go"],
    &["java"],
    &["c", "h"],
    &["cc", "cpp", "hpp"],
    &["cs"],
    &["rb"],
    &["php"],
    &["md"],
];

/// Folders of a library that hold what else is installed.
const INSTALLED: [&str; 2] = ["site-packages", "dist-packages"];

/// Up to `count` files of code below the folders, chosen by chance, as names and texts
/// with LF endings. The choice depends on the order of the folders, not on where they are.
pub(crate) fn files(
    random: &mut Random,
    folders: &[PathBuf],
    count: usize,
) -> Vec<(String, String)> {
    let mut paths = Vec::new();
    for folder in folders {
        let before = paths.len();
        walk(folder, 0, &mut paths);
        paths[before..].sort();
    }
    let mut files = Vec::new();
    for language in LANGUAGES {
        let mut paths: Vec<&PathBuf> = paths
            .iter()
            .filter(|path| extension(path).is_some_and(|end| language.contains(&end)))
            .collect();
        let enough = files.len() + count / LANGUAGES.len();
        while files.len() < enough && !paths.is_empty() {
            let path = paths.swap_remove(random.below(paths.len()));
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            let lines = text.lines().count();
            let widest = text.lines().map(str::len).max().unwrap_or(0);
            if (40..=4000).contains(&lines) && widest < 1000 && !text.contains('\r') {
                files.push((path.display().to_string(), text));
            }
        }
    }
    files
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|end| end.to_str())
}

/// The words of at least two files, by what is left of them without one letter. A word of one file may
/// be a typing mistake.
pub(crate) fn words(files: &[(String, String)]) -> Words {
    let mut words = Words::new();
    let mut files_of = std::collections::BTreeMap::<&str, std::collections::BTreeSet<usize>>::new();
    for (file, (_, text)) in files.iter().enumerate() {
        for word in text.split(|c: char| !c.is_ascii_alphabetic() && c != '_') {
            files_of.entry(word).or_default().insert(file);
        }
    }
    files_of.retain(|word, files| (4..=24).contains(&word.len()) && files.len() > 1);
    for word in files_of.keys() {
        for at in 0..word.len() {
            let less = format!("{}{}", &word[..at], &word[at + 1..]);
            words.entry(less).or_default().push((*word).to_owned());
        }
    }
    words
}

fn walk(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth < 12 && !INSTALLED.iter().any(|name| path.ends_with(name)) {
            walk(&path, depth + 1, paths);
        } else if kind.is_file()
            && extension(&path).is_some_and(|end| LANGUAGES.iter().any(|all| all.contains(&end)))
        {
            paths.push(path);
        }
    }
}
