//! The messages between a child's owner and its launcher.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Confinement, Limits, Mechanisms, Network, Protected, TerminalSize};

/// What the launcher shall do. Sent with file descriptors: standard input, output and error, the
/// working folder, the writable folders, and the proxy's socket if there is one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) program: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) temporary_folders: Vec<String>,
    #[serde(with = "path")]
    pub(crate) cwd: PathBuf,
    /// `None`: the file system is unrestricted.
    pub(crate) writable: Option<Vec<WritableFolder>>,
    pub(crate) protected: Protected,
    pub(crate) network: Network,
    pub(crate) may_trace: bool,
    pub(crate) may_hold: bool,
    pub(crate) limits: Limits,
    /// Whether the command leads a session of its own.
    pub(crate) own_session: bool,
    /// Its terminal, if it has one.
    pub(crate) terminal: Option<TerminalSize>,
    /// Whether the last file descriptor is the proxy's socket.
    pub(crate) has_door: bool,
    pub(crate) mechanisms: Mechanisms,
    /// Set by the outer launcher for the inner one: whether it runs in its own namespaces.
    pub(crate) in_namespaces: bool,
    /// Set likewise: paths of Unix sockets of other processes.
    pub(crate) sockets: Vec<String>,
    /// Set likewise: `TMPDIR`.
    #[serde(with = "path")]
    pub(crate) temporary: PathBuf,
}

/// A writable folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct WritableFolder {
    #[serde(with = "path")]
    pub(crate) path: PathBuf,
}

/// Number of file descriptors before those of the writable folders.
pub(crate) const FIXED_DESCRIPTORS: usize = 4;

/// Reports of the launcher: `Refused`, or `Started` and then `Ended`.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    Refused(Refusal),
    /// The isolation in force, the command's `TMPDIR`, and the descriptors that come along.
    Started(Confinement, PathMessage, Attached),
    Ended(CommandEnd),
}

/// The descriptors of [`Report::Started`], in this order.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Attached {
    /// A pidfd of the command.
    pub(crate) process: bool,
    /// The controlling end of its terminal.
    pub(crate) terminal: bool,
}

/// A path, as a message of its own.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct PathMessage(#[serde(with = "path")] pub(crate) PathBuf);

/// Why the command was not run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Refusal {
    Unavailable(String),
    NoProgram(String),
    FolderChanged(String),
    Failed { action: String, message: String },
}

impl Refusal {
    pub(crate) fn failed(action: &str, error: impl std::fmt::Display) -> Self {
        Self::Failed { action: action.to_owned(), message: error.to_string() }
    }
}

/// How the command ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) enum CommandEnd {
    Code(i32),
    Signal(i32),
}

/// Serializes paths, which are bytes, as JSON strings: each byte becomes the character of that
/// number.
mod path {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
        let text: String = path.as_os_str().as_bytes().iter().map(|b| char::from(*b)).collect();
        serializer.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<PathBuf, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes: Result<Vec<u8>, _> = text.chars().map(|c| u8::try_from(u32::from(c))).collect();
        let bytes = bytes.map_err(|_| serde::de::Error::custom("no path"))?;
        Ok(PathBuf::from(OsString::from_vec(bytes)))
    }
}

/// The same for lists of paths.
pub(crate) mod paths {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::PathMessage;

    pub(crate) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let places: Vec<PathMessage> = paths.iter().cloned().map(PathMessage).collect();
        places.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let places = Vec::<PathMessage>::deserialize(deserializer)?;
        Ok(places.into_iter().map(|PathMessage(path)| path).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn any_path_survives_serialization() {
        let bytes: Vec<u8> = (1..=255).collect();
        let sent = WritableFolder { path: PathBuf::from(OsString::from_vec(bytes)) };
        let json = serde_json::to_string(&sent).unwrap();
        let received: WritableFolder = serde_json::from_str(&json).unwrap();
        assert_eq!(received.path, sent.path);
    }
}
