//! What a question would need of files that are known to be there and have not been read yet.
//!
//! While an index is being filled, an answer is the one that the whole index would give once
//! everything that the question came across has been read: whoever asks notes that, has it read,
//! and asks again until nothing is new.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::index::FileId;

/// What a question came across.
#[derive(Debug, Clone, Default)]
pub struct Unread {
    /// Files whose facts it asked for and that have not been read.
    pub files: FxHashSet<FileId>,
    /// Texts that it asked the whole index for: what matters are the files that they occur in.
    pub texts: FxHashSet<Box<str>>,
    /// It may depend on any file.
    pub everything: bool,
}

/// Most that one question notes.
const MOST: usize = 2_048;

thread_local! {
    static NOTES: RefCell<Option<Unread>> = const { RefCell::new(None) };
}

/// Asks the index, and tells what the answer depends on. What other threads ask is not noted.
pub fn noting_unread<T>(ask: impl FnOnce() -> T) -> (T, Unread) {
    let outer = NOTES.with(|notes| notes.replace(Some(Unread::default())));
    let restore = Restore(outer);
    let answer = ask();
    let noted = NOTES.with(RefCell::take).unwrap_or_default();
    drop(restore);
    (answer, noted)
}

/// Puts back what was being noted before, also where a question panics.
struct Restore(Option<Unread>);

impl Drop for Restore {
    fn drop(&mut self) {
        let outer = self.0.take();
        NOTES.with(|notes| *notes.borrow_mut() = outer);
    }
}

fn note(take: impl FnOnce(&mut Unread)) {
    NOTES.with(|notes| {
        if let Some(notes) = notes.borrow_mut().as_mut() {
            take(notes);
            notes.everything |= notes.files.len() + notes.texts.len() > MOST;
        }
    });
}

/// Whether what an answer depends on is being noted.
pub(crate) fn is_noting() -> bool {
    NOTES.with(|notes| notes.borrow().is_some())
}

pub(crate) fn note_file(file: FileId) {
    note(|notes| {
        notes.files.insert(file);
    });
}

/// Notes that the whole index was asked for a name.
pub(crate) fn note_name(name: &str) {
    note(|notes| {
        // What is no word may be written in several ways.
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        if name.is_empty() || !name.chars().all(is_word) {
            notes.everything = true;
        } else if !notes.texts.contains(name) {
            notes.texts.insert(name.into());
        }
    });
}

/// Notes that the whole index was asked for the files of a package, which state its name.
pub(crate) fn note_package(text: impl FnOnce() -> String) {
    note(|notes| {
        notes.texts.insert(text().into());
    });
}

/// Notes that every file was asked.
pub(crate) fn note_everything() {
    note(|notes| notes.everything = true);
}
