//! What the launcher is told, and what it reports.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::{Confinement, Limits, Mechanisms, Network, Protected};

/// What the launcher is told. With it come file descriptors: standard input, output and error,
/// the working folder, then the writable folders, then the door where there is one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) program: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) temporary_folders: Vec<String>,
    #[serde(with = "path")]
    pub(crate) cwd: PathBuf,
    /// `None`: the file system is open.
    pub(crate) writable: Option<Vec<Writable>>,
    pub(crate) protected: Protected,
    pub(crate) network: Network,
    pub(crate) may_trace: bool,
    pub(crate) may_hold: bool,
    pub(crate) limits: Limits,
    /// Whether the last of the file descriptors is the command's door.
    pub(crate) has_door: bool,
    pub(crate) mechanisms: Mechanisms,
    /// Set by the outer launcher for the inner one: whether it is in namespaces of its own.
    pub(crate) in_namespaces: bool,
    /// Set likewise: the places of Unix sockets that others listen on.
    pub(crate) sockets: Vec<String>,
    /// Set likewise: the folder for temporary files.
    #[serde(with = "path")]
    pub(crate) temporary: PathBuf,
}

/// A folder that may be written to.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Writable {
    #[serde(with = "path")]
    pub(crate) path: PathBuf,
}

/// File descriptors before those of the writable folders.
pub(crate) const FIXED_DESCRIPTORS: usize = 4;

/// What the launcher reports, in this order: one of the first two, then the others.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    Refused(Refusal),
    /// What is in force, and the command's folder for temporary files.
    Started(Confinement, Place),
    Ended(Ending),
}

/// A place in the file system.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Place(#[serde(with = "path")] pub(crate) PathBuf);

/// Why nothing was run.
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
pub(crate) enum Ending {
    Code(i32),
    Signal(i32),
}

/// Paths are bytes, JSON is characters: each byte is written as the character of that number.
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

/// The same for lists.
pub(crate) mod paths {
    use std::path::PathBuf;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Place;

    pub(crate) fn serialize<S: Serializer>(
        paths: &[PathBuf],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let places: Vec<Place> = paths.iter().cloned().map(Place).collect();
        places.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<PathBuf>, D::Error> {
        let places = Vec::<Place>::deserialize(deserializer)?;
        Ok(places.into_iter().map(|Place(path)| path).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn any_path_comes_through() {
        let bytes: Vec<u8> = (1..=255).collect();
        let sent = Writable { path: PathBuf::from(OsString::from_vec(bytes)) };
        let json = serde_json::to_string(&sent).unwrap();
        let received: Writable = serde_json::from_str(&json).unwrap();
        assert_eq!(received.path, sent.path);
    }
}
