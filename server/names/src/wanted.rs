//! What a question would need to know of dependencies, and the index does not hold.
//!
//! Dependencies are read only as far as somebody asks: whoever asks the index notes what was
//! missing, reads that, and asks again.

use std::cell::RefCell;

use rustc_hash::FxHashSet;

use crate::index::FileId;

/// Most that one question notes.
const MOST: usize = 512;

/// Something of a dependency that a question came across and the index does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Wanted {
    /// A file that may be there, by its path in the index.
    File(Box<str>),
    /// A folder that may be there, by its path in the index.
    Folder(Box<str>),
    /// A module by its name, for the language's own rules to find.
    Module {
        /// The file that names it.
        from: FileId,
        /// The name as written there.
        name: Box<str>,
    },
}

#[derive(Default)]
struct Notes {
    order: Vec<Wanted>,
    known: FxHashSet<Wanted>,
}

thread_local! {
    static NOTES: RefCell<Option<Notes>> = const { RefCell::new(None) };
}

/// Asks the index, and tells what of dependencies was missing for the answer, in the order in
/// which it was looked for. What other threads look for is not noted.
pub fn noting<T>(ask: impl FnOnce() -> T) -> (T, Vec<Wanted>) {
    let outer = NOTES.with(|notes| notes.replace(Some(Notes::default())));
    let restore = Restore(outer);
    let answer = ask();
    let noted = NOTES.with(RefCell::take).map_or_else(Vec::new, |notes| notes.order);
    drop(restore);
    (answer, noted)
}

/// Puts back what was being noted before, also where a question panics.
struct Restore(Option<Notes>);

impl Drop for Restore {
    fn drop(&mut self) {
        let outer = self.0.take();
        NOTES.with(|notes| *notes.borrow_mut() = outer);
    }
}

pub(crate) fn note(wanted: impl FnOnce() -> Wanted) {
    NOTES.with(|notes| {
        if let Some(notes) = notes.borrow_mut().as_mut().filter(|n| n.order.len() < MOST) {
            let wanted = wanted();
            if notes.known.insert(wanted.clone()) {
                notes.order.push(wanted);
            }
        }
    });
}
