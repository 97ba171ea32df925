//! The limits of this crate.

use std::time::Duration;

/// Rows of a page, unless the caller wants another number.
pub(crate) const DEFAULT_ROWS: usize = 200;
/// Most rows of a page.
pub(crate) const MAX_ROWS: usize = 2_000;
/// Bytes of a page's values as JSON: a result has 50 KB with everything.
pub(crate) const PAGE_BYTES: usize = 40_000;
/// Bytes of a value's text in a page. Files get values whole.
pub(crate) const CELL_BYTES: usize = 8_000;
/// Bytes of a CSV file.
pub(crate) const CSV_BYTES: usize = 32 << 20;
/// Bytes of one message of a server, so of one row, and of one value of SQLite.
pub(crate) const MESSAGE_BYTES: usize = 16 << 20;
/// Bytes of a statement.
pub(crate) const SQL_BYTES: usize = 256 << 10;
/// Parameters of a statement.
pub(crate) const MAX_PARAMETERS: usize = 1_000;
/// Columns of a result.
pub(crate) const MAX_COLUMNS: usize = 4_096;
/// How deep statements may nest.
pub(crate) const SQL_DEPTH: usize = 100;

/// Time for a call, unless the caller wants another.
pub(crate) const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Most time for a call.
pub(crate) const MAX_TIMEOUT: Duration = Duration::from_secs(600);
/// Time for a connection, and for the login.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Time for the second connection that ends a query at the server.
pub(crate) const CANCEL_TIMEOUT: Duration = Duration::from_secs(2);
/// How long a query stays open for its next page.
pub(crate) const IDLE_CURSOR: Duration = Duration::from_secs(120);
/// Open queries of a session.
pub(crate) const MAX_CURSORS: usize = 4;
/// How often waits look at the interrupt flag.
pub(crate) const POLL: Duration = Duration::from_millis(20);

/// Tables that `db_schema` describes.
pub(crate) const DEFAULT_TABLES: usize = 50;
/// Rows that the queries behind `db_schema` and `db_explain` may return.
pub(crate) const CATALOG_ROWS: usize = 20_000;
/// Rows from which a table is large: reading all of it is slow.
pub(crate) const LARGE_TABLE: f64 = 10_000.0;
/// The longest text of a server in a message, in characters.
pub(crate) const MAX_MESSAGE_CHARS: usize = 1_000;
