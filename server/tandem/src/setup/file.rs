//! Reads and replaces a configuration file.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, OFlags, Uid};

use super::config::line_of;

/// Largest configuration of the user that is read: Claude Code's has the history of every project.
const MAX_USER_BYTES: u64 = 16 << 20;
/// Largest configuration of a project that is read. Its syntax tree takes a hundred times as much memory.
const MAX_PROJECT_BYTES: u64 = 1 << 20;

/// Permissions of a new file of the user: clients store secrets in theirs.
const USER_MODE: u32 = 0o600;
/// Permissions of a new file of a project.
const PROJECT_MODE: u32 = 0o644;

/// A configuration file, with all links of its path followed.
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    /// `None` if there is no such file.
    pub(super) text: Option<String>,
    is_project: bool,
}

impl ConfigFile {
    /// Reads the file. With a `project`, it must lie in that folder, links followed.
    pub(super) fn read(path: &Path, project: Option<&Path>) -> Result<Self, String> {
        let real = real_path(path)?;
        if let Some(project) = project
            && !real.starts_with(project)
        {
            return Err(format!("leads out of the project, to {}", real.display()));
        }
        let is_project = project.is_some();
        let text = read(&real, max_bytes(is_project))?;
        Ok(Self { path: real, text, is_project })
    }

    /// The folders that must be created for the file, the innermost first.
    pub(super) fn missing_folders(&self) -> Vec<PathBuf> {
        self.path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists())
            .map(Path::to_owned)
            .collect()
    }

    /// Replaces the file's content, or deletes the file.
    pub(super) fn replace(&self, text: Option<&str>) -> Result<(), String> {
        if read(&self.path, max_bytes(self.is_project))? != self.text {
            return Err("was changed meanwhile; run this again".to_owned());
        }
        let error = |error: std::io::Error| error.to_string();
        let Some(text) = text else {
            return fs::remove_file(&self.path).map_err(error);
        };
        let folder = self.path.parent().ok_or("has no folder")?;
        fs::create_dir_all(folder).map_err(error)?;
        let mut file =
            tempfile::Builder::new().prefix(".tandem-").tempfile_in(folder).map_err(error)?;
        file.write_all(text.as_bytes()).map_err(error)?;
        let mode = match fs::metadata(&self.path) {
            Ok(old) => {
                keep_owner(file.as_file(), &old)?;
                old.mode() & 0o7777
            }
            Err(_) if self.is_project => PROJECT_MODE,
            Err(_) => USER_MODE,
        };
        file.as_file().set_permissions(Permissions::from_mode(mode)).map_err(error)?;
        file.as_file().sync_all().map_err(error)?;
        let persisted = match self.text {
            Some(_) => file.persist(&self.path),
            None => file.persist_noclobber(&self.path),
        };
        persisted.map_err(|failed| failed.error.to_string())?;
        Ok(())
    }
}

/// The path with its links followed as far as it exists.
fn real_path(path: &Path) -> Result<PathBuf, String> {
    match path.canonicalize() {
        Ok(real) => return Ok(real),
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.to_string()),
        Err(_) if path.is_symlink() => return Err("is a link to a missing file".to_owned()),
        Err(_) => {}
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err("has no folder".to_owned());
    };
    Ok(real_path(folder)?.join(name))
}

fn max_bytes(is_project: bool) -> u64 {
    if is_project { MAX_PROJECT_BYTES } else { MAX_USER_BYTES }
}

fn read(path: &Path, max_bytes: u64) -> Result<Option<String>, String> {
    // A FIFO does not block it.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let metadata = file.metadata().map_err(|error| error.to_string())?;
    let kind = metadata.file_type();
    if !kind.is_file() {
        let kind = if kind.is_dir() {
            "a folder"
        } else if kind.is_fifo() {
            "a FIFO"
        } else {
            "a device or socket"
        };
        return Err(format!("is {kind}, not a file"));
    }
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > max_bytes {
        return Err(format!("is larger than {} MiB", max_bytes >> 20));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = String::from_utf8_lossy(&error.as_bytes()[..error.utf8_error().valid_up_to()]);
        format!("is not UTF-8 in line {}", line_of(&valid, valid.len()))
    })
}

/// The file of another user stays that user's, or is not replaced.
fn keep_owner(file: &File, old: &fs::Metadata) -> Result<(), String> {
    let new = file.metadata().map_err(|error| error.to_string())?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    rustix::fs::fchown(file, Some(Uid::from_raw(old.uid())), Some(Gid::from_raw(old.gid())))
        .map_err(|_| "belongs to another user or group; change it as that user".to_owned())
}
