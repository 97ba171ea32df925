//! Tools that find files and text, and list folders.
//!
//! They walk with [`workspace::walk`] on several threads, keep the first page of results in path
//! order ([`page`]), and continue after a [`cursor`].

mod code_files;
mod code_hit;
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
mod pattern;
mod scope;
mod search_directory;
mod secret_files;
mod similar;
mod sliding;
mod structural_search;
mod structure;
mod tree;
mod workspace_structure;

pub use code_files::{CodeFile, CodeScope, CodeSearch, search_code};
pub use globs::FilePattern;
pub use grep::Mention;
pub use matching_files::{FileSelection, matching_files};
pub use mentions::in_documents;
pub use pattern::{CaptureRanges, Pattern, PatternOptions};
pub use scope::effects as search_effects;
pub use scope::file_path;
pub use secret_files::{SecretFiles, scan_files};
pub use similar::{files as files_named, lines as lines_with};
use tools::{Entry, Family};

/// The family.
#[must_use]
pub fn family() -> Family {
    Family { feature: None, tools, states: |_, _| () }
}

/// The family's tools, in listing order.
fn tools() -> Vec<Entry> {
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
