//! SQLite, by rusqlite.
//!
//! A database is opened read-only, with `query_only`, defensive, without trust in its schema, and with an
//! authorizer that denies all but reading. Any one of them would do; each has had holes.

use std::io::Read;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::{ToSqlOutput, Value as SqlValue, ValueRef};
use rusqlite::{Connection, InterruptHandle, OpenFlags, Row, Statement, ToSql};
use serde_json::Value;

use crate::engine::{Canceller, Engine, Rows};
use crate::failure::{Failure, Layer};
use crate::guard::sqlite_pragma_reads;
use crate::limits::{MAX_COLUMNS, MESSAGE_BYTES, SQL_BYTES};
use crate::value::{Column, blob, float, integer, text};

/// How long a lock of another program is waited for.
const BUSY: Duration = Duration::from_secs(5);
/// Functions that reach files or code, if a build has them.
const DENIED_FUNCTIONS: &[&str] =
    &["load_extension", "fts3_tokenizer", "readfile", "writefile", "edit", "lsmode", "fsdir"];

pub(crate) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// Opens the file at `path`, which has no links in it.
    pub(crate) fn open(path: &Path, writes: bool) -> Result<Self, Failure> {
        let access = match writes {
            true => OpenFlags::SQLITE_OPEN_READ_WRITE,
            false => OpenFlags::SQLITE_OPEN_READ_ONLY,
        };
        let uri = (!writes).then(|| immutable_uri(path)).flatten();
        let access = if uri.is_some() { access | OpenFlags::SQLITE_OPEN_URI } else { access };
        let path = uri.as_ref().map_or(path, |uri| Path::new(uri));
        let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let mut connection = Connection::open_with_flags(path, flags).map_err(failure)?;
        let mut set = || -> rusqlite::Result<()> {
            connection.busy_timeout(BUSY)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            let bytes = |limit: usize| i32::try_from(limit).unwrap_or(i32::MAX);
            connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes(MESSAGE_BYTES))?;
            connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, bytes(SQL_BYTES))?;
            connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
            // Threads of tools cannot write to the folders that SQLite sorts in.
            connection.pragma_update(None, "temp_store", "MEMORY")?;
            if !writes {
                connection.pragma_update(None, "query_only", true)?;
            }
            connection.authorizer(Some(if writes { may_write } else { may_read }))
        };
        set().map_err(failure)?;
        Ok(Self { connection })
    }

    fn run(&mut self, sql: &str, parameters: &[Value], rows: &mut dyn Rows) -> Result<(), Failure> {
        let mut statement = self.connection.prepare(sql).map_err(failure)?;
        let wanted = statement.parameter_count();
        if wanted != parameters.len() {
            let why = format!(
                "the statement has {wanted} parameters, and {} values came",
                parameters.len()
            );
            return Err(Failure::Invalid(why));
        }
        for (index, value) in parameters.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, Parameter(value)).map_err(failure)?;
        }
        let count = statement.column_count();
        if count > MAX_COLUMNS {
            return Err(Failure::TooLarge(format!("{count} columns")));
        }
        let columns = columns(&statement);
        let kinds: Vec<String> = columns.iter().map(|column| column.kind.to_lowercase()).collect();
        rows.columns(columns)?;
        let mut found = statement.raw_query();
        while let Some(row) = found.next().map_err(failure)? {
            let row = values(row, &kinds).map_err(failure)?;
            if rows.row(row)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// The address of a database that nobody has open, in the mode WAL: to read it, SQLite would create two files beside
/// it otherwise.
fn immutable_uri(path: &Path) -> Option<String> {
    let mut header = [0; 20];
    std::fs::File::open(path).ok()?.read_exact(&mut header).ok()?;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // Version 2 of the format is the mode WAL. An empty log holds nothing.
    let is_open = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    if header[18..] != [2, 2] || is_open {
        return None;
    }
    let path =
        percent_encoding::utf8_percent_encode(path.to_str()?, percent_encoding::NON_ALPHANUMERIC);
    Some(format!("file:{path}?immutable=1"))
}

fn columns(statement: &Statement<'_>) -> Vec<Column> {
    let column = |column: rusqlite::Column<'_>| Column {
        name: column.name().to_owned(),
        kind: column.decl_type().unwrap_or_default().to_owned(),
    };
    statement.columns().map(column).collect()
}

fn values(row: &Row<'_>, kinds: &[String]) -> rusqlite::Result<Vec<Value>> {
    let mut values = Vec::with_capacity(kinds.len());
    for (index, kind) in kinds.iter().enumerate() {
        values.push(match row.get_ref(index)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) if kind.starts_with("bool") && (0..=1).contains(&value) => {
                Value::Bool(value == 1)
            }
            ValueRef::Integer(value) => integer(value.into()),
            ValueRef::Real(value) => float(value),
            ValueRef::Text(bytes) if kind == "json" => match std::str::from_utf8(bytes) {
                Ok(document) => crate::value::json_text(document),
                Err(_) => blob(bytes),
            },
            ValueRef::Text(bytes) => text(bytes),
            ValueRef::Blob(bytes) => blob(bytes),
        });
    }
    Ok(values)
}

/// A parameter of a call.
struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Value::Null => ToSqlOutput::Owned(SqlValue::Null),
            Value::Bool(value) => ToSqlOutput::Owned(SqlValue::Integer((*value).into())),
            Value::Number(number) => ToSqlOutput::Owned(match number.as_i64() {
                Some(value) => SqlValue::Integer(value),
                None => SqlValue::Real(number.as_f64().unwrap_or_default()),
            }),
            Value::String(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            other => ToSqlOutput::Owned(SqlValue::Text(other.to_string())),
        })
    }
}

impl Engine for Sqlite {
    fn canceller(&self) -> Box<dyn Canceller> {
        Box::new(Interrupt(self.connection.get_interrupt_handle()))
    }

    fn read(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<(), Failure> {
        self.run(sql, parameters, rows)
    }

    fn write(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<u64, Failure> {
        self.connection.execute_batch("BEGIN IMMEDIATE").map_err(failure)?;
        let before = self.connection.total_changes();
        self.run(sql, parameters, rows)?;
        Ok(self.connection.total_changes().saturating_sub(before))
    }

    fn commit(&mut self) -> Result<(), Failure> {
        self.connection.execute_batch("COMMIT").map_err(failure)
    }

    fn rollback(&mut self) -> Result<(), Failure> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.connection.execute_batch("ROLLBACK").map_err(failure)
    }
}

struct Interrupt(InterruptHandle);

impl Canceller for Interrupt {
    fn cancel(&self) {
        self.0.interrupt();
    }
}

/// Allows what reads.
fn may_read(context: AuthContext<'_>) -> Authorization {
    let is_allowed = match context.action {
        AuthAction::Read { .. } | AuthAction::Select | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => is_function_allowed(function_name),
        AuthAction::Pragma { pragma_name, pragma_value } => {
            sqlite_pragma_reads(pragma_name, pragma_value.is_some())
        }
        _ => false,
    };
    if is_allowed { Authorization::Allow } else { Authorization::Deny }
}

/// Allows what a transaction undoes.
fn may_write(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::CreateVtable { .. }
        | AuthAction::DropVtable { .. }
        | AuthAction::Unknown { .. } => Authorization::Deny,
        AuthAction::Function { function_name } if !is_function_allowed(function_name) => {
            Authorization::Deny
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            if sqlite_pragma_reads(pragma_name, pragma_value.is_some()) {
                Authorization::Allow
            } else {
                Authorization::Deny
            }
        }
        _ => Authorization::Allow,
    }
}

fn is_function_allowed(name: &str) -> bool {
    !DENIED_FUNCTIONS.iter().any(|denied| denied.eq_ignore_ascii_case(name))
}

fn failure(error: rusqlite::Error) -> Failure {
    use rusqlite::ErrorCode;
    let code = error.sqlite_error_code();
    let message = match &error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    };
    match code {
        Some(ErrorCode::AuthorizationForStatementDenied | ErrorCode::ReadOnly) => {
            Failure::refused(Layer::Engine, message)
        }
        Some(ErrorCode::OperationInterrupted) => Failure::Cancelled,
        Some(ErrorCode::TooBig) => {
            Failure::TooLarge(format!("a value has more than {MESSAGE_BYTES} bytes"))
        }
        Some(ErrorCode::NotADatabase) => {
            Failure::Invalid("the file is no SQLite database".to_owned())
        }
        Some(ErrorCode::CannotOpen) => Failure::Connect(message),
        _ => Failure::Database { code: String::new(), message },
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::engine::Collected;

    #[test]
    fn without_the_parser_nothing_is_changed_either() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("shop.db");
        let schema = "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, price REAL); CREATE INDEX items_name ON items (name);
                      CREATE VIEW named AS SELECT name FROM items; INSERT INTO items VALUES (1, 'pen', 1.5)";
        Connection::open(&path).unwrap().execute_batch(schema).unwrap();
        let before = std::fs::read(&path).unwrap();
        let lists: BTreeMap<String, Vec<String>> =
            toml::from_str(include_str!("../../../tests/databases/disguised.toml")).unwrap();
        for statement in &lists["sqlite"] {
            let mut sqlite = Sqlite::open(&path, false).unwrap();
            let result = sqlite.read(statement, &[], &mut Collected::new(10));
            assert!(result.is_err(), "{statement:?}");
        }
        assert!(before == std::fs::read(&path).unwrap());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn reading_leaves_no_files_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("a b%.db");
        let writer = Connection::open(&path).unwrap();
        writer
            .execute_batch(
                "PRAGMA journal_mode = WAL; CREATE TABLE a (b); INSERT INTO a VALUES (1)",
            )
            .unwrap();
        let count = || {
            let mut rows = Collected::new(10);
            Sqlite::open(&path, false).unwrap().read("SELECT * FROM a", &[], &mut rows).unwrap();
            rows.rows.len()
        };
        assert_eq!(count(), 1, "what is in the log only is read");
        drop(writer);
        let files = || std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files(), 1);
        assert_eq!((count(), files()), (1, 1));
    }

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        Connection::open(root.join("a.db")).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
        std::os::unix::fs::symlink("a.db", root.join("link.db")).unwrap();
        assert!(Sqlite::open(&root.join("a.db"), false).is_ok());
        assert!(Sqlite::open(&root.join("link.db"), false).is_err());
    }
}
