//! What a query missed in dependencies.
//!
//! Dependencies are indexed on demand. A caller runs a query while missing dependencies are
//! recorded, has those indexed, and runs the query again until none is missing.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::index::FileId;

/// Limit of the missing dependencies recorded for one query.
const MAX_RECORDED: usize = 512;

/// A part of a dependency that a query needed and that is not in the index.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum MissingDependency {
    /// A file that may exist, by its path in the index.
    File(Box<str>),
    /// A folder that may exist, by its path in the index.
    Folder(Box<str>),
    /// A module by name, to be located by the rules of its language.
    Module {
        /// The file that imports it.
        from: FileId,
        /// The name as the file writes it.
        name: Box<str>,
    },
}

#[derive(Default)]
struct RecordedDependencies {
    order: Vec<MissingDependency>,
    known: FxHashSet<MissingDependency>,
}

thread_local! {
    static RECORDED: RefCell<Option<RecordedDependencies>> = const { RefCell::new(None) };
}

/// Runs a query and returns its result with the missing dependencies, in the order in which they
/// were needed. Only the calling thread is recorded.
pub fn with_missing_dependencies<T>(ask: impl FnOnce() -> T) -> (T, Vec<MissingDependency>) {
    let outer = RECORDED.with(|notes| notes.replace(Some(RecordedDependencies::default())));
    let restore = RestoreRecording(outer);
    let answer = ask();
    let noted = RECORDED.with(RefCell::take).map_or_else(Vec::new, |notes| notes.order);
    drop(restore);
    (answer, noted)
}

/// Restores the outer recording, also when a query panics.
struct RestoreRecording(Option<RecordedDependencies>);

impl Drop for RestoreRecording {
    fn drop(&mut self) {
        let outer = self.0.take();
        RECORDED.with(|notes| *notes.borrow_mut() = outer);
    }
}

pub(crate) fn record_missing(wanted: impl FnOnce() -> MissingDependency) {
    RECORDED.with(|notes| {
        if let Some(notes) = notes.borrow_mut().as_mut().filter(|n| n.order.len() < MAX_RECORDED) {
            let wanted = wanted();
            if notes.known.insert(wanted.clone()) {
                notes.order.push(wanted);
            }
        }
    });
}
