//! The paths of steps, and their encoding as text.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

use crate::Root;
use crate::path::FilePath;

/// A path that a step works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StepPath {
    /// A path in the workspace.
    Workspace(FilePath),
    /// An entry of the trash, by name.
    Trash(String),
}

const ENCODED_BYTES: &AsciiSet = &CONTROLS.add(b'%');

/// Encodes a path as text: bytes that are not UTF-8 are percent-encoded.
pub(crate) fn encode_path(path: &Path) -> String {
    percent_encode(path.as_os_str().as_bytes(), ENCODED_BYTES).to_string()
}

/// Decodes a path below one of `roots`.
pub(crate) fn decode_path(encoded: &str, roots: &[Arc<Root>]) -> Option<FilePath> {
    let bytes: Vec<u8> = percent_decode_str(encoded).collect();
    let path = PathBuf::from(OsString::from_vec(bytes));
    roots.iter().find_map(|root| {
        let relative = root.strip(&path)?.to_owned();
        let is_plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        is_plain.then(|| FilePath::new(root, relative))
    })
}

const TRASH_PREFIX: &str = "trash:";

impl StepPath {
    pub(crate) fn encode(&self) -> String {
        match self {
            Self::Workspace(path) => encode_path(&path.absolute()),
            Self::Trash(name) => format!("{TRASH_PREFIX}{name}"),
        }
    }

    pub(super) fn decode(encoded: &str, roots: &[Arc<Root>]) -> Option<Self> {
        match encoded.strip_prefix(TRASH_PREFIX) {
            Some(name) => (!name.contains('/')).then(|| Self::Trash(name.to_owned())),
            None => decode_path(encoded, roots).map(Self::Workspace),
        }
    }
}
