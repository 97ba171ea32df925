//! Tools that find files and text, and list folders.
//!
//! They walk with [`workspace::walk`] on several threads, keep the first page of results in path
//! order ([`page`]), and continue after a [`cursor`].

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
mod mentions;
mod near;
mod page;
mod pattern;
mod scope;
mod sliding;
mod structural_search;
mod structure;
mod tree;
mod workspace_structure;

pub(crate) use codebase_search::CodebaseSearch;
pub(crate) use find_files::FindFiles;
pub(crate) use find_files_glob::FindFilesGlob;
pub(crate) use grep_search::GrepSearch;
pub(crate) use list_directory::ListDirectory;
pub(crate) use mentions::{Mention, in_documents};
pub(crate) use near::{files as files_named, lines as lines_with};
pub(crate) use structural_search::StructuralSearch;
pub(crate) use workspace_structure::WorkspaceStructure;
