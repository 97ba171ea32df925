//! Breakpoints of a workspace: wanted once, set in every session.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

/// Most breakpoints of a workspace.
const MOST: usize = 10_000;

/// A breakpoint that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its number, never used again.
    pub id: u64,
    /// The file, by its absolute path.
    pub file: PathBuf,
    /// The line that was asked for, from 1.
    pub line: u32,
    /// When to stop there.
    pub condition: Condition,
}

/// When a breakpoint stops, and what it does instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Condition {
    /// Only where this expression is true.
    pub expression: Option<String>,
    /// Only at this hit, as the adapter counts: `5`, with some `>= 5` or `% 5`.
    pub hits: Option<String>,
    /// Stops not at all, and writes this, with `{expressions}` in braces.
    pub log: Option<String>,
}

/// What became of a breakpoint in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bound {
    /// The adapter's own number for it.
    pub(crate) number: Option<i64>,
    /// Whether the program will stop there.
    pub verified: bool,
    /// The line where it is.
    pub line: Option<u32>,
    /// What the adapter said of it.
    pub message: Option<String>,
}

/// The breakpoints of a workspace.
#[derive(Debug, Default)]
pub struct Breakpoints(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    all: Vec<Breakpoint>,
    last: u64,
}

impl Breakpoints {
    /// Wants one more; one on the same line of the same file is changed. `None` where there are too
    /// many.
    pub fn set(&self, file: &Path, line: u32, condition: Condition) -> Option<Breakpoint> {
        let mut kept = self.0.lock();
        let known = kept.all.iter_mut().find(|one| one.line == line && one.file == file);
        if let Some(known) = known {
            known.condition = condition;
            return Some(known.clone());
        }
        if kept.all.len() >= MOST {
            return None;
        }
        kept.last += 1;
        let one = Breakpoint { id: kept.last, file: file.to_owned(), line, condition };
        kept.all.push(one.clone());
        Some(one)
    }

    /// Wants those no more that `gone` says, and gives them back.
    pub fn remove(&self, gone: impl Fn(&Breakpoint) -> bool) -> Vec<Breakpoint> {
        let mut kept = self.0.lock();
        kept.all.extract_if(.., |one| gone(one)).collect()
    }

    /// All of them, in the order in which they were wanted.
    pub fn all(&self) -> Vec<Breakpoint> {
        self.0.lock().all.clone()
    }

    /// Those of one file.
    pub fn of(&self, file: &Path) -> Vec<Breakpoint> {
        self.0.lock().all.iter().filter(|one| one.file == file).cloned().collect()
    }

    /// The files that have some.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.0.lock().all.iter().map(|one| one.file.clone()).collect();
        files.sort();
        files.dedup();
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_breakpoint_and_numbers_are_used_once() {
        let points = Breakpoints::default();
        let file = Path::new("/w/a.py");
        let first = points.set(file, 3, Condition::default()).unwrap();
        let log = Condition { log: Some("x".into()), ..Condition::default() };
        let again = points.set(file, 3, log.clone()).unwrap();
        assert_eq!((again.id, &again.condition), (first.id, &log));
        assert_eq!(points.remove(|one| one.id == first.id).len(), 1);
        assert_ne!(points.set(file, 3, Condition::default()).unwrap().id, first.id);
        points.set(Path::new("/w/b.py"), 1, Condition::default()).unwrap();
        assert_eq!((points.files().len(), points.of(file).len(), points.all().len()), (2, 1, 2));
    }
}
