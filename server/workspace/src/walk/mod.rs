//! Walks the folders of a root by their handles, in parallel.
//!
//! Each folder is opened below its parent's handle and listed once; the kinds of its entries come
//! from the listing, so that no file needs a `stat`. Links are reported but never followed, so
//! there are no loops; FIFOs and devices are reported but never opened. Ignore files are opened in
//! the same way: a link or a FIFO in place of an ignore file is skipped.

mod folder;
mod ignore_rules;
mod order;
mod parallel;
mod paths;
mod queue;
mod sources;
#[cfg(test)]
mod tests;

pub use folder::{Folder, FolderEntry};
pub use ignore_rules::is_excluded_from_walk;
pub use order::path_order;
pub use parallel::{Visitor, WalkOptions, WalkResult, walk};
pub use sources::{diagnosable_files, source_files};
pub(crate) use sources::{is_project_file, language_of, project_walk};
