//! Updates of the index, one file at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use syntax::Language;

use super::entry::IndexEntry;
use super::{FileId, Index};
use crate::facts::Facts;
use crate::postings::NameUse;
use crate::project::is_library;
use crate::stored::PackedFacts;

/// Limit of the memory for unpacked facts, in bytes; raised to the size of the packed ones.
const MAX_UNPACKED_BYTES: usize = 64 << 20;

impl Index {
    /// Adds or replaces a file. `path` is relative to its root, `/`-separated. O(facts), plus O(log
    /// files) and a move of the posting list for each name that changes.
    ///
    /// Paths that begin with [`LIBRARY`](crate::LIBRARY) belong to dependencies: names resolve to
    /// them, but they are not searched for uses.
    pub fn insert(&mut self, file: FileId, path: &str, facts: Arc<Facts>) {
        self.replace(file, IndexEntry::shared(path.into(), facts));
    }

    /// The same for packed facts, which are unpacked when a query needs them. O(names).
    pub fn insert_packed(&mut self, file: FileId, path: &str, packed: PackedFacts) {
        self.replace(file, IndexEntry::packed(path.into(), packed));
    }

    /// Adds a file that exists but is not indexed yet, so that imports resolve to it. An indexed
    /// file stays as it is. O(1).
    pub fn insert_unindexed(&mut self, file: FileId, path: &str, language: Language) {
        if !self.files.contains_key(&file) {
            self.replace(file, IndexEntry::unindexed(path.into(), language));
        }
    }

    /// Removes a file if it is not indexed.
    pub fn remove_unindexed(&mut self, file: FileId) {
        if self.is_unindexed(file) {
            self.remove(file);
        }
    }

    /// Whether a file is known to exist but is not indexed.
    #[must_use]
    pub fn is_unindexed(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(IndexEntry::is_unread)
    }

    /// Number of files that are known to exist but are not indexed. O(1).
    #[must_use]
    pub fn unindexed_count(&self) -> usize {
        self.unindexed
    }

    /// Adds or replaces an entry and updates postings, project and counts. Returns the old one, unless
    /// it is a dependency's.
    pub(super) fn replace(&mut self, file: FileId, new: IndexEntry) -> Option<IndexEntry> {
        if is_library(&new.path) {
            self.remove(file);
            self.insert_library(file, new);
            return None;
        }
        let old = self.files.remove(&file);
        self.update_postings(file, old.as_ref(), Some(&new));
        let package = new.package();
        match &old {
            Some(old)
                if old.path == new.path
                    && old.package() == package
                    && old.language == new.language => {}
            old => {
                if let Some(old) = old {
                    let package = old.package();
                    self.project.remove(file, &old.path, old.language.id(), package.as_deref());
                }
                self.project.insert(file, &new.path, new.language.id(), package.as_deref());
            }
        }
        if let Some(old) = &old {
            self.subtract_counts(old);
        }
        self.unindexed += usize::from(new.is_unread());
        let counts = new.counts();
        self.counts.files += 1;
        self.counts.definitions += counts.definitions;
        self.counts.references += counts.references;
        self.counts.bytes += new.bytes();
        self.files.insert(file, new);
        old
    }

    /// Removes a file. O(its names).
    pub fn remove(&mut self, file: FileId) {
        self.take(file);
    }

    /// Removes a file and returns its entry.
    pub(super) fn take(&mut self, file: FileId) -> Option<IndexEntry> {
        let old = self.files.remove(&file)?;
        if is_library(&old.path) {
            self.remove_library(file, &old);
        } else {
            self.update_postings(file, Some(&old), None);
            self.project.remove(file, &old.path, old.language.id(), old.package().as_deref());
            self.subtract_counts(&old);
        }
        Some(old)
    }

    fn subtract_counts(&mut self, old: &IndexEntry) {
        self.unindexed -= usize::from(old.is_unread());
        let counts = old.counts();
        self.counts.files -= 1;
        self.counts.definitions -= counts.definitions;
        self.counts.references -= counts.references;
        self.counts.bytes -= old.bytes();
    }

    /// Updates the postings of the names whose use in the file has changed.
    fn update_postings(
        &mut self,
        file: FileId,
        old: Option<&IndexEntry>,
        new: Option<&IndexEntry>,
    ) {
        let (names, vanished) = (&mut self.names, &mut self.removed_names);
        let Some(old) = old else {
            if let Some(new) = new {
                new.each_name(|name, mark| names.change(name, file, NameUse::None, mark));
            }
            return;
        };
        let mut change = |name: &str, before: NameUse, after: NameUse| {
            names.change(name, file, before, after);
            if before >= NameUse::Defined && after < NameUse::Defined {
                vanished.push(name, &old.path);
            }
        };
        let mut before = Vec::new();
        old.each_name(|name, mark| before.push((Box::<str>::from(name), mark)));
        let mut before = before.into_iter().peekable();
        // Both sequences are sorted by name.
        if let Some(new) = new {
            new.each_name(|name, mark| {
                while let Some((gone, mark)) = before.next_if(|(old, _)| **old < *name) {
                    change(&gone, mark, NameUse::None);
                }
                let old = before.next_if(|(old, _)| **old == *name);
                change(name, old.map_or(NameUse::None, |(_, mark)| mark), mark);
            });
        }
        for (gone, mark) in before {
            change(&gone, mark, NameUse::None);
        }
    }

    /// Whether enough is unpacked to call [`Index::trim`].
    #[must_use]
    pub fn should_trim(&self) -> bool {
        self.unpacked.load(Ordering::Relaxed) > MAX_UNPACKED_BYTES.max(self.counts.bytes)
    }

    /// Drops the facts that queries unpacked. O(files).
    pub fn trim(&mut self) {
        self.files.values_mut().for_each(IndexEntry::drop_unpacked);
        self.unpacked.store(0, Ordering::Relaxed);
    }

    /// Releases memory that was reserved for more files. O(names).
    pub fn shrink_to_fit(&mut self) {
        self.names.shrink();
        self.files.shrink_to_fit();
    }
}
