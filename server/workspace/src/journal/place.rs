//! The places of steps, and how they are written.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, percent_encode};

use crate::Root;
use crate::entries::open_below;
use crate::path::FilePath;
use crate::platform::{Errno, Handle, Opening};
use crate::trash::Trash;

/// A place that a step is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// In the workspace.
    Tree(FilePath),
    /// In the trash, by name.
    Trash(String),
}

const PLAIN: &AsciiSet = &CONTROLS.add(b'%');

/// A path as text, whatever its bytes.
pub(crate) fn written_path(path: &Path) -> String {
    percent_encode(path.as_os_str().as_bytes(), PLAIN).to_string()
}

/// The place below one of `roots` that was written so.
pub(crate) fn read_path(written: &str, roots: &[Arc<Root>]) -> Option<FilePath> {
    let bytes: Vec<u8> = percent_decode_str(written).collect();
    let path = PathBuf::from(OsString::from_vec(bytes));
    roots.iter().find_map(|root| {
        let relative = root.strip(&path)?.to_owned();
        let is_plain = relative.components().all(|c| matches!(c, Component::Normal(_)));
        is_plain.then(|| FilePath::new(root, relative))
    })
}

const TRASH: &str = "trash:";

impl Place {
    pub(crate) fn written(&self) -> String {
        match self {
            Self::Tree(path) => written_path(&path.absolute()),
            Self::Trash(name) => format!("{TRASH}{name}"),
        }
    }

    pub(super) fn read(written: &str, roots: &[Arc<Root>]) -> Option<Self> {
        match written.strip_prefix(TRASH) {
            Some(name) => (!name.contains('/')).then(|| Self::Trash(name.to_owned())),
            None => read_path(written, roots).map(Self::Tree),
        }
    }

    /// The folder that it is in, and its name there.
    pub(super) fn parent(&self, trash: Option<&Trash>) -> Result<(Handle, OsString), Errno> {
        match self {
            Self::Tree(path) => {
                let parent = path.relative.parent().unwrap_or(Path::new(""));
                let dir = path.root.open_at(parent, Opening::Folder)?;
                Ok((dir, path.file_name().to_owned()))
            }
            Self::Trash(name) => {
                let trash = trash.ok_or(Errno::NOENT)?;
                let dir = open_below(trash.dir(), Path::new(""), Opening::Folder)?;
                Ok((dir, name.into()))
            }
        }
    }
}
