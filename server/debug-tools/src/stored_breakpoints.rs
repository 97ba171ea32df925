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

use super::file_texts::current_text;
use super::saved_line::SavedLine;
use super::sessions::debugging;
use tools::{Context, session::FamilyState};

/// The file, and its lock file.
const BREAKPOINTS_FILE: &str = "breakpoints.json";
const LOCK_FILE: &str = "breakpoints.lock";
/// Limits: bytes read, and breakpoints written.
const MAX_FILE_BYTES: u64 = 16 << 20;
const MAX_BREAKPOINTS: usize = 20_000;
/// How long to wait for another server's lock, and how often to check it.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The stored breakpoints, as this server last saw them.
#[derive(Debug, Default)]
pub(super) struct StoredBreakpoints(Mutex<StoreState>);

#[derive(Debug, Default)]
struct StoreState {
    /// This server's breakpoints, as last read or written.
    saved: BreakpointFile,
    /// Restored breakpoints whose lines have not been located yet, by id.
    unmatched: Vec<(u64, StoredBreakpoint)>,
    /// Breakpoints whose line was not found, by id.
    lost: HashMap<u64, StoredBreakpoint>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct BreakpointFile {
    breakpoints: Vec<StoredBreakpoint>,
    functions: Vec<StoredBreakpoint>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct StoredBreakpoint {
    /// A file below the first root, or a function's name.
    name: String,
    line: u32,
    condition: Option<String>,
    hits: Option<String>,
    log: Option<String>,
    /// The line's text.
    #[serde(rename = "said")]
    saved_line: Option<SavedLine>,
}

impl StoredBreakpoint {
    fn new(
        name: &str,
        line: u32,
        saved_line: Option<SavedLine>,
        condition: &BreakpointCondition,
    ) -> Option<Self> {
        let BreakpointCondition { expression, hits, log, is_approved: has_leave } =
            condition.clone();
        let one =
            Self { name: name.to_owned(), line, condition: expression, hits, log, saved_line };
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

impl FamilyState for StoredBreakpoints {}

/// The stored breakpoints of the call's session.
pub(super) fn stored_breakpoints<'c>(context: &'c Context<'_>) -> &'c StoredBreakpoints {
    context.session.family()
}

impl StoredBreakpoints {
    /// Restores stored breakpoints; [`StoredBreakpoints::relocate`] locates their lines.
    pub(super) fn load(snapshot: &Snapshot, breakpoints: &Breakpoints) -> Self {
        let Some(stored) =
            store_folder(snapshot).and_then(|store_folder| read_file(&store_folder).ok())
        else {
            return Self::default();
        };
        let Some(root) = snapshot.roots().first() else { return Self::default() };
        let mut state = StoreState { saved: stored.clone(), ..StoreState::default() };
        let lines =
            stored.breakpoints.into_iter().filter(StoredBreakpoint::is_harmless).filter_map(
                |one| {
                    // Ignore paths outside the roots.
                    let place = snapshot.locate_absolute(&root.path().join(&one.name)).ok()?;
                    Some((place.absolute(), one))
                },
            );
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
    pub(super) fn relocate(&self, context: &Context<'_>) {
        let unmatched = std::mem::take(&mut self.0.lock().unmatched);
        let breakpoints = debugging(context).breakpoints();
        let mut texts: HashMap<PathBuf, Option<Text>> = HashMap::new();
        let files: HashMap<u64, PathBuf> =
            breakpoints.all().into_iter().map(|one| (one.id, one.file)).collect();
        for (id, one) in unmatched {
            let (Some(file), Some(saved_line)) = (files.get(&id), &one.saved_line) else {
                continue;
            };
            let text = texts.entry(file.clone()).or_insert_with(|| current_text(context, file));
            let found = match text {
                Some(text) => saved_line.find_in(text, one.line),
                None => Err("its file no longer exists".to_owned()),
            };
            if found.is_err() {
                self.0.lock().lost.insert(id, one);
            }
            breakpoints.set_location(id, found);
        }
    }

    /// Stores this server's changes.
    pub(super) fn save(&self, context: &Context<'_>) {
        let mut state = self.0.lock();
        let current = state.current(context);
        if current == state.saved {
            return;
        }
        let Some(store_folder) = store_folder(&context.snapshot) else { return };
        match update_file(&store_folder, &state.saved, &current) {
            Ok(()) => state.saved = current,
            Err(error) => tracing::warn!("breakpoints are not stored: {error}"),
        }
    }
}

impl StoreState {
    /// The current breakpoints.
    fn current(&self, context: &Context<'_>) -> BreakpointFile {
        let breakpoints = debugging(context).breakpoints();
        let Some(root) = context.snapshot.roots().first() else { return BreakpointFile::default() };
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
            let text = text.or_insert_with(|| current_text(context, &one.file));
            let saved_line = text.as_ref().and_then(|text| SavedLine::from_text(text, one.line));
            StoredBreakpoint::new(&below(&one.file)?, one.line, saved_line, &one.condition)
        });
        let lines = lines.collect();
        let functions = breakpoints.functions();
        let functions = functions
            .iter()
            .filter_map(|one| StoredBreakpoint::new(&one.name, 0, None, &one.condition));
        BreakpointFile { breakpoints: lines, functions: functions.collect() }
    }
}

/// The stored breakpoints with only this server's changes applied.
fn merge(
    disk: Vec<StoredBreakpoint>,
    before: &[StoredBreakpoint],
    now: &[StoredBreakpoint],
) -> Vec<StoredBreakpoint> {
    let gone: Vec<_> = before.iter().filter(|one| !now.contains(one)).collect();
    let new: Vec<_> = now.iter().filter(|one| !before.contains(one)).cloned().collect();
    let mut all = disk;
    all.retain(|one| !gone.iter().any(|other| other.is_at(one)));
    all.retain(|one| !new.iter().any(|other| other.is_at(one)));
    all.extend(new);
    all.truncate(MAX_BREAKPOINTS);
    all
}

/// Updates the stored breakpoints under the file lock.
fn update_file(
    store_folder: &Path,
    before: &BreakpointFile,
    now: &BreakpointFile,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let lock = options.create(true).truncate(false).write(true).mode(0o600);
    let lock = lock.open(store_folder.join(LOCK_FILE))?;
    lock_with_timeout(&lock)?;
    // An unreadable file is replaced.
    let disk = match read_file(store_folder) {
        Ok(disk) => disk,
        Err(error) if error.kind() == io::ErrorKind::InvalidData => BreakpointFile::default(),
        Err(error) => return Err(error),
    };
    let all = BreakpointFile {
        breakpoints: merge(disk.breakpoints, &before.breakpoints, &now.breakpoints),
        functions: merge(disk.functions, &before.functions, &now.functions),
    };
    write_file(&store_folder.join(BREAKPOINTS_FILE), &all)
    // Closing the file releases the lock.
}

fn lock_with_timeout(lock: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(std::fs::TryLockError::WouldBlock) if begun.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(LOCK_POLL_INTERVAL);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

fn read_file(store_folder: &Path) -> io::Result<BreakpointFile> {
    match read_user_file(&store_folder.join(BREAKPOINTS_FILE), MAX_FILE_BYTES) {
        Ok(Some(bytes)) => Ok(serde_json::from_slice(&bytes)?),
        Ok(None) => Ok(BreakpointFile::default()),
        Err(error) => Err(io::Error::other(error.to_string())),
    }
}

/// Writes atomically.
fn write_file(file: &Path, stored: &BreakpointFile) -> io::Result<()> {
    use std::io::Write;
    let new = file.with_extension(format!("{}.new", std::process::id()));
    let mut options = OpenOptions::new();
    let mut writer = options.create(true).truncate(true).write(true).mode(0o600).open(&new)?;
    writer.write_all(&serde_json::to_vec(stored)?)?;
    std::fs::rename(&new, file)
}

fn store_folder(snapshot: &Snapshot) -> Option<PathBuf> {
    state_folder(snapshot.roots()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &[(u32, Option<&str>)]) -> BreakpointFile {
        let of = |(line, condition): &(u32, Option<&str>)| StoredBreakpoint {
            name: "a.py".to_owned(),
            line: *line,
            condition: condition.map(str::to_owned),
            ..StoredBreakpoint::default()
        };
        BreakpointFile { breakpoints: lines.iter().map(of).collect(), functions: Vec::new() }
    }

    #[test]
    fn keeps_the_changes_of_two_servers() {
        let store_folder = tempfile::tempdir().unwrap();
        let store_folder = store_folder.path();
        let begun = all(&[(1, None), (2, None), (9, None)]);
        update_file(store_folder, &BreakpointFile::default(), &begun).unwrap();
        // One server removes 1 and sets 5, the other changes 2, moves 9 and sets 5, too.
        update_file(store_folder, &begun, &all(&[(2, None), (9, None), (5, None)])).unwrap();
        let other = all(&[(1, None), (2, Some("x")), (10, None), (5, Some("y"))]);
        update_file(store_folder, &begun, &other).unwrap();
        let now = read_file(store_folder).unwrap();
        assert_eq!(now, all(&[(2, Some("x")), (10, None), (5, Some("y"))]));
    }

    #[test]
    fn concurrent_updates_lose_nothing() {
        let store_folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for line in 1..=8 {
                let store_folder = store_folder.path();
                scope.spawn(move || {
                    update_file(store_folder, &BreakpointFile::default(), &all(&[(line, None)]))
                        .unwrap();
                });
            }
        });
        let mut kept = read_file(store_folder.path()).unwrap().breakpoints;
        kept.sort_by_key(|one| one.line);
        assert_eq!(
            kept.iter().map(|one| one.line).collect::<Vec<_>>(),
            (1..=8).collect::<Vec<_>>()
        );
    }
}
