//! The folder of a kept process.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::{Mode, OFlags, open};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::wire::{About, Ended};

const ABOUT: &str = "about.json";
const ENDED: &str = "ended.json";
const SOCKET: &str = "socket";

/// A kept process as its folder describes it.
#[derive(Debug, Clone)]
pub struct KeptRecord {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: Option<String>,
    /// What was stored with it.
    pub note: String,
    /// When it was started.
    pub started: SystemTime,
    /// Whether it runs.
    pub is_running: bool,
}

/// The kept processes in `folder`, oldest first.
#[must_use]
pub fn kept_records(folder: &Path) -> Vec<KeptRecord> {
    let mut all: Vec<_> = folders(folder)
        .into_iter()
        .filter_map(|folder| {
            let about = about(&folder).ok()?;
            let is_running = ended(&folder).is_none() && connect(&folder).is_ok();
            let About { id, name, note, started, .. } = about;
            Some(KeptRecord { id, name, note, started, is_running })
        })
        .collect();
    all.sort_by_key(|record| record.started);
    all
}

/// The folders of kept processes.
pub(super) fn folders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.join(ABOUT).is_file()).collect()
}

pub(super) fn about(folder: &Path) -> io::Result<About> {
    read(&folder.join(ABOUT))
}

/// How it ended, if it did and its keeper could write it.
pub(super) fn ended(folder: &Path) -> Option<Ended> {
    read(&folder.join(ENDED)).ok()
}

pub(super) fn write_about(folder: &Path, about: &About) -> io::Result<()> {
    write(folder, ABOUT, about)
}

pub(super) fn write_ended(folder: &Path, ended: &Ended) -> io::Result<()> {
    write(folder, ENDED, ended)
}

fn read<T: DeserializeOwned>(path: &Path) -> io::Result<T> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

/// Writes a file that others see whole or not at all.
fn write(folder: &Path, name: &str, value: &impl Serialize) -> io::Result<()> {
    let new = folder.join(format!("{name}.new"));
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    file.write_all(&serde_json::to_vec(value)?)?;
    fs::rename(new, folder.join(name))
}

/// Connects to the keeper.
pub(super) fn connect(folder: &Path) -> io::Result<UnixStream> {
    with_short_path(folder, |path| UnixStream::connect(path))
}

pub(super) fn listen(folder: &Path) -> io::Result<UnixListener> {
    with_short_path(folder, |path| UnixListener::bind(path))
}

/// The paths of sockets have at most 107 bytes, those of state folders more.
fn with_short_path<T>(folder: &Path, act: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let handle = open(folder, flags, Mode::empty())?;
    act(Path::new(&format!("/proc/self/fd/{}/{SOCKET}", handle.as_raw_fd())))
}
