//! Tools that find files and text, and list folders.
//!
//! They walk with [`workspace::walk`] on several threads, keep the first page of results in path
//! order ([`page`]), and continue after a [`cursor`].

mod code_files;
mod codebase_search;
mod contents;
mod cursor;
mod find;
mod find_files;
mod find_files_glob;
mod globs;
mod grep;
mod grep_search;
mod lines;
mod list_directory;
mod matching_files;
mod mentions;
mod page;
pub(crate) mod pattern;
mod scope;
mod search_directory;
mod secret_files;
mod similar;
mod sliding;
mod structural_search;
mod structure;
mod tree;
mod workspace_structure;

use crate::Entry;
#[cfg(feature = "rewrite")]
pub(crate) use code_files::{CodeFile, CodeScope, CodeSearch, search_code};
pub(crate) use globs::FilePattern;
pub(crate) use matching_files::{FileSelection, matching_files};
pub(crate) use mentions::{Mention, in_documents};
pub(crate) use pattern::{CaptureRanges, Pattern, PatternOptions};
pub(crate) use scope::effects as search_effects;
#[cfg(feature = "rewrite")]
pub(crate) use scope::file_path;
pub(crate) use secret_files::{SecretFiles, scan_files};
pub(crate) use similar::{files as files_named, lines as lines_with};

/// The family's tools, in listing order.
pub(crate) fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<list_directory::ListDirectory>(),
        Entry::new::<workspace_structure::WorkspaceStructure>(),
        Entry::new::<search_directory::SearchDirectory>(),
        Entry::new::<find_files::FindFiles>(),
        Entry::new::<find_files_glob::FindFilesGlob>(),
        Entry::new::<grep_search::GrepSearch>(),
        Entry::new::<codebase_search::CodebaseSearch>(),
        Entry::new::<structural_search::StructuralSearch>(),
    ]
}
