//! Indexed contents on disk, by their hash: all workspaces and worktrees of a person share them.

use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};
use workspace::{check_sqlite_files, enable_sqlite_wal, private_cache_folder};

use crate::file_passages::FilePassages;

/// The folder's name, in the cache folder.
const FOLDER: &str = "passages";
/// Changes with what is stored of a content, besides the embedding model.
const FORMAT: u32 = 1;
/// How long to wait for another server's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// Contents that were not used for this long are removed, in days.
const KEPT_DAYS: i64 = 60;
/// Largest database, in bytes; a larger one is emptied.
const MAX_BYTES: i64 = 2 << 30;

/// The database of contents.
pub(crate) struct Store {
    connection: Connection,
    today: i64,
}

impl Store {
    /// Opens the database in the cache folder; `None`, with a note in the log, if it is not usable: then
    /// everything is indexed again.
    pub(crate) fn open() -> Option<Self> {
        let opened = private_cache_folder(FOLDER, &[])
            .map_err(|error| error.to_string())
            .and_then(|folder| Self::open_or_replace(&folder).map_err(|error| error.to_string()));
        opened.inspect_err(|why| tracing::debug!("no stored passages: {why}")).ok()
    }

    /// Opens the database; a damaged one is replaced, since all that it holds can be indexed again.
    fn open_or_replace(folder: &Path) -> Result<Self, rusqlite::Error> {
        let opened = Self::open_in(folder);
        let code = opened.as_ref().err().and_then(rusqlite::Error::sqlite_error_code);
        if !matches!(code, Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt)) {
            return opened;
        }
        let path = Self::path(folder);
        for suffix in ["", "-wal", "-shm"] {
            let mut name = path.clone().into_os_string();
            name.push(suffix);
            // One that stays makes the next attempt fail, too.
            let _ = std::fs::remove_file(name);
        }
        Self::open_in(folder)
    }

    fn path(folder: &Path) -> PathBuf {
        folder.join(format!("{}-{FORMAT}.db", embedding::MODEL))
    }

    fn open_in(folder: &Path) -> Result<Self, rusqlite::Error> {
        let path = Self::path(folder);
        let unusable = |_| rusqlite::Error::InvalidPath(path.clone());
        check_sqlite_files(&path).map_err(unusable)?;
        let connection = Connection::open(&path)?;
        enable_sqlite_wal(&connection, BUSY_TIMEOUT)?;
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.execute_batch(
            "CREATE TABLE IF NOT EXISTS contents (
                 hash BLOB PRIMARY KEY, used INTEGER NOT NULL, passages BLOB NOT NULL
             ) WITHOUT ROWID",
        )?;
        let days = UNIX_EPOCH.elapsed().unwrap_or_default().as_secs() / 86_400;
        let store = Self { connection, today: i64::try_from(days).unwrap_or_default() };
        store.remove_unused()?;
        Ok(store)
    }

    fn remove_unused(&self) -> Result<(), rusqlite::Error> {
        let bytes: i64 = self.connection.query_row(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            [],
            |row| row.get(0),
        )?;
        let kept = if bytes > MAX_BYTES { 0 } else { KEPT_DAYS };
        self.connection
            .execute("DELETE FROM contents WHERE used <= ?", [self.today - kept])
            .map(drop)
    }

    /// The passages of a content.
    pub(crate) fn get(&self, key: &[u8]) -> Option<FilePassages> {
        let row = self
            .connection
            .prepare_cached("SELECT passages, used FROM contents WHERE hash = ?")
            .and_then(|mut query| {
                let read = |row: &rusqlite::Row<'_>| {
                    Ok((
                        FilePassages::from_bytes(row.get_ref(0)?.as_blob()?),
                        row.get::<_, i64>(1)?,
                    ))
                };
                query.query_row([key], read).optional()
            });
        let (passages, used) = row.ok()??;
        if used < self.today {
            let _ = self
                .connection
                .execute("UPDATE contents SET used = ? WHERE hash = ?", params![self.today, key]);
        }
        passages
    }

    /// Stores passages by their contents' keys. A failure is only logged: they are indexed again then.
    pub(crate) fn put<'p>(&mut self, all: impl Iterator<Item = (Vec<u8>, &'p FilePassages)>) {
        let today = self.today;
        let store = || -> Result<(), rusqlite::Error> {
            let transaction = self.connection.transaction()?;
            {
                let mut insert =
                    transaction.prepare("INSERT OR REPLACE INTO contents VALUES (?, ?, ?)")?;
                for (key, passages) in all {
                    insert.execute(params![key, today, passages.to_bytes()])?;
                }
            }
            transaction.commit()
        };
        if let Err(error) = store() {
            tracing::debug!("passages are not stored: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_are_found_by_their_hash() {
        let folder = tempfile::tempdir().unwrap();
        let passages = FilePassages::new("one two\n", &[]);
        let mut store = Store::open_in(folder.path()).unwrap();
        store.put([(vec![1], &passages)].into_iter());
        drop(store);
        let store = Store::open_in(folder.path()).unwrap();
        assert_eq!(store.get(&[1]), Some(passages));
        assert_eq!(store.get(&[2]), None);
    }

    #[test]
    fn unused_contents_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::open_in(folder.path()).unwrap();
        store.today -= KEPT_DAYS + 1;
        store.put([(vec![1], &FilePassages::default())].into_iter());
        drop(store);
        assert_eq!(Store::open_in(folder.path()).unwrap().get(&[1]), None);
    }

    #[test]
    fn damaged_databases_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(
            Store::path(folder.path()),
            "no database, but long enough to be read as one".repeat(100),
        )
        .unwrap();
        assert!(Store::open_in(folder.path()).is_err());
        let mut store = Store::open_or_replace(folder.path()).unwrap();
        store.put([(vec![1], &FilePassages::default())].into_iter());
        assert_eq!(store.get(&[1]), Some(FilePassages::default()));
    }
}
