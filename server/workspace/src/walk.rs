//! The source files of a root.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ignore::WalkBuilder;
use syntax::Language;

use crate::{FilePath, Root};

/// Most files of one root that are read for their names.
const MOST_FILES: usize = 1_000_000;

/// The files below `root` whose names say that they are in a known language, ignored and hidden
/// ones left out. Links are not followed. Stops early once `interrupt` is set.
#[must_use]
pub fn source_files(root: &Arc<Root>, interrupt: &AtomicBool) -> Vec<(FilePath, Language)> {
    let mut files = Vec::new();
    let walk = WalkBuilder::new(root.path()).follow_links(false).require_git(false).build();
    for entry in walk {
        if interrupt.load(Ordering::Relaxed) || files.len() == MOST_FILES {
            break;
        }
        let Ok(entry) = entry.inspect_err(|e| tracing::debug!("walking: {e}")) else { continue };
        if !entry.file_type().is_some_and(|t| t.is_file()) {
            continue;
        }
        let Some(language) = language_of(entry.path()) else { continue };
        if let Some(relative) = root.strip(entry.path()) {
            files.push((FilePath { root: root.clone(), relative: relative.to_owned() }, language));
        }
    }
    files
}

/// The language that a file's name says.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    Language::detect(&path.file_name()?.to_string_lossy(), "")
}
