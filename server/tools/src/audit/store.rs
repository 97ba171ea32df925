//! The audit log on disk: an append-only SQLite table with a hash chain that reveals tampering
//! (see [`super::verify`]).

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use thiserror::Error;
use workspace::{check_sqlite_files, enable_sqlite_wal};

use super::verify::chain_hash;

/// Why the audit log could not be read or written.
#[derive(Debug, Error)]
pub enum AuditError {
    /// The folder or file is missing, or belongs to somebody else.
    #[error("the audit record: {0}")]
    Io(#[from] io::Error),
    /// A database error.
    #[error("the audit record {path}: {source}", path = .path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// The error of SQLite.
        source: rusqlite::Error,
    },
}

/// The part of a call that a row records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// About to do more than read.
    Begun,
    /// Ended.
    Done,
}

impl Phase {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Begun => "begun",
            Self::Done => "done",
        }
    }
}

/// A call's state at one moment.
#[derive(Debug, Clone)]
pub(super) struct AuditRow {
    /// The call's id, shared by its rows.
    pub(super) call: String,
    pub(super) phase: Phase,
    /// Its start, in microseconds since 1970.
    pub(super) time: i64,
    pub(super) tool: String,
    pub(super) outcome: String,
    /// The rest, as JSON.
    pub(super) body: String,
}

/// A stored row.
pub(super) struct StoredRow {
    pub(super) seq: i64,
    pub(super) row: AuditRow,
}

pub(super) struct Store {
    path: PathBuf,
    pub(super) connection: Connection,
}

const FILE_NAME: &str = "audit.db";
/// How long to wait for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// Retention: rows, bytes and days; the oldest tenth is removed at a time.
const MAX_ROWS: i64 = 200_000;
const MAX_BYTES: i64 = 256 << 20;
const MAX_AGE_DAYS: i64 = 90;
const DAY_MICROS: i64 = 86_400_000_000;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS records(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  call TEXT NOT NULL,
  phase TEXT NOT NULL CHECK (phase IN ('begun', 'done')),
  time INTEGER NOT NULL,
  tool TEXT NOT NULL,
  outcome TEXT NOT NULL,
  body TEXT NOT NULL,
  chain TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS records_by_call ON records(call);
CREATE TABLE IF NOT EXISTS pruned(
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  chain TEXT NOT NULL
) STRICT;
INSERT OR IGNORE INTO pruned VALUES (1, 0, '');
CREATE TRIGGER IF NOT EXISTS records_stay BEFORE UPDATE ON records
  BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS records_go BEFORE DELETE ON records
  WHEN OLD.seq > (SELECT seq FROM pruned)
  BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS pruned_grows BEFORE UPDATE ON pruned WHEN NEW.seq < OLD.seq
  BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
CREATE TRIGGER IF NOT EXISTS pruned_stays BEFORE DELETE ON pruned
  BEGIN SELECT RAISE(ABORT, 'the record is append-only'); END;
";

impl Store {
    /// Opens the audit log in `folder`, which only we can access; creates it if missing.
    pub(super) fn open(folder: &Path) -> Result<Self, AuditError> {
        let path = folder.join(FILE_NAME);
        check_sqlite_files(&path)?;
        // SQLite creates its other files with the mode of this one.
        OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(&path)?;
        let opened = Connection::open(&path).and_then(|connection| {
            enable_sqlite_wal(&connection, BUSY_TIMEOUT)?;
            // A row survives this process; only a system crash can lose the last ones.
            connection.pragma_update(None, "synchronous", "NORMAL")?;
            connection.execute_batch(&format!("BEGIN IMMEDIATE; {SCHEMA} COMMIT;"))?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Self { path, connection }),
            Err(source) => Err(AuditError::Database { path, source }),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn database_error(&self, source: rusqlite::Error) -> AuditError {
        AuditError::Database { path: self.path.clone(), source }
    }

    /// Appends rows, all or none. Other processes may append before and after.
    pub(super) fn append(&mut self, rows: &[AuditRow]) -> Result<(), AuditError> {
        let appended = append(&mut self.connection, rows);
        appended.map_err(|source| self.database_error(source))
    }

    /// Removes rows over the retention limits, oldest first.
    pub(super) fn prune(&mut self, now: i64) -> Result<(), AuditError> {
        self.prune_to(now, MAX_ROWS, MAX_BYTES)
    }

    fn prune_to(&mut self, now: i64, max_rows: i64, max_bytes: i64) -> Result<(), AuditError> {
        let pruned = prune(&mut self.connection, now, max_rows, max_bytes);
        pruned.map_err(|source| self.database_error(source))
    }

    /// The calls that match `filter`: the last row of each.
    pub(super) fn page(&self, filter: &Filter) -> Result<Vec<StoredRow>, AuditError> {
        self.query(filter).map_err(|source| self.database_error(source))
    }

    fn query(&self, filter: &Filter) -> rusqlite::Result<Vec<StoredRow>> {
        let mut statement = self.connection.prepare(
            "SELECT seq, call, phase, time, tool, outcome, body FROM records AS r
             WHERE seq < ?1 AND time >= ?2 AND (?3 IS NULL OR tool = ?3)
               AND (?4 IS NULL OR outcome = ?4
                    OR (?4 = 'error' AND outcome NOT IN ('ok', 'unfinished')))
               AND (phase = 'done' OR NOT EXISTS
                    (SELECT 1 FROM records AS d WHERE d.call = r.call AND d.phase = 'done'))
             ORDER BY seq DESC LIMIT ?5",
        )?;
        let rows = statement.query_map(
            params![
                filter.before.unwrap_or(i64::MAX),
                filter.since.unwrap_or(i64::MIN),
                filter.tool,
                filter.outcome,
                i64::try_from(filter.limit).unwrap_or(i64::MAX),
            ],
            read_row,
        )?;
        rows.collect()
    }
}

/// A filter for calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Filter {
    /// Limit.
    pub(super) limit: usize,
    /// Only rows before this one; newest first.
    pub(super) before: Option<i64>,
    /// Only calls since this time.
    pub(super) since: Option<i64>,
    /// Only calls of this tool.
    pub(super) tool: Option<String>,
    /// `ok`, `error`, `unfinished` or an error code.
    pub(super) outcome: Option<String>,
}

/// A row of a query with the columns `seq, call, phase, time, tool, outcome, body`.
pub(super) fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<StoredRow> {
    let phase: String = row.get(2)?;
    Ok(StoredRow {
        seq: row.get(0)?,
        row: AuditRow {
            call: row.get(1)?,
            phase: if phase == "done" { Phase::Done } else { Phase::Begun },
            time: row.get(3)?,
            tool: row.get(4)?,
            outcome: row.get(5)?,
            body: row.get(6)?,
        },
    })
}

fn append(connection: &mut Connection, rows: &[AuditRow]) -> rusqlite::Result<()> {
    // The chain is read and continued in one transaction.
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let (mut last, mut chain) = last_link(&writing)?;
    {
        let mut insert = writing.prepare_cached(
            "INSERT INTO records(seq, call, phase, time, tool, outcome, body, chain)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?;
        for row in rows {
            last += 1;
            chain = chain_hash(&chain, last, row);
            let phase = row.phase.as_str();
            insert.execute(params![
                last,
                row.call,
                phase,
                row.time,
                row.tool,
                row.outcome,
                row.body,
                chain
            ])?;
        }
    }
    writing.commit()
}

/// Number and chain hash of the last row.
fn last_link(writing: &Transaction<'_>) -> rusqlite::Result<(i64, String)> {
    let pair = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let last = writing
        .prepare_cached("SELECT seq, chain FROM records ORDER BY seq DESC LIMIT 1")?
        .query_row([], pair)
        .optional()?;
    match last {
        Some(last) => Ok(last),
        None => writing.query_row("SELECT seq, chain FROM pruned", [], pair),
    }
}

fn prune(
    connection: &mut Connection,
    now: i64,
    max_rows: i64,
    max_bytes: i64,
) -> rusqlite::Result<()> {
    let writing = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |sql: &str| writing.query_row(sql, [], |row| row.get::<_, i64>(0));
    let first = number("SELECT coalesce(min(seq), 0) FROM records")?;
    let last = number("SELECT coalesce(max(seq), 0) FROM records")?;
    let used = number(
        "SELECT (page_count - freelist_count) * page_size
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )?;
    let rows = last - first + 1;
    let oldest = number(
        "SELECT coalesce(min(time), 0) FROM (SELECT time FROM records ORDER BY seq LIMIT 1)",
    )?;
    let limit = now - MAX_AGE_DAYS * DAY_MICROS;
    let mut through = 0;
    // Rows are nearly sorted by time: usually the first one decides.
    if oldest < limit {
        let too_old = "SELECT coalesce(max(seq), 0) FROM records WHERE time < ?1";
        through = writing.query_row(too_old, [limit], |row| row.get::<_, i64>(0))?;
    }
    if rows > max_rows || used > max_bytes {
        through = through.max(first + rows / 10);
    }
    // The last row stays, because its hash continues the chain.
    let through = through.min(last - 1);
    if first == 0 || through < first {
        return Ok(());
    }
    writing.execute(
        "UPDATE pruned SET seq = ?1, chain = (SELECT chain FROM records WHERE seq = ?1)",
        [through],
    )?;
    writing.execute("DELETE FROM records WHERE seq <= ?1", [through])?;
    writing.commit()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn row(n: i64) -> AuditRow {
        AuditRow {
            call: format!("call-{n}"),
            phase: Phase::Done,
            time: n,
            tool: "read_file".to_owned(),
            outcome: "ok".to_owned(),
            body: format!("{{\"n\":{n}}}"),
        }
    }

    pub(in super::super) fn store(rows: i64) -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let mut store = Store::open(dir.path()).unwrap();
        store.append(&(1..=rows).map(row).collect::<Vec<_>>()).unwrap();
        (dir, store)
    }

    #[test]
    fn an_untouched_log_verifies() {
        let (_dir, mut store) = store(5);
        store.append(&[row(6)]).unwrap();
        let verified = store.verify().unwrap();
        assert_eq!((verified.rows, verified.pruned, verified.broken), (6, 0, None));
    }

    #[test]
    fn rows_cannot_be_changed_or_deleted() {
        let (_dir, store) = store(3);
        for sql in [
            "UPDATE records SET body = ''",
            "DELETE FROM records WHERE seq = 3",
            "DELETE FROM records",
            "DELETE FROM pruned",
        ] {
            let error = store.connection.execute(sql, []).unwrap_err().to_string();
            assert!(error.contains("append-only"), "{sql}: {error}");
        }
        assert_eq!(store.verify().unwrap().broken, None);
    }

    #[test]
    fn retention_keeps_the_chain() {
        let (_dir, mut store) = store(100);
        store.prune_to(0, 50, MAX_BYTES).unwrap();
        let verified = store.verify().unwrap();
        assert_eq!((verified.rows, verified.pruned, verified.broken), (89, 11, None));
        // All are too old: only the last one stays.
        store.prune(MAX_AGE_DAYS * DAY_MICROS + 1_000).unwrap();
        store.append(&[row(101)]).unwrap();
        let verified = store.verify().unwrap();
        assert_eq!((verified.rows, verified.pruned, verified.broken), (2, 99, None));
    }

    #[test]
    fn several_writers_lose_nothing() {
        let dir = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let path = dir.path();
                scope.spawn(move || {
                    let mut store = Store::open(path).unwrap();
                    for n in 0..50 {
                        store
                            .append(&[row(writer * 1_000 + n), row(writer * 1_000 + 500 + n)])
                            .unwrap();
                    }
                });
            }
        });
        let verified = Store::open(dir.path()).unwrap().verify().unwrap();
        assert_eq!((verified.rows, verified.broken), (400, None));
    }

    #[test]
    fn a_page_has_one_row_a_call() {
        let (_dir, mut store) = store(5);
        let begun =
            |n| AuditRow { phase: Phase::Begun, outcome: "unfinished".to_owned(), ..row(n) };
        store.append(&[begun(6), row(6), begun(7)]).unwrap();
        let mut filter = Filter { limit: 4, ..Filter::default() };
        let calls = |filter: &Filter| -> Vec<_> {
            store.page(filter).unwrap().into_iter().map(|k| (k.row.call, k.seq)).collect()
        };
        let first = calls(&filter);
        let names: Vec<_> = first.iter().map(|(call, _)| call.as_str()).collect();
        assert_eq!(names, ["call-7", "call-6", "call-5", "call-4"]);
        filter.before = Some(first[3].1);
        assert_eq!(calls(&filter).len(), 3);
        let unfinished =
            Filter { limit: 9, outcome: Some("unfinished".into()), ..Filter::default() };
        assert_eq!(calls(&unfinished).len(), 1);
    }
}
