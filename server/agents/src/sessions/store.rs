//! The sessions of a workspace and their messages: a database in the state folder.

use std::fs::{DirBuilder, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::Value;
use tools::{Code, Context, ToolError};
use workspace::{Snapshot, check_sqlite_files, enable_sqlite_wal, state_folder};

/// Sessions that are kept; the oldest that no agent works on are deleted.
const MAX_SESSIONS: i64 = 100;
/// Messages that are kept of a session.
const MAX_MESSAGES: i64 = 2_000;
/// How long to wait for another server's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

const TABLES: &str = "
    PRAGMA foreign_keys = ON;
    CREATE TABLE IF NOT EXISTS sessions (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, agent TEXT NOT NULL,
        created_at INTEGER NOT NULL, agent_session TEXT, is_working INTEGER NOT NULL DEFAULT 0,
        ended TEXT, has_failed INTEGER NOT NULL DEFAULT 0, plan TEXT NOT NULL DEFAULT '[]'
    );
    CREATE TABLE IF NOT EXISTS messages (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        session INTEGER NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        role TEXT NOT NULL, content TEXT NOT NULL, kind TEXT, status TEXT,
        at INTEGER NOT NULL, is_cut INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX IF NOT EXISTS messages_session ON messages (session, number);
";

/// A session in the database.
#[derive(Debug, Clone)]
pub(super) struct SessionRow {
    pub(super) id: i64,
    pub(super) name: String,
    pub(super) agent: String,
    /// Milliseconds since 1970.
    pub(super) created_at: i64,
    /// The agent's id of it, once it has opened it.
    pub(super) agent_session: Option<String>,
    pub(super) is_working: bool,
    /// How the last turn ended.
    pub(super) ended: Option<String>,
    pub(super) has_failed: bool,
    /// What the agent plans, as JSON.
    pub(super) plan: Value,
}

/// Who a message is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    /// A tool call of the agent.
    Tool,
    /// What happened to the session.
    System,
}

impl Role {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }
}

/// A message to store.
#[derive(Debug, Clone)]
pub(super) struct NewMessage {
    pub(super) role: Role,
    pub(super) content: String,
    /// Of a tool call.
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    /// Whether the content is a part only.
    pub(super) is_cut: bool,
}

impl NewMessage {
    pub(super) fn new(role: Role, content: String) -> Self {
        Self { role, content, kind: None, status: None, is_cut: false }
    }
}

/// A stored message.
#[derive(Debug, Clone)]
pub(super) struct MessageRow {
    pub(super) number: i64,
    pub(super) role: String,
    pub(super) content: String,
    pub(super) kind: Option<String>,
    pub(super) status: Option<String>,
    pub(super) at: i64,
    pub(super) is_cut: bool,
}

/// A lock on a session, of the server that works on it. It is released even if the server is killed.
pub(super) struct SessionLock(#[expect(dead_code, reason = "is locked until it is closed")] File);

/// The database.
pub(super) struct Store {
    tool: &'static str,
    folder: PathBuf,
    connection: Connection,
}

/// A time as results have it.
pub(super) fn time(millis: i64) -> String {
    Timestamp::from_millisecond(millis).unwrap_or_default().to_string()
}

fn now() -> i64 {
    Timestamp::now().as_millisecond()
}

impl Store {
    /// Opens it; creates it if it is missing.
    ///
    /// # Errors
    /// If the state folder cannot be used.
    pub(super) fn open(context: &Context<'_>, tool: &'static str) -> Result<Self, ToolError> {
        Self::of(&context.snapshot, tool)
    }

    /// Opens that of the workspace of `snapshot`.
    ///
    /// # Errors
    /// If the state folder cannot be used.
    pub(super) fn of(snapshot: &Snapshot, tool: &'static str) -> Result<Self, ToolError> {
        let folder = state_folder(snapshot.roots()).and_then(|folder| {
            let folder = folder.join("sessions");
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            check_sqlite_files(&folder.join("sessions.db"))?;
            Ok(folder)
        });
        let folder = folder.map_err(|error| {
            ToolError::new(Code::Io, format!("{tool}: the state folder: {error}"))
        })?;
        let open = || {
            let connection = Connection::open(folder.join("sessions.db"))?;
            enable_sqlite_wal(&connection, BUSY_TIMEOUT)?;
            connection.execute_batch(TABLES)?;
            Ok(connection)
        };
        let connection = open().map_err(|error| failed(tool, &error))?;
        Ok(Self { tool, folder, connection })
    }

    fn done<T>(&self, result: rusqlite::Result<T>) -> Result<T, ToolError> {
        result.map_err(|error| failed(self.tool, &error))
    }

    /// Adds a session, and deletes the oldest if there are too many.
    pub(super) fn create(&self, name: &str, agent: &str) -> Result<SessionRow, ToolError> {
        let insert = "INSERT INTO sessions (name, agent, created_at) VALUES (?, ?, ?)";
        self.done(self.connection.execute(insert, params![name, agent, now()]))?;
        let id = self.connection.last_insert_rowid();
        let old = "SELECT id FROM sessions ORDER BY id DESC LIMIT -1 OFFSET ?";
        let old = || -> rusqlite::Result<Vec<i64>> {
            let mut query = self.connection.prepare_cached(old)?;
            query.query_map([MAX_SESSIONS], |row| row.get(0))?.collect()
        };
        for old in self.done(old())? {
            // One that works is deleted another time.
            let Ok(Some(_lock)) = self.lock(old) else { continue };
            self.done(self.connection.execute("DELETE FROM sessions WHERE id = ?", [old]))?;
            let _ = std::fs::remove_file(self.lock_path(old));
        }
        self.session(id)
    }

    /// All sessions, the newest first.
    pub(super) fn sessions(&self) -> Result<Vec<SessionRow>, ToolError> {
        let query = || {
            let query = format!("SELECT {SESSION} FROM sessions ORDER BY id DESC");
            self.connection.prepare_cached(&query)?.query_map([], session_row)?.collect()
        };
        self.done(query())
    }

    /// The session with an id such as `s1`.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find(&self, id: &str) -> Result<SessionRow, ToolError> {
        let number = id.strip_prefix('s').and_then(|number| number.parse().ok());
        self.session(number.ok_or_else(|| self.no_session(id))?)
    }

    fn session(&self, id: i64) -> Result<SessionRow, ToolError> {
        let query = format!("SELECT {SESSION} FROM sessions WHERE id = ?");
        let found = self.connection.query_row(&query, [id], session_row).optional();
        self.done(found)?.ok_or_else(|| self.no_session(&super::name_of(id)))
    }

    fn no_session(&self, id: &str) -> ToolError {
        let message = format!("{}: there is no session `{id:.40}`", self.tool);
        ToolError::new(Code::NoMatch, message)
            .hint("`session_list` lists them, `session_create` makes one")
    }

    fn lock_path(&self, id: i64) -> PathBuf {
        self.folder.join(format!("s{id}.lock"))
    }

    /// Locks a session for a turn; `None` if another server works on it.
    pub(super) fn lock(&self, id: i64) -> Result<Option<SessionLock>, ToolError> {
        let path = self.lock_path(id);
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = file.map_err(|error| {
            ToolError::new(Code::Io, format!("{}: {}: {error}", self.tool, path.display()))
        })?;
        Ok(file.try_lock().is_ok().then_some(SessionLock(file)))
    }

    /// Whether a server works on a session.
    pub(super) fn is_locked(&self, id: i64) -> bool {
        matches!(self.lock(id), Ok(None))
    }

    /// Begins a turn with a message of the person. Returns the message's number.
    pub(super) fn begin_turn(&self, id: i64, message: &str) -> Result<i64, ToolError> {
        let update =
            "UPDATE sessions SET is_working = 1, ended = NULL, has_failed = 0 WHERE id = ?";
        self.done(self.connection.execute(update, [id]))?;
        self.add(id, &NewMessage::new(Role::User, message.to_owned()))
    }

    /// Ends a turn, and deletes the oldest messages if there are too many.
    pub(super) fn end_turn(&self, id: i64, ended: &str, failed: bool) -> Result<(), ToolError> {
        let update = "UPDATE sessions SET is_working = 0, ended = ?, has_failed = ? WHERE id = ?";
        self.done(self.connection.execute(update, params![ended, failed, id]))?;
        let delete =
            "DELETE FROM messages WHERE session = ?1 AND number <= (SELECT number FROM messages
             WHERE session = ?1 ORDER BY number DESC LIMIT 1 OFFSET ?2)";
        self.done(self.connection.execute(delete, [id, MAX_MESSAGES])).map(drop)
    }

    /// Keeps the agent's id of a session.
    pub(super) fn set_agent_session(&self, id: i64, session: &str) -> Result<(), ToolError> {
        let update = "UPDATE sessions SET agent_session = ? WHERE id = ?";
        self.done(self.connection.execute(update, params![session, id])).map(drop)
    }

    /// Replaces the plan of a session.
    pub(super) fn set_plan(&self, id: i64, plan: &Value) -> Result<(), ToolError> {
        let update = "UPDATE sessions SET plan = ? WHERE id = ?";
        self.done(self.connection.execute(update, params![plan.to_string(), id])).map(drop)
    }

    /// Adds a message. Returns its number.
    pub(super) fn add(&self, id: i64, message: &NewMessage) -> Result<i64, ToolError> {
        let NewMessage { role, content, kind, status, is_cut } = message;
        let insert = "INSERT INTO messages (session, role, content, kind, status, is_cut, at)
             VALUES (?, ?, ?, ?, ?, ?, ?)";
        let values = params![id, role.name(), content, kind, status, is_cut, now()];
        let inserted =
            self.connection.prepare_cached(insert).and_then(|mut insert| insert.execute(values));
        self.done(inserted)?;
        Ok(self.connection.last_insert_rowid())
    }

    /// Replaces a message.
    pub(super) fn update(&self, number: i64, message: &NewMessage) -> Result<(), ToolError> {
        let NewMessage { content, kind, status, is_cut, .. } = message;
        let update =
            "UPDATE messages SET content = ?, kind = ?, status = ?, is_cut = ? WHERE number = ?";
        let values = params![content, kind, status, is_cut, number];
        let updated =
            self.connection.prepare_cached(update).and_then(|mut update| update.execute(values));
        self.done(updated).map(drop)
    }

    /// A message.
    pub(super) fn message(&self, number: i64) -> Result<MessageRow, ToolError> {
        let query = format!("SELECT {MESSAGE} FROM messages WHERE number = ?");
        self.done(self.connection.query_row(&query, [number], message_row))
    }

    /// Messages of a session whose numbers lie between two, the newest first, as `visit` gets them until it is
    /// false.
    pub(super) fn visit_messages(
        &self,
        id: i64,
        (after, before): (i64, i64),
        mut visit: impl FnMut(MessageRow) -> bool,
    ) -> Result<(), ToolError> {
        let mut query = || -> rusqlite::Result<()> {
            let query = format!(
                "SELECT {MESSAGE} FROM messages WHERE session = ? AND number > ? AND number < ?
                 ORDER BY number DESC"
            );
            let mut query = self.connection.prepare_cached(&query)?;
            let mut rows = query.query(params![id, after, before])?;
            while let Some(row) = rows.next()? {
                if !visit(message_row(row)?) {
                    break;
                }
            }
            Ok(())
        };
        self.done(query())
    }

    /// Sessions that were created, and messages of people and agents, since a time in milliseconds.
    pub(super) fn counts_since(&self, since: i64) -> Result<(u64, u64), ToolError> {
        let query = "SELECT (SELECT count(*) FROM sessions WHERE created_at >= ?1),
             (SELECT count(*) FROM messages WHERE at >= ?1 AND role IN ('user', 'assistant'))";
        let counts = self.connection.query_row(query, [since], |row| {
            Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, i64>(1)?.unsigned_abs()))
        });
        self.done(counts)
    }
}

const SESSION: &str =
    "id, name, agent, created_at, agent_session, is_working, ended, has_failed, plan";

fn session_row(row: &Row<'_>) -> rusqlite::Result<SessionRow> {
    Ok(SessionRow {
        id: row.get(0)?,
        name: row.get(1)?,
        agent: row.get(2)?,
        created_at: row.get(3)?,
        agent_session: row.get(4)?,
        is_working: row.get(5)?,
        ended: row.get(6)?,
        has_failed: row.get(7)?,
        plan: serde_json::from_str(&row.get::<_, String>(8)?).unwrap_or_default(),
    })
}

const MESSAGE: &str = "number, role, content, kind, status, at, is_cut";

fn message_row(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    Ok(MessageRow {
        number: row.get(0)?,
        role: row.get(1)?,
        content: row.get(2)?,
        kind: row.get(3)?,
        status: row.get(4)?,
        at: row.get(5)?,
        is_cut: row.get(6)?,
    })
}

fn failed(tool: &str, error: &rusqlite::Error) -> ToolError {
    ToolError::new(Code::Io, format!("{tool}: the database of sessions: {error}"))
}
