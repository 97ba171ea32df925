//! The settings files, read again when they change.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use workspace::{
    EntryKind, FileError, FilePath, Metadata, Snapshot, Stamp, config_folder, read_user_file,
    user_file_stamp,
};

use super::rules::Rules;
use super::settings::{LARGEST, Settings};

/// A workspace's own settings, below each of its roots.
const WORKSPACE_FILE: &str = ".tandem/config.toml";

/// The rules of the settings files in their latest state.
pub(super) struct Sources {
    user: Option<PathBuf>,
    current: Mutex<(State, Arc<Rules>)>,
}

/// What tells one state of the files from another.
#[derive(Clone, PartialEq)]
pub(super) struct State {
    user: Option<Stamp>,
    roots: Vec<(PathBuf, Result<Metadata, FileError>)>,
}

impl Sources {
    /// The files of the user and of the roots of `snapshot`.
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let user = config_folder().map(|folder| folder.join("config.toml"));
        let state = state(&user, snapshot);
        let rules = Arc::new(load(&user, snapshot));
        Self { user, current: Mutex::new((state, rules)) }
    }

    /// The rules, read again if a file has changed.
    pub(super) fn current(&self, snapshot: &Snapshot) -> Arc<Rules> {
        let state = state(&self.user, snapshot);
        let mut current = self.current.lock();
        if current.0 != state {
            *current = (state, Arc::new(load(&self.user, snapshot)));
        }
        current.1.clone()
    }

    /// The rules as they were read last.
    pub(super) fn latest(&self) -> Arc<Rules> {
        self.current.lock().1.clone()
    }

    /// The user's settings file, for messages.
    pub(super) fn user_file(&self) -> String {
        let shown = self.user.as_ref().map(|path| path.display().to_string());
        shown.unwrap_or_else(|| "~/.config/tandem/config.toml".to_owned())
    }
}

pub(super) fn state(user: &Option<PathBuf>, snapshot: &Snapshot) -> State {
    let roots = snapshot.roots().iter().map(|root| {
        let path = root.path().to_owned();
        let found = file_of(snapshot, &path).and_then(|file| snapshot.metadata(&file));
        (path, found)
    });
    State { user: user.as_ref().and_then(|path| user_file_stamp(path)), roots: roots.collect() }
}

fn file_of(snapshot: &Snapshot, root: &std::path::Path) -> Result<FilePath, FileError> {
    let path = root.join(WORKSPACE_FILE);
    let Some(path) = path.to_str() else {
        // A root with such a name cannot be spelled in a request either.
        return Err(FileError::NotFound { path: path.display().to_string() });
    };
    snapshot.locate(path)
}

/// The codes of the diagnostics that some settings file turns off; a file that cannot be used turns
/// off none.
pub(super) fn silenced(user: &Option<PathBuf>, snapshot: &Snapshot) -> BTreeSet<String> {
    let of_user = user.as_ref().and_then(|path| read_user_file(path, LARGEST).ok()?);
    let of_roots = snapshot.roots().iter();
    let of_roots = of_roots.filter_map(|r| read_workspace_file(snapshot, r.path()).ok()?);
    let all = of_user.into_iter().chain(of_roots);
    all.filter_map(|bytes| Settings::parse(&bytes).ok()).flat_map(|s| s.diagnostics.off).collect()
}

fn load(user: &Option<PathBuf>, snapshot: &Snapshot) -> Rules {
    let roots = snapshot.roots().iter().map(|root| root.path().to_owned()).collect();
    let mut rules = Rules::of(roots);
    if let Some(path) = user {
        let shown = path.display().to_string();
        let added = match read_user_file(path, LARGEST) {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => {
                let settings = Settings::parse(&bytes);
                settings
                    .and_then(|settings| rules.user(&shown, &settings))
                    .map_err(|error| format!("{shown}: {error}"))
            }
            Err(error) => Err(error.to_string()),
        };
        rules.broken.extend(added.err());
    }
    for root in snapshot.roots() {
        let added = match read_workspace_file(snapshot, root.path()) {
            Ok(None) => Ok(()),
            Ok(Some(bytes)) => Settings::parse(&bytes)
                .and_then(|settings| rules.workspace(WORKSPACE_FILE, root.path(), &settings)),
            Err(error) => Err(error),
        };
        rules.broken.extend(added.err().map(|error| format!("{WORKSPACE_FILE}: {error}")));
    }
    for message in rules.broken.iter().chain(&rules.warnings) {
        tracing::warn!("settings: {message}");
    }
    rules
}

fn read_workspace_file(
    snapshot: &Snapshot,
    root: &std::path::Path,
) -> Result<Option<Vec<u8>>, String> {
    let read = || -> Result<Result<Vec<u8>, String>, FileError> {
        let file = file_of(snapshot, root)?;
        let found = snapshot.metadata(&file)?;
        if found.kind != EntryKind::File {
            return Ok(Err("is not a regular file".to_owned()));
        }
        if found.size > LARGEST {
            return Ok(Err(format!("{} bytes, more than the {LARGEST} that are read", found.size)));
        }
        Ok(Ok(snapshot.read_bytes(&file)?.bytes))
    };
    match read() {
        Ok(read) => read.map(Some),
        Err(FileError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}
