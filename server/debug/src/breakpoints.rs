//! Breakpoints of a workspace: wanted once, set in every session.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::Event;
use crate::events::Events;

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
pub struct Breakpoints {
    kept: Mutex<Kept>,
    events: Events,
}

#[derive(Debug, Default)]
struct Kept {
    all: Vec<Breakpoint>,
    last: u64,
}

impl Breakpoints {
    /// None yet; changes are told there.
    pub(crate) fn telling(events: Events) -> Self {
        Self { kept: Mutex::default(), events }
    }

    /// Wants these, too; one on the same line of the same file is changed. `None` where there would
    /// be too many; none is set then.
    pub fn set(&self, wanted: Vec<(PathBuf, u32, Condition)>) -> Option<Vec<Breakpoint>> {
        let mut kept = self.kept.lock();
        let mut at: HashMap<(PathBuf, u32), usize> = kept
            .all
            .iter()
            .enumerate()
            .map(|(index, one)| ((one.file.clone(), one.line), index))
            .collect();
        let new = wanted.iter().filter(|(file, line, _)| !at.contains_key(&(file.clone(), *line)));
        if kept.all.len() + new.count() > MOST {
            return None;
        }
        let mut set = Vec::new();
        for (file, line, condition) in wanted {
            let index = *at.entry((file.clone(), line)).or_insert(kept.all.len());
            if let Some(known) = kept.all.get_mut(index) {
                known.condition = condition;
            } else {
                kept.last += 1;
                let id = kept.last;
                kept.all.push(Breakpoint { id, file, line, condition });
            }
            set.push(kept.all[index].clone());
        }
        drop(kept);
        self.events.tell(Event::Breakpoints);
        Some(set)
    }

    /// Wants those no more that `gone` says, and gives them back.
    pub fn remove(&self, gone: impl Fn(&Breakpoint) -> bool) -> Vec<Breakpoint> {
        let mut kept = self.kept.lock();
        let removed: Vec<_> = kept.all.extract_if(.., |one| gone(one)).collect();
        if !removed.is_empty() {
            self.events.tell(Event::Breakpoints);
        }
        removed
    }

    /// All of them, in the order in which they were wanted.
    pub fn all(&self) -> Vec<Breakpoint> {
        self.kept.lock().all.clone()
    }

    /// Those of one file.
    pub fn of(&self, file: &Path) -> Vec<Breakpoint> {
        self.kept.lock().all.iter().filter(|one| one.file == file).cloned().collect()
    }

    /// The files that have some.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.kept.lock().all.iter().map(|one| one.file.clone()).collect();
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
        let events = Events::default();
        let mut watch = events.watch();
        let points = Breakpoints::telling(events);
        let set = |file: &str, line, condition: &Condition| {
            let set = points.set(vec![(file.into(), line, condition.clone())]).unwrap();
            set.into_iter().next().unwrap()
        };
        let (file, plain) = (Path::new("/w/a.py"), Condition::default());
        let first = set("/w/a.py", 3, &plain);
        let log = Condition { log: Some("x".into()), ..Condition::default() };
        let again = set("/w/a.py", 3, &log);
        assert_eq!((again.id, &again.condition), (first.id, &log));
        assert_eq!(points.remove(|one| one.id == first.id).len(), 1);
        assert_ne!(set("/w/a.py", 3, &plain).id, first.id);
        set("/w/b.py", 1, &plain);
        assert_eq!((points.files().len(), points.of(file).len(), points.all().len()), (2, 1, 2));
        let told = std::iter::from_fn(|| watch.try_recv().ok()).count();
        assert_eq!(told, 5);
        let many = |count: u32| (1..=count).map(|n| ("/w/c.py".into(), n, plain.clone())).collect();
        assert_eq!(points.set(many(MOST as u32)), None);
        assert_eq!(points.set(many(1_000)).unwrap().len(), 1_000);
        assert_eq!(std::iter::from_fn(|| watch.try_recv().ok()).count(), 1);
    }
}
