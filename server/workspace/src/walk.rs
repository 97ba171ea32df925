//! The files of a root that are read for their names.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::WalkBuilder;
use syntax::Language;

use crate::{FilePath, Root};

/// Most files of one root that are read for their names.
const MOST_FILES: usize = 1_000_000;

/// Files that say how a project's own names are found.
const PROJECT_FILES: &[&str] = &[
    "Cargo.toml",
    "compile_commands.json",
    "go.mod",
    "jsconfig.json",
    "package.json",
    "tsconfig.json",
];

/// The files below `root` whose names say that they are in a known language, ignored and hidden
/// ones left out. Links are not followed. Stops early once `interrupt` is set.
#[must_use]
pub fn source_files(root: &Arc<Root>, interrupt: &AtomicBool) -> Vec<(FilePath, Language)> {
    walk(root, interrupt).0
}

/// The source files below `root`, and the project files.
pub(crate) fn walk(
    root: &Arc<Root>,
    interrupt: &AtomicBool,
) -> (Vec<(FilePath, Language)>, Vec<FilePath>) {
    let (mut sources, mut projects) = (Vec::new(), Vec::new());
    let walk = WalkBuilder::new(root.path()).follow_links(false).require_git(false).build();
    for entry in walk {
        if interrupt.load(Ordering::Relaxed) || sources.len() == MOST_FILES {
            break;
        }
        let Ok(entry) = entry.inspect_err(|e| tracing::debug!("walking: {e}")) else { continue };
        if !entry.file_type().is_some_and(|t| t.is_file()) {
            continue;
        }
        let Some(relative) = root.strip(entry.path()) else { continue };
        let path = FilePath { root: root.clone(), relative: relative.to_owned() };
        if let Some(language) = language_of(&path.relative) {
            sources.push((path, language));
        } else if is_project_file(&path) {
            projects.push(path);
        }
    }
    (sources, projects)
}

/// The language that a file's name says.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    Language::detect(&path.file_name()?.to_string_lossy(), "")
}

pub(crate) fn is_project_file(path: &FilePath) -> bool {
    PROJECT_FILES.iter().any(|name| path.file_name() == *name)
}
