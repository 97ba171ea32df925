//! Real files to make cases from.

use std::path::{Path, PathBuf};

use crate::random::Random;

const EXTENSIONS: [&str; 10] = ["rs", "py", "js", "ts", "go", "java", "c", "h", "md", "toml"];

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
    while files.len() < count && !paths.is_empty() {
        let path = paths.swap_remove(random.below(paths.len()));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let lines = text.lines().count();
        if (40..=4000).contains(&lines) && !text.contains('\r') {
            files.push((path.display().to_string(), text));
        }
    }
    files
}

fn walk(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth < 12 && !INSTALLED.iter().any(|name| path.ends_with(name)) {
            walk(&path, depth + 1, paths);
        } else if kind.is_file()
            && path
                .extension()
                .and_then(|end| end.to_str())
                .is_some_and(|end| EXTENSIONS.contains(&end))
        {
            paths.push(path);
        }
    }
}
