//! Walks the folders of a root by their handles, in parallel.
//!
//! Each folder is opened below its parent's handle and listed once; the kind of an entry is what
//! the listing says, so nothing is looked up file by file. Links are met, never followed, so there
//! are no loops; FIFOs and devices are met, never opened. Ignore files are reached like everything
//! else: a link or a FIFO in an ignore file's place says nothing.

mod folder;
mod order;
mod parallel;
mod place;
mod queue;
mod rules;
mod sources;
#[cfg(test)]
mod tests;

pub use folder::{Folder, FolderEntry};
pub use order::path_order;
pub use parallel::{Visitor, WalkOptions, Walked, walk};
pub use rules::is_left_out;
pub use sources::{checked_files, source_files};
pub(crate) use sources::{is_project_file, language_of, project_walk};
