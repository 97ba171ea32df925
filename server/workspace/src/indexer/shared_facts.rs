//! Facts that several files share, in all workspaces of this process.
//!
//! A worktree has nearly all files of its repository. Its index needs postings and paths of its own, but the
//! packed facts, seven eighths of an index, are the same for the same text. They are found by their own hash, so
//! this works for facts that were parsed and for those that were loaded.

use std::hash::Hasher;
use std::sync::{Arc, LazyLock, Weak};

use names::{PackedBytes, PackedFacts};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

/// Least number of entries before those of facts that are gone are removed.
const MIN_ENTRIES: usize = 1_024;

static SHARED: LazyLock<Mutex<SharedFacts>> = LazyLock::new(Mutex::default);

/// The packed facts in use, by the hash of their bytes.
#[derive(Default)]
struct SharedFacts {
    all: FxHashMap<u64, Weak<PackedBytes>>,
    /// How many were in use when the others were removed.
    in_use: usize,
}

/// The same facts, in the memory of equal ones if there are any.
pub(super) fn share(packed: PackedFacts) -> PackedFacts {
    SHARED.lock().share(packed)
}

impl SharedFacts {
    fn share(&mut self, packed: PackedFacts) -> PackedFacts {
        let mut hasher = FxHasher::default();
        hasher.write(packed.bytes());
        let hash = hasher.finish();
        if let Some(known) = self.all.get(&hash).and_then(Weak::upgrade) {
            // Other facts with this hash keep their own memory.
            return packed.sharing(known);
        }
        self.all.insert(hash, Arc::downgrade(packed.shared_bytes()));
        if self.all.len() > MIN_ENTRIES.max(2 * self.in_use) {
            self.all.retain(|_, bytes| bytes.strong_count() > 0);
            self.in_use = self.all.len();
        }
        packed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use names::Facts;
    use syntax::{Language, Syntax};
    use text::Text;

    use super::*;

    fn packed(text: &str) -> PackedFacts {
        let never = AtomicBool::new(false);
        let language = Language::by_id("python").unwrap();
        let syntax = Syntax::parse(language, &Text::new(text), None, &never).unwrap();
        PackedFacts::pack(&Facts::lower(&syntax, &never).unwrap())
    }

    #[test]
    fn the_same_text_has_its_facts_once() {
        let mut shared = SharedFacts::default();
        let one = shared.share(packed("a = 1\n"));
        let same = shared.share(packed("a = 1\n"));
        let other = shared.share(packed("b = 1\n"));
        assert!(Arc::ptr_eq(one.shared_bytes(), same.shared_bytes()));
        assert!(!Arc::ptr_eq(one.shared_bytes(), other.shared_bytes()));
        assert_eq!(other.bytes(), packed("b = 1\n").bytes());
    }

    #[test]
    fn facts_that_are_gone_are_forgotten() {
        let mut shared = SharedFacts::default();
        let kept = shared.share(packed("kept = 1\n"));
        for number in 0..2 * MIN_ENTRIES {
            drop(shared.share(packed(&format!("a{number} = 1\n"))));
        }
        assert!(shared.all.len() <= MIN_ENTRIES + 1, "{}", shared.all.len());
        let same = shared.share(packed("kept = 1\n"));
        assert!(Arc::ptr_eq(kept.shared_bytes(), same.shared_bytes()));
    }
}
