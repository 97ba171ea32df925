//! Finds the project that contains a file, by marker files.

use std::path::Path;

use ::debug::{Adapters, ProjectKind};
use workspace::FilePath;

use tools::Context;

/// The project that contains a folder, and its root folder.
pub(super) fn find_for_folder<'t>(
    context: &Context<'_>,
    table: &'t Adapters,
    folder: &FilePath,
) -> Option<(FilePath, &'t ProjectKind)> {
    let mut at = folder.absolute();
    loop {
        // Not above the workspace's roots.
        let current_folder = context.snapshot.locate_absolute(&at).ok()?;
        let is_there = |project: &&ProjectKind| {
            let marker = context.snapshot.locate_absolute(&at.join(&project.marker));
            marker.is_ok_and(|marker| context.snapshot.metadata(&marker).is_ok())
        };
        if let Some(project) = table.projects().iter().find(is_there) {
            return Some((current_folder, project));
        }
        if !at.pop() {
            return None;
        }
    }
}

/// The project that contains a file.
pub(super) fn find_for_file<'t>(
    context: &Context<'_>,
    table: &'t Adapters,
    file: &FilePath,
) -> Option<(FilePath, &'t ProjectKind)> {
    let folder = context.snapshot.locate_absolute(file.absolute().parent()?).ok()?;
    find_for_folder(context, table, &folder)
}

/// The full name of a test in a crate: its module path and name.
pub(super) fn module_path(folder: &Path, file: &Path, name: &str) -> String {
    let below = file.strip_prefix(folder.join("src")).unwrap_or_else(|_| Path::new(""));
    let parts = below.with_extension("");
    let mut parts: Vec<_> = parts.iter().map(|part| part.to_string_lossy()).collect();
    if parts.first().is_some_and(|first| first == "bin") {
        parts.clear();
    }
    let is_root = |part: &str| matches!(part, "lib" | "main" | "mod");
    if parts.last().is_some_and(|last| is_root(last)) {
        parts.pop();
    }
    let modules = parts.iter().map(|part| format!("{part}::")).collect::<String>();
    format!("{modules}{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_names_include_their_module_path() {
        for (file, full) in [
            ("/w/src/lib.rs", "tests::adds"),
            ("/w/src/a/mod.rs", "a::tests::adds"),
            ("/w/src/a/b.rs", "a::b::tests::adds"),
            ("/w/src/bin/tool.rs", "tests::adds"),
            ("/w/tests/all.rs", "tests::adds"),
        ] {
            let named = module_path(Path::new("/w"), Path::new(file), "tests::adds");
            assert_eq!(named, full, "{file}");
        }
    }
}
