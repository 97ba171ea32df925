//! The history's tables.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use super::record::Did;
use super::{Action, ActionLabel, HistoryError, State};
use crate::journal::Written;
use crate::platform::private_file;
use crate::write_ahead::{check_database, write_ahead};

/// How long another process's transaction is waited for.
const BUSY: Duration = Duration::from_secs(5);

pub(super) struct Database {
    db: Connection,
}

/// A row of an action.
pub(super) struct Row {
    pub(super) action: Action,
    pub(super) did: Vec<Did>,
}

/// A new name, and the action that gave it with its tool.
type Renamed = (String, (i64, String));

/// What an action weighs.
pub(super) struct Weight {
    pub(super) id: i64,
    pub(super) time: i64,
    pub(super) bytes: u64,
    pub(super) trash: Vec<String>,
    /// `None` where it has not been weighed yet.
    pub(super) trash_bytes: Option<u64>,
    pub(super) is_over: bool,
}

const TABLES: &str = "
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

/// What came later; a database from before lacks it.
const RENAMES: &str = "
    CREATE TABLE IF NOT EXISTS renames (
        action INTEGER NOT NULL,
        old TEXT NOT NULL,
        new TEXT NOT NULL
    );
    CREATE INDEX IF NOT EXISTS renames_old ON renames (old);
";

impl Database {
    /// Opens the database at `path`, or makes it. One that is broken is set aside.
    pub(super) fn open(path: &Path) -> Result<Self, HistoryError> {
        match Self::open_once(path) {
            Err(HistoryError::Database(error)) if is_broken(&error) => {
                let now = std::time::UNIX_EPOCH.elapsed().unwrap_or_default().as_secs();
                tracing::error!("{}: {error}; it is set aside, a new one begun", path.display());
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
        check_database(path)?;
        // Its mode is ours to choose, also of the files beside it, which SQLite makes like it.
        private_file().open(path)?;
        let db = Connection::open(path)?;
        write_ahead(&db, BUSY)?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        let version: i64 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
        match version {
            0 => {
                db.execute_batch(TABLES)?;
                // Numbers are never given twice, also where an earlier database was set aside.
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
        db.execute_batch(RENAMES)?;
        Ok(Self { db })
    }

    /// Records an action that is about to be done.
    pub(super) fn begin(
        &mut self,
        (label, summary): (ActionLabel<'_>, &str),
        did: &[Did],
        steps: &Written,
        (undoes, durable): (Option<i64>, bool),
    ) -> Result<i64, HistoryError> {
        let did_json = serde_json::to_string(did)?;
        let steps = serde_json::to_string(steps)?;
        let trash: Vec<&str> = did.iter().filter_map(Did::trash).collect();
        let trash = serde_json::to_string(&trash)?;
        let now = jiff::Timestamp::now().as_millisecond();
        self.durable(durable)?;
        let transaction =
            self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        // An action is forward unless it undoes one that is.
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
                State::Begun as i64,
                undoes,
                forward,
                i64::try_from(did_json.len()).unwrap_or(i64::MAX),
                trash,
                steps,
                did_json
            ])?;
        let id = transaction.last_insert_rowid();
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO files (action, path) VALUES (?1, ?2)")?;
            for did in did {
                insert.execute(params![id, did.path.shown])?;
                if let super::record::What::Moved { from, .. } = &did.what {
                    insert.execute(params![id, from.shown])?;
                }
            }
        }
        if let Some((old, new)) = label.renamed {
            transaction
                .prepare_cached("INSERT INTO renames (action, old, new) VALUES (?1, ?2, ?3)")?
                .execute(params![id, old, new])?;
        }
        transaction.commit()?;
        Ok(id)
    }

    /// Takes note that an action's steps are done, though not all cleared up after.
    pub(super) fn mark(
        &mut self,
        id: i64,
        state: State,
        durable: bool,
    ) -> Result<(), HistoryError> {
        self.durable(durable)?;
        self.db
            .execute("UPDATE actions SET state = ?2 WHERE id = ?1", params![id, state as i64])?;
        Ok(())
    }

    /// Takes note that an action is over.
    pub(super) fn end(
        &mut self,
        id: i64,
        did: Option<&[Did]>,
        state: State,
        durable: bool,
    ) -> Result<(), HistoryError> {
        self.durable(durable)?;
        let did = did.map(serde_json::to_string).transpose()?;
        let transaction =
            self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        transaction
            .prepare_cached(
                "UPDATE actions SET state = ?2, steps = NULL, did = coalesce(?3, did) WHERE id = ?1",
            )?
            .execute(params![id, state as i64, did])?;
        transaction
            .prepare_cached(
                "UPDATE actions SET state = ?2 \
                 WHERE id = (SELECT undoes FROM actions WHERE id = ?1)",
            )?
            .execute(params![id, State::Undone as i64])?;
        transaction.commit()?;
        Ok(())
    }

    /// Forgets an action.
    pub(super) fn forget(&mut self, id: i64) -> Result<(), HistoryError> {
        let transaction =
            self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        transaction.execute("DELETE FROM files WHERE action = ?1", [id])?;
        transaction.execute("DELETE FROM renames WHERE action = ?1", [id])?;
        transaction.execute("DELETE FROM actions WHERE id = ?1", [id])?;
        transaction.commit()?;
        Ok(())
    }

    /// The name that `old` was given last, by an action after `after` that is not undone: with the
    /// action and its tool.
    pub(super) fn renamed(&self, old: &str, after: i64) -> Result<Option<Renamed>, HistoryError> {
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

    /// The actions that are not over: newest first.
    pub(super) fn unsettled(&self) -> Result<Vec<(i64, State, Written)>, HistoryError> {
        let mut select = self.db.prepare_cached(
            "SELECT id, state, steps FROM actions WHERE steps IS NOT NULL ORDER BY id DESC",
        )?;
        let rows = select.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        })?;
        rows.map(|row| {
            let (id, state, steps) = row?;
            Ok((id, State::of(state), serde_json::from_str(&steps)?))
        })
        .collect()
    }

    /// The actions before `before`, newest first, of `path` and what is below it alone.
    pub(super) fn actions(
        &self,
        limit: usize,
        before: Option<i64>,
        path: Option<&str>,
    ) -> Result<Vec<Row>, HistoryError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut select = self.db.prepare_cached(
            "SELECT id, time, tool, summary, state, undoes, did FROM actions \
             WHERE id < ?1 AND state IN (1, 2, 3) AND (?2 IS NULL OR id IN (SELECT action FROM files \
             WHERE path = ?2 OR substr(path, 1, length(?2) + 1) = ?2 || '/')) \
             ORDER BY id DESC LIMIT ?3",
        )?;
        let rows = select.query_map(params![before.unwrap_or(i64::MAX), path, limit], |row| {
            Ok((Self::action_of(row)?, row.get::<_, String>(6)?))
        })?;
        rows.map(|row| {
            let (action, did) = row?;
            Ok(Row { action, did: serde_json::from_str(&did)? })
        })
        .collect()
    }

    /// The action of that number, or else the last one that is not undone.
    pub(super) fn action(&self, id: Option<i64>) -> Result<Option<Row>, HistoryError> {
        let (condition, id) = match id {
            Some(id) => ("id = ?1 AND state IN (1, 2, 3)", id),
            None => ("state IN (1, 2) AND forward AND ?1 = 0", 0),
        };
        let select = format!(
            "SELECT id, time, tool, summary, state, undoes, did FROM actions \
             WHERE {condition} ORDER BY id DESC LIMIT 1"
        );
        let row = self
            .db
            .query_row(&select, [id], |row| Ok((Self::action_of(row)?, row.get::<_, String>(6)?)))
            .optional()?;
        let Some((action, did)) = row else { return Ok(None) };
        Ok(Some(Row { action, did: serde_json::from_str(&did)? }))
    }

    fn action_of(row: &rusqlite::Row<'_>) -> rusqlite::Result<Action> {
        Ok(Action {
            id: row.get(0)?,
            time: row.get(1)?,
            tool: row.get(2)?,
            summary: row.get(3)?,
            state: State::of(row.get(4)?),
            undoes: row.get(5)?,
            files: Vec::new(),
        })
    }

    /// Every action with what it weighs, newest first.
    pub(super) fn weights(&self) -> Result<Vec<Weight>, HistoryError> {
        let mut select = self.db.prepare(
            "SELECT id, time, bytes, trash, trash_bytes, steps IS NULL FROM actions \
             ORDER BY id DESC",
        )?;
        let rows = select.query_map([], |row| {
            let weight = Weight {
                id: row.get(0)?,
                time: row.get(1)?,
                bytes: row.get::<_, i64>(2)?.cast_unsigned(),
                trash: Vec::new(),
                trash_bytes: row.get::<_, Option<i64>>(4)?.map(i64::cast_unsigned),
                is_over: row.get(5)?,
            };
            Ok((weight, row.get::<_, String>(3)?))
        })?;
        rows.map(|row| {
            let (weight, trash) = row?;
            Ok(Weight { trash: serde_json::from_str(&trash)?, ..weight })
        })
        .collect()
    }

    /// Takes note of what an action keeps in the trash.
    pub(super) fn weigh(&self, id: i64, bytes: u64) -> Result<(), HistoryError> {
        let update = "UPDATE actions SET trash_bytes = ?2 WHERE id = ?1";
        self.db.execute(update, params![id, bytes.cast_signed()])?;
        Ok(())
    }

    /// Gives back the space of what was forgotten.
    pub(super) fn shrink(&self) -> Result<(), HistoryError> {
        self.db.execute_batch("PRAGMA incremental_vacuum(1000)")?;
        Ok(())
    }

    /// Whether the next commit outlasts a loss of power.
    fn durable(&self, durable: bool) -> Result<(), HistoryError> {
        self.db.pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })?;
        Ok(())
    }
}

pub(super) fn is_broken(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt))
}
