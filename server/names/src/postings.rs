//! Postings: for each name, the files in which it occurs.
//!
//! One row per name, in flat arrays: its text, a mask of its letters, the files that define it, and
//! the files that only use it. A hash table maps names to rows.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::ops::Deref;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHasher};

use crate::dependency_tracking::record_name;
use crate::expression::Expression;
use crate::facts::Facts;
use crate::fuzzy::letter_mask;
use crate::index::FileId;
use crate::vocabulary::{DefinitionKind, Flags};

/// What a file does with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameUse {
    /// Nothing that is visible to other files.
    None,
    /// Uses it.
    Used,
    /// Defines it, visible to other files.
    Defined,
    /// Defines it, visible to other files and deprecated.
    Deprecated,
}

impl NameUse {
    pub(crate) fn of(bits: u8) -> Self {
        match bits {
            0 => Self::None,
            1 => Self::Used,
            2 => Self::Defined,
            _ => Self::Deprecated,
        }
    }
}

/// The mark of each of a file's names, in order. O(facts).
pub(crate) fn marks(facts: &Facts) -> Vec<NameUse> {
    let mut marks: Vec<NameUse> = facts.strings.iter().map(|_| NameUse::None).collect();
    let mut mark = |name: u32, mark: NameUse| {
        if let Some(old) = marks.get_mut(name as usize)
            && *old < mark
        {
            *old = mark;
        }
    };
    facts.references.iter().for_each(|r| mark(r.name, NameUse::Used));
    facts.extensions.iter().for_each(|e| mark(e.name, NameUse::Used));
    for (d, def) in facts.definitions.iter().enumerate() {
        // An unnamed default import uses the name `default`.
        if def.kind == DefinitionKind::Import
            && let Some(e) = def.value.as_expression()
            && let Some(Expression::Field(_, name)) = facts.expressions.get(e as usize)
        {
            mark(*name, NameUse::Used);
        }
        let import = def.kind == DefinitionKind::Import && !def.flags.has(Flags::EXPORTED);
        let out = !import && (facts.is_outermost(d as u32) || def.flags.has(Flags::HIDDEN));
        mark(
            def.name,
            match out {
                true if facts.is_deprecated(d as u32) => NameUse::Deprecated,
                true => NameUse::Defined,
                false => NameUse::Used,
            },
        );
    }
    // The empty name is no name.
    if facts.strings.text(0).is_empty()
        && let Some(first) = marks.first_mut()
    {
        *first = NameUse::None;
    }
    marks
}

/// The files that define a name, and those that only use it.
#[derive(Debug, Default)]
pub(crate) struct Postings {
    pub(crate) defined: FileSet,
    pub(crate) used: FileSet,
}

impl Postings {
    fn of(&mut self, mark: NameUse) -> Option<&mut FileSet> {
        match mark {
            NameUse::None => None,
            NameUse::Used => Some(&mut self.used),
            NameUse::Defined | NameUse::Deprecated => Some(&mut self.defined),
        }
    }
}

/// A sorted set of files; most names occur in few.
#[derive(Debug)]
pub(crate) enum FileSet {
    Few(u8, [FileId; 3]),
    #[allow(clippy::box_collection, reason = "a row is half as large so, and most have few files")]
    Many(Box<Vec<FileId>>),
}

impl Default for FileSet {
    fn default() -> Self {
        Self::Few(0, [FileId(0); 3])
    }
}

impl Deref for FileSet {
    type Target = [FileId];

    fn deref(&self) -> &[FileId] {
        match self {
            Self::Few(len, files) => &files[..usize::from(*len)],
            Self::Many(files) => files,
        }
    }
}

impl<'f> IntoIterator for &'f FileSet {
    type Item = &'f FileId;
    type IntoIter = std::slice::Iter<'f, FileId>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl FileSet {
    /// O(log files) to find the position; for a new file it is the end.
    fn insert(&mut self, file: FileId) {
        let Err(place) = self.binary_search(&file) else { return };
        match self {
            Self::Few(len, files) if usize::from(*len) < files.len() => {
                files.copy_within(place..usize::from(*len), place + 1);
                files[place] = file;
                *len += 1;
            }
            Self::Few(..) => {
                let mut many = Vec::with_capacity(6);
                many.extend_from_slice(self);
                many.insert(place, file);
                *self = Self::Many(Box::new(many));
            }
            Self::Many(files) => files.insert(place, file),
        }
    }

    fn remove(&mut self, file: FileId) {
        let Ok(place) = self.binary_search(&file) else { return };
        match self {
            Self::Few(len, files) => {
                files.copy_within(place + 1..usize::from(*len), place);
                *len -= 1;
            }
            Self::Many(files) => {
                files.remove(place);
            }
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Few(..) => 0,
            Self::Many(files) => files.capacity() * size_of::<FileId>() + size_of_val(files),
        }
    }
}

/// All names with their postings. Rows of names that no longer occur stay empty until they are so
/// many that the table is rebuilt: amortized O(1) per name.
#[derive(Debug, Default)]
pub(crate) struct NamePostings {
    rows: HashTable<u32>,
    postings: Vec<Postings>,
    /// The letter mask of names that a file defines; 0 for others.
    masks: Vec<u64>,
    /// Where each row's text starts; it ends where the next one starts.
    starts: Vec<u32>,
    text: String,
    empty_rows: usize,
    /// Names with deprecated definitions, and in how many files.
    deprecated: FxHashMap<Box<str>, u32>,
}

/// Marks a defined name in its mask, even if it has no letters.
const DEFINED: u64 = 1 << 37;
/// The number of empty rows that is always tolerated.
const MAX_EMPTY_ROWS: usize = 4_096;

fn hash(name: &str) -> u64 {
    BuildHasherDefault::<FxHasher>::default().hash_one(name)
}

impl NamePostings {
    /// The postings of a name. O(1).
    pub(crate) fn get(&self, name: &str) -> Option<&Postings> {
        record_name(name);
        self.postings.get(self.row(name)?)
    }

    /// Whether a name occurs. O(1).
    pub(crate) fn contains_key(&self, name: &str) -> bool {
        self.row(name).is_some()
    }

    /// The number of names.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn row(&self, name: &str) -> Option<usize> {
        let row = self.rows.find(hash(name), |row| self.name(*row as usize) == name)?;
        Some(*row as usize)
    }

    /// The name of a row.
    pub(crate) fn name(&self, row: usize) -> &str {
        let start = self.starts.get(row).map_or(self.text.len(), |&s| s as usize);
        let end = self.starts.get(row + 1).map_or(self.text.len(), |&e| e as usize);
        self.text.get(start..end).unwrap_or("")
    }

    /// The letter mask of each row, 0 if no file defines the name.
    pub(crate) fn masks(&self) -> &[u64] {
        &self.masks
    }

    /// Updates a file's mark for a name. O(log files), plus a move of the list unless the file is
    /// at its end.
    pub(crate) fn change(&mut self, name: &str, file: FileId, old: NameUse, new: NameUse) {
        if old == new {
            return;
        }
        if old == NameUse::Deprecated {
            self.uncount_deprecated(name);
        }
        if new == NameUse::Deprecated {
            self.count_deprecated(name);
        }
        let Some(row) = self.row(name).or_else(|| self.add(name)) else { return };
        let postings = &mut self.postings[row];
        if let Some(files) = postings.of(old) {
            files.remove(file);
        }
        if let Some(files) = postings.of(new) {
            files.insert(file);
        }
        let defined = !postings.defined.is_empty();
        if defined != (self.masks[row] != 0) {
            self.masks[row] = if defined { letter_mask(name) | DEFINED } else { 0 };
        }
        if postings.defined.is_empty() && postings.used.is_empty() {
            self.drop_row(row, name);
        }
    }

    /// Whether a file has a deprecated definition of a name. O(1).
    pub(crate) fn is_deprecated(&self, name: &str) -> bool {
        !self.deprecated.is_empty() && self.deprecated.contains_key(name)
    }

    /// Counts a file with a deprecated definition of a name.
    pub(crate) fn count_deprecated(&mut self, name: &str) {
        *self.deprecated.entry(name.into()).or_default() += 1;
    }

    /// Counts such a file no longer.
    pub(crate) fn uncount_deprecated(&mut self, name: &str) {
        if let Some(files) = self.deprecated.get_mut(name) {
            *files -= 1;
            if *files == 0 {
                self.deprecated.remove(name);
            }
        }
    }

    fn add(&mut self, name: &str) -> Option<usize> {
        // Row numbers and offsets have 32 bits; names beyond that are not found by name.
        let row = u32::try_from(self.postings.len()).ok()?;
        let start = u32::try_from(self.text.len()).ok()?;
        self.postings.push(Postings::default());
        self.masks.push(0);
        self.starts.push(start);
        self.text.push_str(name);
        let (starts, text) = (&self.starts, &self.text);
        self.rows.insert_unique(hash(name), row, |row| {
            let row = *row as usize;
            let end = starts.get(row + 1).map_or(text.len(), |&e| e as usize);
            hash(text.get(starts[row] as usize..end).unwrap_or(""))
        });
        Some(row as usize)
    }

    fn drop_row(&mut self, row: usize, name: &str) {
        if let Ok(entry) = self.rows.find_entry(hash(name), |r| *r as usize == row) {
            entry.remove();
        }
        self.empty_rows += 1;
        if self.rows.is_empty() {
            *self = Self { deprecated: std::mem::take(&mut self.deprecated), ..Self::default() };
        } else if self.empty_rows > MAX_EMPTY_ROWS && self.empty_rows * 2 > self.postings.len() {
            self.compact();
        }
    }

    /// Rebuilds the table without empty rows.
    fn compact(&mut self) {
        let mut old = std::mem::take(self);
        self.deprecated = std::mem::take(&mut old.deprecated);
        self.rows.reserve(old.rows.len(), |_| 0);
        let rows: Vec<u32> = {
            let mut rows: Vec<u32> = old.rows.iter().copied().collect();
            rows.sort_unstable();
            rows
        };
        let mut postings = old.postings.into_iter().enumerate();
        for row in rows {
            let at = row as usize;
            let Some((_, kept)) = postings.find(|(n, _)| *n == at) else { continue };
            let start = old.starts[at] as usize;
            let end = old.starts.get(at + 1).map_or(old.text.len(), |&e| e as usize);
            if let Some(new) = self.add(old.text.get(start..end).unwrap_or("")) {
                self.postings[new] = kept;
                self.masks[new] = old.masks[at];
            }
        }
    }

    /// Releases reserved memory.
    pub(crate) fn shrink(&mut self) {
        self.postings.shrink_to_fit();
        self.masks.shrink_to_fit();
        self.starts.shrink_to_fit();
        self.text.shrink_to_fit();
        for postings in &mut self.postings {
            for files in [&mut postings.defined, &mut postings.used] {
                if let FileSet::Many(files) = files {
                    files.shrink_to_fit();
                }
            }
        }
    }

    /// The approximate memory of the names in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let lists: usize = self.postings.iter().map(|p| p.defined.bytes() + p.used.bytes()).sum();
        self.rows.capacity() * 5
            + self.postings.capacity() * size_of::<Postings>()
            + self.masks.capacity() * 8
            + self.starts.capacity() * 4
            + self.text.capacity()
            + lists
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &NamePostings) -> Vec<(String, Vec<u32>, Vec<u32>)> {
        let mut all: Vec<_> = (0..names.postings.len())
            .filter(|row| names.row(names.name(*row)) == Some(*row))
            .map(|row| {
                let numbers = |files: &FileSet| files.iter().map(|f| f.0).collect();
                let postings = &names.postings[row];
                let (defined, used) = (numbers(&postings.defined), numbers(&postings.used));
                (names.name(row).to_owned(), defined, used)
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn adds_and_removes_files() {
        let mut all = NamePostings::default();
        for n in [5, 1, 4, 2, 3, 6, 2] {
            all.change("a", FileId(n), NameUse::None, NameUse::Defined);
        }
        all.change("a", FileId(4), NameUse::Defined, NameUse::Used);
        all.change("b", FileId(1), NameUse::None, NameUse::Used);
        all.change("b", FileId(1), NameUse::Used, NameUse::None);
        assert_eq!(names(&all), [("a".into(), vec![1, 2, 3, 5, 6], vec![4])]);
        for n in [1, 2, 3, 5, 6] {
            all.change("a", FileId(n), NameUse::Defined, NameUse::None);
        }
        assert_eq!(all.masks(), [0, 0]);
        all.change("a", FileId(4), NameUse::Used, NameUse::None);
        assert!(names(&all).is_empty() && all.len() == 0);
    }

    #[test]
    fn counts_deprecated_definitions_by_file() {
        let mut all = NamePostings::default();
        all.change("a", FileId(1), NameUse::None, NameUse::Deprecated);
        all.change("a", FileId(2), NameUse::Used, NameUse::Deprecated);
        all.change("a", FileId(1), NameUse::Deprecated, NameUse::Defined);
        assert!(all.is_deprecated("a"));
        all.change("a", FileId(2), NameUse::Deprecated, NameUse::None);
        assert!(!all.is_deprecated("a"));
        assert_eq!(names(&all), [("a".into(), vec![1], vec![])]);
    }

    #[test]
    fn compacts_empty_rows() {
        let mut all = NamePostings::default();
        for n in 0..20_000_u32 {
            all.change(&format!("kept{}", n % 9), FileId(n), NameUse::None, NameUse::Used);
            let name = format!("n{n}");
            all.change(&name, FileId(1), NameUse::None, NameUse::Defined);
            all.change(&name, FileId(1), NameUse::Defined, NameUse::None);
        }
        assert!(all.postings.len() < 2 * MAX_EMPTY_ROWS + 20, "{}", all.postings.len());
        assert_eq!(names(&all).len(), 9);
        assert!(names(&all).iter().all(|(_, _, used)| used.len() > 2_000));
    }
}
