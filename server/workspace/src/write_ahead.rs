//! SQLite's write-ahead log, turned on also where others open the same database just now.

use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

/// How long to sleep before a database that is held is asked again.
const PAUSE: Duration = Duration::from_millis(5);

/// Puts `connection` into WAL mode and has it wait up to `busy` for others, now and from now on.
///
/// The first switch of a new database turns a read lock into an exclusive one. SQLite answers
/// `SQLITE_BUSY` there at once, without its busy handler: two that wait so would wait for each
/// other for good. Whoever loses has let go of its lock and asks again.
pub fn write_ahead(connection: &Connection, busy: Duration) -> rusqlite::Result<()> {
    connection.busy_timeout(busy)?;
    let until = Instant::now() + busy;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < until =>
            {
                thread::sleep(PAUSE);
            }
            turned => return turned,
        }
    }
}

/// Refuses a database of which a file is a FIFO, a device, a folder or a link: to open it would wait for
/// good, or lead elsewhere.
///
/// # Errors
/// When one is there and no regular file.
pub fn check_database(path: &Path) -> io::Result<()> {
    for end in ["", "-wal", "-shm", "-journal"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        match std::fs::symlink_metadata(&file) {
            Ok(found) if !found.is_file() => {
                let what = format!("{}: is no regular file; move it away", file.display());
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
    fn a_new_database_is_opened_by_many_at_once() {
        for _ in 0..30 {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("new.db");
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| {
                        let connection = Connection::open(&path).unwrap();
                        write_ahead(&connection, Duration::from_secs(20)).unwrap();
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
