//! What `tandem setup` changed in a file, so that `--undo` can restore its bytes.
//!
//! One small file for each configuration, in the state folder. It holds no content of the
//! configuration beyond what our change replaced.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use workspace::ContentHash;

use super::file::ConfigFile;

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    /// The hash of the file as we left it: the edit below fits this text only.
    after: String,
    edit: Option<Edit>,
    created_file: bool,
    /// Whether the table of servers was created for our entry.
    pub(super) created_table: bool,
    /// The folders that were created, the innermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// The one place in which two texts differ.
#[derive(Serialize, Deserialize)]
struct Edit {
    at: usize,
    inserted: usize,
    removed: String,
}

impl Record {
    /// Describes the change of a file to `new`.
    pub(super) fn new(file: &ConfigFile, new: &str, created_table: bool) -> Self {
        let folders = file.missing_folders();
        Self { folders, ..Self::of_texts(file.text.as_deref(), new, created_table) }
    }

    fn of_texts(old: Option<&str>, new: &str, created_table: bool) -> Self {
        Self {
            after: hash(new),
            edit: Some(difference(old.unwrap_or_default(), new)),
            created_file: old.is_none(),
            created_table,
            folders: Vec::new(),
        }
    }

    /// Describes a change that cannot be reverted exactly, because what was there was our entry.
    pub(super) fn without_edit(new: &str, earlier: Option<Self>) -> Self {
        Self {
            after: hash(new),
            edit: None,
            created_file: false,
            created_table: earlier.as_ref().is_some_and(|earlier| earlier.created_table),
            folders: earlier.map(|earlier| earlier.folders).unwrap_or_default(),
        }
    }

    /// The text before our change, if `text` is still as we left it: `Some(None)` if there was no
    /// file.
    pub(super) fn revert(&self, text: &str) -> Option<Option<String>> {
        let edit = self.edit.as_ref().filter(|_| self.after == hash(text))?;
        if self.created_file {
            return Some(None);
        }
        let (start, end) = (text.get(..edit.at)?, text.get(edit.at + edit.inserted..)?);
        Some(Some(format!("{start}{}{end}", edit.removed)))
    }

    pub(super) fn load(config: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(path(config).ok()?).ok()?).ok()
    }

    pub(super) fn save(&self, config: &Path) -> Result<(), String> {
        let path = path(config)?;
        let error = |error: std::io::Error| format!("{}: {error}", path.display());
        let folder = path.parent().ok_or("no state folder")?;
        let file = tempfile::NamedTempFile::new_in(folder).map_err(error)?;
        serde_json::to_writer(file.as_file(), self).map_err(|failed| error(failed.into()))?;
        file.persist(&path).map_err(|failed| error(failed.error))?;
        Ok(())
    }

    pub(super) fn delete(config: &Path) {
        // An orphan does no harm: its hash fits no other text.
        if let Ok(path) = path(config) {
            let _ = fs::remove_file(path);
        }
    }
}

fn path(config: &Path) -> Result<PathBuf, String> {
    let folder = workspace::private_state_folder("setup").map_err(|error| error.to_string())?;
    Ok(folder.join(format!("{}.json", ContentHash::digest(config.as_os_str().as_bytes()))))
}

fn hash(text: &str) -> String {
    ContentHash::digest(text.as_bytes()).to_string()
}

fn difference(old: &str, new: &str) -> Edit {
    let pairs = |same: usize| old.is_char_boundary(same) && new.is_char_boundary(same);
    let mut at = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !pairs(at) {
        at -= 1;
    }
    let (old_rest, new_rest) = (&old[at..], &new[at..]);
    let mut tail =
        old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !old_rest.is_char_boundary(old_rest.len() - tail)
        || !new_rest.is_char_boundary(new_rest.len() - tail)
    {
        tail -= 1;
    }
    Edit {
        at,
        inserted: new_rest.len() - tail,
        removed: old_rest[..old_rest.len() - tail].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_reverted_to_the_same_bytes() {
        for (old, new) in [
            ("", "abc"),
            ("{}", "{\"a\": {}}"),
            ("aaa", "aaaaa"),
            ("é", "è"),
            ("xéy", "xèéy"),
            ("abc", ""),
            ("same", "same"),
        ] {
            let record = Record::of_texts(Some(old), new, false);
            assert_eq!(record.revert(new), Some(Some(old.to_owned())), "{old} {new}");
            assert_eq!(record.revert(&format!("{new} ")), None);
        }
        assert_eq!(Record::of_texts(None, "a", true).revert("a"), Some(None));
    }
}
