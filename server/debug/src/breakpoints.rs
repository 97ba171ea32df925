//! The breakpoints of a workspace, which are sent to every session.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::events::{DebugEvent, Events};

/// Limit of breakpoints.
const MAX_BREAKPOINTS: usize = 10_000;
/// Limit of function breakpoints.
const MAX_FUNCTIONS: usize = 1_000;

/// A line breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breakpoint {
    /// Its id, never reused.
    pub id: u64,
    /// The absolute path of its file.
    pub file: PathBuf,
    /// The requested line, from 1.
    pub line: u32,
    /// When to stop there.
    pub condition: BreakpointCondition,
    /// Why its line is no longer known; it is not sent to sessions then.
    pub lost_reason: Option<String>,
}

/// A function breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionBreakpoint {
    /// Its id, unique among all breakpoints.
    pub id: u64,
    /// The function's name, as the debugger spells it.
    pub name: String,
    /// When to stop; a log message is ignored.
    pub condition: BreakpointCondition,
}

/// An exception breakpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExceptionBreakpoint {
    /// The adapter's exception filter.
    pub filter: String,
    /// Only exceptions for which this holds, in the adapter's syntax.
    pub condition: Option<String>,
}

/// When a breakpoint stops, or what it logs instead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BreakpointCondition {
    /// Only if this expression is true.
    pub expression: Option<String>,
    /// Only at this hit count, in the adapter's syntax: `5`, sometimes `>= 5` or `% 5`.
    pub hits: Option<String>,
    /// Logs this message instead of stopping; `{expressions}` in braces are evaluated.
    pub log: Option<String>,
    /// Whether side effects of its expressions were approved, in whatever language.
    pub is_approved: bool,
}

/// A breakpoint's state in one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BreakpointBinding {
    /// The adapter's id for it.
    pub(crate) number: Option<i64>,
    /// Whether the program will stop there.
    pub verified: bool,
    /// Its actual line, in the text the program was built from.
    pub line: Option<u32>,
    /// The adapter's remark.
    pub message: Option<String>,
}

/// The breakpoints of a workspace.
#[derive(Debug, Default)]
pub struct Breakpoints {
    state: Mutex<BreakpointLists>,
    events: Events,
}

#[derive(Debug, Default)]
struct BreakpointLists {
    all: Vec<Breakpoint>,
    functions: Vec<FunctionBreakpoint>,
    /// `None` means each adapter's defaults.
    exceptions: Option<Vec<ExceptionBreakpoint>>,
    last: u64,
}

impl Breakpoints {
    /// No breakpoints yet; changes are published to `events`.
    pub(crate) fn with_events(events: Events) -> Self {
        Self { state: Mutex::default(), events }
    }

    /// Adds breakpoints, or changes those on the same lines. `None`, without a change, if there
    /// would be too many.
    pub fn set(&self, wanted: Vec<(PathBuf, u32, BreakpointCondition)>) -> Option<Vec<Breakpoint>> {
        let mut state = self.state.lock();
        let mut at: HashMap<(PathBuf, u32), usize> = state
            .all
            .iter()
            .enumerate()
            .map(|(index, one)| ((one.file.clone(), one.line), index))
            .collect();
        let new = wanted.iter().filter(|(file, line, _)| !at.contains_key(&(file.clone(), *line)));
        if state.all.len() + new.count() > MAX_BREAKPOINTS {
            return None;
        }
        let mut set = Vec::new();
        for (file, line, condition) in wanted {
            let index = *at.entry((file.clone(), line)).or_insert(state.all.len());
            if let Some(known) = state.all.get_mut(index) {
                known.condition = condition;
                known.lost_reason = None;
            } else {
                state.last += 1;
                let id = state.last;
                state.all.push(Breakpoint { id, file, line, condition, lost_reason: None });
            }
            set.push(state.all[index].clone());
        }
        drop(state);
        self.events.publish(DebugEvent::Breakpoints);
        Some(set)
    }

    /// Removes the breakpoints that match, and returns them.
    pub fn remove(&self, gone: impl Fn(&Breakpoint) -> bool) -> Vec<Breakpoint> {
        let mut state = self.state.lock();
        let removed: Vec<_> = state.all.extract_if(.., |one| gone(one)).collect();
        if !removed.is_empty() {
            self.events.publish(DebugEvent::Breakpoints);
        }
        removed
    }

    /// Adds a function breakpoint, or changes the one of that name. `None` if there are too many.
    pub fn set_function(
        &self,
        name: &str,
        condition: BreakpointCondition,
    ) -> Option<FunctionBreakpoint> {
        let mut state = self.state.lock();
        let id = state.last + 1;
        let known = state.functions.iter_mut().find(|one| one.name == name);
        let set = if let Some(known) = known {
            known.condition = condition;
            known.clone()
        } else if state.functions.len() >= MAX_FUNCTIONS {
            return None;
        } else {
            state.last = id;
            let new = FunctionBreakpoint { id, name: name.to_owned(), condition };
            state.functions.push(new.clone());
            new
        };
        drop(state);
        self.events.publish(DebugEvent::Breakpoints);
        Some(set)
    }

    /// Removes the function breakpoints that match, and returns their ids.
    pub fn remove_functions(&self, gone: impl Fn(&FunctionBreakpoint) -> bool) -> Vec<u64> {
        let removed: Vec<_> =
            self.state.lock().functions.extract_if(.., |one| gone(one)).map(|one| one.id).collect();
        if !removed.is_empty() {
            self.events.publish(DebugEvent::Breakpoints);
        }
        removed
    }

    /// The function breakpoints, in the order in which they were set.
    pub fn functions(&self) -> Vec<FunctionBreakpoint> {
        self.state.lock().functions.clone()
    }

    /// Sets the exception breakpoints; `None` means each adapter's defaults.
    pub fn set_exceptions(&self, wanted: Option<Vec<ExceptionBreakpoint>>) {
        self.state.lock().exceptions = wanted;
        self.events.publish(DebugEvent::Breakpoints);
    }

    /// The exception breakpoints, if they were set.
    pub fn exceptions(&self) -> Option<Vec<ExceptionBreakpoint>> {
        self.state.lock().exceptions.clone()
    }

    /// Moves the breakpoints of a file with its text. Of two that end up on one line, the first
    /// stays.
    pub fn shift_lines(&self, file: &Path, moved: impl Fn(u32) -> u32) -> bool {
        let mut state = self.state.lock();
        let (mut taken, mut has_moved) = (HashSet::new(), false);
        state.all.retain_mut(|one| {
            if one.file != file || one.lost_reason.is_some() {
                return true;
            }
            let line = moved(one.line);
            has_moved |= line != one.line;
            one.line = line;
            taken.insert(line)
        });
        drop(state);
        if has_moved {
            self.events.publish(DebugEvent::Breakpoints);
        }
        has_moved
    }

    /// Sets a breakpoint's line, or why it is unknown. If another one is there, it is removed.
    pub fn set_location(&self, id: u64, at: Result<u32, String>) {
        let mut state = self.state.lock();
        let Some(index) = state.all.iter().position(|one| one.id == id) else { return };
        let one = state.all[index].clone();
        match at {
            Ok(line) if line == one.line && one.lost_reason.is_none() => return,
            Ok(line) => {
                let is_there = |other: &Breakpoint| {
                    other.id != id && other.file == one.file && other.line == line
                };
                if state.all.iter().any(is_there) {
                    state.all.remove(index);
                } else {
                    (state.all[index].line, state.all[index].lost_reason) = (line, None);
                }
            }
            Err(why) => state.all[index].lost_reason = Some(why),
        }
        drop(state);
        self.events.publish(DebugEvent::Breakpoints);
    }

    /// An id for a breakpoint that is stored elsewhere.
    pub(crate) fn next_id(&self) -> u64 {
        let mut state = self.state.lock();
        state.last += 1;
        state.last
    }

    /// All line breakpoints, in the order in which they were set.
    pub fn all(&self) -> Vec<Breakpoint> {
        self.state.lock().all.clone()
    }

    /// The breakpoints of one file.
    pub fn in_file(&self, file: &Path) -> Vec<Breakpoint> {
        self.state.lock().all.iter().filter(|one| one.file == file).cloned().collect()
    }

    /// The files with breakpoints.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.state.lock().all.iter().map(|one| one.file.clone()).collect();
        files.sort();
        files.dedup();
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_one_breakpoint_and_ids_are_not_reused() {
        let events = Events::default();
        let mut receiver = events.subscribe();
        let points = Breakpoints::with_events(events);
        let set = |file: &str, line, condition: &BreakpointCondition| {
            let set = points.set(vec![(file.into(), line, condition.clone())]).unwrap();
            set.into_iter().next().unwrap()
        };
        let (file, plain) = (Path::new("/w/a.py"), BreakpointCondition::default());
        let first = set("/w/a.py", 3, &plain);
        let log = BreakpointCondition { log: Some("x".into()), ..BreakpointCondition::default() };
        let again = set("/w/a.py", 3, &log);
        assert_eq!((again.id, &again.condition), (first.id, &log));
        assert_eq!(points.remove(|one| one.id == first.id).len(), 1);
        assert_ne!(set("/w/a.py", 3, &plain).id, first.id);
        set("/w/b.py", 1, &plain);
        assert_eq!(
            (points.files().len(), points.in_file(file).len(), points.all().len()),
            (2, 1, 2)
        );
        let published = std::iter::from_fn(|| receiver.try_recv().ok()).count();
        assert_eq!(published, 5);
        let function = points.set_function("main.Add", plain.clone()).unwrap();
        assert_eq!(points.set_function("main.Add", log).unwrap().id, function.id);
        assert_eq!(points.remove_functions(|one| one.name == "main.Add"), [function.id]);
        set("/w/b.py", 4, &plain);
        assert!(points.shift_lines(Path::new("/w/b.py"), |line| line.max(4) + 1));
        let lines: Vec<_> =
            points.in_file(Path::new("/w/b.py")).iter().map(|one| one.line).collect();
        assert_eq!(lines, [5], "two on one line are one");
        assert!(!points.shift_lines(Path::new("/w/b.py"), |line| line));
        let one = points.in_file(Path::new("/w/b.py")).remove(0);
        points.set_location(one.id, Err("gone".to_owned()));
        assert!(!points.shift_lines(Path::new("/w/b.py"), |line| line + 1), "it has no line");
        points.set_location(one.id, Ok(7));
        let then = points.in_file(Path::new("/w/b.py")).remove(0);
        assert_eq!((then.line, then.lost_reason), (7, None));
        while receiver.try_recv().is_ok() {}
        let many = |count: u32| (1..=count).map(|n| ("/w/c.py".into(), n, plain.clone())).collect();
        assert_eq!(points.set(many(MAX_BREAKPOINTS as u32)), None);
        assert_eq!(points.set(many(1_000)).unwrap().len(), 1_000);
        assert_eq!(std::iter::from_fn(|| receiver.try_recv().ok()).count(), 1);
    }
}
