//! The folder of memories of one scope: a file of JSON for each.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workspace::{private_data_folder, read_user_file, state_folder};

use super::fact::{Fact, is_id};
use tools::{Code, Context, ToolError};

/// The folder's name, in the state folder of a workspace and in the person's data folder.
const FOLDER: &str = "memory";
const EXTENSION: &str = ".json";
/// Limit for the file of a memory, in bytes. Quotes and escapes come on top of its text.
const MAX_FILE_BYTES: u64 = 128 << 10;
/// Limit for the memories of one scope.
const MAX_FACTS: usize = 10_000;
/// Entries of a folder that are looked at.
const MAX_ENTRIES: usize = 2 * MAX_FACTS;

/// Where a memory holds.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scope {
    /// In this workspace.
    #[default]
    Workspace,
    /// In all workspaces of this person.
    Person,
}

impl Scope {
    pub(super) const ALL: [Self; 2] = [Self::Workspace, Self::Person];
}

/// The memories of one scope.
pub(super) struct Store {
    tool: &'static str,
    folder: PathBuf,
}

/// What tells whether a file has changed: inode, size and time of its last change.
pub(super) type FileStamp = (u64, u64, i64, i64);

/// The files of a folder.
pub(super) struct Listing {
    /// The memories' ids, with stamps.
    pub(super) files: Vec<(String, FileStamp)>,
    /// Why entries are no memories.
    pub(super) skipped: Vec<String>,
}

impl Store {
    /// The memories of `scope`; creates the folder if it is missing.
    ///
    /// # Errors
    /// If that is not possible.
    pub(super) fn open(
        context: &Context<'_>,
        tool: &'static str,
        scope: Scope,
    ) -> Result<Self, ToolError> {
        let folder = match scope {
            Scope::Workspace => {
                state_folder(context.snapshot.roots()).map(|folder| folder.join(FOLDER))
            }
            Scope::Person => private_data_folder(FOLDER),
        };
        folder.and_then(|folder| Self::open_at(tool, folder)).map_err(|error| failed(tool, &error))
    }

    fn open_at(tool: &'static str, folder: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        Ok(Self { tool, folder })
    }

    #[cfg(test)]
    pub(super) fn in_folder(folder: &Path) -> Self {
        Self::open_at("test", folder.to_owned()).unwrap()
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The stamp of the folder, which changes whenever a file is added, replaced or removed.
    pub(super) fn folder_stamp(&self) -> Option<FileStamp> {
        fs::symlink_metadata(&self.folder).ok().map(|found| stamp(&found))
    }

    /// The stamp of the file of a memory.
    pub(super) fn file_stamp(&self, id: &str) -> Option<FileStamp> {
        fs::symlink_metadata(self.path(id)).ok().map(|found| stamp(&found))
    }

    /// Lists the memories. Reads none.
    ///
    /// # Errors
    /// If the folder is not readable.
    pub(super) fn list(&self) -> Result<Listing, ToolError> {
        let mut listing = Listing { files: Vec::new(), skipped: Vec::new() };
        let entries = fs::read_dir(&self.folder).map_err(|error| failed(self.tool, &error))?;
        for (count, entry) in entries.flatten().enumerate() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Some(stem) = name.strip_suffix(EXTENSION) else { continue };
            if count >= MAX_ENTRIES || listing.files.len() >= MAX_FACTS {
                listing.skipped.push(format!("there are more than {MAX_FACTS} memories"));
                break;
            }
            if !is_id(stem) {
                listing.skipped.push(format!("{name:.80}: its name is no id"));
                continue;
            }
            match entry.metadata() {
                Ok(found) if found.is_file() => {
                    listing.files.push((stem.to_owned(), stamp(&found)));
                }
                Ok(_) => listing.skipped.push(format!("{name}: is not a regular file")),
                Err(error) => listing.skipped.push(format!("{name}: {error}")),
            }
        }
        listing.files.sort_unstable();
        Ok(listing)
    }

    /// Reads a memory; `None` if there is none.
    ///
    /// # Errors
    /// Why its file is not read: it is a link, a FIFO, of another user, too large, or no memory.
    pub(super) fn read(&self, id: &str) -> Result<Option<Fact>, String> {
        let name = format!("{id}{EXTENSION}");
        let bytes = read_user_file(&self.path(id), MAX_FILE_BYTES);
        let Some(bytes) = bytes.map_err(|error| error.to_string())? else { return Ok(None) };
        let fact: Fact = serde_json::from_slice(&bytes).map_err(|e| format!("{name}: {e}"))?;
        match fact.mistake() {
            Some(mistake) => Err(format!("{name}: {mistake}")),
            None => Ok(Some(fact)),
        }
    }

    /// Writes a memory, joined with the one of the same id. Returns the result, and whether there was one.
    ///
    /// # Errors
    /// If there are too many, or it cannot be written.
    pub(super) fn remember(&self, id: &str, fact: Fact) -> Result<(Fact, bool), ToolError> {
        let older = self.read(id).ok().flatten();
        let existed = older.is_some();
        if !existed && self.count().map_err(|error| failed(self.tool, &error))? >= MAX_FACTS {
            let message = format!("{}: there are {MAX_FACTS} memories already", self.tool);
            return Err(ToolError::new(Code::TooLarge, message)
                .hint("forget outdated ones with `memory_forget`"));
        }
        let fact = older.into_iter().fold(fact, Fact::joined_with);
        self.write(id, &fact).map_err(|error| failed(self.tool, &error))?;
        Ok((fact, existed))
    }

    fn count(&self) -> io::Result<usize> {
        let names = fs::read_dir(&self.folder)?.flatten().map(|entry| entry.file_name());
        Ok(names.filter(|name| name.to_string_lossy().ends_with(EXTENSION)).count())
    }

    /// Writes atomically: a fact is there as a whole or not at all.
    fn write(&self, id: &str, fact: &Fact) -> io::Result<()> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let new = self.folder.join(format!(".{id}.{}.{count}", std::process::id()));
        let written = || -> io::Result<()> {
            let options = OpenOptions::new().create_new(true).write(true).mode(0o600).to_owned();
            let mut file = options.open(&new)?;
            // A line for each field: that is what version control compares and merges.
            let mut text = serde_json::to_vec_pretty(fact)?;
            text.push(b'\n');
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&new, self.path(id))
        };
        written().inspect_err(|_| drop(fs::remove_file(&new)))
    }

    /// Deletes a memory, also if its file cannot be read. Returns whether there was one.
    ///
    /// # Errors
    /// If its file cannot be deleted.
    pub(super) fn forget(&self, id: &str) -> Result<bool, ToolError> {
        match fs::remove_file(self.path(id)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failed(self.tool, &error)),
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}{EXTENSION}"))
    }
}

fn stamp(found: &fs::Metadata) -> FileStamp {
    (found.ino(), found.size(), found.mtime(), found.mtime_nsec())
}

fn failed(tool: &str, error: &io::Error) -> ToolError {
    ToolError::new(Code::Io, format!("{tool}: the folder of memories: {error}"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::fact::tests::fact;
    use super::*;

    #[test]
    fn hostile_files_are_skipped() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::in_folder(folder.path());
        let good = fact("good");
        let id = good.id();
        store.remember(&id, good.clone()).unwrap();
        let path = |number: u8| folder.path().join(format!("{number:016x}.json"));
        symlink(store.path(&id), path(1)).unwrap();
        rustix_fifo(&path(2));
        fs::write(path(3), vec![b' '; usize::try_from(MAX_FILE_BYTES).unwrap() + 1]).unwrap();
        fs::write(path(4), "{ broken").unwrap();
        fs::write(path(5), "[".repeat(100_000)).unwrap();
        fs::create_dir(path(6)).unwrap();
        let whole = fs::read_to_string(store.path(&id)).unwrap();
        fs::write(path(7), whole.replace("\"good\"", "\"\"")).unwrap();
        fs::write(folder.path().join("name.json"), whole).unwrap();
        let listing = store.list().unwrap();
        assert_eq!(listing.skipped.len(), 4, "{:?}", listing.skipped);
        let read = listing.files.iter().filter_map(|(id, _)| store.read(id).ok().flatten());
        assert_eq!(read.collect::<Vec<_>>(), [good]);
        for number in 1..=7 {
            assert!(store.read(&format!("{number:016x}")).is_err(), "{number}");
        }
    }

    fn rustix_fifo(path: &Path) {
        let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn files_differ_in_the_lines_of_what_differs() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::in_folder(folder.path());
        let one = Fact { tags: vec!["a".to_owned()], ..fact("One.") };
        let id = one.id();
        assert!(!store.remember(&id, one).unwrap().1);
        let (joined, existed) =
            store.remember(&id, Fact { tags: vec!["b".to_owned()], ..fact("one") }).unwrap();
        assert!(existed && joined.tags == ["b", "a"]);
        let text = fs::read_to_string(store.path(&id)).unwrap();
        assert!(text.contains("\n  \"content\": \"one\",\n"), "{text}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(store.forget(&id).unwrap() && !store.forget(&id).unwrap());
    }
}
