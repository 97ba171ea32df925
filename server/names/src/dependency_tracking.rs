//! Dependency tracking: which files that are not indexed yet a query depends on.
//!
//! While the index is being filled, a result is final once everything that the query touched is
//! indexed. A caller runs the query with tracking, has the recorded files indexed, and runs it
//! again until nothing is new.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::index::FileId;

/// What a query depends on.
#[derive(Debug, Clone, Default)]
pub struct QueryDependencies {
    /// Unindexed files whose facts it read.
    pub unindexed_files: FxHashSet<FileId>,
    /// Names that it looked up in the whole index: files that contain them matter.
    pub texts: FxHashSet<Box<str>>,
    /// Whether it may depend on any file.
    pub everything: bool,
}

/// Limit of the entries recorded for one query; beyond it the query depends on everything.
const MAX_RECORDED: usize = 2_048;

thread_local! {
    static RECORDED: RefCell<Option<QueryDependencies>> = const { RefCell::new(None) };
}

/// Runs a query and returns its result with what it depends on. Only the calling thread is tracked.
pub fn with_dependency_tracking<T>(ask: impl FnOnce() -> T) -> (T, QueryDependencies) {
    let outer = RECORDED.with(|notes| notes.replace(Some(QueryDependencies::default())));
    let restore = RestoreRecording(outer);
    let answer = ask();
    let noted = RECORDED.with(RefCell::take).unwrap_or_default();
    drop(restore);
    (answer, noted)
}

/// Restores the outer recording, also when a query panics.
struct RestoreRecording(Option<QueryDependencies>);

impl Drop for RestoreRecording {
    fn drop(&mut self) {
        let outer = self.0.take();
        RECORDED.with(|notes| *notes.borrow_mut() = outer);
    }
}

fn record(take: impl FnOnce(&mut QueryDependencies)) {
    RECORDED.with(|notes| {
        if let Some(notes) = notes.borrow_mut().as_mut() {
            take(notes);
            notes.everything |= notes.unindexed_files.len() + notes.texts.len() > MAX_RECORDED;
        }
    });
}

/// Whether dependencies are being tracked.
pub(crate) fn is_tracking() -> bool {
    RECORDED.with(|notes| notes.borrow().is_some())
}

pub(crate) fn record_file(file: FileId) {
    record(|notes| {
        notes.unindexed_files.insert(file);
    });
}

/// Records a lookup of a name in the whole index.
pub(crate) fn record_name(name: &str) {
    record(|notes| {
        // A name that is not a plain word may be spelled in several ways in a text.
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if name.is_empty() || !name.chars().all(is_word) {
            notes.everything = true;
        } else if !notes.texts.contains(name) {
            notes.texts.insert(name.into());
        }
    });
}

/// Records a lookup of a package's files, which all state its name.
pub(crate) fn record_package(text: impl FnOnce() -> String) {
    record(|notes| {
        notes.texts.insert(text().into());
    });
}

/// Records that a query read every file.
pub(crate) fn record_everything() {
    record(|notes| notes.everything = true);
}
