//! Every action that wrote something, with what undoing it takes.
//!
//! It lies outside the workspace, in `$XDG_STATE_HOME/tandem/<workspace>/`: an SQLite database and
//! the trash. The first root names the workspace. Processes take turns by a lock on a file; who
//! gets it finds what others have left half done, and settles it first.

mod database;
pub(crate) mod record;
mod undo;
mod vanished;

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use thiserror::Error;

use self::database::Database;
use self::record::Did;
pub use self::undo::{Conflict, OnConflict, Undo, UndoError};
pub use self::vanished::Vanished;
use crate::journal::{Place, Steps};
use crate::platform::private_file;
use crate::trash::Trash;
use crate::{Root, state_folder};

/// How long actions are kept.
pub(crate) const KEPT_DAYS: u64 = 30;
/// How much is kept of them, in bytes: records and trash. What is younger than [`KEPT_SURELY`] is
/// kept all the same.
pub(crate) const KEPT_BYTES: u64 = 2 << 30;
/// How long an action is kept however much there is, in milliseconds.
const KEPT_SURELY: i64 = 24 * 60 * 60 * 1_000;
/// How many actions are kept.
pub(crate) const KEPT_ACTIONS: usize = 10_000;
/// Actions between two looks at what is too old or too much.
const PRUNE_EVERY: i64 = 128;
/// How long what nobody refers to stays in the trash, in seconds.
const ORPHANED: u64 = 24 * 60 * 60;
/// How long another process's action is waited for.
const TURN: Duration = Duration::from_secs(10);

/// What became of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It is under way.
    Begun = 0,
    /// It is done, though not cleared up after.
    Clearing = 1,
    /// It is done.
    Done = 2,
    /// It was undone.
    Undone = 3,
    /// It died half-way, and somebody has changed its files since.
    Torn = 4,
}

impl State {
    fn of(state: i64) -> Self {
        [Self::Begun, Self::Clearing, Self::Done, Self::Undone]
            .into_iter()
            .find(|s| *s as i64 == state)
            .unwrap_or(Self::Torn)
    }
}

/// What an action is recorded as.
#[derive(Debug, Clone, Copy)]
pub struct ActionLabel<'a> {
    /// The tool that was called.
    pub tool: &'a str,
    /// Of a rename, the name before and after.
    pub renamed: Option<(&'a str, &'a str)>,
}

impl<'a> From<&'a str> for ActionLabel<'a> {
    fn from(tool: &'a str) -> Self {
        Self { tool, renamed: None }
    }
}

/// An action as it is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its number.
    pub id: i64,
    /// When it was done: milliseconds since 1970.
    pub time: i64,
    /// The tool that was called.
    pub tool: String,
    /// What it did, in a line.
    pub summary: String,
    /// What became of it.
    pub state: State,
    /// The action that it undoes.
    pub undoes: Option<i64>,
    /// The paths that it changed, and how: `edited`, `created`, `folder`, `deleted`, `moved`.
    pub files: Vec<(String, &'static str)>,
}

/// Why the history cannot be written or read.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum HistoryError {
    #[error("the history's database: {0}")]
    Database(rusqlite::Error),
    #[error("the history's database: {0}: the disk is full, as it seems")]
    Full(rusqlite::Error),
    #[error("the history's folder: {0}")]
    Io(#[from] io::Error),
    #[error("the history is of a newer version of this program ({0})")]
    Newer(i64),
    #[error("the history holds what cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("{0}")]
    Unavailable(String),
    #[error("another process has been writing for too long")]
    Busy,
}

impl From<rusqlite::Error> for HistoryError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error().map(|error| error.extended_code);
        match code {
            // Its words for this are any fault of a disk.
            Some(rusqlite::ffi::SQLITE_IOERR_SHMSIZE) => Self::Full(error),
            _ => Self::Database(error),
        }
    }
}

/// The history of one workspace.
pub(crate) struct ActionHistory {
    dir: PathBuf,
    root: PathBuf,
    database: Mutex<Database>,
    /// What became of actions that could not be written down: a full disk.
    late: Mutex<Vec<Outcome>>,
    pub(crate) trash: Trash,
}

/// What became of an action.
enum Outcome {
    Done { id: i64, did: Vec<Did>, durable: bool },
    Undone { id: i64 },
    Torn { id: i64 },
}

/// The turn to write among processes; it ends when dropped.
pub(crate) struct Lock(#[allow(dead_code)] File);

const DATABASE: &str = "history.db";

impl ActionHistory {
    /// Opens the history of the workspace of these roots, or begins it.
    pub(crate) fn open(roots: &[Arc<Root>]) -> Result<Self, HistoryError> {
        let dir = state_folder(roots)?;
        let database = Mutex::new(Database::open(&dir.join(DATABASE))?);
        let trash = Trash::open(&dir)?;
        let root = roots.first().map(|root| root.path().to_owned()).unwrap_or_default();
        Ok(Self { dir, root, database, late: Mutex::default(), trash })
    }

    /// Whether there is one on disk yet.
    pub(crate) fn exists(roots: &[Arc<Root>]) -> bool {
        state_folder(roots).is_ok_and(|dir| dir.join(DATABASE).exists())
    }

    /// Whether it is the one of these roots.
    pub(crate) fn is_of(&self, roots: &[Arc<Root>]) -> bool {
        roots.first().is_some_and(|root| root.path() == self.root)
    }

    /// Waits for the turn to write among processes, and settles what is left of others.
    pub(crate) fn lock(&self, roots: &[Arc<Root>]) -> Result<Lock, HistoryError> {
        let file = private_file().open(self.dir.join("lock"))?;
        let deadline = Instant::now() + TURN;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::Error(e)) if e.kind() != io::ErrorKind::Interrupted => {
                    return Err(e.into());
                }
                Err(_) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(_) => return Err(HistoryError::Busy),
            }
        }
        // Those are settled: who looked at their files now could be misled by what came later.
        self.catch_up()?;
        self.settle(roots)?;
        Ok(Lock(file))
    }

    /// Finishes, or takes back, what processes that have died left half done.
    fn settle(&self, roots: &[Arc<Root>]) -> Result<(), HistoryError> {
        let unsettled = self.database.lock().unsettled()?;
        for (id, state, written) in unsettled {
            // The files of folders that are not open now wait for the next time.
            let Some(steps) = Steps::read(&written, roots) else { continue };
            let trash = Some(&self.trash);
            if state == State::Clearing || steps.are_done(trash) {
                steps.sync(trash);
                steps.clear(trash);
                let mut database = self.database.lock();
                database.end(id, None, State::Done, true)?;
                if let Some(mut row) = database.action(Some(id))? {
                    record::fill_in(&mut row.did, roots);
                    database.end(id, Some(&row.did), State::Done, true)?;
                }
                continue;
            }
            let mut kept = Vec::new();
            match steps.take_back(usize::MAX, trash, &mut kept) {
                Ok(()) if kept.is_empty() => {
                    tracing::warn!("action {id} was taken back after a crash");
                    self.database.lock().forget(id)?;
                }
                outcome => {
                    let kept: Vec<_> = kept.iter().map(Place::written).collect();
                    tracing::error!(
                        "action {id} could not be taken back whole: {outcome:?}; others have written \
                         meanwhile, and what stood there before is kept in {kept:?}"
                    );
                    self.database.lock().end(id, None, State::Torn, true)?;
                }
            }
        }
        Ok(())
    }

    /// Records an action that is about to be done.
    pub(crate) fn begin(
        &self,
        label: ActionLabel<'_>,
        did: &[Did],
        steps: &Steps,
        undoes: Option<i64>,
        durable: bool,
    ) -> Result<i64, HistoryError> {
        let mut summary = record::summary(did);
        if let Some((old, new)) = label.renamed {
            summary = format!("renamed {old} to {new}: {summary}");
        }
        let written = steps.written().unwrap_or_default();
        let mut database = self.database.lock();
        let id = database.begin((label, &summary), did, &written, (undoes, durable))?;
        drop(database);
        if id % PRUNE_EVERY == 0 {
            self.prune();
        }
        Ok(id)
    }

    /// Takes note that all steps are done, before what is left over is removed.
    pub(crate) fn clearing(&self, id: i64) -> Result<(), HistoryError> {
        self.database.lock().mark(id, State::Clearing, true)
    }

    /// Takes note that an action is done.
    pub(crate) fn end(&self, id: i64, did: Vec<Did>, durable: bool) {
        self.note(Outcome::Done { id, did, durable });
    }

    /// Takes note that an action was not done.
    pub(crate) fn forget(&self, id: i64) {
        self.note(Outcome::Undone { id });
    }

    /// Records that nothing is left of an action.
    pub(crate) fn mark_undone(&self, id: i64) {
        if let Err(error) = self.database.lock().mark(id, State::Undone, false) {
            tracing::warn!("action {id} stays in the list of those to undo: {error}");
        }
    }

    /// Takes note that an action could not be taken back.
    pub(crate) fn torn(&self, id: i64) {
        self.note(Outcome::Torn { id });
    }

    /// Writes down what became of an action, now or before the next one.
    fn note(&self, outcome: Outcome) {
        if let Err(error) = self.write(&outcome) {
            tracing::error!("what became of an action is written down later: {error}");
            self.late.lock().push(outcome);
        }
    }

    /// Writes down what could not be before.
    fn catch_up(&self) -> Result<(), HistoryError> {
        let mut late = self.late.lock();
        while let Some(outcome) = late.first() {
            self.write(outcome)?;
            late.remove(0);
        }
        Ok(())
    }

    fn write(&self, outcome: &Outcome) -> Result<(), HistoryError> {
        let mut database = self.database.lock();
        match outcome {
            Outcome::Done { id, did, durable } => {
                database.end(*id, Some(did), State::Done, *durable)
            }
            Outcome::Undone { id } => database.forget(*id),
            Outcome::Torn { id } => database.end(*id, None, State::Torn, true),
        }
    }

    /// Actions, newest first; see [`crate::Workspace::actions`].
    pub(crate) fn actions(
        &self,
        limit: usize,
        before: Option<i64>,
        path: Option<&str>,
    ) -> Result<Vec<Action>, HistoryError> {
        self.catch_up()?;
        let rows = self.database.lock().actions(limit, before, path)?;
        Ok(rows.into_iter().map(|row| told(row.action, &row.did)).collect())
    }

    pub(crate) fn action(
        &self,
        id: Option<i64>,
    ) -> Result<Option<(Action, Vec<Did>)>, HistoryError> {
        self.catch_up()?;
        let row = self.database.lock().action(id)?;
        Ok(row.map(|row| (told(row.action, &row.did), row.did)))
    }

    /// Forgets what is too old or too much, nothing of the last day.
    fn prune(&self) {
        let pruned = (|| -> Result<(), HistoryError> {
            let weights = self.database.lock().weights()?;
            let now = jiff::Timestamp::now().as_millisecond();
            let oldest = now - (KEPT_DAYS * 24 * 60 * 60 * 1_000).cast_signed();
            let (mut bytes, mut referred) = (0u64, Vec::new());
            for (number, weight) in weights.into_iter().enumerate() {
                let trash_bytes = weight.trash_bytes.unwrap_or_else(|| {
                    weight.trash.iter().fold(0, |b, name| b.saturating_add(self.trash.size(name)))
                });
                if weight.trash_bytes.is_none() {
                    self.database.lock().weigh(weight.id, trash_bytes)?;
                }
                bytes = bytes.saturating_add(weight.bytes).saturating_add(trash_bytes);
                let keep = weight.time >= oldest && bytes <= KEPT_BYTES && number < KEPT_ACTIONS;
                let is_young = weight.time >= now - KEPT_SURELY;
                if number == 0 || is_young || keep || !weight.is_over {
                    referred.extend(weight.trash);
                    continue;
                }
                self.database.lock().forget(weight.id)?;
                weight.trash.iter().for_each(|name| self.trash.discard(name));
            }
            for name in self.trash.older_than(&self.dir, ORPHANED) {
                if !referred.contains(&name) {
                    self.trash.discard(&name);
                }
            }
            self.database.lock().shrink()
        })();
        if let Err(error) = pruned {
            tracing::warn!("{error}");
        }
    }
}

fn told(mut action: Action, did: &[Did]) -> Action {
    action.files = did.iter().map(|did| (did.path.shown.clone(), did.kind())).collect();
    action
}
