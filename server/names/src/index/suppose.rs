//! Queries about texts that files do not have, or do not have yet.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashSet;

use super::entry::IndexEntry;
use super::{FileId, Index};
use crate::facts::Facts;

/// The files whose facts a query reads, while they are recorded.
#[derive(Debug, Default)]
pub(super) struct RecordedReads(Option<Mutex<FxHashSet<FileId>>>);

impl RecordedReads {
    /// Records that a query reads a file's facts.
    pub(super) fn record(&self, file: FileId) {
        if let Some(files) = &self.0 {
            files.lock().unwrap_or_else(PoisonError::into_inner).insert(file);
        }
    }
}

/// A file as a query supposes it: its path in the index, and its facts; `None` if it does not exist.
pub type SupposedFacts<'p> = (FileId, &'p str, Option<Arc<Facts>>);

impl Index {
    /// Runs a query on the index as if files had other facts, and puts the index back. Returns also
    /// the files whose facts it read: the result holds as long as they do not change.
    pub fn suppose<T>(
        &mut self,
        files: &[SupposedFacts<'_>],
        query: impl FnOnce(&Self) -> T,
    ) -> (T, FxHashSet<FileId>) {
        let removed_names = std::mem::take(&mut self.removed_names);
        let mut before = Vec::with_capacity(files.len());
        for (file, path, facts) in files {
            let known = match facts {
                Some(facts) => {
                    self.replace(*file, IndexEntry::shared((*path).into(), facts.clone()))
                }
                None => self.take(*file),
            };
            before.push((*file, known));
        }
        self.reads = RecordedReads(Some(Mutex::default()));
        // A panic must not leave the supposed facts behind.
        let result = catch_unwind(AssertUnwindSafe(|| query(self)));
        let reads = std::mem::take(&mut self.reads);
        // In reverse: a file may be listed twice.
        for (file, known) in before.into_iter().rev() {
            match known {
                Some(known) => drop(self.replace(file, known)),
                None => drop(self.take(file)),
            }
        }
        self.removed_names = removed_names;
        let reads = reads.0.and_then(|files| files.into_inner().ok()).unwrap_or_default();
        match result {
            Ok(result) => (result, reads),
            Err(panic) => resume_unwind(panic),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use syntax::{Language, Syntax};
    use text::Text;

    use super::*;

    fn facts(source: &str) -> (Syntax, Arc<Facts>) {
        let never = AtomicBool::new(false);
        let language = Language::by_id("python").unwrap();
        let syntax = Syntax::parse(language, &Text::new(source), None, &never).unwrap();
        let facts = Facts::lower(&syntax, &never).unwrap();
        (syntax, Arc::new(facts))
    }

    #[test]
    fn the_index_is_as_before_afterwards() {
        let never = AtomicBool::new(false);
        let (a, b, c) = (FileId(0), FileId(1), FileId(2));
        let mut index = Index::new();
        index.insert(a, "a.py", facts("def run(): pass\n").1);
        let (user, user_facts) = facts("from a import run, walk\nrun()\nwalk()\n");
        index.insert(b, "b.py", user_facts);
        index.insert_unindexed(c, "c.py", Language::by_id("python").unwrap());
        let problems = |index: &Index| {
            let found = index.name_diagnostics(b, &user, &never).unwrap();
            found.iter().map(|one| one.message()).collect::<Vec<_>>()
        };
        let (before, counts) = (problems(&index), index.counts());
        assert_eq!(before, ["the import `walk` does not resolve"]);
        let walk = facts("def walk(): pass\n").1;
        let (found, reads) = index.suppose(&[(a, "a.py", Some(walk.clone()))], problems);
        assert_eq!(found, ["the import `run` does not resolve"]);
        assert!(reads.contains(&a), "{reads:?}");
        let (found, _) = index.suppose(&[(a, "a.py", None), (c, "c.py", Some(walk))], problems);
        // Without the module, its names are not missing: it is.
        assert_eq!(found, [""; 0]);
        assert!(index.is_unindexed(c));
        assert_eq!((problems(&index), index.counts()), (before, counts));
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            index.suppose(&[(a, "a.py", None)], |_| panic!("as a query may"))
        }));
        assert!(panicked.is_err());
        assert_eq!(index.counts(), counts);
    }
}
