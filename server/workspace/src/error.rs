//! Errors of reaching, reading and writing files.

use text::DecodeError;
use thiserror::Error;

use crate::platform::Errno;

/// Why a file could not be reached, read or written. Paths in messages are as the caller wrote
/// them.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum FileError {
    #[error("{path}: not a path: {reason}")]
    Invalid { path: String, reason: &'static str },
    #[error("{path}: {reason}")]
    Forbidden { path: String, reason: &'static str },
    #[error("{path}: no such file")]
    NotFound { path: String },
    #[error("{path}: is a directory")]
    IsDirectory { path: String },
    #[error("{path}: is {what}, not a regular file")]
    NotRegular { path: String, what: &'static str },
    #[error("{path}: permission denied")]
    Permission { path: String },
    #[error("{path}: {size} bytes, more than the {limit} that can be read at once")]
    TooLarge { path: String, size: u64, limit: u64 },
    #[error("{path}: {source}")]
    Encoding { path: String, source: DecodeError },
    #[error("{path}: changed on disk since it was read")]
    Changed { path: String },
    #[error("{path}: {action} failed: {source}")]
    Io { path: String, action: &'static str, source: Errno },
}

impl FileError {
    /// Converts the error of a system call that performed `action` on `path`.
    pub(crate) fn from_errno(path: &str, action: &'static str, errno: Errno) -> Self {
        let path = path.to_owned();
        let forbidden = |path, reason| Self::Forbidden { path, reason };
        match errno {
            Errno::NOENT | Errno::NOTDIR => Self::NotFound { path },
            Errno::ACCESS | Errno::PERM | Errno::ROFS => Self::Permission { path },
            Errno::ISDIR => Self::IsDirectory { path },
            Errno::NXIO | Errno::NODEV => Self::NotRegular { path, what: "a special file" },
            Errno::XDEV => forbidden(path, "escapes the workspace"),
            Errno::LOOP => {
                forbidden(path, "its links form a loop, or changed while they were followed")
            }
            Errno::NAMETOOLONG => forbidden(path, "the name is too long"),
            source => Self::Io { path, action, source },
        }
    }
}
