//! The SQLite database of the history.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::record::RecordedChange;
use super::{Action, ActionLabel, ActionState, HistoryError};
use crate::journal::RecordedSteps;
use crate::platform::private_file;
use crate::sqlite::{check_sqlite_files, enable_sqlite_wal};

/// How long to wait for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

pub(super) struct Database {
    db: Connection,
}

/// An action with its recorded changes.
pub(super) struct ActionRow {
    pub(super) action: Action,
    pub(super) recorded: Vec<RecordedChange>,
}

/// A new name, with the id and the tool of the action that gave it.
type RenamedBy = (String, (i64, String));

/// The storage that an action uses.
pub(super) struct StorageUse {
    pub(super) id: i64,
    pub(super) time: i64,
    pub(super) bytes: u64,
    pub(super) trash: Vec<String>,
    /// `None` if not measured yet.
    pub(super) trash_bytes: Option<u64>,
    pub(super) is_finished: bool,
}

const INITIAL_TABLES: &str = "
    CREATE TABLE IF NOT EXISTS actions (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        time INTEGER NOT NULL,
        tool TEXT NOT NULL,
        summary TEXT NOT NULL,
        state INTEGER NOT NULL,
        undoes INTEGER,
        forward INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        trash TEXT NOT NULL,
        trash_bytes INTEGER,
        steps TEXT,
        did TEXT NOT NULL
    );
    CREATE TABLE IF NOT EXISTS files (action INTEGER NOT NULL, path TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS files_action ON files (action);
    CREATE INDEX IF NOT EXISTS files_path ON files (path);
    CREATE INDEX IF NOT EXISTS unsettled ON actions (id) WHERE steps IS NOT NULL;
    PRAGMA user_version = 1;
";

/// The table that was added after the first version: older databases lack it.
const RENAMES_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS renames (
        action INTEGER NOT NULL,
        old TEXT NOT NULL,
        new TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS renames_old ON renames (old);
";

/// The groups that actions belong to: those of a workflow are undone together. Added later, too.
const GROUPS_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS action_groups (
        action INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        part TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS action_groups_name ON action_groups (name);
";

impl Database {
    /// Opens or creates the database at `path`. A corrupt one is renamed and replaced by an empty
    /// one.
    pub(super) fn open(path: &Path) -> Result<Self, HistoryError> {
        match Self::open_once(path) {
            Err(HistoryError::Database(error)) if is_corrupt(&error) => {
                let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
                tracing::error!(
                    "{}: {error}; it is renamed and replaced by an empty one",
                    path.display()
                );
                fs::rename(path, path.with_extension(format!("broken-{now}")))?;
                for extension in ["db-wal", "db-shm"] {
                    let _ = fs::remove_file(path.with_extension(extension));
                }
                Self::open_once(path)
            }
            opened => opened,
        }
    }

    fn open_once(path: &Path) -> Result<Self, HistoryError> {
        check_sqlite_files(path)?;
        // Create the file ourselves to set its mode: SQLite copies it to the files beside it.
        private_file().open(path)?;
        let db = Connection::open(path)?;
        enable_sqlite_wal(&db, BUSY_TIMEOUT)?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        match version {
            0 => {
                db.execute_batch(INITIAL_TABLES)?;
                // Ids are never reused, even after a corrupt database was replaced: start from the
                // time.
                let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
                db.execute(
                    "INSERT INTO sqlite_sequence (name, seq) SELECT 'actions', ?1 \
                     WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence)",
                    params![now.cast_signed()],
                )?;
            }
            1 => {}
            newer => return Err(HistoryError::Newer(newer)),
        }
        db.execute_batch(RENAMES_TABLE)?;
        db.execute_batch(GROUPS_TABLE)?;
        Ok(Self { db })
    }

    /// Records an action before its steps run.
    pub(super) fn begin(
        &mut self,
        (label, summary): (ActionLabel<'_>, &str),
        recorded: &[RecordedChange],
        steps: &RecordedSteps,
        (undoes, durable): (Option<i64>, bool),
    ) -> Result<i64, HistoryError> {
        let recorded_json = serde_json::to_string(recorded)?;
        let steps = serde_json::to_string(steps)?;
        let trash: Vec<&str> = recorded.iter().filter_map(RecordedChange::trash).collect();
        let trash = serde_json::to_string(&trash)?;
        let now = jiff::Timestamp::now().as_millisecond();
        self.set_durable(durable)?;
        let transaction =
            self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // An action is forward unless it undoes a forward one.
        let forward: bool = match undoes {
            None => true,
            Some(undone) => !transaction
                .query_row("SELECT forward FROM actions WHERE id = ?1", [undone], |r| r.get(0))
                .optional()?
                .unwrap_or(true),
        };
        transaction
            .prepare_cached(
                "INSERT INTO actions (time, tool, summary, state, undoes, forward, bytes, trash, \
                 steps, did) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                now,
                label.tool,
                summary,
                ActionState::InProgress as i64,
                undoes,
                forward,
                i64::try_from(recorded_json.len()).unwrap_or(i64::MAX),
                trash,
                steps,
                recorded_json
            ])?;
        let id = transaction.last_insert_rowid();
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO files (action, path) VALUES (?1, ?2)")?;
            for recorded in recorded {
                insert.execute(params![id, recorded.path.shown])?;
                if let super::record::RecordedKind::Moved { from, .. } = &recorded.kind {
                    insert.execute(params![id, from.shown])?;
                }
            }
        }
        if let Some((old, new)) = label.renamed {
            transaction
                .prepare_cached("INSERT INTO renames (action, old, new) VALUES (?1, ?2, ?3)")?
                .execute(params![id, old, new])?;
        }
        if let Some(group) = label.group {
            transaction
                .prepare_cached(
                    "INSERT INTO action_groups (action, name, part) VALUES (?1, ?2, ?3)",
                )?
                .execute(params![id, group.name, group.part])?;
        }
        transaction.commit()?;
        Ok(id)
    }

    /// Sets the state of an action.
    pub(super) fn mark(
        &mut self,
        id: i64,
        state: ActionState,
        durable: bool,
    ) -> Result<(), HistoryError> {
        self.set_durable(durable)?;
        self.db
            .execute("UPDATE actions SET state = ?2 WHERE id = ?1", params![id, state as i64])?;
        Ok(())
    }

    /// Records the final state of an action and drops its steps.
    pub(super) fn end(
        &mut self,
        id: i64,
        recorded: Option<&[RecordedChange]>,
        state: ActionState,
        durable: bool,
    ) -> Result<(), HistoryError> {
        self.set_durable(durable)?;
        let recorded = recorded.map(serde_json::to_string).transpose()?;
        let transaction =
            self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        transaction
            .prepare_cached(
                "UPDATE actions SET state = ?2, steps = NULL, did = coalesce(?3, did) WHERE id = ?1",
            )?
            .execute(params![id, state as i64, recorded])?;
        transaction
            .prepare_cached(
                "UPDATE actions SET state = ?2 \
                 WHERE id = (SELECT undoes FROM actions WHERE id = ?1)",
            )?
            .execute(params![id, ActionState::Undone as i64])?;
        transaction.commit()?;
        Ok(())
    }

    /// Deletes an action.
    pub(super) fn delete(&mut self, id: i64) -> Result<(), HistoryError> {
        let transaction =
            self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM files WHERE action = ?1", [id])?;
        transaction.execute("DELETE FROM renames WHERE action = ?1", [id])?;
        transaction.execute("DELETE FROM action_groups WHERE action = ?1", [id])?;
        transaction.execute("DELETE FROM actions WHERE id = ?1", [id])?;
        transaction.commit()?;
        Ok(())
    }

    /// The latest new name of `old`, given by an action after `after` that is not undone.
    pub(super) fn renamed(&self, old: &str, after: i64) -> Result<Option<RenamedBy>, HistoryError> {
        let row = self
            .db
            .query_row(
                "SELECT new, id, tool FROM renames JOIN actions ON id = action \
                 WHERE old = ?1 AND id > ?2 AND state IN (1, 2) ORDER BY id DESC LIMIT 1",
                params![old, after],
                |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))),
            )
            .optional()?;
        Ok(row)
    }

    /// The unfinished actions, newest first.
    pub(super) fn unfinished(
        &self,
    ) -> Result<Vec<(i64, ActionState, RecordedSteps)>, HistoryError> {
        let mut select = self.db.prepare_cached(
            "SELECT id, state, steps FROM actions WHERE steps IS NOT NULL ORDER BY id DESC",
        )?;
        let rows = select.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        })?;
        rows.map(|row| {
            let (id, state, steps) = row?;
            Ok((id, ActionState::from_i64(state), serde_json::from_str(&steps)?))
        })
        .collect()
    }

    /// The actions before `before`, newest first, limited to `path` and below if given.
    pub(super) fn actions(
        &self,
        limit: usize,
        before: Option<i64>,
        path: Option<&str>,
    ) -> Result<Vec<ActionRow>, HistoryError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut select = self.db.prepare_cached(
            "SELECT id, time, tool, summary, state, undoes, did, \
             (SELECT name FROM action_groups WHERE action = id) FROM actions \
             WHERE id < ?1 AND state IN (1, 2, 3) AND (?2 IS NULL OR id IN (SELECT action FROM files \
             WHERE path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/')) \
             ORDER BY id DESC LIMIT ?3",
        )?;
        let rows = select.query_map(params![before.unwrap_or(i64::MAX), path, limit], |row| {
            Ok((Self::action_from_row(row)?, row.get::<_, String>(6)?))
        })?;
        rows.map(|row| {
            let (action, recorded) = row?;
            Ok(ActionRow { action, recorded: serde_json::from_str(&recorded)? })
        })
        .collect()
    }

    /// The action with this id, or else the last forward action that is not undone.
    pub(super) fn action(&self, id: Option<i64>) -> Result<Option<ActionRow>, HistoryError> {
        let (condition, id) = match id {
            Some(id) => ("id = ?1 AND state IN (1, 2, 3)", id),
            None => ("state IN (1, 2) AND forward AND ?1 = 0", 0),
        };
        let select = format!(
            "SELECT id, time, tool, summary, state, undoes, did, \
             (SELECT name FROM action_groups WHERE action = id) FROM actions \
             WHERE {condition} ORDER BY id DESC LIMIT 1"
        );
        let row = self
            .db
            .query_row(&select, [id], |row| {
                Ok((Self::action_from_row(row)?, row.get::<_, String>(6)?))
            })
            .optional()?;
        let Some((action, recorded)) = row else { return Ok(None) };
        Ok(Some(ActionRow { action, recorded: serde_json::from_str(&recorded)? }))
    }

    /// The actions of a group that are not undone, newest first: their ids and parts.
    pub(super) fn group(&self, name: &str) -> Result<Vec<(i64, String)>, HistoryError> {
        let mut select = self.db.prepare_cached(
            "SELECT id, part FROM action_groups JOIN actions ON id = action \
             WHERE name = ?1 AND state IN (1, 2) ORDER BY id DESC",
        )?;
        let ids = select.query_map([name], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    fn action_from_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Action> {
        Ok(Action {
            id: row.get(0)?,
            time: row.get(1)?,
            tool: row.get(2)?,
            summary: row.get(3)?,
            state: ActionState::from_i64(row.get(4)?),
            undoes: row.get(5)?,
            group: row.get(7)?,
            files: Vec::new(),
        })
    }

    /// The storage use of every action, newest first.
    pub(super) fn storage_use(&self) -> Result<Vec<StorageUse>, HistoryError> {
        let mut select = self.db.prepare(
            "SELECT id, time, bytes, trash, trash_bytes, steps IS NULL FROM actions \
             ORDER BY id DESC",
        )?;
        let rows = select.query_map([], |row| {
            let storage = StorageUse {
                id: row.get(0)?,
                time: row.get(1)?,
                bytes: row.get::<_, i64>(2)?.cast_unsigned(),
                trash: Vec::new(),
                trash_bytes: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
                is_finished: row.get(5)?,
            };
            Ok((storage, row.get::<_, String>(3)?))
        })?;
        rows.map(|row| {
            let (storage, trash) = row?;
            Ok(StorageUse { trash: serde_json::from_str(&trash)?, ..storage })
        })
        .collect()
    }

    /// Records the size of an action's trash.
    pub(super) fn set_trash_bytes(&self, id: i64, bytes: u64) -> Result<(), HistoryError> {
        let update = "UPDATE actions SET trash_bytes = ?2 WHERE id = ?1";
        self.db.execute(update, params![id, bytes.cast_signed()])?;
        Ok(())
    }

    /// Returns the space of deleted rows to the file system.
    pub(super) fn shrink(&self) -> Result<(), HistoryError> {
        self.db.execute_batch("PRAGMA incremental_vacuum(1000)")?;
        Ok(())
    }

    /// Sets whether the next commit survives a power loss.
    fn set_durable(&self, durable: bool) -> Result<(), HistoryError> {
        self.db.pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })?;
        Ok(())
    }
}

pub(super) fn is_corrupt(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}
