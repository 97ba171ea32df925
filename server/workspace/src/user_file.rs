//! Reads the user's own files outside every workspace: settings and approved rules.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::platform::{Errno, Opening, errno_of, open_outside, stat, stat_outside};
use crate::state_folders::tandem_folder;
use crate::{EntryKind, Stamp};

/// Why a file of the user is not read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum UserFileError {
    #[error("{path}: {reason}")]
    Untrusted { path: String, reason: &'static str },
    #[error("{path}: {size} bytes, more than the limit of {limit}")]
    TooLarge { path: String, size: u64, limit: u64 },
    #[error("{path}: {source}")]
    Io { path: String, source: Errno },
}

/// The folder of the user's settings: `$XDG_CONFIG_HOME/tandem`, by default `~/.config/tandem`.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    tandem_folder("XDG_CONFIG_HOME", ".config")
}

/// The stamp of the file at `path`; `None` if there is none. Follows links, as the stamp only tells
/// whether to read again.
#[must_use]
pub fn user_file_stamp(path: &Path) -> Option<Stamp> {
    stat_outside(path).ok().map(|stat| Stamp::from_stat(&stat))
}

/// Reads a file that only the user could have written: a regular file, not a link, owned by the
/// user and not writable by others. `None` if there is none.
///
/// # Errors
/// When it is not such a file, or larger than `limit` bytes.
pub fn read_user_file(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, UserFileError> {
    let shown = || path.display().to_string();
    let too_large = |size| UserFileError::TooLarge { path: shown(), size, limit };
    let Some((file, size)) = open_user_file(path)? else { return Ok(None) };
    if size > limit {
        return Err(too_large(size));
    }
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| UserFileError::Io { path: shown(), source: errno_of(&e) })?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(Some(bytes))
}

/// Opens a file that only the user could have written, and returns its size; otherwise as
/// [`read_user_file`].
pub(crate) fn open_user_file(path: &Path) -> Result<Option<(File, u64)>, UserFileError> {
    let shown = || path.display().to_string();
    let untrusted = |reason| UserFileError::Untrusted { path: shown(), reason };
    let file = match open_outside(path, Opening::Read) {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::NOTDIR) => return Ok(None),
        Err(Errno::LOOP) => return Err(untrusted("is a link, not a regular file")),
        Err(Errno::NXIO) => return Err(untrusted("is not a regular file")),
        Err(source) => return Err(UserFileError::Io { path: shown(), source }),
    };
    let stat = stat(&file).map_err(|source| UserFileError::Io { path: shown(), source })?;
    if stat.kind() != EntryKind::File {
        return Err(untrusted("is not a regular file"));
    }
    if !stat.is_ours() {
        return Err(untrusted("belongs to another user"));
    }
    if stat.mode() & 0o022 != 0 {
        return Err(untrusted("is writable by others; run `chmod go-w` on it"));
    }
    Ok(Some((File::from(file), stat.size())))
}

/// Reads a file of the user that other programs keep in the home folder: as [`read_user_file`], but
/// follows links.
///
/// # Errors
/// As [`read_user_file`].
pub fn read_home_file(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, UserFileError> {
    match std::fs::canonicalize(path) {
        Ok(path) => read_user_file(&path, limit),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => {
            let source = errno_of(&error);
            Err(UserFileError::Io { path: path.display().to_string(), source })
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_files_that_the_user_alone_can_write_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let read = |name: &str| read_user_file(&path(name), 10);
        std::fs::write(path("a"), "text").unwrap();
        assert_eq!(read("a"), Ok(Some(b"text".to_vec())));
        assert_eq!(read("none"), Ok(None));
        assert_eq!(read("a/b"), Ok(None));
        symlink(path("a"), path("link")).unwrap();
        std::fs::write(path("long"), "01234567890").unwrap();
        std::fs::write(path("open"), "text").unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o666)).unwrap();
        use rustix::fs::{CWD, Mode};
        rustix::fs::mkfifoat(CWD, path("fifo"), Mode::RUSR | Mode::WUSR).unwrap();
        std::fs::create_dir(path("folder")).unwrap();
        for name in ["link", "long", "open", "fifo", "folder"] {
            assert!(read(name).is_err(), "{name}");
        }
    }
}
