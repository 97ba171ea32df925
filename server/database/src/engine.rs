//! What the three databases have in common.

use std::ops::ControlFlow;

use serde_json::Value;

use crate::failure::Failure;
use crate::value::Column;

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
    /// MySQL and MariaDB.
    Mysql,
}

/// Takes the rows of a statement.
pub(crate) trait Rows {
    /// Takes the columns, once, before the first row.
    fn columns(&mut self, columns: Vec<Column>) -> Result<(), Failure>;
    /// Takes a row, and may block until somebody wants it. Breaks if nobody wants more.
    fn row(&mut self, row: Vec<Value>) -> Result<ControlFlow<()>, Failure>;
}

/// An open connection. It is used by one thread; see [`crate::worker`].
pub(crate) trait Engine {
    /// What ends the running statement, from another thread.
    fn canceller(&self) -> Box<dyn Canceller>;

    /// Refuses a query that calls functions which may change something, if the catalog knows.
    fn check_functions(&mut self, _names: &[String]) -> Result<(), Failure> {
        Ok(())
    }

    /// Runs a statement that only reads, in a transaction that cannot write.
    fn read(&mut self, sql: &str, parameters: &[Value], rows: &mut dyn Rows)
    -> Result<(), Failure>;

    /// Runs a statement that changes something in a transaction, which stays open, and returns how many rows it
    /// changed. The rows that it returns are few: `RETURNING`.
    fn write(
        &mut self,
        sql: &str,
        parameters: &[Value],
        rows: &mut dyn Rows,
    ) -> Result<u64, Failure>;

    /// Refuses a change of tables that no transaction can undo.
    fn check_tables(&mut self, _tables: &[String]) -> Result<(), Failure> {
        Ok(())
    }

    /// Ends the transaction of [`Engine::write`].
    fn commit(&mut self) -> Result<(), Failure>;

    /// Undoes the transaction of [`Engine::write`].
    fn rollback(&mut self) -> Result<(), Failure>;
}

/// Ends the running statement of a connection, at the server.
pub(crate) trait Canceller: Send + Sync {
    /// Ends it. What fails here is of no interest: the connection is closed as well.
    fn cancel(&self);
}

/// Collects rows, up to a limit.
#[derive(Default)]
pub(crate) struct Collected {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Value>>,
    pub(crate) limit: usize,
    /// Whether rows were left out.
    pub(crate) is_cut: bool,
}

impl Collected {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, ..Self::default() }
    }
}

impl Rows for Collected {
    fn columns(&mut self, columns: Vec<Column>) -> Result<(), Failure> {
        self.columns = columns;
        Ok(())
    }

    fn row(&mut self, row: Vec<Value>) -> Result<ControlFlow<()>, Failure> {
        if self.rows.len() >= self.limit {
            self.is_cut = true;
            return Ok(ControlFlow::Break(()));
        }
        self.rows.push(row);
        Ok(ControlFlow::Continue(()))
    }
}

/// Runs a query of our own and returns all of its rows.
pub(crate) fn all_rows(
    engine: &mut dyn Engine,
    sql: &str,
    parameters: &[Value],
) -> Result<Vec<Vec<Value>>, Failure> {
    let mut rows = Collected::new(crate::limits::CATALOG_ROWS);
    engine.read(sql, parameters, &mut rows)?;
    Ok(rows.rows)
}
