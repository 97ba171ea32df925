//! The history of all actions that changed files, with what is needed to undo them.
//!
//! It is stored outside the workspace, in `$XDG_STATE_HOME/tandem/<workspace>/`: an SQLite
//! database and the trash. The first root names the workspace. Processes serialize their writes
//! with a lock file; the process that gets the lock first finishes or reverts the actions that
//! crashed processes left incomplete.

mod database;
pub(crate) mod record;
mod removed_names;
mod undo;

use std::fs::{File, TryLockError};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use thiserror::Error;

use self::database::Database;
use self::record::RecordedChange;
pub use self::removed_names::RemovedName;
pub use self::undo::{OnConflict, UndoConflict, UndoError, UndoPlan};
use crate::action_group::ActionGroup;
use crate::journal::{ParentFolders, StepPath, Steps};
use crate::platform::private_file;
use crate::trash::Trash;
use crate::{Root, state_folder};

/// Actions older than this are deleted.
pub(crate) const MAX_AGE_DAYS: u64 = 30;
/// Size limit of the records and the trash, in bytes. Actions younger than
/// [`MIN_RETENTION_MILLIS`] are kept beyond it.
pub(crate) const MAX_HISTORY_BYTES: u64 = 2 << 30;
/// Age in milliseconds below which an action is kept regardless of the limits.
const MIN_RETENTION_MILLIS: i64 = 24 * 60 * 60 * 1_000;
/// Maximum number of actions that are kept.
pub(crate) const MAX_ACTIONS: usize = 10_000;
/// Number of actions between two prunings.
const PRUNE_EVERY: i64 = 128;
/// Age in seconds after which a trash entry that no action refers to is deleted.
const ORPHAN_AGE_SECONDS: u64 = 24 * 60 * 60;
/// How long to wait for another process to release the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The state of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionState {
    /// In progress.
    InProgress = 0,
    /// Done, but its temporary files are not removed yet.
    CleaningUp = 1,
    /// Done.
    Done = 2,
    /// Undone.
    Undone = 3,
    /// The process crashed during the action, and its files were changed before recovery.
    RecoveryFailed = 4,
}

impl ActionState {
    fn from_i64(state: i64) -> Self {
        [Self::InProgress, Self::CleaningUp, Self::Done, Self::Undone]
            .into_iter()
            .find(|s| *s as i64 == state)
            .unwrap_or(Self::RecoveryFailed)
    }
}

/// How an action is labelled in the history.
#[derive(Debug, Clone, Copy)]
pub struct ActionLabel<'a> {
    /// The tool that was called.
    pub tool: &'a str,
    /// For a rename, the old and the new name.
    pub renamed: Option<(&'a str, &'a str)>,
    /// The group of actions that it belongs to; by default the editor's
    /// ([`Editor::action_group`](crate::Editor::action_group)).
    pub group: Option<ActionGroup<'a>>,
}

impl<'a> From<&'a str> for ActionLabel<'a> {
    fn from(tool: &'a str) -> Self {
        Self { tool, renamed: None, group: None }
    }
}

/// A recorded action, as results list it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Its number.
    pub id: i64,
    /// When it began, in milliseconds since 1970.
    pub time: i64,
    /// The tool that was called.
    pub tool: String,
    /// A one-line summary of what it did.
    pub summary: String,
    /// Its state.
    pub state: ActionState,
    /// The action that this one undoes.
    pub undoes: Option<i64>,
    /// The group that is undone together.
    pub group: Option<String>,
    /// The paths that it changed with the kind of change: `edited`, `created`, `folder`, `deleted`,
    /// `moved`.
    pub files: Vec<(String, &'static str)>,
}

/// Why the history cannot be read or written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum HistoryError {
    #[error("history database: {0}")]
    Database(rusqlite::Error),
    #[error("history database: {0} (probably the disk is full)")]
    Full(rusqlite::Error),
    #[error("history folder: {0}")]
    Io(#[from] io::Error),
    #[error("the history was written by a newer version of this program (format {0})")]
    Newer(i64),
    #[error("the history contains an unreadable record: {0}")]
    Unreadable(#[from] serde_json::Error),
    #[error("{0}")]
    Unavailable(String),
    #[error("another process has held the history's lock for too long")]
    Busy,
}

impl From<rusqlite::Error> for HistoryError {
    fn from(error: rusqlite::Error) -> Self {
        let code = error.sqlite_error().map(|error| error.extended_code);
        match code {
            // SQLite reports a full disk here with a message that fits any I/O error.
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
    /// Outcomes that could not be written to the database, for example because the disk was full.
    unwritten: Mutex<Vec<ActionOutcome>>,
    pub(crate) trash: Trash,
}

/// How an action ended, as it is to be written to the database.
enum ActionOutcome {
    Done { id: i64, recorded: Vec<RecordedChange>, durable: bool },
    NotDone { id: i64 },
    Torn { id: i64 },
}

/// Holds the lock file among processes; dropping it releases the lock.
pub(crate) struct HistoryLock(#[allow(dead_code)] File);

const DATABASE: &str = "history.db";

impl ActionHistory {
    /// Opens or creates the history of the workspace with these roots.
    pub(crate) fn open(roots: &[Arc<Root>]) -> Result<Self, HistoryError> {
        let dir = state_folder(roots)?;
        let database = Mutex::new(Database::open(&dir.join(DATABASE))?);
        let trash = Trash::open(&dir)?;
        let root = roots.first().map(|root| root.path().to_owned()).unwrap_or_default();
        Ok(Self { dir, root, database, unwritten: Mutex::default(), trash })
    }

    /// Whether these roots have a history on disk.
    pub(crate) fn exists(roots: &[Arc<Root>]) -> bool {
        state_folder(roots).is_ok_and(|dir| dir.join(DATABASE).exists())
    }

    /// Whether this is the history of these roots.
    pub(crate) fn is_of(&self, roots: &[Arc<Root>]) -> bool {
        roots.first().is_some_and(|root| root.path() == self.root)
    }

    /// Waits for the lock among processes, then recovers actions that crashed processes left
    /// incomplete.
    pub(crate) fn lock_and_recover(
        &self,
        roots: &[Arc<Root>],
    ) -> Result<HistoryLock, HistoryError> {
        let file = private_file().open(self.dir.join("lock"))?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
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
        // Outcomes of our own actions come first: recovery would otherwise judge finished actions
        // by files that later actions have changed.
        self.write_pending_outcomes()?;
        self.recover(roots)?;
        Ok(HistoryLock(file))
    }

    /// Finishes or reverts the actions that crashed processes left incomplete.
    fn recover(&self, roots: &[Arc<Root>]) -> Result<(), HistoryError> {
        let unfinished = self.database.lock().unfinished()?;
        for (id, state, written) in unfinished {
            // Actions in folders that are not open now are recovered when they are.
            let Some(steps) = Steps::from_record(&written, roots) else { continue };
            let folders = ParentFolders::new(Some(&self.trash));
            if state == ActionState::CleaningUp || steps.are_done(&folders) {
                steps.sync(&folders);
                steps.clean_up(&folders);
                let mut database = self.database.lock();
                database.end(id, None, ActionState::Done, true)?;
                if let Some(mut row) = database.action(Some(id))? {
                    record::record_fingerprints(&mut row.recorded, roots);
                    database.end(id, Some(&row.recorded), ActionState::Done, true)?;
                }
                continue;
            }
            let mut kept = Vec::new();
            match steps.revert(usize::MAX, &folders, &mut kept) {
                Ok(()) if kept.is_empty() => {
                    tracing::warn!("action {id} was reverted after a crash");
                    self.database.lock().delete(id)?;
                }
                outcome => {
                    let kept: Vec<_> = kept.iter().map(StepPath::encode).collect();
                    tracing::error!(
                        "action {id} could not be fully reverted: {outcome:?}; its files were changed \
                         after the crash, and their earlier contents are kept in {kept:?}"
                    );
                    self.database.lock().end(id, None, ActionState::RecoveryFailed, true)?;
                }
            }
        }
        Ok(())
    }

    /// Records an action before its steps run.
    pub(crate) fn begin(
        &self,
        label: ActionLabel<'_>,
        recorded: &[RecordedChange],
        steps: &Steps,
        undoes: Option<i64>,
        durable: bool,
    ) -> Result<i64, HistoryError> {
        let mut summary = record::summary(recorded);
        if let Some((old, new)) = label.renamed {
            summary = format!("renamed {old} to {new}: {summary}");
        }
        let written = steps.to_record().unwrap_or_default();
        let mut database = self.database.lock();
        let id = database.begin((label, &summary), recorded, &written, (undoes, durable))?;
        drop(database);
        if id % PRUNE_EVERY == 0 {
            self.prune();
        }
        Ok(id)
    }

    /// Records that all steps are done, before temporary files are removed.
    pub(crate) fn mark_clearing(&self, id: i64) -> Result<(), HistoryError> {
        self.database.lock().mark(id, ActionState::CleaningUp, true)
    }

    /// Records that an action is done.
    pub(crate) fn end(&self, id: i64, recorded: Vec<RecordedChange>, durable: bool) {
        self.record_outcome(ActionOutcome::Done { id, recorded, durable });
    }

    /// Deletes the record of an action that was not done.
    pub(crate) fn delete(&self, id: i64) {
        self.record_outcome(ActionOutcome::NotDone { id });
    }

    /// Records that all effects of an action were undone.
    pub(crate) fn mark_undone(&self, id: i64) {
        if let Err(error) = self.database.lock().mark(id, ActionState::Undone, false) {
            tracing::warn!("action {id} is still listed as not undone: {error}");
        }
    }

    /// Records that an action could not be reverted.
    pub(crate) fn mark_torn(&self, id: i64) {
        self.record_outcome(ActionOutcome::Torn { id });
    }

    /// Writes an outcome now, or before the next action if that fails.
    fn record_outcome(&self, outcome: ActionOutcome) {
        if let Err(error) = self.write_outcome(&outcome) {
            tracing::error!("the outcome of an action could not be written yet: {error}");
            self.unwritten.lock().push(outcome);
        }
    }

    /// Writes the outcomes that could not be written before.
    fn write_pending_outcomes(&self) -> Result<(), HistoryError> {
        let mut unwritten = self.unwritten.lock();
        while let Some(outcome) = unwritten.first() {
            self.write_outcome(outcome)?;
            unwritten.remove(0);
        }
        Ok(())
    }

    fn write_outcome(&self, outcome: &ActionOutcome) -> Result<(), HistoryError> {
        let mut database = self.database.lock();
        match outcome {
            ActionOutcome::Done { id, recorded, durable } => {
                database.end(*id, Some(recorded), ActionState::Done, *durable)
            }
            ActionOutcome::NotDone { id } => database.delete(*id),
            ActionOutcome::Torn { id } => {
                database.end(*id, None, ActionState::RecoveryFailed, true)
            }
        }
    }

    /// Actions, newest first; see [`crate::Workspace::actions`].
    pub(crate) fn actions(
        &self,
        limit: usize,
        before: Option<i64>,
        path: Option<&str>,
    ) -> Result<Vec<Action>, HistoryError> {
        self.write_pending_outcomes()?;
        let rows = self.database.lock().actions(limit, before, path)?;
        Ok(rows.into_iter().map(|row| with_files(row.action, &row.recorded)).collect())
    }

    /// The actions of a group that are not undone, newest first: their ids and parts.
    pub(crate) fn group(&self, name: &str) -> Result<Vec<(i64, String)>, HistoryError> {
        self.write_pending_outcomes()?;
        self.database.lock().group(name)
    }

    pub(crate) fn action(
        &self,
        id: Option<i64>,
    ) -> Result<Option<(Action, Vec<RecordedChange>)>, HistoryError> {
        self.write_pending_outcomes()?;
        let row = self.database.lock().action(id)?;
        Ok(row.map(|row| (with_files(row.action, &row.recorded), row.recorded)))
    }

    /// Deletes actions beyond the limits, except those of the last day.
    fn prune(&self) {
        let pruned = (|| -> Result<(), HistoryError> {
            let storage_use = self.database.lock().storage_use()?;
            let now = jiff::Timestamp::now().as_millisecond();
            let oldest = now - (MAX_AGE_DAYS * 24 * 60 * 60 * 1_000).cast_signed();
            // Newest first: once the sum exceeds the limit, all older actions go.
            let (mut bytes, mut referred) = (0u64, Vec::new());
            for (number, storage) in storage_use.into_iter().enumerate() {
                let trash_bytes = storage.trash_bytes.unwrap_or_else(|| {
                    storage.trash.iter().fold(0, |b, name| b.saturating_add(self.trash.size(name)))
                });
                if storage.trash_bytes.is_none() {
                    self.database.lock().set_trash_bytes(storage.id, trash_bytes)?;
                }
                bytes = bytes.saturating_add(storage.bytes).saturating_add(trash_bytes);
                let keep =
                    storage.time >= oldest && bytes <= MAX_HISTORY_BYTES && number < MAX_ACTIONS;
                let is_young = storage.time >= now - MIN_RETENTION_MILLIS;
                if number == 0 || is_young || keep || !storage.is_finished {
                    referred.extend(storage.trash);
                    continue;
                }
                self.database.lock().delete(storage.id)?;
                storage.trash.iter().for_each(|name| self.trash.discard(name));
            }
            for name in self.trash.older_than(&self.dir, ORPHAN_AGE_SECONDS) {
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

fn with_files(mut action: Action, recorded: &[RecordedChange]) -> Action {
    action.files = recorded
        .iter()
        .map(|recorded| (recorded.path.shown.clone(), recorded.kind_name()))
        .collect();
    action
}
