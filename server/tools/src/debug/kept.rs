//! Stores a workspace's breakpoints in the state folder, between servers.
//!
//! Several servers may share a workspace: each writes only its own changes. Breakpoints with code
//! that needs approval are not stored, because the approval was given once.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ::debug::{BreakpointCondition, Breakpoints, is_side_effect_free, log_message_expressions};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use text::Text;
use workspace::{Snapshot, read_user_file, state_folder};

use super::running::debugging;
use super::said::Said;
use super::texts;
use crate::Context;

/// The file, and its lock file.
const FILE: &str = "breakpoints.json";
const LOCK: &str = "breakpoints.lock";
/// Limits: bytes read, and breakpoints written.
const LARGEST: u64 = 16 << 20;
const MOST: usize = 20_000;
/// How long to wait for another server's lock, and how often to check it.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// The stored breakpoints, as this server last saw them.
#[derive(Debug, Default)]
pub(super) struct Kept(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// This server's breakpoints, as last read or written.
    own: Stored,
    /// Restored breakpoints whose lines have not been located yet, by id.
    unmatched: Vec<(u64, One)>,
    /// Breakpoints whose line was not found, by id.
    lost: HashMap<u64, One>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Stored {
    breakpoints: Vec<One>,
    functions: Vec<One>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct One {
    /// A file below the first root, or a function's name.
    name: String,
    line: u32,
    condition: Option<String>,
    hits: Option<String>,
    log: Option<String>,
    /// The line's text.
    said: Option<Said>,
}

impl One {
    fn of(
        name: &str,
        line: u32,
        said: Option<Said>,
        condition: &BreakpointCondition,
    ) -> Option<Self> {
        let BreakpointCondition { expression, hits, log, is_approved: has_leave } =
            condition.clone();
        let one = Self { name: name.to_owned(), line, condition: expression, hits, log, said };
        (!has_leave && one.is_harmless()).then_some(one)
    }

    /// Whether it has no code that needs approval.
    fn is_harmless(&self) -> bool {
        let in_message = self.log.iter().flat_map(|message| log_message_expressions(message));
        self.condition.iter().map(String::as_str).chain(in_message).all(is_side_effect_free)
    }

    fn condition(&self) -> BreakpointCondition {
        let Self { condition, hits, log, .. } = self;
        let (expression, hits, log) = (condition.clone(), hits.clone(), log.clone());
        BreakpointCondition { expression, hits, log, is_approved: false }
    }

    fn is_at(&self, other: &Self) -> bool {
        self.name == other.name && self.line == other.line
    }
}

impl Kept {
    /// Restores stored breakpoints; [`Kept::settle`] locates their lines.
    pub(super) fn restored(snapshot: &Snapshot, breakpoints: &Breakpoints) -> Self {
        let Some(stored) = folder(snapshot).and_then(|folder| read(&folder).ok()) else {
            return Self::default();
        };
        let Some(root) = snapshot.roots().first() else { return Self::default() };
        let mut state = State { own: stored.clone(), ..State::default() };
        let lines = stored.breakpoints.into_iter().filter(One::is_harmless).filter_map(|one| {
            // Ignore paths outside the roots.
            let place = snapshot.locate_absolute(&root.path().join(&one.name)).ok()?;
            Some((place.absolute(), one))
        });
        let (places, all): (Vec<_>, Vec<_>) =
            lines.map(|(file, one)| ((file, one.line.max(1), one.condition()), one)).unzip();
        let set = breakpoints.set(places).unwrap_or_default();
        state.unmatched = set.iter().map(|one| one.id).zip(all).collect();
        for one in stored.functions.iter().filter(|one| one.is_harmless()) {
            let _ = breakpoints.set_function(&one.name, one.condition());
        }
        Self(Mutex::new(state))
    }

    /// Locates the lines of restored breakpoints in the current texts, once.
    pub(super) fn settle(&self, context: &Context<'_>) {
        let unmatched = std::mem::take(&mut self.0.lock().unmatched);
        let breakpoints = debugging(context).breakpoints();
        let mut texts: HashMap<PathBuf, Option<Text>> = HashMap::new();
        let files: HashMap<u64, PathBuf> =
            breakpoints.all().into_iter().map(|one| (one.id, one.file)).collect();
        for (id, one) in unmatched {
            let (Some(file), Some(said)) = (files.get(&id), &one.said) else { continue };
            let text = texts.entry(file.clone()).or_insert_with(|| texts::text(context, file));
            let found = match text {
                Some(text) => said.line_in(text, one.line),
                None => Err("its file no longer exists".to_owned()),
            };
            if found.is_err() {
                self.0.lock().lost.insert(id, one);
            }
            breakpoints.set_location(id, found);
        }
    }

    /// Stores this server's changes.
    pub(super) fn keep(&self, context: &Context<'_>) {
        let mut state = self.0.lock();
        let own = state.now(context);
        if own == state.own {
            return;
        }
        let Some(folder) = folder(&context.snapshot) else { return };
        match change(&folder, &state.own, &own) {
            Ok(()) => state.own = own,
            Err(error) => tracing::warn!("breakpoints are not stored: {error}"),
        }
    }
}

impl State {
    /// The current breakpoints.
    fn now(&self, context: &Context<'_>) -> Stored {
        let breakpoints = debugging(context).breakpoints();
        let Some(root) = context.snapshot.roots().first() else { return Stored::default() };
        let below = |file: &Path| {
            let below = file.strip_prefix(root.path()).ok()?;
            below.to_str().map(str::to_owned)
        };
        let mut texts: HashMap<PathBuf, Option<Text>> = HashMap::new();
        let lines = breakpoints.all().into_iter().filter_map(|one| {
            if one.lost_reason.is_some() {
                return self.lost.get(&one.id).cloned();
            }
            let text = texts.entry(one.file.clone());
            let text = text.or_insert_with(|| texts::text(context, &one.file));
            let said = text.as_ref().and_then(|text| Said::of(text, one.line));
            One::of(&below(&one.file)?, one.line, said, &one.condition)
        });
        let lines = lines.collect();
        let functions = breakpoints.functions();
        let functions =
            functions.iter().filter_map(|one| One::of(&one.name, 0, None, &one.condition));
        Stored { breakpoints: lines, functions: functions.collect() }
    }
}

/// The stored breakpoints with only this server's changes applied.
fn merged(disk: Vec<One>, before: &[One], now: &[One]) -> Vec<One> {
    let gone: Vec<_> = before.iter().filter(|one| !now.contains(one)).collect();
    let new: Vec<_> = now.iter().filter(|one| !before.contains(one)).cloned().collect();
    let mut all = disk;
    all.retain(|one| !gone.iter().any(|other| other.is_at(one)));
    all.retain(|one| !new.iter().any(|other| other.is_at(one)));
    all.extend(new);
    all.truncate(MOST);
    all
}

/// Updates the stored breakpoints under the file lock.
fn change(folder: &Path, before: &Stored, now: &Stored) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let lock = options.create(true).truncate(false).write(true).mode(0o600);
    let lock = lock.open(folder.join(LOCK))?;
    held(&lock)?;
    // An unreadable file is replaced.
    let disk = match read(folder) {
        Ok(disk) => disk,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Stored::default(),
        Err(error) => return Err(error),
    };
    let all = Stored {
        breakpoints: merged(disk.breakpoints, &before.breakpoints, &now.breakpoints),
        functions: merged(disk.functions, &before.functions, &now.functions),
    };
    write(&folder.join(FILE), &all)
    // Closing the file releases the lock.
}

fn held(lock: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(std::fs::TryLockError::WouldBlock) if begun.elapsed() < PATIENCE => {
                std::thread::sleep(PAUSE);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn read(folder: &Path) -> io::Result<Stored> {
    match read_user_file(&folder.join(FILE), LARGEST) {
        Ok(Some(bytes)) => Ok(serde_json::from_slice(&bytes)?),
        Ok(None) => Ok(Stored::default()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Writes atomically.
fn write(file: &Path, stored: &Stored) -> io::Result<()> {
    use std::io::Write;
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = OpenOptions::new();
    let mut writer = options.create(true).truncate(true).write(true).mode(0o600).open(&new)?;
    writer.write_all(&serde_json::to_vec(stored)?)?;
    std::fs::rename(&new, file)
}

fn folder(snapshot: &Snapshot) -> Option<PathBuf> {
    state_folder(snapshot.roots()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[(u32, Option<&str>)]) -> Stored {
        let of = |(line, condition): &(u32, Option<&str>)| One {
            name: "a.py".to_owned(),
            line: *line,
            condition: condition.map(str::to_owned),
            ..One::default()
        };
        Stored { breakpoints: lines.iter().map(of).collect(), functions: Vec::new() }
    }

    #[test]
    fn two_servers_keep_what_each_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let begun = all(&[(1, None), (2, None), (9, None)]);
        change(folder, &Stored::default(), &begun).unwrap();
        // One server removes 1 and sets 5, the other changes 2, moves 9 and sets 5, too.
        change(folder, &begun, &all(&[(2, None), (9, None), (5, None)])).unwrap();
        let other = all(&[(1, None), (2, Some("x")), (10, None), (5, Some("y"))]);
        change(folder, &begun, &other).unwrap();
        let now = read(folder).unwrap();
        assert_eq!(now, all(&[(2, Some("x")), (10, None), (5, Some("y"))]));
    }

    #[test]
    fn many_at_once_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for line in 1..=8 {
                let folder = folder.path();
                scope.spawn(move || {
                    change(folder, &Stored::default(), &all(&[(line, None)])).unwrap();
                });
            }
        });
        let mut kept = read(folder.path()).unwrap().breakpoints;
        kept.sort_by_key(|one| one.line);
        assert_eq!(
            kept.iter().map(|one| one.line).collect::<Vec<_>>(),
            (1..=8).collect::<Vec<_>>()
        );
    }
}
