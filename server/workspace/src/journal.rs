//! What lets a transaction of several files be taken back after a crash.
//!
//! Before the first file is replaced, the content of all of them is written, durably, to a folder
//! outside the workspace; after the last one it is removed. What is found there at the next start
//! was left by a process that died in between, and is put back, where the files are still what
//! that process made of them. One file's replacement is atomic by itself and needs none of this.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use crate::replace::{Staged, remove, sweep};
use crate::{FileError, FilePath, Hash, Root, Stamp};

/// The transactions of one user that are under way.
pub(crate) struct Journal {
    dir: PathBuf,
}

/// One of them. Its lock says that its process lives.
pub(crate) struct Intent {
    dir: PathBuf,
    _lock: File,
}

/// What becomes of one file.
pub(crate) struct Step<'a> {
    pub(crate) path: &'a FilePath,
    /// Its bytes before; `None` where there is no such file.
    pub(crate) before: Option<Vec<u8>>,
    /// The hash of its bytes afterwards; `None` where it goes.
    pub(crate) after: Option<Hash>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    path: PathBuf,
    existed: bool,
    after: Option<String>,
}

const INTENT: &str = "intent.json";
const LOCK: &str = "lock";

impl Journal {
    /// The journal of this user. `None` without a home to keep it in.
    pub(crate) fn of_user() -> Option<Self> {
        Some(Self { dir: state_dir()?.join("journal") })
    }

    /// Makes it known, durably, that `steps` are about to be done.
    pub(crate) fn begin(&self, steps: &[Step<'_>]) -> io::Result<Intent> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.dir)?;
        trusted(&self.dir)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{count}", std::process::id());
        let (making, dir) = (self.dir.join(format!("{name}.new")), self.dir.join(name));
        // Left behind by an earlier process of this number.
        let _ = fs::remove_dir_all(&making);
        fs::DirBuilder::new().mode(0o700).create(&making)?;
        let lock = File::create(making.join(LOCK))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let mut entries = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            if let Some(before) = &step.before {
                write_durably(&making.join(number.to_string()), before)?;
            }
            entries.push(Entry {
                path: step.path.absolute(),
                existed: step.before.is_some(),
                after: step.after.map(|hash| hash.to_string()),
            });
        }
        write_durably(&making.join(INTENT), &serde_json::to_vec(&entries)?)?;
        sync_dir(&making)?;
        fs::rename(&making, &dir)?;
        sync_dir(&self.dir)?;
        Ok(Intent { dir, _lock: lock })
    }

    /// Takes back what processes that have died left half done.
    pub(crate) fn recover(&self, roots: &[Arc<Root>]) {
        if trusted(&self.dir).is_err() {
            return;
        }
        let Ok(entries) = fs::read_dir(&self.dir) else { return };
        for entry in entries.flatten() {
            let dir = entry.path();
            if trusted(&dir).is_err() {
                continue;
            }
            let Ok(lock) = File::open(dir.join(LOCK)) else { continue };
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
                continue;
            }
            // With an extension it was not begun yet, or is over.
            if dir.extension().is_some() || take_back(&dir, roots) {
                Intent { dir, _lock: lock }.end();
            }
        }
    }
}

impl Intent {
    /// All steps are done, or none.
    pub(crate) fn end(self) {
        // In one step: a half-removed intent would be taken back by half.
        let over = self.dir.with_extension("over");
        let ended = fs::rename(&self.dir, &over).and_then(|()| fs::remove_dir_all(&over));
        if let Err(error) = ended {
            tracing::error!("{}: {error}", self.dir.display());
        }
    }
}

/// Takes back what lies in these roots. True once nothing is left to be taken back.
fn take_back(dir: &Path, roots: &[Arc<Root>]) -> bool {
    let Some(entries) = fs::read(dir.join(INTENT))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<Vec<Entry>>(&bytes).ok())
    else {
        // Not complete: nothing had been done yet.
        return true;
    };
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let process = name.split('-').next().unwrap_or_default();
    let mut over = true;
    let mut swept = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        let shown = entry.path.to_string_lossy();
        // The files of folders that are not open now wait for the next time.
        let Ok(path) = crate::path::locate(roots, &shown) else {
            over = false;
            continue;
        };
        let folder = path.absolute().parent().map(Path::to_owned);
        if !swept.contains(&folder) {
            sweep(&path, process);
            swept.push(folder);
        }
        match restore(&path, entry, &dir.join(number.to_string())) {
            Ok(false) => {}
            Ok(true) => tracing::warn!("{shown}: put back after a crash"),
            Err(error) => {
                tracing::error!("{shown}: could not be put back: {error}");
                over = false;
            }
        }
    }
    over
}

/// Puts one file back, if it still is what the transaction made of it. Doing so again does nothing.
fn restore(path: &FilePath, entry: &Entry, before: &Path) -> Result<bool, FileError> {
    let now = match path.root.read(&path.relative, &path.shown()) {
        Ok((bytes, stat)) => Some((Hash::of(&bytes).to_string(), Stamp::of(&stat))),
        Err(FileError::NotFound { .. }) => None,
        Err(error) => return Err(error),
    };
    if now.as_ref().map(|(hash, _)| hash) != entry.after.as_ref() {
        // Not reached yet, or changed by somebody since.
        return Ok(false);
    }
    let stamp = now.map(|(_, stamp)| stamp);
    if !entry.existed {
        return match stamp {
            Some(_) => remove(path, stamp).map(|()| true),
            None => Ok(false),
        };
    }
    let Ok(before) = fs::read(before) else { return Ok(false) };
    Staged::new(path, stamp, path, &before)?.commit()?;
    Ok(true)
}

/// Refuses a folder that somebody else could have filled.
fn trusted(dir: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(dir)?;
    let ours = found.is_dir()
        && found.uid() == rustix::process::geteuid().as_raw()
        && found.mode() & 0o077 == 0;
    if ours {
        return Ok(());
    }
    let message = format!("{}: must be a folder of mode 0700 that is yours", dir.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
}

fn write_durably(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// `$XDG_STATE_HOME/tandem`, by default `~/.local/state/tandem`; `None` without a home.
pub(crate) fn state_dir() -> Option<PathBuf> {
    let absolute =
        |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
    let state =
        absolute("XDG_STATE_HOME").or_else(|| Some(absolute("HOME")?.join(".local/state")))?;
    Some(state.join("tandem"))
}
