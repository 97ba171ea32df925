//! Changing the index a file at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use syntax::Language;

use super::entry::Entry;
use super::{FileId, Index};
use crate::facts::Facts;
use crate::postings::Mark;
use crate::project::is_library;
use crate::stored::Packed;

/// Unpacked facts may take so many bytes, and as many as the packed ones.
const UNPACKED: usize = 64 << 20;

impl Index {
    /// Adds or replaces a file. `path` is relative to its root, `/`-separated. O(facts), and for
    /// the names that come or go O(log files) with a move of their lists.
    ///
    /// A path that begins with [`LIBRARY`](crate::LIBRARY) is of a dependency: names lead there,
    /// but none is looked for in it.
    pub fn insert(&mut self, file: FileId, path: &str, facts: Arc<Facts>) {
        self.replace(file, Entry::held(path.into(), facts));
    }

    /// The same, of packed facts, which are unpacked when a question needs them. O(names).
    pub fn insert_packed(&mut self, file: FileId, path: &str, packed: Packed) {
        self.replace(file, Entry::packed(path.into(), packed));
    }

    /// Says that a file is there, before it is read: names of modules lead to it from now on. One
    /// that has been read stays as it is. O(1).
    pub fn insert_unread(&mut self, file: FileId, path: &str, language: Language) {
        if !self.files.contains_key(&file) {
            self.replace(file, Entry::unread(path.into(), language));
        }
    }

    /// Takes out a file that has not been read; one that has stays.
    pub fn remove_unread(&mut self, file: FileId) {
        if self.is_unread(file) {
            self.remove(file);
        }
    }

    /// Whether all that is known of a file is that it is there.
    #[must_use]
    pub fn is_unread(&self, file: FileId) -> bool {
        self.files.get(&file).is_some_and(Entry::is_unread)
    }

    fn replace(&mut self, file: FileId, new: Entry) {
        if is_library(&new.path) {
            self.remove(file);
            return self.insert_library(file, new);
        }
        let old = self.files.remove(&file);
        self.post(file, old.as_ref(), Some(&new));
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
            self.discount(old);
        }
        let counts = new.counts();
        self.counts.files += 1;
        self.counts.definitions += counts.definitions;
        self.counts.references += counts.references;
        self.counts.bytes += new.bytes();
        self.files.insert(file, new);
    }

    /// Takes a file out. O(its names).
    pub fn remove(&mut self, file: FileId) {
        let Some(old) = self.files.remove(&file) else { return };
        if is_library(&old.path) {
            return self.remove_library(file, &old);
        }
        self.post(file, Some(&old), None);
        self.project.remove(file, &old.path, old.language.id(), old.package().as_deref());
        self.discount(&old);
    }

    fn discount(&mut self, old: &Entry) {
        let counts = old.counts();
        self.counts.files -= 1;
        self.counts.definitions -= counts.definitions;
        self.counts.references -= counts.references;
        self.counts.bytes -= old.bytes();
    }

    /// Brings the names up to date, touching only those of which the file does something else now.
    fn post(&mut self, file: FileId, old: Option<&Entry>, new: Option<&Entry>) {
        let (names, vanished) = (&mut self.names, &mut self.vanished);
        let Some(old) = old else {
            if let Some(new) = new {
                new.each_name(|name, mark| names.change(name, file, Mark::None, mark));
            }
            return;
        };
        let mut change = |name: &str, before: Mark, after: Mark| {
            names.change(name, file, before, after);
            if before >= Mark::Defined && after < Mark::Defined {
                vanished.push(name, &old.path);
            }
        };
        let mut before = Vec::new();
        old.each_name(|name, mark| before.push((Box::<str>::from(name), mark)));
        let mut before = before.into_iter().peekable();
        // Both are in the order of the names.
        if let Some(new) = new {
            new.each_name(|name, mark| {
                while let Some((gone, mark)) = before.next_if(|(old, _)| **old < *name) {
                    change(&gone, mark, Mark::None);
                }
                let old = before.next_if(|(old, _)| **old == *name);
                change(name, old.map_or(Mark::None, |(_, mark)| mark), mark);
            });
        }
        for (gone, mark) in before {
            change(&gone, mark, Mark::None);
        }
    }

    /// Whether so much has been unpacked that [`Index::trim`] is due.
    #[must_use]
    pub fn is_swollen(&self) -> bool {
        self.unpacked.load(Ordering::Relaxed) > UNPACKED.max(self.counts.bytes)
    }

    /// Forgets the facts that questions had unpacked. O(files).
    pub fn trim(&mut self) {
        self.files.values_mut().for_each(Entry::forget_unpacked);
        self.unpacked.store(0, Ordering::Relaxed);
    }

    /// Gives back memory that was reserved for more files. O(names).
    pub fn shrink(&mut self) {
        self.names.shrink();
        self.files.shrink_to_fit();
    }
}
