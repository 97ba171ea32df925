//! Opens SQLite databases safely: checks their files, and enables the write-ahead log under
//! concurrency.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

/// Delay before another attempt on a locked database.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// Switches `connection` to WAL mode and sets its busy timeout to `busy`.
///
/// The first switch of a new database upgrades a read lock to an exclusive one. SQLite returns
/// `SQLITE_BUSY` there at once, without its busy handler, because two waiting connections would
/// deadlock. The one that fails has released its lock and tries again.
pub fn enable_sqlite_wal(connection: &Connection, busy: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(busy)?;
    let deadline = Instant::now() + busy;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                thread::sleep(RETRY_DELAY);
            }
            outcome => return outcome,
        }
    }
}

/// Refuses a database if one of its files is a FIFO, a device, a folder or a link: opening it could
/// block forever, or access another file.
///
/// # Errors
/// When such a file exists and is not a regular file.
pub fn check_sqlite_files(path: &Path) -> io::Result<()> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        match std::fs::symlink_metadata(&file) {
            Ok(found) if !found.is_file() => {
                let what = format!("{}: is not a regular file; move it away", file.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_database_can_be_opened_concurrently() {
        for _ in 0..30 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("new.db");
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let connection = Connection::open(&path).unwrap();
                        enable_sqlite_wal(&connection, Duration::from_secs(20)).unwrap();
                        connection
                            .execute_batch(
                                "BEGIN IMMEDIATE; CREATE TABLE IF NOT EXISTS t(a); COMMIT;",
                            )
                            .unwrap();
                    });
                }
            });
        }
    }
}
