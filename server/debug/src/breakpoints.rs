//! Breakpoints of a workspace: wanted once, set in every session.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::Event;
use crate::events::Events;

/// Most breakpoints of a workspace.
const MOST: usize = 10_000;
/// Most functions.
const MOST_FUNCTIONS: usize = 1_000;

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
    /// Why it is not known any more where that is: no program is told of it.
    pub lost: Option<String>,
}

/// A function that programs stop in, by the debugger's own name for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Its number, among those of all breakpoints.
    pub id: u64,
    /// The name.
    pub name: String,
    /// When to stop there; a message is not written.
    pub condition: Condition,
}

/// A kind of exceptions that programs stop at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// The adapter's name for the kind.
    pub filter: String,
    /// Only those that this is true of, as the adapter has it.
    pub condition: Option<String>,
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
    /// Whether leave was given for what of it does more than look, in whatever language.
    pub has_leave: bool,
}

/// What became of a breakpoint in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bound {
    /// The adapter's own number for it.
    pub(crate) number: Option<i64>,
    /// Whether the program will stop there.
    pub verified: bool,
    /// The line where it is, in the text that the program is made of.
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
    functions: Vec<Function>,
    /// What each adapter would by itself, where nothing was said.
    exceptions: Option<Vec<Exception>>,
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
                known.lost = None;
            } else {
                kept.last += 1;
                let id = kept.last;
                kept.all.push(Breakpoint { id, file, line, condition, lost: None });
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

    /// Wants a function, too; one of that name is changed. `None` where there are too many.
    pub fn set_function(&self, name: &str, condition: Condition) -> Option<Function> {
        let mut kept = self.kept.lock();
        let id = kept.last + 1;
        let known = kept.functions.iter_mut().find(|one| one.name == name);
        let set = if let Some(known) = known {
            known.condition = condition;
            known.clone()
        } else if kept.functions.len() >= MOST_FUNCTIONS {
            return None;
        } else {
            kept.last = id;
            let new = Function { id, name: name.to_owned(), condition };
            kept.functions.push(new.clone());
            new
        };
        drop(kept);
        self.events.tell(Event::Breakpoints);
        Some(set)
    }

    /// Wants those functions no more that `gone` says, and gives back their numbers.
    pub fn remove_functions(&self, gone: impl Fn(&Function) -> bool) -> Vec<u64> {
        let removed: Vec<_> =
            self.kept.lock().functions.extract_if(.., |one| gone(one)).map(|one| one.id).collect();
        if !removed.is_empty() {
            self.events.tell(Event::Breakpoints);
        }
        removed
    }

    /// The functions, in the order in which they were wanted.
    pub fn functions(&self) -> Vec<Function> {
        self.kept.lock().functions.clone()
    }

    /// Says which exceptions programs stop at; `None` is what each adapter would by itself.
    pub fn set_exceptions(&self, wanted: Option<Vec<Exception>>) {
        self.kept.lock().exceptions = wanted;
        self.events.tell(Event::Breakpoints);
    }

    /// Which exceptions programs stop at, where that was said.
    pub fn exceptions(&self) -> Option<Vec<Exception>> {
        self.kept.lock().exceptions.clone()
    }

    /// Moves the breakpoints of a file to other lines, as its text has moved; of two that come to
    /// lie on one line, the first stays.
    pub fn follow(&self, file: &Path, moved: impl Fn(u32) -> u32) -> bool {
        let mut kept = self.kept.lock();
        let (mut taken, mut has_moved) = (HashSet::new(), false);
        kept.all.retain_mut(|one| {
            if one.file != file || one.lost.is_some() {
                return true;
            }
            let line = moved(one.line);
            has_moved |= line != one.line;
            one.line = line;
            taken.insert(line)
        });
        drop(kept);
        if has_moved {
            self.events.tell(Event::Breakpoints);
        }
        has_moved
    }

    /// Says where a breakpoint is, or why that is not known any more. Where another is, it goes.
    pub fn place(&self, id: u64, at: Result<u32, String>) {
        let mut kept = self.kept.lock();
        let Some(index) = kept.all.iter().position(|one| one.id == id) else { return };
        let one = kept.all[index].clone();
        match at {
            Ok(line) if line == one.line && one.lost.is_none() => return,
            Ok(line) => {
                let is_there = |other: &Breakpoint| {
                    other.id != id && other.file == one.file && other.line == line
                };
                if kept.all.iter().any(is_there) {
                    kept.all.remove(index);
                } else {
                    (kept.all[index].line, kept.all[index].lost) = (line, None);
                }
            }
            Err(why) => kept.all[index].lost = Some(why),
        }
        drop(kept);
        self.events.tell(Event::Breakpoints);
    }

    /// A number for a breakpoint that is kept elsewhere.
    pub(crate) fn number(&self) -> u64 {
        let mut kept = self.kept.lock();
        kept.last += 1;
        kept.last
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
        let function = points.set_function("main.Add", plain.clone()).unwrap();
        assert_eq!(points.set_function("main.Add", log).unwrap().id, function.id);
        assert_eq!(points.remove_functions(|one| one.name == "main.Add"), [function.id]);
        set("/w/b.py", 4, &plain);
        assert!(points.follow(Path::new("/w/b.py"), |line| line.max(4) + 1));
        let lines: Vec<_> = points.of(Path::new("/w/b.py")).iter().map(|one| one.line).collect();
        assert_eq!(lines, [5], "two on one line are one");
        assert!(!points.follow(Path::new("/w/b.py"), |line| line));
        let one = points.of(Path::new("/w/b.py")).remove(0);
        points.place(one.id, Err("gone".to_owned()));
        assert!(!points.follow(Path::new("/w/b.py"), |line| line + 1), "it has no line");
        points.place(one.id, Ok(7));
        let then = points.of(Path::new("/w/b.py")).remove(0);
        assert_eq!((then.line, then.lost), (7, None));
        while watch.try_recv().is_ok() {}
        let many = |count: u32| (1..=count).map(|n| ("/w/c.py".into(), n, plain.clone())).collect();
        assert_eq!(points.set(many(MOST as u32)), None);
        assert_eq!(points.set(many(1_000)).unwrap().len(), 1_000);
        assert_eq!(std::iter::from_fn(|| watch.try_recv().ok()).count(), 1);
    }
}
